package io.croupier.operators.flink.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.model.TestSums;
import io.croupier.operators.report.ReportDraft;
import io.croupier.operators.report.ReportWeight;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Banco;
import io.croupier.schemas.Erasure;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.SubExponential;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LedgerOperatorTest {
  private static final ModelSpec.Builder SPEC = TestRecords.sgd("m");
  private static final ModelSpec.Builder LIMITED =
      TestRecords.sgd("m").setLimits(Limits.newBuilder().setEpsilon(100));

  private static LedgerTasks start(SpecRecord... published) throws Exception {
    return new LedgerTasks(
        Backend.HASH_MAP, Plan.NEVER_STOPPED, () -> List.copyOf(Arrays.asList(published)));
  }

  private static ReportDraft undisclosed(String userId, long sequence) {
    ReportDraft report = TestRecords.report(userId, sequence, "m", 0.5, 0);
    report.mechanism = UndisclosedNoise.UNDISCLOSED;
    return report;
  }

  /** M = 1 + 4 d (d + 1) with epsilon 1 and d = 2: 25. */
  private static final int LAPLACE_OF_TWO = 5;

  @Test
  void usageExample() throws Exception {
    try (LedgerTasks ledger = start(TestRecords.published(7, SPEC))) {
      ReportDraft report = TestRecords.report("user-1", 1, "m", 0.5, -0.25);
      report.round = 3;
      AccountingEvent event = ledger.judge(report);

      assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(event.getUserId()).isEqualTo("user-1");
      assertThat(ledger.sideOutputs())
          .singleElement()
          .satisfies(
              record -> {
                assertThat(record.destination).isEqualTo(Destination.ACCOUNTING);
                assertThat(AccountingKey.parse(record.key))
                    .isEqualTo(new AccountingKey("m", report.deviceId, "user-1"));
              });
      RoundSum expected = TestRecords.dense("m", 3, 0.5, -0.25);
      expected.weightExponent = LAPLACE_OF_TWO;
      expected.exponent = ReportWeight.gridExponent(1, LAPLACE_OF_TWO);
      expected.values =
          PackedVectors.encode(TestSums.steps(new double[] {0.5, -0.25}, expected.exponent));
      expected.specOffset = 7;
      assertThat(ledger.outputs())
          .usingRecursiveFieldByFieldElementComparator()
          .containsExactly(expected);
    }
  }

  @Test
  void eventsStateTheTopicOfTheReport() throws Exception {
    ModelSpec.Builder trusted = TestRecords.central("trusted");
    try (LedgerTasks ledger =
        start(TestRecords.published(0, SPEC), TestRecords.published(1, trusted))) {
      ReportDraft noised = TestRecords.report("user-1", 1, "m", 0.5, 0);
      ReportDraft raw = TestRecords.report("user-1", 2, "trusted", 0.5, 0);
      raw.mechanism = CentralNoise.CENTRAL;

      assertThat(List.of(ledger.judge(noised), ledger.judge(raw)))
          .extracting(AccountingEvent::getOutcome, event -> event.getSource().getTopic())
          .containsExactly(
              tuple(Outcome.ADMITTED, TestRecords.TOPICS.gradients()),
              tuple(Outcome.ADMITTED, TestRecords.TOPICS.rawGradients()));
    }
  }

  @Test
  void aRecordThatIsNoReportBecomesADeadLetterAndAccessesNoAccount() throws Exception {
    try (LedgerTasks ledger = start(TestRecords.published(0, SPEC))) {
      RawRecord unreadable = TestRecords.record(TestRecords.report("user-1", 1, "m", 0.5, 0));
      unreadable.value = new byte[] {1, 2, 3};
      ledger.receive(unreadable);
      receiveUnderKey(ledger, "user-1", null);
      receiveUnderKey(ledger, "user-1", "user-2".getBytes(UTF_8));
      receiveUnderKey(ledger, "\uFFFD", new byte[] {(byte) 0xFF});

      assertThat(ledger.sideOutputs())
          .hasSize(4)
          .allMatch(letter -> letter.destination == Destination.DEAD_LETTERS);
      assertThat(ledger.outputs()).isEmpty();
      ledger.barrier();
      assertThat(ledger.progress()).as("as each transaction").hasSize(1);
      for (String user : List.of("user-1", "user-2", "\uFFFD")) {
        assertThat(ledger.judge(user, 4, "m").getUserTotals().getReports()).isOne();
      }
    }
  }

  private static void receiveUnderKey(LedgerTasks ledger, String user, byte[] key)
      throws Exception {
    RawRecord record = TestRecords.record(TestRecords.report(user, 3, "m", 0.5, 0));
    record.key = key;
    ledger.receive(record);
  }

  /** What follows a deletion is kept, and a user without totals begins anew. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anErasureDeletesEvents(boolean totals) throws Exception {
    try (LedgerTasks ledger = start(TestRecords.published(0, SPEC))) {
      ledger.judge("u", 1, "m");
      byte[] key = ledger.sideOutputs().get(0).key;
      RawRecord erasure = TestRecords.erasure("u");
      erasure.value =
          Erasure.newBuilder()
              .addEventKeys(ByteString.copyFrom(key))
              .setTotals(totals)
              .build()
              .toByteArray();
      ledger.receive(erasure);

      List<OutboundRecord> written = ledger.sideOutputs();
      assertThat(written.subList(1, written.size()))
          .extracting(record -> new String(record.key, UTF_8), record -> record.value == null)
          .containsExactlyElementsOf(
              totals
                  ? List.of(tuple("//u", false), tuple("m/device/u", true), tuple("//u", true))
                  : List.of(tuple("//u", false), tuple("m/device/u", true)));
      ledger.barrier();
      assertThat(ledger.judge("u", 1, "m").getUserTotals().getReports()).isEqualTo(totals ? 1 : 2);
    }
  }

  @Test
  void anErasureHasAnEvent() throws Exception {
    try (LedgerTasks ledger = start(TestRecords.published(0, SPEC))) {
      ledger.judge("zo\u00EB", 1, "m");
      ledger.receive(TestRecords.erasure("zo\u00EB"));

      OutboundRecord record = ledger.sideOutputs().get(1);
      assertThat(record.key).asString(UTF_8).isEqualTo("//zo\u00EB");
      AccountingEvent event = LedgerTasks.event(record);
      assertThat(event.getOutcome()).isEqualTo(Outcome.ERASED);
      assertThat(event.getSource().getTopic()).isEqualTo(TestRecords.TOPICS.erasures());
      assertThat(event.getUserTotals().getReports()).isOne();
    }
  }

  @Test
  void positionsAreForwardedForTheJournalOnly() throws Exception {
    ReportDraft report = TestRecords.report("user-1", 1, "m", 0.5, -0.25);
    report.partition = 5;
    report.offset = 1L << 40;
    try (LedgerTasks ledger = start(true)) {
      ledger.judge(report);
      assertThat(ledger.outputs().get(0).partitions).containsExactly(5);
      assertThat(ledger.outputs().get(0).offsets).containsExactly(1L << 40);
    }
    try (LedgerTasks ledger = start(false)) {
      ledger.judge(report);
      assertThat(ledger.outputs().get(0).partitions).isEmpty();
      assertThat(ledger.outputs().get(0).offsets).isEmpty();
    }
  }

  private static LedgerTasks start(boolean journal) throws Exception {
    return new LedgerTasks(
        Backend.HASH_MAP,
        Plan.NEVER_STOPPED,
        () -> List.of(TestRecords.published(0, SPEC)),
        journal);
  }

  @Test
  void thePublishedSpecsAreReadBeforeTheFirstReport() throws Exception {
    try (LedgerTasks ledger =
        start(
            TestRecords.published(0, SPEC),
            TestRecords.published(1, LIMITED),
            TestRecords.published(2, TestRecords.sgd("gone")),
            TestRecords.retired(3, "gone"))) {
      assertThat(ledger.outcome(undisclosed("u", 1))).isEqualTo(Outcome.REFUSED_DECLARATION);
      assertThat(ledger.outcome("u", 2, "gone")).isEqualTo(Outcome.REFUSED_UNKNOWN_MODEL);
    }
  }

  @Test
  void aBroadcastThatIsOlderThanWhatWasReadIsIgnored() throws Exception {
    try (LedgerTasks ledger =
        start(TestRecords.published(0, SPEC), TestRecords.published(5, LIMITED))) {
      ledger.publish(0, SPEC);
      ledger.retire(4, "m");
      ledger.publish(5, SPEC);
      assertThat(ledger.outcome(undisclosed("u", 1))).isEqualTo(Outcome.REFUSED_DECLARATION);

      ledger.publish(6, SPEC);
      assertThat(ledger.outcome(undisclosed("u", 2))).isEqualTo(Outcome.ADMITTED);
      assertThat(ledger.outputs()).extracting(sum -> sum.specOffset).containsExactly(6L);
    }
  }

  @Test
  void aForbiddenChangeLeavesTheLastGoodSpecInForce() throws Exception {
    try (LedgerTasks ledger = start(TestRecords.published(0, SPEC))) {
      ledger.publish(1, TestRecords.sgd("m").setDimension(3));
      assertThat(ledger.outcome("u", 1, "m")).isEqualTo(Outcome.ADMITTED);
      assertThat(ledger.outputs()).extracting(sum -> sum.specOffset).containsExactly(0L);
    }
  }

  @Test
  void everyWellFormedReportHasOneEventAndOnlyAdmittedOnesAreForwarded() throws Exception {
    try (LedgerTasks ledger = start(TestRecords.published(0, LIMITED))) {
      ReportDraft central = undisclosed("u", 6);
      central.mechanism = CentralNoise.CENTRAL;
      List<ReportDraft> reports =
          List.of(
              TestRecords.report("u", 1, "m", 0.5, 0),
              TestRecords.report("u", 1, "m", 0.5, 0),
              TestRecords.report("u", 2, "unknown", 0.5, 0),
              TestRecords.report("u", 3, "m", 0.5, 0, 0),
              undisclosed("u", 4),
              TestRecords.report("u", 5, "m", 1e9, 0),
              central,
              TestRecords.report("u", 1L << 40, "m", 0.5, 0));
      for (ReportDraft report : reports) {
        ledger.judge(report);
      }
      assertThat(ledger.sideOutputs())
          .extracting(record -> LedgerTasks.event(record).getOutcome())
          .containsExactly(
              Outcome.ADMITTED,
              Outcome.DUPLICATE,
              Outcome.REFUSED_UNKNOWN_MODEL,
              Outcome.REFUSED_DIMENSION,
              Outcome.REFUSED_DECLARATION,
              Outcome.REFUSED_IMPLAUSIBLE,
              Outcome.REFUSED_DECLARATION,
              Outcome.REFUSED_SEQUENCE);
      assertThat(ledger.outputs()).hasSize(1);
    }
  }

  @Test
  void reportsBeyondALimitNeverReachTheLearnerAndResendsAreFree() throws Exception {
    Limits two = Limits.newBuilder().setEpsilon(2).build();
    try (LedgerTasks ledger =
        start(TestRecords.published(0, TestRecords.sgd("m").setLimits(two)))) {
      for (long sequence : new long[] {1, 1, 2, 1, 3, 3, 2}) {
        ledger.judge("u", sequence, "m");
      }
      assertThat(ledger.sideOutputs())
          .extracting(record -> LedgerTasks.event(record).getOutcome())
          .containsExactly(
              Outcome.ADMITTED,
              Outcome.DUPLICATE,
              Outcome.ADMITTED,
              Outcome.DUPLICATE,
              Outcome.REFUSED_BUDGET,
              Outcome.DUPLICATE,
              Outcome.DUPLICATE);
      assertThat(ledger.outputs()).hasSize(2);
      AccountingEvent last = LedgerTasks.event(ledger.sideOutputs().get(6));
      assertThat(last.getSpent().getReports()).isZero();
      assertThat(last.getUserTotals().getEpsilon()).isEqualTo(3);
      assertThat(last.getLeftModel().getEpsilon()).isZero();
    }
  }

  @Test
  void aUsersLimitHoldsOverAllModels() throws Exception {
    Limits perUser = Limits.newBuilder().setEpsilon(2).build();
    try (LedgerTasks ledger =
        new LedgerTasks(
            Backend.ROCKS_DB,
            Plan.NEVER_STOPPED,
            () ->
                List.of(
                    TestRecords.published(0, SPEC), TestRecords.published(1, TestRecords.sgd("n"))),
            perUser,
            false)) {
      ledger.judge("u", 1, "m");
      AccountingEvent second = ledger.judge("u", 2, "n");
      assertThat(second.getLeftUser().getEpsilon()).isZero();
      assertThat(second.hasLeftModel()).isFalse();
      AccountingEvent third = ledger.judge("u", 3, "m");
      assertThat(third.getOutcome()).isEqualTo(Outcome.REFUSED_BUDGET);
      assertThat(third.getReason()).startsWith("limits.user.epsilon is 2.0: 2 was spent before");
      assertThat(ledger.outcome("v", 1, "m")).isEqualTo(Outcome.ADMITTED);
      assertThat(ledger.outputs()).hasSize(3);
    }
  }

  @Test
  void noUserIsForwarded() throws Exception {
    try (LedgerTasks ledger = start(TestRecords.published(0, SPEC))) {
      ReportDraft report = TestRecords.report("the-user", 1, "m", 0.5, 0);
      report.deviceId = "the-device";
      ledger.judge(report);
      RoundSum sum = ledger.outputs().get(0);
      for (Field field : RoundSum.class.getFields()) {
        assertThat(String.valueOf(field.get(sum))).doesNotContain("the-user", "the-device");
      }
    }
  }

  @Test
  void theLearnersPartOfSpecAndDeclarationIsForwarded() throws Exception {
    SubExponential noise = SubExponential.newBuilder().setVariance(3).setBetaMax(1).build();
    ModelSpec.Builder banco =
        TestRecords.common("m")
            .setReportsPerRound(12)
            .setBanco(
                Banco.newBuilder()
                    .setStrongestNoise(StrongestNoise.newBuilder().setSubExponential(noise)));
    try (LedgerTasks ledger = start(TestRecords.published(3, banco))) {
      ReportDraft sparse = TestRecords.report("u", 1, "m", 0.5);
      sparse.form = VectorForm.SPARSE;
      sparse.dimension = 2;
      sparse.indices = new int[] {1};
      sparse.mechanism = UndisclosedNoise.UNDISCLOSED;
      ledger.judge(sparse);

      RoundSum expected = TestRecords.sparse("m", 0, 2, 1, 0.5);
      expected.weightExponent = ReportWeight.UNDISCLOSED;
      expected.exponent = ReportWeight.gridExponent(1, expected.weightExponent);
      expected.values = PackedVectors.encode(TestSums.steps(new double[] {0.5}, expected.exponent));
      expected.specOffset = 3;
      assertThat(ledger.outputs())
          .usingRecursiveFieldByFieldElementComparatorIgnoringFields("directionalVariance")
          .containsExactly(expected);
      assertThat(ledger.outputs().get(0).directionalVariance).isEqualTo(3);
    }
  }

  @Test
  void accountsOutliveTheModel() throws Exception {
    try (LedgerTasks ledger = start(TestRecords.published(0, SPEC))) {
      ledger.judge("u", 1, "m");
      ledger.retire(1, "m");
      AccountingEvent refused = ledger.judge("u", 2, "m");
      assertThat(refused.getOutcome()).isEqualTo(Outcome.REFUSED_UNKNOWN_MODEL);
      assertThat(refused.getUserTotals().getEpsilon()).isEqualTo(2);

      ledger.publish(2, SPEC);
      assertThat(ledger.outcome("u", 1, "m")).isEqualTo(Outcome.DUPLICATE);
      AccountingEvent admitted = ledger.judge("u", 3, "m");
      assertThat(admitted.getModelTotals().getEpsilon()).isEqualTo(2);
      assertThat(admitted.getUserTotals().getEpsilon()).isEqualTo(3);

      ledger.retire(3, "m");
      Limits spent = Limits.newBuilder().setEpsilon(2).build();
      ledger.publish(4, TestRecords.sgd("m").setLimits(spent));
      assertThat(ledger.outcome("u", 4, "m")).isEqualTo(Outcome.REFUSED_BUDGET);
    }
  }
}
