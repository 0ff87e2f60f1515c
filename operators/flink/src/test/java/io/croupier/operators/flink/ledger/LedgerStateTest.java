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
import io.croupier.operators.ledger.StoredAccount;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import java.util.List;
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
      assertThat(
              Subtasks.bytesByKey(
                  stopped.sideOutputs(),
                  OutboundRecord.class,
                  event -> new String(event.key, UTF_8)))
          .isEqualTo(
              Subtasks.bytesByKey(
                  straight.sideOutputs(),
                  OutboundRecord.class,
                  event -> new String(event.key, UTF_8)));
      // Every report is judged, and its outputs are collected, before the next one arrives.
      assertThat(Subtasks.bytesByKey(stopped.outputs(), RoundSum.class, sum -> sum.modelId))
          .isEqualTo(Subtasks.bytesByKey(straight.outputs(), RoundSum.class, sum -> sum.modelId));
      return stopped.sideOutputs().stream().map(LedgerTasks::event).toList();
    }
  }

  @RestoredInEveryBackend
  void specs(Backend backend, Plan plan) throws Exception {
    List<AccountingEvent> events =
        playTwice(
            backend,
            plan,
            ledger -> {
              Limits epsilon = Limits.newBuilder().setEpsilon(9).build();
              ledger.publish(TestRecords.published(1, TestRecords.sgd("m")));
              ledger.publish(TestRecords.published(2, TestRecords.sgd("gone")));
              ledger.barrier();
              ledger.publish(TestRecords.published(3, TestRecords.sgd("m").setLimits(epsilon)));
              ledger.publish(TestRecords.retired(4, "gone"));
              ledger.publish(TestRecords.published(5, TestRecords.sgd("m").setDimension(3)));
              ledger.barrier();
              ledger.publish(TestRecords.published(2, TestRecords.sgd("gone")));
              ledger.publish(TestRecords.published(4, TestRecords.sgd("m")));
              ledger.barrier();
              ledger.judge(TestRecords.report("u", 1, "m", 0.5, 0));
              ledger.judge(TestRecords.report("v", 1, "gone", 0.5, 0));
              ledger.judge(TestRecords.report("w", 1, "m", 0.5, 0, 0));
              ledger.barrier();
              ledger.publish(TestRecords.published(6, TestRecords.sgd("gone")));
              ledger.barrier();
              ledger.judge(TestRecords.report("v", 2, "gone", 0.5, 0));
            });
    assertThat(events)
        .extracting(AccountingEvent::getOutcome)
        .containsExactly(
            Outcome.ADMITTED,
            Outcome.REFUSED_UNKNOWN_MODEL,
            Outcome.REFUSED_DIMENSION,
            Outcome.ADMITTED);
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
    ledger.publish(TestRecords.published(0, TestRecords.sgd("m")));
    ledger.publish(TestRecords.published(1, TestRecords.sgd("n")));
    ledger.judge(TestRecords.report("u", 1, "m", 0.5, 0));
    ledger.judge(TestRecords.report("v", 1, "m", 0, 0.5));
    ledger.barrier();
    ledger.judge(TestRecords.report("u", 2, "n", 0.5, 0));
    ledger.barrier();
    ledger.judge(TestRecords.report("u", 3, "m", 0.5, 0));
    ledger.judge(TestRecords.report("v", 2, "m", 0, 0.5));
    ledger.barrier();
    ledger.judge(TestRecords.report("u", 4, "n", 0.5, 0));
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
    RawRecord erasure = new RawRecord();
    erasure.topic = TestRecords.TOPICS.erasures();
    erasure.key = "u".getBytes(UTF_8);
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
      ledger.publish(TestRecords.published(model, TestRecords.sgd("m" + model)));
    }
    reportToEachModel(ledger, 0);
    ledger.barrier();
    between.play(ledger);
    ledger.barrier();
    reportToEachModel(ledger, 1);
  }

  private static void reportToEachModel(LedgerTasks ledger, int turn) throws Exception {
    for (int model = 0; model < MODELS; model++) {
      ledger.judge(TestRecords.report("u", turn * MODELS + model, "m" + model, 0.5, 0));
    }
  }

  @RestoredInEveryBackend
  void replayWindows(Backend backend, Plan plan) throws Exception {
    List<AccountingEvent> events =
        playTwice(
            backend,
            plan,
            ledger -> {
              ledger.publish(TestRecords.published(0, TestRecords.sgd("m")));
              ledger.judge(TestRecords.report("u", 100, "m", 0.5, 0));
              for (int device = 1; device < 16; device++) {
                ledger.judge(fromDevice("device " + device, 1));
              }
              ledger.barrier();
              ledger.judge(TestRecords.report("u", 100, "m", 0.5, 0));
              ReportDraft conflict = TestRecords.report("u", 100, "m", 0.5, 0);
              conflict.digest++;
              ledger.judge(conflict);
              ledger.barrier();
              ledger.judge(TestRecords.report("u", 36, "m", 0.5, 0));
              ledger.judge(TestRecords.report("u", 37, "m", 0.5, 0));
              ledger.judge(fromDevice("one too many", 1));
              ledger.barrier();
              ledger.judge(TestRecords.report("u", 37, "m", 0.5, 0));
              ledger.judge(fromDevice("device 1", 1));
              ledger.judge(fromDevice("device 1", 2));
              ledger.barrier();
              ledger.judge(fromDevice("device 1", 2));
            });
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

  @RestoredInEveryBackend
  void allTogetherOnAnyStream(Backend backend, Plan plan) throws Exception {
    List<AccountingEvent> events =
        playTwice(
            backend,
            plan,
            ledger -> {
              SplittableRandom random = new SplittableRandom(23);
              for (int i = 0; i < 300; i++) {
                if (i % 60 == 0) {
                  ledger.publish(
                      TestRecords.published(
                          i, TestRecords.sgd("m").setLimits(LIMITS.get(random.nextInt(4)))));
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
                    random.nextInt(3) == 0
                        ? new GaussianMechanism(level)
                        : new L2LaplaceMechanism(level, 2);
                report.digest += random.nextInt(2);
                ledger.judge(report);
              }
            });
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
