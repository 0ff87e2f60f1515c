package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.commons.lang3.ArrayUtils;
import org.apache.flink.api.common.JobStatus;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Overload of three kinds: one user who sends at full speed, many users who send once, and records
 * of the brokers' largest size. The job still accounts the reports of all other users, and memory
 * doesn't grow with the input: the test compares the heap after a quarter of the input with that
 * after all of it, and the growth must be less than the size of the input between. {@code
 * -Dflood=N} sets the reports of the one user, {@code -Dusers=N} the number of the many.
 */
@Tag("thorough")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class FloodITCase extends JobFixture {
  private static final int FLOOD = Integer.getInteger("flood", 50_000);
  private static final int USERS = Integer.getInteger("users", 20_000);
  private static final int HONEST = 50;
  private static final int LIMIT = 1000;

  /** Number of large records of each kind. */
  private static final int LARGE = 40;

  private static final int RECORD_BYTES = 1_048_588;
  private static final int FRAMING = 200;

  /** Reports that name one round, which was the newest before the first of them. */
  private static final int BATCH = 10_000;

  /** Each coordinate of a one-hot report takes a byte; reports of this size make a leak visible. */
  private static final int DIMENSION = 500;

  /** Uncompressed size of the totals of user and model, a device's window, and names. */
  private static final int MOST_STATE_BYTES = 150;

  private static final long MEGABYTE = 1 << 20;

  @BeforeEach
  void startJob() throws Exception {
    Map<String, String> settings = testTopics.settings();
    settings.put("checkpoint.interval", "500 ms");
    settings.put("flink.state.backend.type", "rocksdb");
    // The first failure ends the job, so that no restart goes unnoticed.
    settings.put("flink.restart-strategy.type", "none");
    start(settings);
  }

  @AfterEach
  void theJobStillRuns() throws Exception {
    assertThat(job.getJobStatus().get(10, TimeUnit.SECONDS)).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  void oneUserAtFullSpeedDoesNotDelayOthers() throws Exception {
    ModelSpec spec =
        OneHotReports.spec("m", DIMENSION, 1).toBuilder()
            .setLimits(Limits.newBuilder().setReports(LIMIT))
            .build();
    testTopics.begin(spec);
    Map<String, Long> ahead = new HashMap<>();
    try (JudgedUsers judged = new JudgedUsers(testTopics, "flooder", FLOOD + HONEST)) {
      GradientReport.Builder flood =
          OneHotReports.report(spec, 0, HONEST).toBuilder().setUserId("flooder");
      long early = 0;
      for (int i = 0, honest = 0; i < FLOOD; i++) {
        if (i % BATCH == 0) {
          flood.setRound(testTopics.newestRound("m"));
        }
        testTopics.send(flood.setSequence(i).build());
        if (i >= (honest + 1L) * FLOOD / (HONEST + 1) && honest < HONEST) {
          GradientReport report = OneHotReports.report(spec, flood.getRound(), honest++);
          judged.expect(report.getUserId());
          ahead.put(report.getUserId(), i + 1L);
          testTopics.send(report);
        }
        if (i + 1 == FLOOD / 4) {
          early = heapAfter(judged, FLOOD / 4);
        }
      }
      long late = heapAfter(judged, FLOOD + HONEST);

      assertThat(judged.outcomes())
          .isEqualTo(
              Map.of(
                  Outcome.ADMITTED,
                  (long) LIMIT + HONEST,
                  Outcome.REFUSED_BUDGET,
                  (long) FLOOD - LIMIT));
      checkOrder(judged.crowdBefore(), ahead);
      report(
          "%d reports of one user, %.0f a second; %d others waited for %s at most, in the median %s"
              .formatted(
                  FLOOD,
                  judged.perSecond(),
                  HONEST,
                  judged.delays().get(HONEST - 1),
                  judged.delays().get(HONEST / 2)),
          early,
          late);
      assertThat(late - early).isLessThan(flood.build().getSerializedSize() * (FLOOD * 3L / 4));
    }
    assertThat(stateBytes()).isLessThan(MEGABYTE);
  }

  /**
   * Reports in the middle of the flood are accounted before most of the reports after them. The
   * check covers users on the flood's partition, since only there an order is guaranteed, and
   * positions far enough from its end.
   */
  private static void checkOrder(Map<String, Long> before, Map<String, Long> ahead) {
    Map<String, Long> tooMany = new TreeMap<>();
    int checked = 0;
    for (Map.Entry<String, Long> user : before.entrySet()) {
      long sentBefore = ahead.get(user.getKey());
      if (sentBefore <= FLOOD * 3L / 4) {
        checked++;
        if (user.getValue() - sentBefore > (FLOOD - sentBefore) / 2) {
          tooMany.put(user.getKey(), user.getValue() - sentBefore);
        }
      }
    }
    assertThat(checked).isGreaterThan(HONEST / 5);
    assertThat(tooMany).as("by user, reports of the flood that overtook theirs").isEmpty();
  }

  @Test
  void manyUsersNeedOnlyTheirState() throws Exception {
    ModelSpec spec = OneHotReports.spec("m", DIMENSION, 1);
    testTopics.begin(spec);
    try (JudgedUsers judged = new JudgedUsers(testTopics, "nobody", USERS)) {
      GradientReport.Builder report = OneHotReports.report(spec, 0, 0).toBuilder();
      long early = 0;
      long earlyState = 0;
      for (int i = 0; i < USERS; i++) {
        if (i % BATCH == 0) {
          testTopics.flush();
          report.setRound(testTopics.newestRound("m"));
        }
        testTopics.send(report.setUserId("person-" + i).build());
        if (i + 1 == USERS / 4) {
          early = heapAfter(judged, USERS / 4);
          earlyState = stateBytes();
        }
      }
      long late = heapAfter(judged, USERS);
      double perUser = (double) (stateBytes() - earlyState) / (USERS - USERS / 4);

      assertThat(judged.outcomes()).isEqualTo(Map.of(Outcome.ADMITTED, (long) USERS));
      report(
          "%d users, %.0f a second, %.0f bytes of state each"
              .formatted(USERS, judged.perSecond(), perUser),
          early,
          late);
      assertThat(late - early).isLessThan(report.build().getSerializedSize() * (USERS * 3L / 4));
      assertThat(perUser).isBetween(10.0, (double) MOST_STATE_BYTES);
    }
  }

  @Test
  void recordsOfTheLargestSizeArePassedOnOneByOne() throws Exception {
    // An update contains two doubles per coordinate, and so does the report.
    int dimension =
        (int)
                ((RECORD_BYTES
                        - FRAMING
                        - ModelSpecs.updateBytes(OneHotReports.spec("large", 0, 1)))
                    / (2 * Double.BYTES))
            - 10;
    ModelSpec large = OneHotReports.spec("large", dimension, 1);
    ModelSpec small = OneHotReports.spec("small", 1, 1);
    testTopics.begin(large);
    testTopics.begin(small);
    byte[] zeros = new byte[RECORD_BYTES - FRAMING];

    sendLarge(0, LARGE / 4, dimension, zeros);
    awaitLarge(LARGE / 4);
    long early = HeapUsage.afterCollection();
    sendLarge(LARGE / 4, LARGE, dimension, zeros);
    awaitLarge(LARGE);
    long late = HeapUsage.afterCollection();

    report(
        "%d reports of dimension %d, as many of empty runs, and as many of %d bytes of garbage"
            .formatted(LARGE, dimension, zeros.length),
        early,
        late);
    // The job keeps less than one of each three records.
    assertThat(late - early).isLessThan(LARGE * 3L / 4 * RECORD_BYTES);
  }

  /** A megabyte of a valid report: a value and a tau for each coordinate. */
  private static GradientReport.Builder largeReport(int dimension) {
    Dense.Builder dense = Dense.newBuilder();
    CoordinateLaplace.Builder noise = CoordinateLaplace.newBuilder();
    for (int j = 0; j < dimension; j++) {
      dense.addValues(1.0 / dimension);
      noise.addTaus(1.0 / (j + 1));
    }
    return OneHotReports.report(OneHotReports.spec("large", 1, 1), 0, 0).toBuilder()
        .setDense(dense)
        .setCoordinateLaplace(noise);
  }

  /** A megabyte of empty runs, which Protobuf parses into half a million objects. */
  private static byte[] emptyRuns() throws IOException {
    byte[] value = Dense.newBuilder().addValues(0.5).build().toByteArray();
    ByteArrayOutputStream runs = new ByteArrayOutputStream();
    while (runs.size() < RECORD_BYTES - 2 * FRAMING) {
      runs.write(value[0]);
      runs.write(0);
    }
    runs.write(value);
    ByteArrayOutputStream report = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(report);
    out.writeByteArray(GradientReport.DENSE_FIELD_NUMBER, runs.toByteArray());
    out.flush();
    return report.toByteArray();
  }

  /** One record of each kind from each of these users. */
  private void sendLarge(int from, int to, int dimension, byte[] zeros) throws Exception {
    GradientReport.Builder large = largeReport(dimension).setRound(testTopics.newestRound("large"));
    GradientReport.Builder small =
        OneHotReports.report(OneHotReports.spec("small", 1, 1), testTopics.newestRound("small"), 0)
            .toBuilder()
            .setSequence(2)
            .clearGrid();
    byte[] runs = emptyRuns();
    for (int i = from; i < to; i++) {
      String user = "person-" + i;
      byte[] report = large.setUserId(user).build().toByteArray();
      assertThat(report.length).isGreaterThan(1_000_000);
      testTopics.send(testTopics.topics.gradients(), user, report);
      byte[] rest = small.setUserId(user).build().toByteArray();
      testTopics.send(testTopics.topics.gradients(), user, ArrayUtils.addAll(rest, runs));
      testTopics.send(testTopics.topics.gradients(), user, zeros);
      testTopics.flush();
    }
  }

  private void awaitLarge(int each) throws Exception {
    for (String model : List.of("large", "small")) {
      assertThat(testTopics.awaitEvents(model, each))
          .as(model)
          .hasSize(each)
          .allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
    }
    List<ConsumerRecord<byte[], byte[]>> letters =
        testTopics.awaitRecords(testTopics.topics.deadLetters(), each);
    assertThat(letters)
        .hasSize(each)
        .allMatch(letter -> letter.value() == null)
        .as("bytes that are no Protobuf may be a raw gradient")
        .allMatch(letter -> letter.headers().lastHeader(DeadLetters.SHA256) == null);
  }

  private void report(String what, long early, long late) {
    System.out.printf(
        "%s; heap after collection %d KB after a quarter, %d KB after all; state %d KB%n",
        what, early >> 10, late >> 10, stateBytes() >> 10);
  }

  /** Heap use after {@code events} events, when no record is in flight. */
  private long heapAfter(JudgedUsers judged, long events) throws Exception {
    testTopics.flush();
    judged.awaitSeen(events, Duration.ofMinutes(15));
    return HeapUsage.afterCollection();
  }

  /** Size of the largest existing checkpoint, in bytes. */
  private long stateBytes() {
    return in(directory.resolve("checkpoints").toFile())
        .flatMap(FloodITCase::in)
        .filter(folder -> folder.getName().startsWith("chk-"))
        .mapToLong(folder -> in(folder).mapToLong(File::length).sum())
        .max()
        .orElseThrow();
  }

  /** The content of a folder; empty if it is deleted meanwhile. */
  private static Stream<File> in(File folder) {
    File[] files = folder.listFiles();
    return files == null ? Stream.empty() : Stream.of(files);
  }
}
