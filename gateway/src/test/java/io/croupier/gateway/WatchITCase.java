package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.identity.AdminToken;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page to watch, served by a gateway. */
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
      }
      // Behind a proxy, each reader would seem to be on this machine.
      Map<String, String> settings =
          TestGateway.settings(
              directory.resolve("gateway"),
              broker.kafka(),
              new TestIssuer("https://issuer.example"));
      settings.put("watch.enabled", "true");
      settings.put("listen.proxy", "true");
      assertThatThrownBy(
              () -> new Gateway(GatewayConfig.of(settings, directory.resolve("gateway"))).close())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("watch.token-file");
    }
  }
}
