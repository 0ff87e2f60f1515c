package io.croupier.operators.flink.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.Subtasks;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Erasure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reports that wait for others, and are then judged together. */
class LedgerBatchTest {
  private static final int RECORDS = 3_000;

  private static LedgerTasks start(Backend backend) throws Exception {
    LedgerTasks ledger = new LedgerTasks(backend, Plan.NEVER_STOPPED, List::of);
    ledger.publish(0, TestRecords.sgd("m"));
    ledger.publish(1, TestRecords.sgd("n"));
    return ledger;
  }

  private static RawRecord report(String user, long sequence) {
    return TestRecords.record(TestRecords.report(user, sequence, "m", 0.5, 0));
  }

  /** Gives a record to the operator, as the network does. */
  private static void arrive(LedgerTasks ledger, RawRecord record) throws Exception {
    ledger.on(new UserOfRecord().getKey(record), harness -> harness.processElement1(record, 0));
  }

  private static List<Outcome> outcomes(LedgerTasks ledger) {
    return ledger.sideOutputs().stream()
        .map(LedgerTasks::event)
        .map(AccountingEvent::getOutcome)
        .toList();
  }

  private static RawRecord random(SplittableRandom random, int offset) {
    String user = "user-" + random.nextInt(50);
    int kind = random.nextInt(40);
    RawRecord record;
    if (kind == 0) {
      record = TestRecords.erasure(user);
      record.value = Erasure.newBuilder().setTotals(random.nextBoolean()).build().toByteArray();
    } else if (kind == 1) {
      record = TestRecords.accountRequest(user);
    } else {
      ReportDraft report =
          TestRecords.report(
              user, random.nextInt(20), List.of("m", "n", "none").get(kind % 3), 0.5, 0);
      report.deviceId = "device-" + random.nextInt(2);
      record = TestRecords.record(report);
      if (kind == 2) {
        record.value[0] ^= 1;
      }
    }
    record.offset = offset;
    return record;
  }

  /** Outputs in their order, for each topic and key. */
  private static Map<String, List<String>> outputs(LedgerTasks ledger) {
    return Subtasks.bytesByKey(
        ledger.sideOutputs(),
        OutboundRecord.class,
        output -> output.destination + (output.key == null ? "" : new String(output.key, UTF_8)));
  }

  @ParameterizedTest
  @EnumSource
  void outputsAreThoseOfRecordsThatAreJudgedAlone(Backend backend) throws Exception {
    try (LedgerTasks alone = start(backend);
        LedgerTasks together = start(backend)) {
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < RECORDS; i++) {
        RawRecord record = random(random, i);
        alone.receive(record);
        arrive(together, record);
        if (random.nextInt(200) == 0) {
          alone.barrier();
          together.barrier();
        }
      }
      alone.barrier();
      together.barrier();

      assertThat(outputs(together)).isEqualTo(outputs(alone)).hasSizeGreaterThan(200);
      assertThat(Subtasks.bytesByKey(together.outputs(), RoundSum.class, sum -> sum.modelId))
          .isEqualTo(Subtasks.bytesByKey(alone.outputs(), RoundSum.class, sum -> sum.modelId))
          .hasSize(2);
    }
  }

  @Test
  void aBatchIsJudgedWhenTheNextRecordHasNoRoom() throws Exception {
    try (LedgerTasks ledger = start(Backend.HASH_MAP)) {
      List<Integer> judged = new ArrayList<>();
      for (int i = 0; i < 65; i++) {
        arrive(ledger, report("user-" + i, 1));
        judged.add(ledger.sideOutputs().size());
      }
      assertThat(judged.subList(0, 32)).containsOnly(0);
      assertThat(judged.subList(32, 64)).containsOnly(32);
      assertThat(judged.get(64)).isEqualTo(64);
    }
  }

  /** A model's timeout and the lag count from when a report reaches the learner. */
  @Test
  void aBatchIsJudgedAfterTenMilliseconds() throws Exception {
    try (LedgerTasks ledger = start(Backend.HASH_MAP)) {
      for (int i = 1; i <= 3; i++) {
        arrive(ledger, report("u", i));
        ledger.advanceTime(LedgerOperator.LONGEST_WAIT_MS - 1);
        assertThat(ledger.outputs()).hasSize(i - 1);
        ledger.advanceTime(1);
        assertThat(ledger.outputs()).hasSize(i);
      }
    }
  }

  @Test
  void aSecondRecordOfAUserIsInTheNextBatch() throws Exception {
    try (LedgerTasks ledger = start(Backend.HASH_MAP)) {
      arrive(ledger, report("u", 1));
      arrive(ledger, report("v", 1));
      assertThat(ledger.sideOutputs()).isEmpty();
      arrive(ledger, report("u", 1));
      assertThat(outcomes(ledger)).containsExactly(Outcome.ADMITTED, Outcome.ADMITTED);
      ledger.barrier();
      assertThat(outcomes(ledger).get(2)).isEqualTo(Outcome.DUPLICATE);
    }
  }

  @Test
  void largeRecordsAreHeldOneByOne() throws Exception {
    try (LedgerTasks ledger = start(Backend.HASH_MAP)) {
      for (String user : List.of("u", "v")) {
        arrive(ledger, TestRecords.record(TestRecords.report(user, 1, "m", new double[8_192])));
      }
      assertThat(outcomes(ledger)).containsExactly(Outcome.REFUSED_DIMENSION);
    }
  }

  /** A batch bounds what waits for its end, but malformed records are in none. */
  @Test
  void aDeadLetterIsSentAtOnce() throws Exception {
    try (LedgerTasks ledger = start(Backend.HASH_MAP)) {
      arrive(ledger, report("u", 1));
      RawRecord malformed = report("v", 1);
      malformed.value = new byte[] {1};
      arrive(ledger, malformed);
      assertThat(ledger.sideOutputs())
          .extracting(output -> output.destination)
          .containsExactly(Destination.DEAD_LETTERS);
    }
  }

  @Test
  void aBatchIsJudgedBeforeASpecABarrierAndTheEnd() throws Exception {
    try (LedgerTasks ledger = start(Backend.HASH_MAP)) {
      arrive(ledger, report("u", 1));
      ledger.retire(2, "m");
      assertThat(outcomes(ledger)).containsExactly(Outcome.ADMITTED);
      arrive(ledger, report("u", 2));
      ledger.failedBarrier();
      assertThat(outcomes(ledger).get(1)).isEqualTo(Outcome.REFUSED_UNKNOWN_MODEL);
      arrive(ledger, report("u", 3));
      ledger.onEach(harness -> harness.endInput1());
      assertThat(outcomes(ledger)).hasSize(3);
    }
  }
}
