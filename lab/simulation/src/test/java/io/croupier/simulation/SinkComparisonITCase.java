package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.simulation.SimulatedLog.Partition;
import io.croupier.simulation.TransactionalSink.SinkState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same schedules through the simulated sink and log, and through Flink's real sink and a real
 * broker: readers of committed records see the same ones at the same offsets, after each step.
 */
@Tag("ci")
@SuppressWarnings("try") // a sink's close() may throw any exception
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SinkComparisonITCase {
  private static final int STEPS = 40;

  @TempDir private static Path directory;
  private static EmbeddedBroker broker;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.start(directory);
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void readersSeeTheSame(long seed) throws Exception {
    try (Comparison comparison = new Comparison("seed-" + seed)) {
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 0; i < STEPS; i++) {
        comparison.step(random);
      }
      comparison.crash(false, 1);
      comparison.checkpoint(true);
      comparison.commitAll();
      assertThat(comparison.visible()).isNotEmpty();
    }
  }

  /** A completed checkpoint. */
  private record Checkpoint(long id, List<SinkState> simulated, List<RealSink.State> real) {}

  /** A subtask hears that a checkpoint is complete. */
  private record Notification(TransactionalSink simulated, RealSink real, long checkpoint) {
    void deliver() throws Exception {
      simulated.commitUpTo(checkpoint);
      real.commitUpTo(checkpoint);
    }
  }

  private static final class Comparison implements AutoCloseable {
    private final String topic;
    private final TopicPartition partition;
    private final KafkaSink<String> sink;
    private final Admin admin;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final SimulatedLog log = new SimulatedLog();
    private final List<String> read = new ArrayList<>();
    private final List<String> steps = new ArrayList<>();
    private final List<RealSink> killed = new ArrayList<>();
    private final List<Notification> notifications = new ArrayList<>();
    private final List<Notification> ofZombies = new ArrayList<>();
    private final List<TransactionalSink> simulated = new ArrayList<>();
    private final List<RealSink> real = new ArrayList<>();
    private Optional<Checkpoint> latest = Optional.empty();
    private long checkpoints;
    private int attempts;
    private int written;

    private Comparison(String topic) throws Exception {
      this.topic = topic;
      partition = new TopicPartition(topic, 0);
      Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
      admin = Admin.create(kafka);
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
      log.create(topic, 1);
      Properties unbatched = new Properties();
      unbatched.put("linger.ms", "0");
      unbatched.put("transaction.timeout.ms", "600000");
      String to = topic;
      sink =
          KafkaSink.<String>builder()
              .setBootstrapServers(broker.bootstrapServers())
              .setKafkaProducerConfig(unbatched)
              .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
              .setTransactionNamingStrategy(TransactionNamingStrategy.POOLING)
              .setTransactionalIdPrefix(topic)
              .setRecordSerializer(new ToPartition(to))
              .build();
      consumer =
          new KafkaConsumer<>(
              Map.of(
                  "bootstrap.servers",
                  broker.bootstrapServers(),
                  "isolation.level",
                  "read_committed"),
              new ByteArrayDeserializer(),
              new ByteArrayDeserializer());
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      begin(2);
    }

    private void begin(int parallelism) throws Exception {
      attempts++;
      long id = latest.map(Checkpoint::id).orElse(0L);
      for (int i = 0; i < parallelism; i++) {
        SinkState state =
            SimulatedJob.sink(latest.map(Checkpoint::simulated).orElse(List.of()), parallelism, i);
        TransactionalSink next = new TransactionalSink(log, topic, i, parallelism, state);
        next.start(id);
        simulated.add(next);
        real.add(realSink(id, parallelism, i));
        compare();
      }
    }

    /** States are shared as {@link SimulatedJob#sink} shares those of the simulated sink. */
    private RealSink realSink(long id, int parallelism, int subtask) throws Exception {
      List<RealSink.State> states = latest.map(Checkpoint::real).orElse(List.of());
      List<byte[]> writer = new ArrayList<>();
      List<RealSink.Due> due = new ArrayList<>();
      states.forEach(state -> writer.addAll(state.writer()));
      states.forEach(state -> due.addAll(state.committer()));
      boolean isSame = states.size() == parallelism;
      return new RealSink(
          sink,
          RealSink.task(subtask, parallelism, attempts),
          id,
          isSame ? states.get(subtask).writer() : SimulatedJob.share(writer, parallelism, subtask),
          isSame ? states.get(subtask).committer() : SimulatedJob.share(due, parallelism, subtask));
    }

    void step(SplittableRandom random) throws Exception {
      int choice = random.nextInt(20);
      if (choice < 9) {
        write(random.nextInt(real.size()));
      } else if (choice < 12) {
        checkpoint(random.nextInt(3) > 0);
      } else if (choice < 16 && !notifications.isEmpty()) {
        steps.add("a commit");
        notifications.remove(random.nextInt(notifications.size())).deliver();
      } else if (choice < 18 && !ofZombies.isEmpty()) {
        steps.add("a commit of a zombie");
        ofZombies.remove(random.nextInt(ofZombies.size())).deliver();
      } else if (choice >= 18) {
        crash(random.nextBoolean(), 1 + random.nextInt(2));
      }
      compare();
    }

    private void write(int subtask) throws Exception {
      String value = String.valueOf(written++);
      steps.add("subtask " + subtask + " writes " + value);
      simulated.get(subtask).write(simulatedPartition(), null, value.getBytes(UTF_8), 0);
      real.get(subtask).write(value);
    }

    void checkpoint(boolean completes) throws Exception {
      long id = ++checkpoints;
      steps.add("checkpoint " + id + (completes ? "" : ", which fails"));
      List<SinkState> states = new ArrayList<>();
      List<RealSink.State> realStates = new ArrayList<>();
      for (int i = 0; i < real.size(); i++) {
        simulated.get(i).preCommit(id);
        states.add(simulated.get(i).snapshot(id));
        realStates.add(real.get(i).checkpoint(id));
      }
      if (completes) {
        latest = Optional.of(new Checkpoint(id, states, realStates));
        for (int i = 0; i < real.size(); i++) {
          notifications.add(new Notification(simulated.get(i), real.get(i), id));
        }
      }
    }

    void crash(boolean isKilled, int parallelism) throws Exception {
      steps.add((isKilled ? "killed" : "cancelled") + ", then " + parallelism + " subtasks");
      ofZombies.clear();
      if (isKilled) {
        killed.addAll(real);
        ofZombies.addAll(notifications);
      } else {
        for (int i = 0; i < real.size(); i++) {
          simulated.get(i).cancel();
          real.get(i).cancel();
          compare();
        }
      }
      notifications.clear();
      simulated.clear();
      real.clear();
      begin(parallelism);
    }

    void commitAll() throws Exception {
      for (Notification notification : notifications) {
        notification.deliver();
        compare();
      }
    }

    private Partition simulatedPartition() {
      return log.partition(topic, 0);
    }

    List<String> visible() {
      return simulatedPartition().committed(0).stream()
          .map(entry -> entry.offset() + " " + new String(entry.value(), UTF_8))
          .toList();
    }

    /** The brokers write the ends of transactions a little later. */
    private void compare() throws Exception {
      long end = simulatedPartition().end();
      long stable = simulatedPartition().stableEnd();
      long began = System.nanoTime();
      while (offset(IsolationLevel.READ_UNCOMMITTED) != end
          || offset(IsolationLevel.READ_COMMITTED) != stable) {
        assertThat(System.nanoTime() - began)
            .as(
                "%s: the real log ends at %d, stable to %d; the simulated one at %d, stable to %d",
                steps,
                offset(IsolationLevel.READ_UNCOMMITTED),
                offset(IsolationLevel.READ_COMMITTED),
                end,
                stable)
            .isLessThan(TimeUnit.SECONDS.toNanos(30));
      }
      while (consumer.position(partition) < stable) {
        consumer
            .poll(Duration.ofMillis(50))
            .forEach(record -> read.add(record.offset() + " " + new String(record.value(), UTF_8)));
      }
      assertThat(read).as("%s", steps).isEqualTo(visible());
    }

    private long offset(IsolationLevel level) throws Exception {
      return admin
          .listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(level))
          .partitionResult(partition)
          .get()
          .offset();
    }

    @Override
    public void close() throws Exception {
      for (RealSink each : real) {
        each.cancel();
      }
      for (RealSink each : killed) {
        each.cancel();
      }
      consumer.close();
      admin.close();
    }
  }
}
