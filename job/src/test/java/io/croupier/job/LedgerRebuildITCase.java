package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rebuilds of a lost ledger, with two subtasks, on a real broker. */
@Tag("ci")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class LedgerRebuildITCase extends JobFixture {
  private static final int USERS = 2000;
  private static final int REPORTS = 20;

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final ModelSpec spec = OneHotReports.spec("m", 4, 1);
  private final List<Process> processes = new ArrayList<>();
  private Path log;

  @BeforeEach
  void publish() throws Exception {
    testTopics.publish(spec);
    // Not a report: read by the job, it becomes a dead letter. Its key belongs to partition 0.
    testTopics.send(testTopics.topics.gradients(), LedgerHistory.user(0), new byte[] {-1});
    testTopics.flush();
  }

  @AfterEach
  void stop() throws Exception {
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
  }

  /**
   * The whole job, in one process, is killed while it rebuilds its ledger, and started again. It
   * can't finish before: the events of one partition are held back.
   */
  @Test
  void aKilledRebuildBeginsAgain() throws Exception {
    LedgerHistory history = history(USERS, REPORTS);
    history.write(testTopics);

    Path gate = directory.resolve("never");
    Process first = start("first.log", GatedReading.settings(gate));
    await(first, () -> Files.exists(GatedReading.held(gate)));
    first.destroyForcibly().waitFor(); // SIGKILL
    assertThat(text(log)).doesNotContain("The rebuilt ledger is in the savepoint");
    for (int user = 0; user < USERS; user++) {
      send(user);
    }
    testTopics.flush();

    Process second = start("second.log", Map.of());
    await(second, () -> text(log).contains("The rebuilt ledger is in the savepoint"));
    List<AccountingEvent> events = testTopics.awaitEvents("m", history.events() + USERS);

    assertThat(text(log))
        .contains(
            "is rebuilt from %s: %d events added"
                .formatted(testTopics.topics.accounting(), history.events()))
        .doesNotContain("contain other totals");
    checkNext(history, events);
    // The dead letter and the accounted reports were before the first report.
    assertThat(testTopics.count(testTopics.topics.deadLetters())).isZero();
  }

  /** The adaptive scheduler runs a job with as many subtasks as there are slots. */
  @Tag("thorough")
  @Test
  void aRebuildNeedsNoMoreSlotsThanThereAre() throws Exception {
    LedgerHistory history = history(10, 3);
    history.write(testTopics);
    for (int user = 0; user < 10; user++) {
      send(user);
    }
    testTopics.flush();
    Configuration oneSlot =
        new Configuration()
            .set(JobManagerOptions.SCHEDULER, JobManagerOptions.SchedulerType.Adaptive)
            .set(
                JobManagerOptions.SCHEDULER_SUBMISSION_RESOURCE_STABILIZATION_TIMEOUT,
                Duration.ofMillis(100))
            .set(TaskManagerOptions.NUM_TASK_SLOTS, 1);

    job = submit(oneSlot, settings());
    checkNext(history, testTopics.awaitEvents("m", history.events() + 10));
  }

  @Test
  void accountsWithDeletedEventsAreNotRebuilt() throws Exception {
    history(10, 3).write(testTopics);
    String topic = testTopics.topics.accounting();
    testTopics.deleteRecords(topic, 1, 2);

    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(this::submit)
        .withMessageContainingAll(topic + "-1", "begins at offset 2", "--new-ledger");
  }

  /** Elsewhere, their users would get budget back, or the source would fail again and again. */
  @Tag("thorough")
  @Test
  void eventsThatAreDeletedDuringTheRebuildEndIt() throws Exception {
    history(10, 20).write(testTopics);
    Path gate = directory.resolve("gate");
    Map<String, String> gated = settings();
    gated.putAll(GatedReading.settings(gate));
    gated.put("kafka.max.partition.fetch.bytes", "1"); // a fetch returns one batch of many
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Future<JobClient> start = executor.submit(() -> submit(new Configuration(), gated));
      while (!Files.exists(GatedReading.held(gate))) {
        assertThat(start.isDone()).isFalse();
        Thread.sleep(20);
      }
      testTopics.deleteRecords(testTopics.topics.accounting(), 1, -1);
      Files.writeString(gate, "");

      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> start.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .withCauseInstanceOf(RefusedStartException.class)
          .withMessageContainingAll(testTopics.topics.accounting() + "-1", "begins at offset");
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void aRecordThatIsNoEventEndsTheRebuild() throws Exception {
    history(10, 3).write(testTopics);
    testTopics.send(testTopics.topics.accounting(), "person-1", new byte[] {-1});
    testTopics.flush();

    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(this::submit)
        .withMessageContaining("is not an AccountingEvent");
  }

  private LedgerHistory history(int users, int reports) {
    return new LedgerHistory(spec, users, reports, testTopics.topics.gradients());
  }

  private void send(int user) {
    testTopics.send(OneHotReports.report(spec, 0, 0, LedgerHistory.user(user), REPORTS, 0.25));
  }

  /** Each user's next report is charged in addition to all earlier ones. */
  private static void checkNext(LedgerHistory history, List<AccountingEvent> all) {
    Map<String, AccountingEvent> next = new HashMap<>();
    for (AccountingEvent event : all) {
      if (event.getSequence() == REPORTS) {
        assertThat(next.put(event.getUserId(), event)).isNull();
      }
    }
    assertThat(all).hasSize(history.events() + next.size());
    AccountingEvent last = history.last();
    for (AccountingEvent event : next.values()) {
      assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(event.getUserTotals().getReports())
          .isEqualTo(last.getUserTotals().getReports() + 1);
      assertThat(event.getModelTotals().getReports())
          .isEqualTo(last.getModelTotals().getReports() + 1);
      assertThat(event.getUserTotals().getEpsilon())
          .isEqualTo(last.getUserTotals().getEpsilon() + 0.25);
    }
  }

  private Map<String, String> settings() {
    Map<String, String> settings = withCheckpoints(testTopics.settings());
    settings.put("checkpoint.interval", "50 ms");
    return settings;
  }

  private JobClient submit() throws Exception {
    return submit(new Configuration(), settings());
  }

  private static JobClient submit(Configuration flink, Map<String, String> settings)
      throws Exception {
    return CroupierJob.submit(
        StreamExecutionEnvironment.createLocalEnvironment(2, flink),
        JobConfig.of(settings),
        LedgerStart.REBUILD);
  }

  /** Starts the job in a process of its own, with a small heap. */
  private Process start(String name, Map<String, String> more) throws IOException {
    log = directory.resolve(name);
    Path logging = directory.resolve("log4j2.properties");
    Files.writeString(
        logging,
        """
        rootLogger.level = WARN
        rootLogger.appenderRef.console.ref = console
        appender.console.type = Console
        appender.console.name = console
        appender.console.layout.type = PatternLayout
        appender.console.layout.pattern = %d{HH:mm:ss.SSS} %-5p %c{1} %m%n%ex{short}
        logger.croupier.name = io.croupier
        logger.croupier.level = INFO
        """);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Dlog4j2.configurationFile=" + logging.toUri(),
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                CroupierJob.class.getName(),
                "--rebuild-ledger"));
    Map<String, String> settings = settings();
    settings.putAll(more);
    settings.forEach(
        (key, value) -> {
          command.add("--" + key);
          command.add(value);
        });
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(new File(log.toString()))
            .start();
    processes.add(process);
    return process;
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file);
  }

  private void await(Process process, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new AssertionError("The process has not come this far:\n" + text(log));
      }
      Thread.sleep(20);
    }
  }
}
