package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests a second and their times, of reports and of an endpoint of the same server that does
 * nothing. Client, gateway and broker share the JVM. Use {@code -Drates.seconds=30} for more.
 */
@Tag("thorough")
class RatesITCase {
  private static final int SECONDS = Integer.getInteger("rates.seconds", 5);
  private static final int CLIENTS = Integer.getInteger("rates.clients", 8);
  private static final int DIMENSION = 100;
  private static final double NANOS_IN_MS = 1e6;

  @TempDir private Path directory;

  @Test
  void reportsBesideAnEndpointThatDoesNothing() throws Exception {
    try (TestBroker broker = new TestBroker(directory.resolve("broker"))) {
      broker.publish(TestBroker.spec("m", DIMENSION));
      broker.update("m", DIMENSION, 0);
      try (TestGateway gateway =
          new TestGateway(directory.resolve("gateway"), broker.kafka(), Map.of())) {
        String token = gateway.issuer.token("ada");
        byte[] body = Reports.grid("m", DIMENSION, 0, 1).build().toByteArray();
        HttpRequest report =
            HttpRequest.newBuilder(gateway.uri("/v1/reports"))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/x-protobuf")
                .POST(BodyPublishers.ofByteArray(body))
                .build();
        HttpRequest nothing = HttpRequest.newBuilder(gateway.uri("/healthz")).build();
        measure("warm-up", report, 202);
        measure("reports", report, 202);
        measure("an endpoint that does nothing", nothing, 200);
      }
    }
  }

  private static void measure(String what, HttpRequest request, int status) throws Exception {
    ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Callable<Void>> loops = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        loops.add(
            () -> {
              HttpClient client =
                  HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
              while (System.nanoTime() < end) {
                long before = System.nanoTime();
                assertThat(client.send(request, BodyHandlers.discarding()).statusCode())
                    .isEqualTo(status);
                times.add(System.nanoTime() - before);
              }
              return null;
            });
      }
      for (Future<Void> loop : clients.invokeAll(loops)) {
        loop.get();
      }
    } finally {
      clients.shutdown();
    }
    long[] sorted = times.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(sorted);
    System.out.printf(
        "%s: %,d requests a second, %.1f ms in the median, %.1f ms at the 99th percentile%n",
        what,
        sorted.length / SECONDS,
        sorted[sorted.length / 2] / NANOS_IN_MS,
        sorted[(int) (sorted.length * 0.99)] / NANOS_IN_MS);
  }
}
