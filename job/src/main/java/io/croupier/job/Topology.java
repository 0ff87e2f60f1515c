package io.croupier.job;

import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.DecodeFunction;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.PreAggregator;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.learner.JournalSettings;
import io.croupier.operators.flink.learner.LearnerOperator;
import io.croupier.operators.flink.learner.PublicationSettings;
import io.croupier.operators.flink.ledger.LedgerOperator;
import io.croupier.operators.flink.ledger.SpecReader;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.operators.flink.shuffle.RecordType;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Report;
import io.croupier.schemas.Limits;
import io.croupier.schemas.Topics;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * The job's graph, as a function of its sources and its sink:
 *
 * <pre>
 * reports -> decode -> keyBy(user): ledger -> pre-aggregation -> keyBy(model): learner -> outputs
 *               |                     ^  |                           ^
 *          dead letters               |  accounting                  | keyed
 *                       broadcast  models ---------------------------+
 * </pre>
 *
 * @param specReader reader of the specs that were published before the job started
 * @param specRequirements what a spec must satisfy in addition to being valid
 * @param perUser limits on what one user may spend on all models together
 * @param deadLetters creator of dead letters that fit their topic
 * @param topics names of the topics; reports of the raw one are checked by other rules
 * @param preAggregationInterval longest time that a partial sum waits
 * @param publications when models may publish new rounds
 * @param journal whether the outputs include a journal of the reports that enter local models
 * @param ledgerStart what the ledger does if it restores no state
 * @param visible the outputs that are visible before the job starts
 */
public record Topology(
    SpecReader specReader,
    SpecRequirements specRequirements,
    Limits perUser,
    DeadLetters deadLetters,
    Topics topics,
    Duration preAggregationInterval,
    PublicationSettings publications,
    JournalSettings journal,
    LedgerStart ledgerStart,
    VisibleOutputs visible) {

  /** Connects all stages. */
  public void build(
      DataStream<RawRecord> records, DataStream<SpecRecord> specs, Sink<OutboundRecord> sink) {
    SingleOutputStreamOperator<Report> reports = decode(records);
    SingleOutputStreamOperator<RoundSum> admitted = ledger(reports, specs);
    SingleOutputStreamOperator<OutboundRecord> updates = learner(preAggregation(admitted), specs);
    outputs(reports, admitted, updates, sink);
  }

  /** Decodes reports; unreadable records go to {@link SideOutputs#DEAD_LETTERS}. */
  public SingleOutputStreamOperator<Report> decode(DataStream<RawRecord> records) {
    return records
        .process(new DecodeFunction(topics.rawGradients(), deadLetters))
        .returns(RecordType.REPORT)
        .uid(Uids.DECODE)
        .name("decode");
  }

  /** Admits or refuses, and accounts, every report; events go to {@link SideOutputs#ACCOUNTING}. */
  public SingleOutputStreamOperator<RoundSum> ledger(
      DataStream<Report> reports, DataStream<SpecRecord> specs) {
    return reports
        .keyBy(report -> report.userId, Types.STRING)
        .connect(specs.broadcast())
        .transform(
            "ledger",
            RecordType.ROUND_SUM,
            new LedgerOperator(
                specReader,
                specRequirements,
                topics,
                perUser,
                journal.enabled(),
                ledgerStart,
                visible))
        .uid(Uids.LEDGER);
  }

  /** Sums the reports of one round within each subtask. */
  public SingleOutputStreamOperator<RoundSum> preAggregation(DataStream<RoundSum> admitted) {
    return admitted
        .transform(
            "pre-aggregation",
            RecordType.ROUND_SUM,
            new PreAggregator(preAggregationInterval, journal.mostPositions()))
        .uid(Uids.PRE_AGGREGATION);
  }

  /** Steps the learners and publishes updates before every checkpoint barrier. */
  public SingleOutputStreamOperator<OutboundRecord> learner(
      DataStream<RoundSum> sums, DataStream<SpecRecord> specs) {
    return sums.keyBy(sum -> sum.modelId, Types.STRING)
        .connect(specs.keyBy(spec -> spec.modelId, Types.STRING))
        .transform(
            "learner",
            RecordType.OUTBOUND,
            new LearnerOperator(
                specRequirements, deadLetters, topics.models(), journal, publications, visible))
        .uid(Uids.LEARNER);
  }

  /** Writes all outputs of the job through one transactional sink. */
  public void outputs(
      SingleOutputStreamOperator<Report> reports,
      SingleOutputStreamOperator<RoundSum> admitted,
      SingleOutputStreamOperator<OutboundRecord> updates,
      Sink<OutboundRecord> sink) {
    updates
        .union(
            reports.getSideOutput(SideOutputs.DEAD_LETTERS),
            admitted.getSideOutput(SideOutputs.ACCOUNTING))
        .sinkTo(sink)
        .uid(Uids.SINK)
        .name("outputs");
  }
}
