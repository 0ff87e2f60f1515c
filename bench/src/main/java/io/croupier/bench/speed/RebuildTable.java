package io.croupier.bench.speed;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.OperatingSystemMXBean;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.operators.accounting.HeapAccount;
import io.croupier.operators.accounting.Ledger;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Topics;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The time from the command that rebuilds a lost ledger until the job itself has completed a
 * checkpoint, with the start of both clusters, the savepoint and its restore. The job has a subtask
 * for each core. All users have as many events, and send in turn: no order makes less use of a
 * cache.
 *
 * @param environment the broker and directories
 * @param interval between checkpoints of the job; the rebuild takes one in ten intervals
 */
record RebuildTable(BenchmarkEnvironment environment, Duration interval) {
  static final List<String> COLUMNS =
      List.of(
          "events",
          "users",
          "state",
          "subtasks",
          "bytes an event",
          "seconds",
          "events/s",
          "CPU us an event");

  private static final int PARTITIONS = 8;
  private static final long POLL_MS = 50;

  /** Rebuilds a ledger of {@code events / users} events of each user, once with each backend. */
  List<List<String>> of(int events, int users, List<String> backends) throws Exception {
    List<List<String>> rows = new ArrayList<>();
    String prefix = environment.name("rebuild");
    Topics topics = Topics.withPrefix(prefix);
    environment.create(topics, List.of(spec()), PARTITIONS);
    int turns = events / users;
    write(topics, users, turns);
    double bytes = environment.bytes(topics.accounting()) / (double) users / turns;
    for (String backend : backends) {
      int subtasks = Runtime.getRuntime().availableProcessors();
      long cpu = cpuNanos();
      long begin = System.nanoTime();
      try (RunningJob job = start(prefix, backend, subtasks)) {
        awaitCheckpoint(job);
        double seconds = (System.nanoTime() - begin) / 1e9;
        double cpuMicros = (cpuNanos() - cpu) / 1e3 / users / turns;
        rows.add(
            List.of(
                "%,d".formatted(users * turns),
                "%,d".formatted(users),
                backend,
                "%d".formatted(subtasks),
                "%.0f".formatted(bytes),
                "%.1f".formatted(seconds),
                "%,.0f".formatted(users * turns / seconds),
                "%.1f".formatted(cpuMicros)));
      }
    }
    environment.delete(topics.all());
    return rows;
  }

  /** Waits for a checkpoint of the job, which it takes only once its ledger has started. */
  private static void awaitCheckpoint(RunningJob job) throws Exception {
    while (Double.isNaN(job.checkpoints().ms())) {
      if (!job.isAlive()) {
        throw new IllegalStateException("The job has not started from the rebuilt ledger");
      }
      Thread.sleep(POLL_MS);
    }
  }

  /** Writes the events of a ledger. All users have the same history but for their names. */
  private void write(Topics topics, int users, int turns) {
    Ledger ledger = new Ledger();
    ReportIntake intake = new ReportIntake(spec(), 0);
    HeapAccount account = new HeapAccount();
    AccountingEventWriter writer = new AccountingEventWriter();
    try (Sender sender = environment.compressingSender()) {
      for (int turn = 0; turn < turns; turn++) {
        AccountingEvent event =
            ledger.judge(report(turn, topics.gradients()), intake.terms(), account);
        for (int user = 0; user < users; user++) {
          // As long as a base64 SHA-256.
          String name = "%043d".formatted(user * 1_000_003L);
          AccountingEvent.Builder own = event.toBuilder().setUserId(name);
          own.getSourceBuilder().setOffset((long) turn * users + user);
          sender.send(topics.accounting(), name.getBytes(UTF_8), writer.write(own.build()));
        }
      }
    }
  }

  private static ModelSpec spec() {
    return ModelSpec.newBuilder()
        .setModelId("m")
        .setDimension(2)
        .setGradientBound(1)
        .setBlackBox(BlackBox.getDefaultInstance())
        .build();
  }

  private static Report report(int turn, String topic) {
    Report report = new Report();
    report.modelId = "m";
    report.userId = "anyone";
    report.deviceId = "device";
    report.dimension = 2;
    report.values = PackedVectors.encode(new double[] {0.5, 0.25});
    report.declaration = Declaration.L2_LAPLACE;
    report.level = 0.01;
    report.sequence = turn;
    report.digest = turn;
    report.topic = topic;
    return report;
  }

  private RunningJob start(String prefix, String backend, int subtasks) throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", environment.bootstrapServers());
    settings.put("topics.prefix", prefix);
    settings.put("parallelism", Integer.toString(subtasks));
    settings.put("checkpoint.interval", interval.toMillis() + " ms");
    settings.put(
        "checkpoint.directory",
        environment.checkpoints(environment.name(prefix)).toUri().toString());
    settings.put("flink.state.backend.type", backend);
    settings.put("flink.execution.checkpointing.incremental", "true");
    settings.put("flink.state.backend.rocksdb.use-bloom-filter", "true");
    settings.put("flink.state.backend.rocksdb.memory.partitioned-index-filters", "true");
    settings.put("flink.state.backend.rocksdb.compaction.style", "UNIVERSAL");
    return RunningJob.start(
        environment.flink(),
        env ->
            CroupierJob.submit(env, JobConfig.of(settings).withLedgerStart(LedgerStart.REBUILD)));
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }
}
