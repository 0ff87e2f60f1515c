package io.croupier.operators.flink;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.learner.RoundSum;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Limits;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;

/** The ledger in harnesses. */
final class LedgerTasks
    extends Subtasks<
        RoundSum, KeyedBroadcastOperatorTestHarness<String, Report, SpecRecord, RoundSum>> {

  LedgerTasks(Backend backend, Plan plan, SpecReader specReader) throws Exception {
    this(backend, plan, specReader, false);
  }

  LedgerTasks(Backend backend, Plan plan, SpecReader specReader, boolean journal) throws Exception {
    this(backend, plan, specReader, Limits.getDefaultInstance(), journal);
  }

  LedgerTasks(Backend backend, Plan plan, SpecReader specReader, Limits perUser, boolean journal)
      throws Exception {
    super(
        (keyGroups, parallelism, index) ->
            new KeyedBroadcastOperatorTestHarness<>(
                new CoBroadcastWithKeyedOperator<>(
                    new LedgerFunction(specReader, TestRecords.REQUIREMENTS, perUser, journal),
                    List.of(LedgerFunction.SPECS)),
                report -> report.userId,
                Types.STRING,
                keyGroups,
                parallelism,
                index),
        backend,
        plan,
        SideOutputs.ACCOUNTING);
  }

  void publish(SpecRecord spec) throws Exception {
    onEach(harness -> harness.processBroadcastElement(spec, 0));
  }

  /** Has a report judged, and returns the event that says how. */
  AccountingEvent judge(Report report) throws Exception {
    int before = sideOutputs().size();
    on(report.userId, harness -> harness.processElement(report, 0));
    List<OutboundRecord> events = sideOutputs().subList(before, sideOutputs().size());
    if (events.size() != 1) {
      throw new AssertionError(events.size() + " accounting events for one report");
    }
    return event(events.get(0));
  }

  static AccountingEvent event(OutboundRecord record) {
    try {
      return AccountingEvent.parseFrom(record.value);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("Not an AccountingEvent", e);
    }
  }
}
