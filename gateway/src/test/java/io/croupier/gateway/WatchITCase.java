package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.identity.AdminToken;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page to watch, served by a gateway. */
@Tag("ci")
class WatchITCase {
  @TempDir private Path directory;

  @Test
  void servesThePageOnlyIfItIsEnabled() throws Exception {
    try (TestBroker broker = new TestBroker(directory.resolve("kafka"))) {
      try (TestGateway gateway =
          new TestGateway(directory.resolve("gateway"), broker.kafka(), Map.of())) {
        assertThat(gateway.get("/watch/").statusCode()).isEqualTo(404);
      }
      Path token = directory.resolve("admin-token");
      AdminToken.create(token);
      try (TestGateway gateway =
          new TestGateway(
              directory.resolve("gateway"),
              broker.kafka(),
              Map.of(
                  "watch.enabled", "true",
                  "watch.token-file", token.toString(),
                  "listen.proxy", "true",
                  "limits.address.burst", "100",
                  "limits.address.per-minute", "1",
                  "cors.origins", "https://app.example"))) {
        String[] admin = {
          "Authorization", "Bearer " + AdminToken.read(token), "Origin", "https://app.example"
        };

        assertThat(gateway.get("/watch/").statusCode()).isEqualTo(401);
        assertThat(gateway.get("/watch/", admin).body()).contains("watch.js");
        assertThat(gateway.get("/watch/snapshot", admin).headers().map().keySet())
            .contains("content-security-policy")
            .doesNotContain("access-control-allow-origin");
        assertThat(gateway.get("/v1/models").statusCode()).isEqualTo(200);
        Set<Integer> guesses = new TreeSet<>();
        for (int i = 0; i < 120; i++) {
          guesses.add(
              gateway
                  .get("/watch/", "Authorization", "Bearer " + "%032d".formatted(i))
                  .statusCode());
        }
        assertThat(guesses).containsExactly(401, 429);
      }
      // Without a token, each user of this machine must be meant.
      Map<String, String> settings =
          TestGateway.settings(
              directory.resolve("gateway"),
              broker.kafka(),
              new TestIssuer("https://issuer.example"));
      settings.put("watch.enabled", "true");
      assertThatThrownBy(
              () -> new Gateway(GatewayConfig.of(settings, directory.resolve("gateway"))).close())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("watch.token-file");
      settings.put("watch.loopback", "true");
      try (Gateway gateway =
          new Gateway(GatewayConfig.of(settings, directory.resolve("gateway")))) {
        HttpResponse<String> page =
            HttpClient.newHttpClient()
                .send(
                    HttpRequest.newBuilder(gateway.address().resolve("/watch/")).build(),
                    BodyHandlers.ofString());
        assertThat(page.body()).contains("watch.js");
      }
    }
  }
}
