package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.L2Laplace;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Users, ten thousand or {@code -Drecovery.users}, who take turns and report to one small model, at
 * a steady rate, regardless of the servers' state. Each report names the newest visible round.
 */
final class SteadyReports implements AutoCloseable {
  static final String MODEL = "steady";

  /** The spec of the model. */
  static final String SPECS =
      "- {modelId: steady, dimension: 10, gradientBound: 1, blackBox: {}}\n";

  private static final int DIMENSION = 10;
  private static final int USERS = Integer.getInteger("recovery.users", 10_000);
  private static final double EPSILON = 0.01;

  /** Reports that wait while no broker runs: a minute of a million reports. */
  private static final long BUFFER_BYTES = 256L << 20;

  private final KafkaProducer<byte[], byte[]> producer;
  private final LongSupplier round;
  private final long perSecond;
  private final Random random;
  private final AtomicLong sent = new AtomicLong();
  private final CompletableFuture<Void> reporting;
  private volatile boolean ended;

  /**
   * Starts the users' reports.
   *
   * @param perSecond reports a second
   * @param round returns the newest visible round
   */
  SteadyReports(String bootstrapServers, int perSecond, long seed, LongSupplier round) {
    producer =
        LoadGenerator.producer(
            bootstrapServers, Map.of(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES));
    this.perSecond = perSecond;
    this.round = round;
    random = new Random(seed);
    reporting = CompletableFuture.runAsync(this::report, task -> new Thread(task).start());
  }

  private void report() {
    long start = System.nanoTime();
    for (long n = 0; !ended; n++) {
      long due = start + TimeUnit.SECONDS.toNanos(1) / perSecond * n;
      while (System.nanoTime() - due < 0) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
      String user = "person-" + n % USERS;
      byte[] value = report(user, 1 + n / USERS).toByteArray();
      sent.incrementAndGet();
      // The callback receives the same result.
      Future<RecordMetadata> unused =
          producer.send(
              new ProducerRecord<>("croupier.gradients", user.getBytes(UTF_8), value),
              (position, failure) -> {
                if (failure != null) {
                  reporting.completeExceptionally(failure);
                }
              });
    }
  }

  private GradientReport report(String user, long sequence) {
    Grid.Builder grid = Grid.newBuilder();
    for (int i = 0; i < DIMENSION; i++) {
      grid.addValues(random.nextInt(1 << 16) - (1 << 15));
    }
    return GradientReport.newBuilder()
        .setModelId(MODEL)
        .setRound(round.getAsLong())
        .setUserId(user)
        .setDeviceId("device")
        .setSequence(sequence)
        .setGrid(grid)
        .setL2Laplace(L2Laplace.newBuilder().setEpsilon(EPSILON))
        .build();
  }

  /** A future that fails if a report can't be sent. */
  CompletableFuture<Void> reporting() {
    return reporting;
  }

  /** Number of reports passed to the producer so far. */
  long sent() {
    return sent.get();
  }

  @Override
  public void close() {
    ended = true;
    producer.close(Duration.ZERO);
    reporting.exceptionally(closed -> null).join();
  }
}
