package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.gateway.kafka.KafkaHealth;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Logs and metrics name routes and statuses, and no person: no subject, token, user id or value.
 */
@Tag("ci")
class LogsITCase {
  private static final int DIMENSION = 2;

  @TempDir private Path directory;

  /** The fault of a gateway that isn't ready is in its log, once. */
  @Test
  void aTopicThatIsGoneIsNamed() throws Exception {
    try (LogLines log = new LogLines(Level.WARN);
        TestBroker broker = new TestBroker(directory.resolve("broker"));
        KafkaHealth health = new KafkaHealth(broker.kafka(), "gone", () -> {})) {
      Condition.await(() -> log.count("Topic gone can't be written; trying again: ") > 0);
      assertThat(log.lines())
          .filteredOn(line -> line.contains("Topic gone"))
          .singleElement()
          .asString()
          .contains("UnknownTopicOrPartitionException");
      assertThat(health.isReachable()).isFalse();
    }
  }

  @Test
  void logsContainNothingOfASender() throws Exception {
    try (LogLines log = new LogLines(Level.INFO);
        TestBroker broker = new TestBroker(directory.resolve("broker"))) {
      broker.publish(TestBroker.spec("m", DIMENSION));
      broker.update("m", DIMENSION, 0);
      try (TestGateway gateway =
          new TestGateway(directory.resolve("gateway"), broker.kafka(), Map.of())) {
        String token = gateway.issuer.token("adalovelace");
        byte[] report =
            Reports.dense("m", 0, 1, 0.123456789, 0.25)
                .setDeviceId("adasphone")
                .build()
                .toByteArray();
        assertThat(gateway.protobuf(token, report).statusCode()).isEqualTo(202);
        assertThat(gateway.protobuf(token + "x", report).statusCode()).isEqualTo(401);
        byte[] wrong = Reports.dense("m", 0, 1, 0.123456789).build().toByteArray();
        assertThat(gateway.protobuf(token, wrong).statusCode()).isEqualTo(422);
        assertThat(gateway.status("/v1/models/adalovelace?after=0")).isEqualTo(404);
        assertThat(gateway.status("/adalovelace")).isEqualTo(404);
        for (String origin : List.of("https://app.example", "null", "https://x/?" + token)) {
          gateway.get("/v1/models", "Origin", origin);
          gateway.get("/v1/models", "Origin", origin);
        }
        String own = gateway.uri("/").toString().replaceFirst("/$", "");
        gateway.get("/v1/models", "Origin", own);
        assertThat(log.lines().stream().filter(line -> line.contains("RefusedOrigins")))
            .hasSize(2)
            .anyMatch(line -> line.contains("https://app.example") && line.contains("cors.origins"))
            .anyMatch(line -> line.contains("origin null") && line.contains("opened as a file"));
        String metrics = gateway.get("/metrics").body();
        assertThat(metrics)
            .contains(
                "croupier_gateway_requests_total{route=\"/v1/reports\",status=\"202\"} 1.0",
                "croupier_gateway_requests_total{route=\"/v1/models/{id}\",status=\"404\"} 1.0");
        for (String secret :
            List.of(
                "adalovelace",
                "adasphone",
                token.substring(token.length() - 40),
                gateway.userId("adalovelace"),
                "123456789")) {
          assertThat(metrics).doesNotContain(secret);
          assertThat(log.lines()).noneMatch(line -> line.contains(secret));
        }
        assertThat(log.lines())
            .anyMatch(line -> line.startsWith("io.croupier.gateway.access POST /v1/reports 202 "))
            .anyMatch(line -> line.startsWith("io.croupier.gateway.access - other 404 "));
      }
    }
  }
}
