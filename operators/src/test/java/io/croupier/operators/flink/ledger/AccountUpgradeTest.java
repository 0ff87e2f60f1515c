package io.croupier.operators.flink.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.Subtasks;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleRecords;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories that begin in the states of release 0.1.0: the ledger of this release continues
 * them as if it had kept the accounts all the time.
 */
class AccountUpgradeTest {
  private static final int USERS = 6;
  private static final int REPORTS = 900;

  /** Barriers at these numbers of reports; the release changes at one of them. */
  private static final int PHASE = 100;

  /** More than an account has room for, two of them central. */
  private static final int MODELS = 7;

  private static LedgerOperator ledger() {
    return new LedgerOperator(
        List::of,
        TestRecords.REQUIREMENTS,
        TestRecords.TOPICS,
        TestRecords.DEAD_LETTERS,
        Limits.getDefaultInstance(),
        false,
        LedgerStart.REQUIRE_STATE,
        new VisibleRecords());
  }

  private static ModelSpec.Builder model(int index) {
    ModelSpec.Builder spec =
        index < 2 ? TestRecords.central("m" + index) : TestRecords.sgd("m" + index);
    if (index == 1) {
      spec.getDpFtrlBuilder().getNoiseBuilder().getBltBuilder().setBuffers(1).setHorizon(400);
    }
    if (index < 2) {
      spec.getLimitsBuilder().setMaxParticipations(15);
    }
    if (index == 2) {
      spec.setLimits(Limits.newBuilder().setEpsilon(2).setDelta(1e-6));
    }
    return spec;
  }

  private static Report report(SplittableRandom random, int i) {
    int index = random.nextInt(MODELS + 1);
    // Numbers that rise slowly, so that windows fill, and some are used again.
    Report report =
        TestRecords.report(
            "user " + random.nextInt(USERS),
            Math.max(0, i / 8 + random.nextInt(40) - 20),
            "m" + index,
            0.25,
            0);
    report.deviceId = "device " + random.nextInt(1 + random.nextInt(16));
    report.level = 0.001 * (1 + random.nextInt(300));
    report.digest = random.nextInt(10) == 0 ? random.nextInt(3) : report.sequence;
    if (index < 2) {
      report.declaration = Declaration.CENTRAL;
      report.topic = TestRecords.TOPICS.rawGradients();
      report.round = i / 3;
    } else if (random.nextInt(3) == 0) {
      report.declaration = Declaration.GAUSSIAN;
    }
    return report;
  }

  private static void play(LedgerTasks ledger, long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int index = 0; index < MODELS; index++) {
      ledger.publish(TestRecords.published(index, model(index)));
    }
    for (int i = 0; i < REPORTS; i++) {
      if (i > 0 && i % PHASE == 0) {
        ledger.barrier();
      }
      ledger.judge(report(random, i));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "HASH_MAP, RESTORED",
    "HASH_MAP, RESCALED",
    "ROCKS_DB, RESTORED",
    "ROCKS_DB, RESCALED"
  })
  @Tag("thorough")
  void accountsContinue(Backend backend, Plan plan) throws Exception {
    Map<Outcome, Integer> seen = new EnumMap<>(Outcome.class);
    for (long seed = 1; seed <= 4; seed++) {
      int phases = (int) seed; // of the former release
      int[] starts = new int[1];
      try (LedgerTasks straight = new LedgerTasks(Backend.HASH_MAP, Plan.NEVER_STOPPED, ledger());
          LedgerTasks upgraded =
              new LedgerTasks(
                  () -> phase(plan, starts[0]++) < phases ? new FormerLedger() : ledger(),
                  backend,
                  plan)) {
        play(straight, seed);
        play(upgraded, seed);
        assertThat(events(upgraded)).as("seed %s", seed).isEqualTo(events(straight));
        for (OutboundRecord record : upgraded.sideOutputs()) {
          seen.merge(LedgerTasks.event(record).getOutcome(), 1, Integer::sum);
        }
      }
    }
    assertThat(seen)
        .containsKeys(
            Outcome.ADMITTED,
            Outcome.DUPLICATE,
            Outcome.REFUSED_SEQUENCE,
            Outcome.REFUSED_UNKNOWN_MODEL,
            Outcome.REFUSED_BUDGET,
            Outcome.REFUSED_PARTICIPATION,
            Outcome.REFUSED_SEPARATION)
        .hasEntrySatisfying(Outcome.DUPLICATE, count -> assertThat(count).isGreaterThan(50));
  }

  /** The phase of the start with an index: with two subtasks in every other phase, if rescaled. */
  private static int phase(Plan plan, int start) {
    return plan == Plan.RESCALED ? start / 3 * 2 + (start % 3 > 0 ? 1 : 0) : start;
  }

  private static Map<String, List<String>> events(LedgerTasks ledger) {
    return Subtasks.bytesByKey(
        ledger.sideOutputs(), OutboundRecord.class, event -> new String(event.key, UTF_8));
  }

  /** The first access moves an account; later starts find it. */
  @ParameterizedTest
  @EnumSource
  void totalsAndWindowsAfterTheUpgrade(Backend backend) throws Exception {
    int[] starts = new int[1];
    try (LedgerTasks ledger =
        new LedgerTasks(
            () -> starts[0]++ == 0 ? new FormerLedger() : ledger(), backend, Plan.RESTORED)) {
      ledger.publish(TestRecords.published(0, TestRecords.sgd("m")));
      for (int i = 1; i <= 20; i++) {
        ledger.judge(TestRecords.report("ada", i, "m", 0.5, 0));
      }
      // A refused central report is free, so this user has a window and no totals.
      ledger.publish(TestRecords.published(1, TestRecords.central("c")));
      Report refused = TestRecords.report("bob", 1, "c", 0.5, 0, 0);
      refused.declaration = Declaration.CENTRAL;
      assertThat(ledger.judge(refused).getOutcome()).isEqualTo(Outcome.REFUSED_DIMENSION);
      ledger.barrier();
      assertThat(ledger.judge(refused).getOutcome()).isEqualTo(Outcome.DUPLICATE);
      for (int restart = 0; restart < 2; restart++) {
        AccountingEvent resend = ledger.judge(TestRecords.report("ada", 3, "m", 0.5, 0));
        assertThat(resend.getOutcome()).isEqualTo(Outcome.DUPLICATE);
        assertThat(resend.getUserTotals().getEpsilon()).isEqualTo(20 + restart);
        Report other = TestRecords.report("ada", 4, "m", 0.5, 0);
        other.digest++;
        AccountingEvent conflict = ledger.judge(other);
        assertThat(conflict.getOutcome()).isEqualTo(Outcome.REFUSED_SEQUENCE);
        assertThat(conflict.getModelTotals().getEpsilon()).isEqualTo(21 + restart);
        ledger.barrier();
      }
    }
  }
}
