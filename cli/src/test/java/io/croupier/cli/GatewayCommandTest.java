package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code croupier gateway}, without Kafka. */
class GatewayCommandTest {
  @TempDir private Path directory;
  private Path config;

  @BeforeEach
  void configure() throws Exception {
    config =
        Files.writeString(
            directory.resolve("gateway.yaml"),
            """
            kafka: {bootstrap.servers: "127.0.0.1:1"}
            pepper: {file: pepper}
            test-tokens: {allowed: true, key-file: test.jwk}
            """);
  }

  private CommandRun gateway(String arguments) {
    return CommandRun.croupier("gateway %s --config %s".formatted(arguments, config));
  }

  @Test
  void initCreatesEachSecretOnce() throws Exception {
    CommandRun first = gateway("init").succeeded();
    assertThat(first.out().lines()).hasSize(2).allMatch(line -> line.startsWith("created"));
    for (String file : new String[] {"pepper", "test.jwk"}) {
      assertThat(
              PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(file))))
          .isEqualTo("rw-------");
    }
    String pepper = Files.readString(directory.resolve("pepper"));
    CommandRun second = gateway("init").succeeded();
    assertThat(second.out().lines()).hasSize(2).allMatch(line -> line.startsWith("exists"));
    assertThat(Files.readString(directory.resolve("pepper"))).isEqualTo(pepper);
    assertThat(List.of(first, second).toString()).doesNotContain(pepper.strip());
  }

  @Test
  void initRefusesAFileWithoutASecret() throws Exception {
    gateway("init").succeeded();
    for (String file : new String[] {"pepper", "test.jwk"}) {
      Path secret = directory.resolve(file);
      String before = Files.readString(secret);
      Files.writeString(secret, "");
      gateway("init").failed(secret + " contains no ");
      Files.writeString(secret, before);
    }
    Files.writeString(
        config, Files.readString(config).replace("file: pepper", "file: none/pepper"));
    gateway("init")
        .failed(
            "A secret can't be created: %s: can't be written: no such directory"
                .formatted(directory.resolve("none/pepper")));
  }

  @Test
  void tokenPrintsASignedToken() {
    gateway("init").succeeded();
    assertThat(gateway("token --subject ada").succeeded().out().strip())
        .matches("[\\w-]+\\.[\\w-]+\\.[\\w-]+");
  }

  /** The user id as docs/run/gateway-identity.md states it, computed by another way. */
  @Test
  void userPrintsTheUserIdOfAPerson() throws Exception {
    Files.writeString(directory.resolve("pepper"), "0b".repeat(32));
    Files.setPosixFilePermissions(
        directory.resolve("pepper"), PosixFilePermissions.fromString("rw-------"));
    CommandRun user = gateway("user --subject ada").succeeded();
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(HexFormat.of().parseHex("0b".repeat(32)), "HmacSHA256"));
    mac.update(new byte[] {0, 0, 0, 17});
    assertThat(user.out().strip())
        .isEqualTo(
            Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(mac.doFinal("urn:croupier:testada".getBytes(UTF_8))));

    gateway("user").failed("--subject must be given");
    gateway("user --subject ").failed("--subject is blank; it must name a person");
    gateway("user --subject ada --issuer main")
        .failed("--issuer must be one of the configuration's: test");
  }

  @Test
  void withoutItsSecretsNothingStarts() {
    CommandRun.croupier("gateway --config " + config).failed("pepper", "croupier gateway init");
    gateway("token --subject ada").failed("test.jwk");
  }

  @Test
  void inputErrorsNameWhatIsWrong() throws Exception {
    CommandRun.croupier("gateway").failed("--config FILE");
    Files.writeString(config, "listen: {adress: 127.0.0.1}");
    CommandRun.croupier("gateway --config " + config).failed("'listen.adress'", "'listen.address'");
    gateway("token").failed("--subject must be given");
  }
}
