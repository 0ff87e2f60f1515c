package io.croupier.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.gateway.config.IssuerSettings.Discovery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatewayConfigTest {
  private static final Path BASE = Path.of("/etc/croupier");

  private static Map<String, String> minimal() {
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", "broker:9092");
    settings.put("pepper.file", "pepper");
    settings.put("issuers.main.issuer", "https://issuer.example");
    settings.put("issuers.main.audience", "croupier");
    settings.put("issuers.main.jwks", "https://issuer.example/keys");
    return settings;
  }

  private static GatewayConfig with(String key, String value) {
    Map<String, String> settings = minimal();
    settings.put(key, value);
    return GatewayConfig.of(settings, BASE);
  }

  @Test
  void defaultsAreSafe() {
    GatewayConfig config = GatewayConfig.of(minimal(), BASE);
    assertThat(config.listen().address().isLoopbackAddress()).isTrue();
    assertThat(config.reports().raw()).isFalse();
    assertThat(config.identity().testTokens()).isFalse();
    assertThat(config.origins()).isEmpty();
    assertThat(config.identity().pepper()).isEqualTo(Path.of("/etc/croupier/pepper"));
    assertThat(config.topics().gateway()).isEqualTo("croupier.gateway");
    assertThat(config.reports().timeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.identity().issuers().get(0).algorithms()).doesNotContain("none", "HS256");
    assertThat(config.identity().issuers().get(0).required().type()).isEmpty();
    assertThat(config.identity().issuers().get(0).people())
        .isEqualTo(new IssuerSettings.People("main", "https://issuer.example", "sub", false));
    assertThat(config.toString()).doesNotContain("broker");
  }

  @Test
  void anIssuerMayRequireATypeAndClaims() {
    assertThat(with("issuers.main.typ", " at+jwt ").identity().issuers().get(0).required().type())
        .contains("at+jwt");
    assertThat(with("issuers.main.typ", "").identity().issuers().get(0).required().type())
        .isEmpty();
    assertThat(
            with("issuers.main.require", "scope=reports, azp=a=b")
                .identity()
                .issuers()
                .get(0)
                .required()
                .claims())
        .isEqualTo(Map.of("scope", "reports", "azp", "a=b"));
  }

  @Test
  void everyDefaultIsValid() {
    Map<String, String> settings = minimal();
    Arrays.stream(GatewayKey.values())
        .filter(key -> key != GatewayKey.PEPPER_FILE)
        .forEach(key -> settings.put(key.key(), key.byDefault()));
    assertThat(GatewayConfig.of(settings, BASE)).isEqualTo(GatewayConfig.of(minimal(), BASE));
  }

  @Test
  void everySettingIsDocumentedWithItsDefault() throws Exception {
    String page = Files.readString(Path.of("..", "docs/run/gateway-settings.md"));
    for (GatewayKey key : GatewayKey.values()) {
      if (key.key().startsWith("topics.") && key != GatewayKey.TOPICS_PREFIX) {
        // One row stands for all names of topics.
        assertThat(key.byDefault()).isEqualTo(key.key().replace("topics", "<prefix>"));
        continue;
      }
      String byDefault = key.byDefault().isEmpty() ? "" : "`" + key.byDefault() + "`";
      assertThat(page)
          .contains("| `%s` | %s | %s |".formatted(key.key(), byDefault, key.meaning()));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "listen.adress, listen.address",
    "limits.bodies, limits.body",
    "issuers.main.audiences, issuers.main.audience",
    "pepper, pepper.file"
  })
  void anUnknownKeyIsAnErrorThatNamesTheNearest(String key, String nearest) {
    assertThatThrownBy(() -> with(key, "1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("'" + key + "'", "'" + nearest + "'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "listen.port | 65536 | from 0 to 65535",
        "listen.address | 0.0.0.0 | in the clear",
        "listen.address | 192.0.2.1 | in the clear",
        "listen.certificate | a.pem | set together",
        "limits.body | 1 | from 1024",
        "limits.wait | 1 | a duration",
        "limits.wait | 11 d | a duration",
        "reports.raw | yes | true or false",
        "issuers.main.algorithms | HS256 | it must be a list of RS256",
        "issuers.main.algorithms | none | it must be a list of RS256",
        "issuers.main.algorithms | RS256,HS256 | it must be a list of RS256",
        "issuers.main.algorithms | ES256,EdDSA | it must be a list of RS256",
        "issuers.main.jwks | http://issuer.example/keys | a file, or an https URL",
        "issuers.main.jwks | https:///keys | a file, or an https URL",
        "issuers.main.jwks | http:///keys | a file, or an https URL",
        "issuers.main.issuer | urn:croupier:test | must differ",
        "cors.origins | * | a scheme and a host",
        "cors.origins | https://app.example/path | a scheme and a host",
        "cors.origins | https://app.example:443 | if it isn't the default",
        "cors.origins | http://ada@app.example | a scheme and a host",
        "test-tokens.allowed | true | test-tokens.key-file",
        "topics.updates | croupier.models | two topics have the same name",
        "issuers.main.require | scope | CLAIM=VALUE",
        "issuers.main.require | 'scope=a, scope=b' | names the claim 'scope' twice",
        "issuers.main.require | scope=a b | must be one word",
        "issuers.main.added | yes | true or false",
        "issuers.main.identity | urn:croupier:test | that of test tokens"
      })
  void invalidValuesAreErrors(String key, String value, String right) {
    assertThatThrownBy(() -> with(key, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(right);
  }

  @Test
  void withoutKeysTheIssuersConfigurationNamesThem() {
    Map<String, String> settings = minimal();
    settings.remove("issuers.main.jwks");
    assertThat(GatewayConfig.of(settings, BASE).identity().issuers().get(0).jwks())
        .isEqualTo(Discovery.of("https://issuer.example"))
        .asString()
        .contains("https://issuer.example/.well-known/openid-configuration");
    settings.put("issuers.main.issuer", "urn:x");
    assertThatThrownBy(() -> GatewayConfig.of(settings, BASE))
        .hasMessage(
            "issuers.main.jwks is missing, and issuers.main.issuer is 'urn:x'; without jwks it"
                + " must be an https URL (http only on the loopback interface)");
  }

  @ParameterizedTest
  @CsvSource({"kafka.bootstrap.servers", "pepper.file", "issuers.main.audience"})
  void requiredSettingsAreNamed(String key) {
    Map<String, String> settings = minimal();
    settings.remove(key);
    assertThatThrownBy(() -> GatewayConfig.of(settings, BASE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(key + " is missing");
  }

  @Test
  void withoutIssuersNothingWouldBeAccepted() {
    Map<String, String> settings = minimal();
    settings.keySet().removeIf(key -> key.startsWith("issuers."));
    assertThatThrownBy(() -> GatewayConfig.of(settings, BASE)).hasMessageContaining("no issuer");
    settings.put("test-tokens.allowed", "true");
    settings.put("test-tokens.key-file", "test.jwk");
    assertThat(GatewayConfig.of(settings, BASE).identity().testTokens()).isTrue();
  }
}
