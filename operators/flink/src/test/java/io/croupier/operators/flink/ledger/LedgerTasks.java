package io.croupier.operators.flink.ledger;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecReader;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.Subtasks;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.restart.JobStart;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.operators.flink.restart.VisibleRecords;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.DigestKey;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Position;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.util.InstantiationUtil;

/** The ledger in harnesses. */
public final class LedgerTasks
    extends Subtasks<
        RoundSum, KeyedTwoInputStreamOperatorTestHarness<String, RawRecord, SpecRecord, RoundSum>> {

  private final Map<List<Object>, RawRecord> sent = new HashMap<>();

  public LedgerTasks(Backend backend, Plan plan, SpecReader specReader) throws Exception {
    this(backend, plan, specReader, false);
  }

  public LedgerTasks(Backend backend, Plan plan, SpecReader specReader, boolean journal)
      throws Exception {
    this(backend, plan, specReader, Limits.getDefaultInstance(), journal);
  }

  public LedgerTasks(
      Backend backend, Plan plan, SpecReader specReader, Limits perUser, boolean journal)
      throws Exception {
    this(
        backend,
        plan,
        operator(
            specReader,
            List::of,
            perUser,
            journal,
            new JobStart(LedgerStart.REQUIRE_STATE, new VisibleRecords(), new DigestKey(1, 2))));
  }

  /** The ledger of a job without limits of users that starts in this way. */
  public static LedgerOperator operator(LedgerStart start, VisibleOutputs outputs) {
    return operator(
        List::of,
        List::of,
        Limits.getDefaultInstance(),
        false,
        new JobStart(start, outputs, new DigestKey(1, 2)));
  }

  static LedgerOperator operator(
      SpecReader specReader,
      SpecReader stopReader,
      Limits perUser,
      boolean journal,
      JobStart start) {
    return new LedgerOperator(
        specReader,
        stopReader,
        TestRecords.REQUIREMENTS,
        TestRecords.TOPICS,
        TestRecords.DEAD_LETTERS,
        perUser,
        journal,
        start);
  }

  /** One subtask of many, outside of these tasks. */
  public static KeyedTwoInputStreamOperatorTestHarness<String, RawRecord, SpecRecord, RoundSum>
      harness(LedgerOperator operator, int parallelism, int index) throws Exception {
    return harness(operator, KEY_GROUPS, parallelism, index);
  }

  private static KeyedTwoInputStreamOperatorTestHarness<String, RawRecord, SpecRecord, RoundSum>
      harness(
          TwoInputStreamOperator<RawRecord, SpecRecord, RoundSum> operator,
          int keyGroups,
          int parallelism,
          int index)
          throws Exception {
    return new KeyedTwoInputStreamOperatorTestHarness<>(
        operator, new UserOfRecord(), null, Types.STRING, keyGroups, parallelism, index);
  }

  public LedgerTasks(Backend backend, Plan plan, LedgerOperator operator) throws Exception {
    this(() -> operator, backend, plan);
  }

  /** The ledgers of several releases: each start asks for the operator. */
  LedgerTasks(
      Supplier<? extends TwoInputStreamOperator<RawRecord, SpecRecord, RoundSum>> release,
      Backend backend,
      Plan plan)
      throws Exception {
    super(
        (keyGroups, parallelism, index) ->
            harness(InstantiationUtil.clone(release.get()), keyGroups, parallelism, index),
        backend,
        plan,
        SideOutputs.LEDGER);
  }

  public void publish(SpecRecord spec) throws Exception {
    onEach(harness -> harness.processElement2(spec, 0));
  }

  public void publish(long offset, ModelSpec.Builder spec) throws Exception {
    publish(TestRecords.published(offset, spec));
  }

  public void retire(long offset, String modelId) throws Exception {
    publish(TestRecords.retired(offset, modelId));
  }

  /** Judges a report of a user's only device to a model of two coordinates. */
  public AccountingEvent judge(String userId, long sequence, String modelId) throws Exception {
    return judge(TestRecords.report(userId, sequence, modelId, 0.5, 0));
  }

  /** Judges a report and returns its outcome. */
  public Outcome outcome(ReportDraft report) throws Exception {
    return judge(report).getOutcome();
  }

  public Outcome outcome(String userId, long sequence, String modelId) throws Exception {
    return judge(userId, sequence, modelId).getOutcome();
  }

  /**
   * Judges a report and returns its event. A report of the same number and digest as an earlier one
   * of the device is a resend of its bytes.
   */
  public AccountingEvent judge(ReportDraft report) throws Exception {
    RawRecord record = TestRecords.record(report);
    List<Object> identity = List.of(report.userId, report.deviceId, report.sequence, report.digest);
    RawRecord earlier = sent.putIfAbsent(identity, record);
    if (earlier != null) {
      record.topic = earlier.topic;
      record.value = earlier.value;
    }
    int before = sideOutputs().size();
    receive(record);
    List<OutboundRecord> events = sideOutputs().subList(before, sideOutputs().size());
    if (events.size() != 1) {
      throw new AssertionError(events.size() + " accounting events for one report");
    }
    return event(events.get(0));
  }

  public void receive(RawRecord record) throws Exception {
    on(
        new UserOfRecord().getKey(record),
        harness -> {
          harness.processElement1(record, 0);
          if (harness.getOperator() instanceof LedgerOperator ledger) {
            ledger.judgeBatch();
          }
        });
  }

  /** Returns an event that contains a position only. */
  public static AccountingEvent event(String userId, String topic, int partition, long offset) {
    return AccountingEvent.newBuilder()
        .setUserId(userId)
        .setSource(Position.newBuilder().setTopic(topic).setPartition(partition).setOffset(offset))
        .build();
  }

  public static AccountingEvent event(OutboundRecord record) {
    try {
      return AccountingEvents.read(record.key, record.value);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("Not an AccountingEvent", e);
    }
  }
}
