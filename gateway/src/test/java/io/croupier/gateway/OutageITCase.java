package io.croupier.gateway;

import static io.croupier.gateway.Condition.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.BrokerProcess;
import io.croupier.broker.FreePorts;
import io.croupier.client.GradientReporter;
import io.croupier.client.HttpModelSubscriber;
import io.croupier.client.HttpReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.schemas.GradientReport;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway while Kafka is away, and when it is there again. */
@Tag("thorough")
class OutageITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir private Path directory;

  private Process broker(int port, int controllerPort) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(
        List.of(
            BrokerProcess.class.getName(),
            directory.resolve("broker").toString(),
            String.valueOf(port),
            String.valueOf(controllerPort)));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("broker.log").toFile())
        .start();
  }

  @Test
  void reportsAreRefusedWhileKafkaIsAway() throws Exception {
    int port = FreePorts.next();
    int controllerPort = FreePorts.next();
    Map<String, String> kafka = Map.of("bootstrap.servers", "127.0.0.1:" + port);
    Process first = broker(port, controllerPort);
    Process second = null;
    try (TestTopics topics = new TestTopics(kafka);
        TestGateway gateway =
            new TestGateway(directory.resolve("gateway"), kafka, Map.of("reports.timeout", "2 s"));
        LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri("/"), () -> gateway.issuer.token("ada"));
        HttpModelSubscriber models = new HttpModelSubscriber(gateway.uri("/"), "m")) {
      topics.publish(TestBroker.spec("m", 2));
      topics.update(TestBroker.update("m", 2, 0, TestBroker.BOUND).build());
      await(() -> post(gateway, 1).statusCode() == 202);

      first.destroyForcibly().waitFor();
      HttpResponse<String> away = post(gateway, 2);
      assertThat(away.statusCode()).as(away.body()).isEqualTo(503);
      assertThat(away.headers().firstValue("Retry-After")).hasValue("5");
      assertThat(away.headers().firstValue("Content-Type")).hasValue("application/problem+json");
      await(() -> gateway.status("/readyz") == 503);
      assertThat(gateway.status("/healthz")).isEqualTo(200);
      // Devices can still follow what was committed.
      assertThat(gateway.status("/v1/models/m")).isEqualTo(200);

      // A device keeps trying.
      ModelSnapshot model = models.await(PATIENCE);
      CompletableFuture<Void> ofDevice =
          new GradientReporter(transport, ledger)
              .report(
                  model,
                  DataKey.of("data"),
                  new double[2],
                  new L2LaplaceRandomiser(
                      model.gradientBound(), model.dimension(), model.gridExponent(), 1));
      second = broker(port, controllerPort);
      await(() -> gateway.status("/readyz") == 200);
      ofDevice.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(ledger.pending()).isEmpty();
      List<GradientReport> stored = new ArrayList<>(topics.reports());
      stored.removeIf(sent -> !sent.getDeviceId().equals(ledger.deviceId()));
      assertThat(stored).isNotEmpty().containsOnly(stored.get(0));
      // A broker that has just started may need longer than the gateway waits.
      await(() -> post(gateway, 3).statusCode() == 202);
      // The report that was refused is not sent later.
      assertThat(topics.reports())
          .filteredOn(sent -> !sent.getDeviceId().equals(ledger.deviceId()))
          .extracting(GradientReport::getSequence)
          .containsOnly(1L, 3L);
    } finally {
      first.destroyForcibly();
      if (second != null) {
        second.destroyForcibly().waitFor();
      }
    }
  }

  private static HttpResponse<String> post(TestGateway gateway, long sequence) throws Exception {
    return gateway.protobuf(
        gateway.issuer.token("ada"), Reports.grid("m", 2, 0, sequence).build().toByteArray());
  }
}
