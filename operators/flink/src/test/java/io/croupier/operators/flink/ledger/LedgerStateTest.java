package io.croupier.operators.flink.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.RestoredInEveryBackend;
import io.croupier.operators.flink.Subtasks;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.restart.JobStart;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleRecords;
import io.croupier.operators.ledger.StoredAccount;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.DigestKey;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * A run with snapshots and restores equals an uninterrupted run, bit for bit, for every state of
 * the ledger.
 */
class LedgerStateTest {
  private static final List<Limits> LIMITS =
      List.of(
          Limits.getDefaultInstance(),
          Limits.newBuilder().setMu(1).build(),
          Limits.newBuilder().setEpsilon(1).setDelta(1e-6).build(),
          Limits.newBuilder().setEpsilon(2).setDelta(1e-5).build());

  /** Two more than an account has room for. */
  private static final int MODELS = StoredAccount.MODELS + 2;

  private interface Scenario {
    void play(LedgerTasks ledger) throws Exception;
  }

  /**
   * Plays a scenario with and without restarts at its barriers; after a restart the models topic is
   * empty, so that all specs come from state.
   *
   * @return the accounting events, which are the same in both
   */
  private static List<AccountingEvent> playTwice(Backend backend, Plan plan, Scenario scenario)
      throws Exception {
    try (LedgerTasks straight = new LedgerTasks(Backend.HASH_MAP, Plan.NEVER_STOPPED, List::of);
        LedgerTasks stopped = new LedgerTasks(backend, plan, List::of)) {
      scenario.play(straight);
      scenario.play(stopped);
      assertThat(eventBytes(stopped)).isEqualTo(eventBytes(straight));
      // Every report is judged, and its outputs are collected, before the next one arrives.
      assertThat(Subtasks.bytesByKey(stopped.outputs(), RoundSum.class, sum -> sum.modelId))
          .isEqualTo(Subtasks.bytesByKey(straight.outputs(), RoundSum.class, sum -> sum.modelId));
      return stopped.sideOutputs().stream().map(LedgerTasks::event).toList();
    }
  }

  private static void playSpecs(LedgerTasks ledger) throws Exception {
    Limits epsilon = Limits.newBuilder().setEpsilon(9).build();
    ledger.publish(1, TestRecords.sgd("m"));
    ledger.publish(2, TestRecords.sgd("gone"));
    ledger.barrier();
    ledger.publish(3, TestRecords.sgd("m").setLimits(epsilon));
    ledger.retire(4, "gone");
    ledger.publish(5, TestRecords.sgd("m").setDimension(3));
    ledger.barrier();
    ledger.publish(2, TestRecords.sgd("gone"));
    ledger.publish(4, TestRecords.sgd("m"));
    ledger.barrier();
    ledger.judge("u", 1, "m");
    ledger.judge("v", 1, "gone");
    ledger.judge(TestRecords.report("w", 1, "m", 0.5, 0, 0));
    ledger.barrier();
    ledger.publish(6, TestRecords.sgd("gone"));
    ledger.barrier();
    ledger.judge("v", 2, "gone");
  }

  @RestoredInEveryBackend
  void specs(Backend backend, Plan plan) throws Exception {
    List<AccountingEvent> events = playTwice(backend, plan, LedgerStateTest::playSpecs);
    assertThat(events)
        .extracting(AccountingEvent::getOutcome)
        .containsExactly(
            Outcome.ADMITTED,
            Outcome.REFUSED_UNKNOWN_MODEL,
            Outcome.REFUSED_DIMENSION,
            Outcome.ADMITTED);
  }

  /** A ledger keeps the key of its digests; without one, as up to release 0.3.0, it gets none. */
  @RestoredInEveryBackend
  void digests(Backend backend, Plan plan) throws Exception {
    for (DigestKey first : List.of(new DigestKey(3, 4), DigestKey.NONE)) {
      Queue<DigestKey> keys = new ArrayDeque<>(List.of(first));
      LedgerTasks ledger =
          new LedgerTasks(
              () -> {
                DigestKey key = keys.isEmpty() ? DigestKey.random() : keys.remove();
                return LedgerTasks.operator(
                    List::of,
                    List::of,
                    Limits.getDefaultInstance(),
                    false,
                    new JobStart(LedgerStart.REQUIRE_STATE, new VisibleRecords(), key));
              },
              backend,
              plan);
      ledger.publish(0, TestRecords.sgd("m"));
      for (int i = 1; i <= 3; i++) {
        assertThat(ledger.judge("u", i, "m").getOutcome()).isEqualTo(Outcome.ADMITTED);
        ledger.barrier();
        for (int resent = 1; resent <= i; resent++) {
          assertThat(ledger.judge("u", resent, "m").getOutcome()).isEqualTo(Outcome.DUPLICATE);
        }
      }
    }
  }

  private static Map<String, List<String>> eventBytes(LedgerTasks ledger) {
    return Subtasks.bytesByKey(
        ledger.sideOutputs(), OutboundRecord.class, event -> new String(event.key, UTF_8));
  }

  @RestoredInEveryBackend
  void modelTotals(Backend backend, Plan plan) throws Exception {
    List<AccountingEvent> events = playTwice(backend, plan, LedgerStateTest::spendOnTwoModels);
    assertThat(events)
        .extracting(event -> event.getModelTotals().getEpsilon())
        .containsExactly(1.0, 1.0, 1.0, 2.0, 2.0, 2.0);
  }

  @RestoredInEveryBackend
  void userTotals(Backend backend, Plan plan) throws Exception {
    List<AccountingEvent> events = playTwice(backend, plan, LedgerStateTest::spendOnTwoModels);
    assertThat(events)
        .extracting(event -> event.getUserTotals().getEpsilon())
        .containsExactly(1.0, 1.0, 2.0, 3.0, 2.0, 4.0);
  }

  private static void spendOnTwoModels(LedgerTasks ledger) throws Exception {
    ledger.publish(0, TestRecords.sgd("m"));
    ledger.publish(1, TestRecords.sgd("n"));
    ledger.judge("u", 1, "m");
    ledger.judge(TestRecords.report("v", 1, "m", 0, 0.5));
    ledger.barrier();
    ledger.judge("u", 2, "n");
    ledger.barrier();
    ledger.judge("u", 3, "m");
    ledger.judge(TestRecords.report("v", 2, "m", 0, 0.5));
    ledger.barrier();
    ledger.judge("u", 4, "n");
  }

  /** Two barriers in a row: the state is restored once without being accessed. */
  @RestoredInEveryBackend
  void furtherModels(Backend backend, Plan plan) throws Exception {
    List<AccountingEvent> events =
        playTwice(backend, plan, ledger -> reportTwiceToEachModel(ledger, LedgerTasks::barrier));
    assertThat(events)
        .extracting(event -> event.getModelTotals().getReports())
        .containsExactly(1L, 1L, 1L, 1L, 1L, 1L, 2L, 2L, 2L, 2L, 2L, 2L);
  }

  /** An erased account charges each model with all that its user had spent. */
  @RestoredInEveryBackend
  void erasedFurtherModels(Backend backend, Plan plan) throws Exception {
    RawRecord erasure = TestRecords.erasure("u");
    List<AccountingEvent> events =
        playTwice(
            backend,
            plan,
            ledger -> reportTwiceToEachModel(ledger, erased -> erased.receive(erasure)));
    assertThat(events.get(MODELS).getOutcome()).isEqualTo(Outcome.ERASED);
    assertThat(events.subList(MODELS + 1, events.size()))
        .hasSize(MODELS)
        .allSatisfy(event -> assertThat(event.getModelTotals().getReports()).isEqualTo(MODELS + 1));
  }

  private static void reportTwiceToEachModel(LedgerTasks ledger, Scenario between)
      throws Exception {
    for (int model = 0; model < MODELS; model++) {
      ledger.publish(model, TestRecords.sgd("m" + model));
    }
    reportToEachModel(ledger, 0);
    ledger.barrier();
    between.play(ledger);
    ledger.barrier();
    reportToEachModel(ledger, 1);
  }

  private static void reportToEachModel(LedgerTasks ledger, int turn) throws Exception {
    for (int model = 0; model < MODELS; model++) {
      ledger.judge("u", turn * MODELS + model, "m" + model);
    }
  }

  private static void playReplayWindows(LedgerTasks ledger) throws Exception {
    ledger.publish(0, TestRecords.sgd("m"));
    ledger.judge("u", 100, "m");
    for (int device = 1; device < 16; device++) {
      ledger.judge(fromDevice("device " + device, 1));
    }
    ledger.barrier();
    ledger.judge("u", 100, "m");
    ReportDraft conflict = TestRecords.report("u", 100, "m", 0.5, 0);
    conflict.digest++;
    ledger.judge(conflict);
    ledger.barrier();
    ledger.judge("u", 36, "m");
    ledger.judge("u", 37, "m");
    ledger.judge(fromDevice("one too many", 1));
    ledger.barrier();
    ledger.judge("u", 37, "m");
    ledger.judge(fromDevice("device 1", 1));
    ledger.judge(fromDevice("device 1", 2));
    ledger.barrier();
    ledger.judge(fromDevice("device 1", 2));
  }

  @RestoredInEveryBackend
  void replayWindows(Backend backend, Plan plan) throws Exception {
    List<AccountingEvent> events = playTwice(backend, plan, LedgerStateTest::playReplayWindows);
    assertThat(events.subList(16, events.size()))
        .extracting(AccountingEvent::getOutcome)
        .containsExactly(
            Outcome.DUPLICATE,
            Outcome.REFUSED_SEQUENCE,
            Outcome.REFUSED_SEQUENCE,
            Outcome.ADMITTED,
            Outcome.ADMITTED,
            Outcome.DUPLICATE,
            Outcome.REFUSED_SEQUENCE,
            Outcome.ADMITTED,
            Outcome.DUPLICATE);
  }

  private static ReportDraft fromDevice(String deviceId, long sequence) {
    ReportDraft report = TestRecords.report("u", sequence, "m", 0.5, 0);
    report.deviceId = deviceId;
    return report;
  }

  private static void playAllTogetherOnAnyStream(LedgerTasks ledger) throws Exception {
    SplittableRandom random = new SplittableRandom(23);
    for (int i = 0; i < 300; i++) {
      if (i % 60 == 0) {
        ledger.publish(i, TestRecords.sgd("m").setLimits(LIMITS.get(random.nextInt(4))));
        ledger.barrier();
      }
      // Few sequence numbers and many reports: some repeat their bytes, some don't.
      ReportDraft report =
          TestRecords.report(
              "user " + random.nextInt(12),
              random.nextInt(20),
              random.nextInt(10) == 0 ? "unknown" : "m",
              random.nextDouble(),
              0);
      double level = 0.001 * (1 + random.nextInt(300));
      report.mechanism =
          random.nextInt(3) == 0 ? new GaussianMechanism(level) : new L2LaplaceMechanism(level, 2);
      report.digest += random.nextInt(2);
      ledger.judge(report);
    }
  }

  @RestoredInEveryBackend
  void allTogetherOnAnyStream(Backend backend, Plan plan) throws Exception {
    List<AccountingEvent> events =
        playTwice(backend, plan, LedgerStateTest::playAllTogetherOnAnyStream);
    Set<Outcome> outcomes = new TreeSet<>();
    events.forEach(event -> outcomes.add(event.getOutcome()));
    assertThat(outcomes)
        .containsExactly(
            Outcome.ADMITTED,
            Outcome.DUPLICATE,
            Outcome.REFUSED_BUDGET,
            Outcome.REFUSED_UNKNOWN_MODEL,
            Outcome.REFUSED_SEQUENCE);
  }
}
