package io.croupier.bench.speed;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.bench.speed.Workload.MeasuredLearner;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/**
 * The time from send to visible update of a small model at a moderate rate, alone and beside a
 * model of a million coordinates at full load: a sender keeps a fixed number of its reports in the
 * job. Both models' reports share topic and partitions.
 *
 * @param environment the broker and directories
 * @param scale size of the measurement
 */
record NeighbourTable(BenchmarkEnvironment environment, BenchmarkScale scale) {
  static final List<String> COLUMNS =
      List.of(
          "neighbour",
          "subtasks",
          "its reports/s",
          "p50, ms",
          "p99, ms",
          "highest, ms",
          "checkpoint, ms");

  private static final int SMALL = 1_000;
  private static final int LARGE = 1_000_000;
  private static final int SMALL_PER_SECOND = 200;

  /** Reports of the large model that are sent and not counted by a visible update. */
  private static final int IN_FLIGHT = 24;

  private static final int MOST_RECORD_BYTES = 24 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  List<List<String>> ofSubtasks(List<Integer> parallelisms) throws Exception {
    // The compiler is still active in the first run.
    System.err.println(row(parallelisms.get(0), true) + ", not counted");
    List<List<String>> rows = new ArrayList<>();
    for (int parallelism : parallelisms) {
      for (boolean beside : new boolean[] {false, true}) {
        List<String> row = row(parallelism, beside);
        System.err.println(row);
        rows.add(row);
      }
    }
    return rows;
  }

  private List<String> row(int parallelism, boolean beside) throws Exception {
    BacklogRun run = new BacklogRun(environment, parallelism, scale.interval(), "hashmap");
    String prefix = environment.name("croupier");
    String gradients = environment.name("reports");
    Topics topics = BacklogRun.topics(prefix, gradients);
    ModelSpec small = spec(SMALL, 0);
    ModelSpec large = spec(LARGE, 1);
    environment.create(topics, List.of(), parallelism);
    allowLargeRecords(topics);
    try (Sender specs = environment.sender()) {
      for (ModelSpec spec : beside ? List.of(small, large) : List.of(small)) {
        specs.send(topics.models(), spec.getModelId().getBytes(UTF_8), spec.toByteArray());
      }
    }
    try (RunningJob job = run.start(prefix, gradients);
        KafkaConsumer<byte[], byte[]> updates = run.consumer(topics.updates());
        Sender sender = environment.sender(MOST_RECORD_BYTES);
        Sender largeSender = environment.sender(MOST_RECORD_BYTES)) {
      Load load = new Load(beside ? 2 : 1);
      load.await(updates);
      AtomicBoolean ended = new AtomicBoolean();
      Thread neighbour = new Thread(() -> load.keepBusy(largeSender, gradients, ended));
      if (beside) {
        neighbour.start();
        // The measurement begins at full load.
        load.awaitLarge(updates, IN_FLIGHT);
      }
      long began = System.nanoTime();
      long largeBefore = load.largeSeen.get();
      double[] waits = load.waits(sender, gradients, updates);
      double perSecond = (load.largeSeen.get() - largeBefore) * 1e9 / (System.nanoTime() - began);
      ended.set(true);
      neighbour.join();
      Arrays.sort(waits);
      return List.of(
          beside ? "d = %,d".formatted(LARGE) : "none",
          Integer.toString(parallelism),
          beside ? "%.1f".formatted(perSecond) : "",
          "%,.0f".formatted(waits[waits.length / 2]),
          "%,.0f".formatted(waits[waits.length * 99 / 100]),
          "%,.0f".formatted(waits[waits.length - 1]),
          "%,.0f".formatted(job.checkpoints().ms()));
    } finally {
      environment.delete(topics.all());
    }
  }

  private static ModelSpec spec(int dimension, int model) {
    ModelSpec one =
        new Workload(MeasuredLearner.BANCO, ReportForm.GRID, dimension, 1, 1).specs().get(0);
    return one.toBuilder().setModelId(Workload.modelId(model)).build();
  }

  private void allowLargeRecords(Topics topics) throws Exception {
    Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
    for (String topic : topics.all()) {
      changes.put(
          new ConfigResource(ConfigResource.Type.TOPIC, topic),
          List.of(
              new AlterConfigOp(
                  new ConfigEntry(
                      TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(MOST_RECORD_BYTES)),
                  AlterConfigOp.OpType.SET)));
    }
    environment.admin().incrementalAlterConfigs(changes).all().get();
    // The broker may return the old limit for a while; the job would refuse the large model's spec.
    String wanted = Integer.toString(MOST_RECORD_BYTES);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!environment.admin().describeConfigs(changes.keySet()).all().get().values().stream()
        .allMatch(
            config -> config.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value().equals(wanted))) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("The brokers don't return the larger limit");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** The reports of both models, and what the updates count of them. */
  private final class Load {
    private final Reports smallReports = new Reports(ReportForm.GRID, SMALL, scale.users(), 1);
    private final Reports largeReports = new Reports(ReportForm.GRID, LARGE, scale.users(), 1);
    private final int models;
    private final AtomicLong smallRound = new AtomicLong(-1);
    private final AtomicLong largeRound = new AtomicLong(-1);
    private final AtomicLong largeSeen = new AtomicLong();
    private long smallSeen;

    Load(int models) {
      this.models = models;
    }

    /** Waits for the initial weights of all models. */
    void await(KafkaConsumer<byte[], byte[]> updates) throws Exception {
      readUntil(updates, () -> smallRound.get() >= 0 && (models == 1 || largeRound.get() >= 0));
    }

    void awaitLarge(KafkaConsumer<byte[], byte[]> updates, long reports) throws Exception {
      readUntil(updates, () -> largeSeen.get() >= reports);
    }

    /** Keeps the large model's reports in flight until the end. */
    void keepBusy(Sender sender, String topic, AtomicBoolean ended) {
      long sent = 0;
      while (!ended.get()) {
        if (sent - largeSeen.get() < IN_FLIGHT) {
          sender.send(
              topic,
              ("large-" + sent % scale.users()).getBytes(UTF_8),
              largeReports.valueOf(sent, largeRound.get(), 1, "large-"));
          sent++;
        } else {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }

    /** The delay of each report to the small model, in milliseconds. */
    double[] waits(Sender sender, String topic, KafkaConsumer<byte[], byte[]> updates)
        throws Exception {
      int count = SMALL_PER_SECOND * scale.latencySeconds();
      long[] sent = new long[count];
      Thread sending =
          new Thread(
              () -> {
                long start = System.nanoTime();
                for (int i = 0; i < count; i++) {
                  long due = start + (long) (i * 1e9 / SMALL_PER_SECOND);
                  while (System.nanoTime() < due) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                  }
                  // Set before the broker receives the report, and so before an update counts it.
                  sent[i] = System.nanoTime();
                  sender.send(topic, smallReports.key(i), smallReports.value(i, smallRound.get()));
                }
              });
      sending.start();
      double[] waits = new double[count];
      int[] seen = {0};
      readUntil(
          updates,
          () -> {
            long now = System.nanoTime();
            for (; seen[0] < Math.min(count, smallSeen); seen[0]++) {
              waits[seen[0]] = (now - sent[seen[0]]) / 1e6;
            }
            return seen[0] == count;
          });
      sending.join();
      return waits;
    }

    private void readUntil(KafkaConsumer<byte[], byte[]> updates, Condition reached)
        throws Exception {
      long deadline =
          System.nanoTime() + PATIENCE.plusSeconds(2L * scale.latencySeconds()).toNanos();
      while (!reached.holds()) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException(
              "The updates count only %d and %d reports".formatted(smallSeen, largeSeen.get()));
        }
        for (ConsumerRecord<byte[], byte[]> record : updates.poll(Duration.ofMillis(5))) {
          ModelUpdate update = ModelUpdate.parseFrom(record.value());
          long counted = update.getUsed() + update.getOpen() + update.getDroppedStale();
          if (update.getModelId().equals(Workload.modelId(0))) {
            smallSeen = counted;
            smallRound.set(update.getRound());
          } else {
            largeSeen.set(counted);
            largeRound.set(update.getRound());
          }
        }
      }
    }
  }

  /** A condition on what was read. */
  @FunctionalInterface
  private interface Condition {
    boolean holds();
  }
}
