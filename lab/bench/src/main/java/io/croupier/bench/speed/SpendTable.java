package io.croupier.bench.speed;

import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.management.OperatingSystemMXBean;
import io.croupier.bench.speed.AnonymousBacklog.KeyedRecord;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * Reports without identity, whose tokens the job verifies and spends, compared with ordinary
 * reports of as many people, which the ledger judges and accounts. Both have the same releases. The
 * rate is that of reading, from the first report sent until the operator has read all, since an
 * anonymous report has no event.
 *
 * @param environment the broker and directories
 * @param scale size of the measurement
 */
record SpendTable(BenchmarkEnvironment environment, BenchmarkScale scale) {
  static final List<String> COLUMNS =
      List.of(
          "state",
          "anonymous reports/s",
          "ordinary reports/s",
          "ratio",
          "anonymous, CPU us a report",
          "ordinary, CPU us a report",
          "ratio of CPU");

  /** A token takes over a millisecond of processor time to sign. */
  static final int TOKENS = 60_000;

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofMillis(100);

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  List<List<String>> of(List<String> backends) throws Exception {
    AnonymousBacklog backlog =
        new AnonymousBacklog((int) Math.min(TOKENS, scale.mostRecords() / 10));
    List<List<String>> rows = new ArrayList<>();
    for (String backend : backends) {
      for (int i = 0; i < scale.warmUps(); i++) {
        run(backlog, true, backend);
        run(backlog, false, backend);
      }
      for (int i = 0; i < scale.repetitions(); i++) {
        Commits.Pace before = run(backlog, false, backend);
        Commits.Pace spends = run(backlog, true, backend);
        Commits.Pace after = run(backlog, false, backend);
        double perSecond = (before.perSecond() + after.perSecond()) / 2;
        double cpuMicros = (before.cpuMicros() + after.cpuMicros()) / 2;
        rows.add(
            List.of(
                backend,
                "%,.0f".formatted(spends.perSecond()),
                "%,.0f".formatted(perSecond),
                "%.2f".formatted(spends.perSecond() / perSecond),
                "%.1f".formatted(spends.cpuMicros()),
                "%.1f".formatted(cpuMicros),
                "%.2f".formatted(spends.cpuMicros() / cpuMicros)));
      }
    }
    return rows;
  }

  private Commits.Pace run(AnonymousBacklog backlog, boolean anonymous, String backend)
      throws Exception {
    String prefix = environment.name("spend");
    Topics topics = Topics.withPrefix(prefix);
    environment.create(topics, List.of(backlog.spec()), 1);
    KafkaTopics.create(
        environment.admin(), topics, Topic.ofJob(true), Duration.ofDays(1), 1, (short) 1);
    List<KeyedRecord> reports = anonymous ? backlog.anonymous() : backlog.ordinary();
    String topic = anonymous ? topics.anonymous() : topics.gradients();
    try (RunningJob job = start(prefix, backend)) {
      awaitFirst(topics.updates(), topic, topics.tokenKeys(), backlog.publicKey(), reports.get(0));
      String operator = anonymous ? "spend" : "ledger";
      int measured = reports.size() - 1;
      long last = job.recordsRead(operator) + measured;
      long nanos = System.nanoTime();
      long cpuNanos = PROCESS.getProcessCpuTime();
      send(topic, reports.subList(1, reports.size()));
      awaitRead(job, operator, last);
      return new Commits.Pace(
          1e9 * measured / (System.nanoTime() - nanos),
          (PROCESS.getProcessCpuTime() - cpuNanos) / 1e3 / measured);
    } finally {
      environment.delete(topics.names(Topic.ofJob(true)));
    }
  }

  private RunningJob start(String prefix, String backend) throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", environment.bootstrapServers());
    settings.put("topics.prefix", prefix);
    settings.put("anonymous.enabled", "true");
    settings.put("checkpoint.interval", scale.interval().toMillis() + " ms");
    settings.put("checkpoint.directory", environment.checkpoints(prefix).toUri().toString());
    settings.put("flink.state.backend.type", backend);
    return RunningJob.start(
        environment.flink(), env -> CroupierJob.submit(env, JobConfig.of(settings)));
  }

  /**
   * Waits until the model has used the first report. A job without state refuses the windows whose
   * keys it finds, so the key follows its first publication; a report that is read before the key
   * is refused and its token not spent.
   */
  private void awaitFirst(
      String updates, String topic, String keys, KeyedRecord key, KeyedRecord first)
      throws InvalidProtocolBufferException {
    BacklogRun run = new BacklogRun(environment, 1, scale.interval(), "");
    boolean isPublished = false;
    try (KafkaConsumer<byte[], byte[]> consumer = run.consumer(updates)) {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() < deadline) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          ModelUpdate update = ModelUpdate.parseFrom(record.value());
          if (update.getUsed() + update.getOpen() > 0) {
            return;
          }
          if (!isPublished) {
            send(keys, List.of(key));
            isPublished = true;
          }
        }
        if (isPublished) {
          send(topic, List.of(first));
        }
      }
    }
    throw new IllegalStateException("the model has used no report to " + topic);
  }

  private void send(String topic, List<KeyedRecord> records) {
    try (Sender sender = environment.sender()) {
      records.forEach(
          record -> sender.send(topic, record.key().toByteArray(), record.value().toByteArray()));
    }
  }

  private static void awaitRead(RunningJob job, String operator, long records) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (job.recordsReadSoFar(operator) < records) {
      if (System.nanoTime() > deadline || !job.isAlive()) {
        throw new IllegalStateException("the job doesn't read all reports");
      }
      Thread.sleep(POLL.toMillis());
    }
  }
}
