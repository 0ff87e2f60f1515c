package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Too much of everything: one user who sends at full speed, many who send once, records as large as
 * the brokers take. Memory stays bounded, and everybody else is judged. {@code -Dflood=N} reports
 * of the one user, {@code -Dusers=N} of the many.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class FloodITCase {
  private static final int FLOOD = Integer.getInteger("flood", 50_000);
  private static final int USERS = Integer.getInteger("users", 20_000);
  private static final int HONEST = 50;
  private static final int LIMIT = 1000;
  private static final int LARGE = 60;
  private static final int RECORD_BYTES = 1_048_588;
  private static final int FRAMING = 100;

  /** The patience of an honest user, on a machine that does everything. */
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(60);

  private static final long MEGABYTE = 1 << 20;

  @TempDir static Path directory;
  private static EmbeddedBroker broker;
  private static int tables;

  private Path checkpoints;
  private Table table;
  private JobClient job;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start(directory.resolve("broker"));
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void startJob() throws Exception {
    table = new Table(broker, "flood-" + tables++);
    checkpoints = directory.resolve("checkpoints-" + tables);
    Map<String, String> settings = table.settings();
    settings.put("checkpoint.directory", checkpoints.toUri().toString());
    settings.put("checkpoint.interval", "500 ms");
    settings.put("flink.state.backend.type", "rocksdb");
    // A job that fails once fails for good, so that a restart can't go unseen.
    settings.put("flink.restart-strategy.type", "none");
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
            JobConfig.of(settings));
  }

  @AfterEach
  void cancelJob() throws Exception {
    assertThat(job.getJobStatus().get(10, TimeUnit.SECONDS)).isEqualTo(JobStatus.RUNNING);
    job.cancel().get(30, TimeUnit.SECONDS);
    table.close();
  }

  @Test
  void oneUserAtFullSpeedKeepsNobodyElseFromBeingJudged() throws Exception {
    ModelSpec spec =
        OneHot.spec("m", HONEST + 1, 1).toBuilder()
            .setLimits(Limits.newBuilder().setReports(LIMIT))
            .build();
    publish(spec);
    long heap = heapAfterGc();
    try (JudgedUsers judged = new JudgedUsers(table, "flooder", FLOOD + HONEST)) {
      GradientReport.Builder flood = OneHot.report(spec, HONEST).toBuilder().setUserId("flooder");
      for (int i = 0, honest = 0; i < FLOOD; i++) {
        table.send(flood.setSequence(i).build());
        if (i >= (honest + 1L) * FLOOD / (HONEST + 1) && honest < HONEST) {
          GradientReport report = OneHot.report(spec, honest++);
          judged.expect(report.getUserId());
          table.send(report);
        }
      }
      table.flush();
      judged.await(Duration.ofMinutes(10));

      assertThat(judged.outcomes())
          .isEqualTo(
              Map.of(
                  Outcome.ADMITTED,
                  (long) LIMIT + HONEST,
                  Outcome.REFUSED_BUDGET,
                  (long) FLOOD - LIMIT));
      assertThat(judged.delays()).hasSize(HONEST).allMatch(d -> d.compareTo(LONGEST_DELAY) < 0);
      report(
          "%d reports of one user, %.0f a second; %d others waited for %s at most, in the median %s"
              .formatted(
                  FLOOD,
                  judged.perSecond(),
                  HONEST,
                  judged.delays().get(HONEST - 1),
                  judged.delays().get(HONEST / 2)),
          heap);
    }
    assertThat(heapAfterGc() - heap).isLessThan(100 * MEGABYTE);
    assertThat(stateBytes()).isLessThan(MEGABYTE);
  }

  @Test
  void manyUsersTakeTheirStateAndNoMore() throws Exception {
    ModelSpec spec = OneHot.spec("m", 1, 1);
    publish(spec);
    long heap = heapAfterGc();
    try (JudgedUsers judged = new JudgedUsers(table, "nobody", USERS)) {
      GradientReport.Builder report = OneHot.report(spec, 0).toBuilder();
      for (int i = 0; i < USERS; i++) {
        table.send(report.setUserId("person-" + i).build());
        if (i % 10_000 == 0) {
          table.flush();
        }
      }
      table.flush();
      judged.await(Duration.ofMinutes(15));

      assertThat(judged.outcomes()).isEqualTo(Map.of(Outcome.ADMITTED, (long) USERS));
      report("%d users, %.0f a second".formatted(USERS, judged.perSecond()), heap);
    }
    assertThat(heapAfterGc() - heap).isLessThan(100 * MEGABYTE);
    assertThat(stateBytes()).isLessThan(MEGABYTE + 500L * USERS);
  }

  @Test
  void recordsOfTheLargestSizeArePassedOnOneByOne() throws Exception {
    int dimension =
        (int) ((RECORD_BYTES - ModelSpecs.updateBytes(OneHot.spec("m", 0, 1))) / 16) - 10;
    ModelSpec spec = OneHot.spec("m", dimension, 1);
    publish(spec);
    long heap = heapAfterGc();
    Dense.Builder dense = Dense.newBuilder();
    for (int j = 0; j < dimension; j++) {
      dense.addValues(1.0 / dimension);
    }
    GradientReport.Builder report =
        OneHot.report(OneHot.spec("m", 1, 1), 0).toBuilder().setDense(dense);
    byte[] garbage = new byte[RECORD_BYTES - FRAMING];
    for (int i = 0; i < LARGE; i++) {
      table.send(report.setUserId("person-" + i).build());
      table.send(table.topics.gradients(), ("person-" + i).getBytes(UTF_8), garbage);
      table.flush();
    }

    assertThat(table.awaitEvents("m", LARGE))
        .hasSize(LARGE)
        .allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
    List<ConsumerRecord<byte[], byte[]>> letters =
        table.awaitRecords(table.topics.deadLetters(), LARGE);
    assertThat(letters)
        .hasSize(LARGE)
        .allMatch(letter -> letter.value() == null)
        .allMatch(letter -> letter.headers().lastHeader(DeadLetters.SHA256) != null);
    report(
        "%d reports of dimension %d, and as many of %d bytes of garbage"
            .formatted(LARGE, dimension, garbage.length),
        heap);
    assertThat(heapAfterGc() - heap).isLessThan(200 * MEGABYTE);
  }

  private void publish(ModelSpec spec) throws Exception {
    table.publish(spec);
    table.flush();
    table.awaitUpdate(spec.getModelId(), u -> u.getRound() == 0);
  }

  private void report(String what, long heapBefore) throws Exception {
    System.out.printf(
        "%s; heap after collection %d MB, %d MB before; state %d KB%n",
        what, heapAfterGc() / MEGABYTE, heapBefore / MEGABYTE, stateBytes() >> 10);
  }

  private static long heapAfterGc() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Bytes of the largest checkpoint that is there. */
  private long stateBytes() throws Exception {
    try (Stream<Path> files = Files.walk(checkpoints)) {
      return files
          .filter(path -> path.getFileName().toString().startsWith("chk-"))
          .map(FloodITCase::bytesIn)
          .max(Comparator.naturalOrder())
          .orElseThrow();
    }
  }

  /** A file that is deleted meanwhile has none. */
  private static long bytesIn(Path folder) {
    java.io.File[] files = folder.toFile().listFiles();
    return files == null ? 0 : Stream.of(files).mapToLong(java.io.File::length).sum();
  }
}
