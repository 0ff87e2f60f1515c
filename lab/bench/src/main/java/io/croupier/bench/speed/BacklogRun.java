package io.croupier.bench.speed;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Runs over one backlog of reports, from its first to its last record, of the job, of the
 * pass-through job or of the Kafka Streams application.
 *
 * @param environment the broker with the reports
 * @param parallelism of every job, and partitions of every topic
 * @param interval between checkpoints
 * @param backend Flink's name of the state backend
 */
record BacklogRun(
    BenchmarkEnvironment environment, int parallelism, Duration interval, String backend) {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration POLL = Duration.ofMillis(5);

  /**
   * The result of a run of the job.
   *
   * @param pace rate of committed records
   * @param checkpoints the latest ones
   * @param bundles sums of reports that reached the learner
   */
  record RunResult(Commits.Pace pace, RunningJob.Checkpoints checkpoints, long bundles) {}

  /**
   * Passes the records through.
   *
   * @param from number of warm-up records, which the rate excludes
   */
  Commits.Pace passThrough(String backlog, long records, long from) throws Exception {
    String copy = environment.name("copy");
    environment.create(copy, parallelism);
    try (RunningJob job =
        RunningJob.start(
            environment.flink(),
            env ->
                PassThrough.submit(
                    env, environment.bootstrapServers(), backlog, copy, parallelism, interval))) {
      return pace(job::isAlive, copy, records, from);
    } finally {
      environment.delete(List.of(copy));
    }
  }

  /**
   * Runs an application of Kafka Streams.
   *
   * @param from number of warm-up records, which the rate excludes
   */
  Commits.Pace streams(StreamsLedger.Program program, String backlog, long records, long from)
      throws Exception {
    String events = environment.name("streams");
    environment.create(events, parallelism);
    try (StreamsLedger ledger =
        StreamsLedger.start(
            program,
            environment.bootstrapServers(),
            backlog,
            events,
            parallelism,
            interval,
            environment.checkpoints(events))) {
      return pace(ledger::isAlive, events, records, from);
    } finally {
      List<String> topics = new ArrayList<>(program.changelogs(events));
      topics.add(events);
      environment.delete(topics);
    }
  }

  /**
   * Trains models with the reports.
   *
   * @param from number of warm-up reports, which the rate excludes
   * @throws IllegalStateException if not every report was used
   */
  RunResult croupier(Workload workload, String backlog, long records, long from) throws Exception {
    String prefix = environment.name("croupier");
    Topics topics = topics(prefix, backlog);
    environment.create(topics, workload.specs(), parallelism);
    try (RunningJob job = start(prefix, backlog)) {
      Commits.Pace pace = pace(job::isAlive, topics.accounting(), records, from);
      RunningJob.Checkpoints checkpoints = job.checkpoints();
      requireUsed(topics.updates(), workload, records);
      // The learner reads specs, too.
      return new RunResult(pace, checkpoints, job.recordsRead("learner") - workload.models());
    } finally {
      environment.delete(topics.all().stream().filter(topic -> !topic.equals(backlog)).toList());
    }
  }

  /** The topics of a job that reads reports from a backlog. */
  static Topics topics(String prefix, String backlog) {
    return Topics.of(prefix, Topic.ofJob(false), Map.of("topics.gradients", backlog));
  }

  /** Starts the job with its usual entry point. */
  RunningJob start(String prefix, String backlog) throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", environment.bootstrapServers());
    settings.put("topics.prefix", prefix);
    settings.put("topics.gradients", backlog);
    settings.put("parallelism", Integer.toString(parallelism));
    settings.put("checkpoint.interval", interval.toMillis() + " ms");
    settings.put("checkpoint.directory", environment.checkpoints(prefix).toUri().toString());
    settings.put("flink.state.backend.type", backend);
    settings.put("flink.execution.checkpointing.incremental", "true");
    return RunningJob.start(
        environment.flink(), env -> CroupierJob.submit(env, JobConfig.of(settings)));
  }

  private Commits.Pace pace(BooleanSupplier alive, String topic, long records, long from)
      throws Exception {
    Commits commits =
        Commits.watch(environment.admin(), topic, parallelism, records, PATIENCE, alive);
    Commits.Pace pace = commits.pace(from, interval);
    System.err.printf("%s: %,.0f/s, CPU %.1f us%n", topic, pace.perSecond(), pace.cpuMicros());
    return pace;
  }

  /**
   * Waits until the newest updates count every report. Reports before the first publication are
   * dropped, since they name a round that is not published yet; they end before the measurement of
   * the rate begins.
   */
  private void requireUsed(String topic, Workload workload, long records)
      throws InvalidProtocolBufferException {
    Map<String, ModelUpdate> newest = new HashMap<>();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(topic)) {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (newest.values().stream().mapToLong(BacklogRun::taken).sum() < records) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException(
              "Of %d reports to %s, those used, and dropped before the first publication, are %s"
                  .formatted(
                      records, workload, newest.values().stream().map(BacklogRun::taken).toList()));
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          ModelUpdate update = ModelUpdate.parseFrom(record.value());
          newest.put(update.getModelId(), update);
        }
      }
    }
  }

  private static long taken(ModelUpdate update) {
    return update.getUsed() + update.getOpen() + update.getDroppedUnpublished();
  }

  /** A consumer of all committed records of a topic. */
  KafkaConsumer<byte[], byte[]> consumer(String topic) {
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                environment.bootstrapServers(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed"),
            bytes,
            bytes);
    List<TopicPartition> partitions =
        new ArrayList<>(
            IntStream.range(0, parallelism).mapToObj(p -> new TopicPartition(topic, p)).toList());
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    return consumer;
  }
}
