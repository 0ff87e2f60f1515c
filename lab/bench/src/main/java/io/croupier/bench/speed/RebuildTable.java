package io.croupier.bench.speed;

import com.sun.management.OperatingSystemMXBean;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.operators.report.VectorContent;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Topics;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/**
 * The time from the command that rebuilds a lost ledger until the job itself has completed a
 * checkpoint, with the start of both clusters, the savepoint and its restore. The broker has
 * compacted the accounting topic before. All users have as many events, in turn: no order makes
 * less use of a cache.
 *
 * @param environment the broker and directories
 * @param backend Flink's name of the state backend
 */
record RebuildTable(BenchmarkEnvironment environment, String backend) {
  static final List<String> COLUMNS =
      List.of(
          "users",
          "reports of each",
          "MB before compaction",
          "MB after",
          "events after",
          "compaction, s",
          "rebuild, s",
          "CPU, s",
          "CPU us a user");

  private static final int PARTITIONS = 8;
  private static final Duration INTERVAL = Duration.ofMillis(500);
  private static final long POLL_MS = 50;

  /** Only closed segments are compacted; brokers allow none that is smaller. */
  private static final int SEGMENT_BYTES = 1 << 20;

  /** After this time without a change, the cleaner has nothing left to do. */
  private static final Duration QUIET = Duration.ofSeconds(40);

  List<String> of(int users, int reports) throws Exception {
    String prefix = environment.name("rebuild");
    Topics topics = Topics.withPrefix(prefix);
    environment.create(topics, List.of(spec()), PARTITIONS);
    write(topics, users, reports);
    long before = environment.bytes(topics.accounting());
    long compacting = System.nanoTime();
    set(
        topics.accounting(),
        Map.of(
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.CLEANUP_POLICY_COMPACT,
            TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
            "0.01"));
    long compacted = awaitCompaction(topics.accounting(), before / reports) - compacting;
    long after = environment.bytes(topics.accounting());
    long[] events = {0};
    CommittedRecords.forEach(
        Map.of("bootstrap.servers", environment.bootstrapServers()),
        topics.accounting(),
        record -> events[0]++);
    long cpu = cpuNanos();
    long begin = System.nanoTime();
    try (RunningJob job = start(prefix)) {
      while (Double.isNaN(job.checkpoints().ms())) {
        if (!job.isAlive()) {
          throw new IllegalStateException("The job has not started from the rebuilt ledger");
        }
        Thread.sleep(POLL_MS);
      }
      double seconds = (System.nanoTime() - begin) / 1e9;
      double cpuSeconds = (cpuNanos() - cpu) / 1e9;
      return List.of(
          "%,d".formatted(users),
          "%,d".formatted(reports),
          "%,.0f".formatted(before / 1e6),
          "%,.0f".formatted(after / 1e6),
          "%,d".formatted(events[0]),
          "%,.0f".formatted(compacted / 1e9),
          "%.1f".formatted(seconds),
          "%.1f".formatted(cpuSeconds),
          "%.1f".formatted(1e6 * cpuSeconds / users));
    } finally {
      environment.delete(topics.all());
    }
  }

  /** Writes the events of a ledger. All users have the same history but for their names. */
  private void write(Topics topics, int users, int reports) throws Exception {
    set(
        topics.accounting(),
        Map.of(TopicConfig.SEGMENT_BYTES_CONFIG, String.valueOf(SEGMENT_BYTES)));
    Ledger ledger = new Ledger();
    ReportIntake intake = new ReportIntake(spec(), 0);
    HeapAccount account = new HeapAccount();
    AccountingEventWriter writer = new AccountingEventWriter();
    try (Sender sender = environment.sender("zstd")) {
      for (int number = 0; number < reports; number++) {
        AccountingEvent event =
            ledger.judge(report(number, topics.gradients()), intake.terms(), account);
        for (int user = 0; user < users; user++) {
          AccountingEvent.Builder own =
              event.toBuilder().setUserId(name(user)).setDeviceId(new UUID(~user, user).toString());
          own.getSourceBuilder().setOffset((long) number * users + user);
          AccountingEvent ofUser = own.build();
          sender.send(topics.accounting(), AccountingKey.of(ofUser), writer.write(ofUser));
        }
        System.out.printf(
            "rebuild: %,d of %,d events%n", (number + 1L) * users, (long) users * reports);
      }
    }
  }

  /** Returns as many random characters as a gateway's names have, the same for each run. */
  private static String name(int user) {
    byte[] random = new byte[32];
    new Random(user).nextBytes(random);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  /**
   * Returns when the size of the topic changed last.
   *
   * @param least the bytes of the newest events; the cleaner has begun once the topic has less than
   *     twice as many, and open segments
   */
  private long awaitCompaction(String topic, long least) throws Exception {
    long size = environment.bytes(topic);
    long changed = System.nanoTime();
    long most = 2 * least + (long) PARTITIONS * SEGMENT_BYTES;
    while (size > most || System.nanoTime() - changed < QUIET.toNanos()) {
      Thread.sleep(1000);
      long now = environment.bytes(topic);
      if (now != size) {
        size = now;
        changed = System.nanoTime();
      }
    }
    return changed;
  }

  private void set(String topic, Map<String, String> config) throws Exception {
    List<AlterConfigOp> changes = new ArrayList<>();
    config.forEach(
        (key, value) ->
            changes.add(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
    environment
        .admin()
        .incrementalAlterConfigs(
            Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), changes))
        .all()
        .get();
  }

  private static ModelSpec spec() {
    return ModelSpec.newBuilder()
        .setModelId("m")
        .setDimension(2)
        .setGradientBound(1)
        .setBlackBox(BlackBox.getDefaultInstance())
        .build();
  }

  private static Report report(int number, String topic) {
    return new Report(
        new Header("m", 0, "anyone", "device", number, 0, 0),
        new L2LaplaceMechanism(0.01, 2),
        VectorContent.whole(VectorForm.DENSE, PackedVectors.encode(new double[] {0.5, 0.25})),
        number,
        new Source(topic, 0, 0, 0));
  }

  private RunningJob start(String prefix) throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", environment.bootstrapServers());
    settings.put("topics.prefix", prefix);
    settings.put("parallelism", Integer.toString(Runtime.getRuntime().availableProcessors()));
    settings.put("checkpoint.interval", INTERVAL.toMillis() + " ms");
    settings.put(
        "checkpoint.directory",
        environment.checkpoints(environment.name(prefix)).toUri().toString());
    settings.put("flink.state.backend.type", backend);
    settings.put("flink.execution.checkpointing.incremental", "true");
    return RunningJob.start(
        environment.flink(),
        env -> CroupierJob.submit(env, JobConfig.of(settings), LedgerStart.REBUILD));
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }
}
