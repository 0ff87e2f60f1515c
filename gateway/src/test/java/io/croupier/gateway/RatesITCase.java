package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import io.croupier.gateway.kafka.ReportSender;
import java.lang.management.ManagementFactory;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests a second, their times and their processor time: of reports, of an endpoint of the same
 * server that does nothing, and of the same records without a server in front of Kafka. Clients,
 * gateway and broker share the JVM. Use {@code -Drates.seconds=30} for more.
 */
@Tag("thorough")
class RatesITCase {
  private static final int SECONDS = Integer.getInteger("rates.seconds", 5);
  private static final int CLIENTS = Integer.getInteger("rates.clients", 8);
  private static final int DIMENSION = 100;
  private static final double NANOS_IN_MS = 1e6;
  private static final double NANOS_IN_MICROS = 1e3;
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  @TempDir private Path directory;

  @Test
  void reportsBesideAnEndpointThatDoesNothing() throws Exception {
    try (TestBroker broker = new TestBroker(directory.resolve("broker"))) {
      broker.publish(TestBroker.spec("m", DIMENSION));
      broker.update("m", DIMENSION, 0);
      try (TestGateway gateway =
              new TestGateway(directory.resolve("gateway"), broker.kafka(), Map.of());
          ReportSender sender = new ReportSender(broker.kafka(), Duration.ofSeconds(60))) {
        byte[] body = Reports.grid("m", DIMENSION, 0, 1).build().toByteArray();
        List<Callable<?>> reports = new ArrayList<>();
        List<Callable<?>> nothing = new ArrayList<>();
        List<Callable<?>> records = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          String token = gateway.issuer.token("user-" + i);
          HttpRequest report =
              HttpRequest.newBuilder(gateway.uri("/v1/reports"))
                  .header("Authorization", "Bearer " + token)
                  .header("Content-Type", "application/x-protobuf")
                  .POST(BodyPublishers.ofByteArray(body))
                  .build();
          reports.add(client(report, 202));
          nothing.add(client(HttpRequest.newBuilder(gateway.uri("/healthz")).build(), 200));
          String user = gateway.userId("user-" + i);
          records.add(() -> sender.send(broker.topics().gradients(), user, body).join());
        }
        for (String what : List.of("warm-up, ", "")) {
          measure(what + "reports", reports);
          measure(what + "an endpoint that does nothing", nothing);
          measure(what + "the records alone", records);
        }
      }
    }
  }

  /** A client with a connection of its own. */
  private static Callable<?> client(HttpRequest request, int status) {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    return () -> {
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(status);
      return null;
    };
  }

  private static void measure(String what, List<Callable<?>> requests) throws Exception {
    long cpu = PROCESS.getProcessCpuTime();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    long[] times;
    ExecutorService clients = Executors.newFixedThreadPool(requests.size());
    try {
      List<Future<LongStream>> loops = new ArrayList<>();
      for (Callable<?> request : requests) {
        loops.add(
            clients.submit(
                () -> {
                  LongStream.Builder all = LongStream.builder();
                  while (System.nanoTime() < end) {
                    long before = System.nanoTime();
                    request.call();
                    all.add(System.nanoTime() - before);
                  }
                  return all.build();
                }));
      }
      LongStream all = LongStream.empty();
      for (Future<LongStream> loop : loops) {
        all = LongStream.concat(all, loop.get());
      }
      cpu = PROCESS.getProcessCpuTime() - cpu;
      times = all.sorted().toArray();
    } finally {
      clients.shutdown();
    }
    System.out.printf(
        "%s: %,d requests a second, %.1f ms in the median, %.1f ms at the 99th percentile,"
            + " %.0f µs of processor time each%n",
        what,
        times.length / SECONDS,
        times[times.length / 2] / NANOS_IN_MS,
        times[(int) (times.length * 0.99)] / NANOS_IN_MS,
        cpu / NANOS_IN_MICROS / times.length);
  }
}
