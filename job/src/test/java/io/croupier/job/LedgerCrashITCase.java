package io.croupier.job;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.shuffle.RecordType;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Gaussian;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.schemas.Spend;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job crashes between ledger and learner, at random records ({@code -Dkills=N} for more than 10
 * crashes, {@code -Dseed=...} for the seed of another run), while users report up to their limits
 * and beyond: pure reports under a limit on their sum, pure and Gaussian ones under a limit on
 * epsilon at a delta, and small ones under the job's limit on the number of a user's reports.
 * Totals are exact, no report is charged twice, no report beyond a limit is used, and ledger and
 * learner agree on which reports were used.
 */
@Tag("thorough")
class LedgerCrashITCase extends BrokerFixture {
  private static final int PEOPLE = 4;

  /** Reports of epsilon 0.1 under a limit of 1.0: each user's last two are refused. */
  private static final int REPORTS = 12;

  private static final int ADMITTED = 10;

  /** The job's limit on the reports of one user, which only frequent users reach. */
  private static final int REPORTS_PER_USER = 12;

  /** Reports of each mixed and each frequent user: one more than the job's limit. */
  private static final int MIXED_REPORTS = REPORTS_PER_USER + 1;

  /**
   * After these, a mixed user sends a report whose epsilon exceeds the limit, and all later reports
   * are refused.
   */
  private static final int MIXED_ADMITTED = 6;

  private static final double DELTA = 1e-6;
  private static final int REPORTS_PER_ROUND = 10;

  @TempDir private static Path directory;

  private final int crashes = Integer.getInteger("kills", 10);
  private final long seed = Long.getLong("seed", System.nanoTime());

  @Test
  void noReportIsChargedTwiceOrUsedBeyondTheLimit() throws Exception {
    ModelSpec spec =
        OneHotReports.spec("limited", (2 * crashes + 4) * PEOPLE * REPORTS, REPORTS_PER_ROUND)
            .toBuilder()
            .setLimits(Limits.newBuilder().setEpsilon(1))
            .build();
    ModelSpec mixed =
        OneHotReports.spec("mixed", (2 * crashes + 4) * 2 * MIXED_REPORTS, REPORTS_PER_ROUND)
            .toBuilder()
            .setLimits(Limits.newBuilder().setEpsilon(4).setDelta(DELTA))
            .build();
    CrashingMap.plan(crashes, seed);
    JobClient job = null;
    try (TestTopics testTopics = newTopics("crashing")) {
      job = start(testTopics);
      testTopics.publish(spec);
      testTopics.publish(mixed);
      testTopics.flush();
      testTopics.awaitUpdate(spec.getModelId(), u -> u.getRound() == 0);
      testTopics.awaitUpdate(mixed.getModelId(), u -> u.getRound() == 0);

      int groups = 0;
      while (CrashingMap.left() > 0) {
        sendMixed(testTopics, mixed, groups);
        send(testTopics, spec, groups++);
        awaitUsed(testTopics, spec, groups * PEOPLE * ADMITTED);
        awaitUsed(testTopics, mixed, groups * (MIXED_ADMITTED + REPORTS_PER_USER));
      }

      System.out.printf("%d crashes between ledger and learner, seed %d%n", crashes, seed);
      check(testTopics, spec, groups);
      checkMixed(testTopics, mixed, groups);
    } finally {
      if (job != null) {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
    }
  }

  private static void send(TestTopics testTopics, ModelSpec spec, int group) throws Exception {
    long round = testTopics.newestRound(spec.getModelId());
    for (int k = 0; k < REPORTS; k++) {
      for (int person = 0; person < PEOPLE; person++) {
        int index = (group * PEOPLE + person) * REPORTS + k;
        GradientReport report =
            OneHotReports.report(spec, round, index).toBuilder()
                .setUserId("person-" + group + "-" + person)
                .setSequence(k)
                .setL2Laplace(L2Laplace.newBuilder().setEpsilon(0.1))
                .build();
        testTopics.send(report);
        if (index % 3 == 0) {
          testTopics.send(report);
        }
      }
    }
    testTopics.flush();
  }

  /** One user who declares both kinds of noise, and one who sends many reports of small epsilon. */
  private static void sendMixed(TestTopics testTopics, ModelSpec spec, int group) throws Exception {
    long round = testTopics.newestRound(spec.getModelId());
    for (int k = 0; k < MIXED_REPORTS; k++) {
      int index = group * 2 * MIXED_REPORTS + k;
      GradientReport.Builder mixed =
          OneHotReports.report(spec, round, index).toBuilder()
              .setUserId("mixed-" + group)
              .setSequence(k);
      if (k % 2 == 1) {
        mixed.setGaussian(Gaussian.newBuilder().setMu(0.2));
      } else {
        mixed.setL2Laplace(L2Laplace.newBuilder().setEpsilon(k == MIXED_ADMITTED ? 60 : 0.5));
      }
      testTopics.send(mixed.build());
      testTopics.send(mixed.build());
      testTopics.send(
          OneHotReports.report(spec, round, index + MIXED_REPORTS).toBuilder()
              .setUserId("frequent-" + group)
              .setSequence(k)
              .setL2Laplace(L2Laplace.newBuilder().setEpsilon(0.01))
              .build());
    }
    testTopics.flush();
  }

  private static void awaitUsed(TestTopics testTopics, ModelSpec spec, int admitted)
      throws Exception {
    testTopics.awaitUpdate(spec.getModelId(), u -> u.getUsed() + u.getOpen() >= admitted);
  }

  private void check(TestTopics testTopics, ModelSpec spec, int groups) throws Exception {
    int reports = groups * PEOPLE * REPORTS;
    List<AccountingEvent> events =
        testTopics.awaitEvents(spec.getModelId(), reports + (reports + 2) / 3);
    Set<Position> positions = new HashSet<>();
    assertThat(events).as("seed %d", seed).allMatch(event -> positions.add(event.getSource()));
    assertThat(events).as("seed %d", seed).hasSize(reports + (reports + 2) / 3);

    Map<String, List<AccountingEvent>> people =
        events.stream()
            .filter(event -> event.getOutcome() != Outcome.DUPLICATE)
            .collect(groupingBy(AccountingEvent::getUserId));
    assertThat(people).hasSize(groups * PEOPLE);
    people.values().forEach(this::checkPerson);

    ModelUpdate last = OneHotReports.awaitAll(testTopics, spec, groups * PEOPLE * ADMITTED);
    for (int index = 0; index < reports; index++) {
      if (index % REPORTS >= ADMITTED) {
        assertThat(last.getWeights(index)).as("past the limit, seed %d", seed).isZero();
      }
    }
  }

  private void checkPerson(List<AccountingEvent> events) {
    assertThat(events).as("seed %d", seed).hasSize(REPORTS);
    for (int k = 0; k < REPORTS; k++) {
      AccountingEvent event = events.get(k);
      BigDecimal spent = new BigDecimal("0.1").multiply(BigDecimal.valueOf(k + 1));
      assertThat(event.getSequence()).as("seed %d", seed).isEqualTo(k);
      assertThat(event.getOutcome())
          .as("seed %d", seed)
          .isEqualTo(k < ADMITTED ? Outcome.ADMITTED : Outcome.REFUSED_BUDGET);
      assertThat(event.getReason())
          .as("seed %d", seed)
          .isEqualTo(
              k < ADMITTED
                  ? ""
                  : "limits.epsilon is 1.0: 1"
                      + (k == ADMITTED ? "" : ".1")
                      + " was spent before, and this report would add 0.1");
      assertThat(event.getLeftUser().getReports()).isEqualTo(REPORTS_PER_USER - k - 1);
      assertThat(event.getModelTotals().getEpsilon())
          .as("seed %d", seed)
          .isEqualTo(spent.doubleValue());
      assertThat(event.getUserTotals().getEpsilon()).isEqualTo(spent.doubleValue());
      assertThat(event.getLeftModel().getEpsilon())
          .isEqualTo(BigDecimal.ONE.subtract(spent).max(BigDecimal.ZERO).doubleValue());
    }
  }

  private void checkMixed(TestTopics testTopics, ModelSpec spec, int groups) throws Exception {
    List<AccountingEvent> events =
        testTopics.awaitEvents(spec.getModelId(), groups * 3 * MIXED_REPORTS);
    assertThat(events).as("seed %d", seed).hasSize(groups * 3 * MIXED_REPORTS);
    Map<String, List<AccountingEvent>> people =
        events.stream()
            .filter(event -> event.getOutcome() != Outcome.DUPLICATE)
            .collect(groupingBy(AccountingEvent::getUserId));
    assertThat(people).hasSize(2 * groups);
    for (int group = 0; group < groups; group++) {
      checkMixedPerson(people.get("mixed-" + group), people.get("mixed-0"));
      checkFrequentPerson(people.get("frequent-" + group));
    }

    ModelUpdate last =
        OneHotReports.awaitAllOfMixedNoise(
            testTopics, spec, groups * (MIXED_ADMITTED + REPORTS_PER_USER));
    for (int index = 0; index < groups * 2 * MIXED_REPORTS; index++) {
      int k = index % (2 * MIXED_REPORTS);
      boolean used = k < MIXED_REPORTS ? k < MIXED_ADMITTED : k < 2 * MIXED_REPORTS - 1;
      if (!used) {
        assertThat(last.getWeights(index)).as("past the limit, seed %d", seed).isZero();
      }
    }
  }

  private void checkMixedPerson(List<AccountingEvent> events, List<AccountingEvent> others) {
    assertThat(events).as("seed %d", seed).hasSize(MIXED_REPORTS);
    for (int k = 0; k < MIXED_REPORTS; k++) {
      AccountingEvent event = events.get(k);
      boolean admitted = k < MIXED_ADMITTED;
      int pure = k / 2 + 1;
      int gaussian = (k + 1) / 2;
      String what = "report %d, seed %d".formatted(k, seed);
      assertThat(event.getOutcome())
          .as(what)
          .isEqualTo(admitted ? Outcome.ADMITTED : Outcome.REFUSED_BUDGET);
      assertThat(event.getReason())
          .as(what)
          .startsWith(
              admitted ? "" : "limits.epsilon is 4.0 at limits.delta 1.0E-6, so the sum of Renyi");
      Spend spent = event.getModelTotals();
      assertThat(spent.getEpsilon()).as(what).isEqualTo(0.5 * pure + (admitted ? 0 : 59.5));
      assertThat(spent.getMu()).as(what).isCloseTo(0.2 * Math.sqrt(gaussian), within(1e-12));
      assertThat(spent).as(what).isEqualTo(others.get(k).getModelTotals());
      double left = 4 - spent.getEpsilonAtDelta();
      assertThat(event.getLeftModel().getEpsilonAtDelta())
          .as(what)
          .isCloseTo(admitted ? left : 0, within(1e-12));
      assertThat(left > 0).as(what).isEqualTo(admitted);
      assertThat(event.getLeftUser().getReports())
          .as(what)
          .isEqualTo(Math.max(0, REPORTS_PER_USER - k - 1));
    }
  }

  private void checkFrequentPerson(List<AccountingEvent> events) {
    assertThat(events).as("seed %d", seed).hasSize(MIXED_REPORTS);
    for (AccountingEvent event : events.subList(0, REPORTS_PER_USER)) {
      assertThat(event.getOutcome()).as("seed %d", seed).isEqualTo(Outcome.ADMITTED);
    }
    AccountingEvent refused = events.get(REPORTS_PER_USER);
    assertThat(refused.getOutcome()).as("seed %d", seed).isEqualTo(Outcome.REFUSED_BUDGET);
    assertThat(refused.getReason())
        .isEqualTo("limits.user.reports is 12: 12 was spent before, and this report would add 1");
    assertThat(refused.getLeftUser().getReports()).isZero();
    assertThat(refused.getUserTotals().getReports()).isEqualTo(MIXED_REPORTS);
  }

  /** The job's own stages, with crashes before and after the pre-aggregation. */
  private JobClient start(TestTopics testTopics) throws Exception {
    Map<String, String> settings = new HashMap<>(testTopics.settings());
    settings.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    // Eight publications then take longer than the largest lag at which rounds are still published.
    settings.put("checkpoint.interval", "500 ms");
    settings.put("flink.restart-strategy.fixed-delay.attempts", String.valueOf(Integer.MAX_VALUE));
    settings.put("limits.user.reports", String.valueOf(REPORTS_PER_USER));
    return InstrumentedTopology.submit(
        JobConfig.of(settings),
        admitted -> crashing(admitted, "before"),
        sums -> crashing(sums, "behind"));
  }

  private static DataStream<RoundSum> crashing(DataStream<RoundSum> sums, String where) {
    return sums.map(new CrashingMap<RoundSum>())
        .returns(RecordType.ROUND_SUM)
        .uid("crashing-" + where);
  }
}
