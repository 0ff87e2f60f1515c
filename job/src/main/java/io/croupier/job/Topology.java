package io.croupier.job;

import io.croupier.job.kafka.OutputSink;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.PreAggregator;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecReader;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.learner.JournalSettings;
import io.croupier.operators.flink.learner.LearnerOperator;
import io.croupier.operators.flink.learner.PublicationSettings;
import io.croupier.operators.flink.ledger.LedgerOperator;
import io.croupier.operators.flink.ledger.UserOfRecord;
import io.croupier.operators.flink.restart.JobStart;
import io.croupier.operators.flink.shuffle.RecordType;
import io.croupier.operators.flink.spend.NonceOfRecord;
import io.croupier.operators.flink.spend.SpendOperator;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.Limits;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * The job's graph, as a function of its sources and sinks:
 *
 * <pre>
 * reports -> keyBy(user): ledger -> pre-aggregation -> keyBy(model): learner -> updates
 *                          ^  |                           ^
 *                          |  accounting, dead letters    | keyed
 *     broadcast  models, stops ---------------------------+
 * </pre>
 *
 * Each output has one producer and a sink in the same task. So the events of one user, and the
 * updates and the journal of one model, are written by one subtask in their order, whatever
 * parallelism a scheduler gives to a vertex. An edge to a vertex of another parallelism has no
 * order: Flink distributes its records round robin.
 *
 * @param specReader reader of the specs that were published before the job started
 * @param specRequirements what a spec must satisfy in addition to being valid
 * @param perUser limits on what one user may spend on all models together
 * @param deadLetters creator of dead letters that fit their topic
 * @param topics names of the topics; reports of the raw one are checked by other rules
 * @param preAggregationInterval longest time that a partial sum waits
 * @param publications when models may publish new rounds
 * @param journal whether the outputs include a journal of the reports that enter local models
 * @param start what the operators do before their first record
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
    JobStart start) {

  /**
   * What the job reads.
   *
   * @param records of reports, erasures, and requests for accounts
   * @param specs of models
   * @param stops of users
   * @param anonymous reports without a user, if the job takes them
   */
  public record Inputs(
      DataStream<RawRecord> records,
      DataStream<SpecRecord> specs,
      Stops stops,
      Optional<Anonymous> anonymous) {}

  /**
   * Users who take no part.
   *
   * @param records by user: a value stops
   * @param reader of the records that were written before the job started
   */
  public record Stops(DataStream<SpecRecord> records, SpecReader reader) {}

  /**
   * Reports without a user, whose tokens are accounted when the ledger grants them.
   *
   * @param records of the reports
   * @param tokenKeys public keys of tokens, by their names
   * @param keyReader reader of the keys that were published before the job started
   */
  public record Anonymous(
      DataStream<RawRecord> records, DataStream<SpecRecord> tokenKeys, SpecReader keyReader) {}

  /** Connects all stages. */
  public void build(Inputs inputs, Function<OutputSink, Sink<OutboundRecord>> sinks) {
    DataStream<SpecRecord> specs = inputs.specs();
    SingleOutputStreamOperator<RoundSum> admitted = ledger(inputs.records(), specs, inputs.stops());
    DataStream<RoundSum> reports = preAggregation(admitted);
    DataStream<RoundSum> sums =
        inputs.anonymous().map(in -> reports.union(spent(in, specs))).orElse(reports);
    outputs(admitted, learner(sums, specs), sinks);
  }

  /** Admits anonymous reports by their tokens, and sums them. */
  private DataStream<RoundSum> spent(Anonymous anonymous, DataStream<SpecRecord> specs) {
    SingleOutputStreamOperator<RoundSum> spent =
        anonymous
            .records()
            .keyBy(new NonceOfRecord(), Types.STRING)
            .connect(specs.union(anonymous.tokenKeys()).broadcast())
            .transform(
                "spend",
                RecordType.ROUND_SUM,
                new SpendOperator(
                    specReader, anonymous.keyReader(), topics.tokenKeys(), specRequirements))
            .uid(Uids.SPEND);
    return preAggregation(spent).uid(Uids.SPEND_PRE_AGGREGATION);
  }

  /**
   * Decodes, admits or refuses, and accounts, every report; events and dead letters go to {@link
   * SideOutputs#LEDGER}.
   */
  public SingleOutputStreamOperator<RoundSum> ledger(
      DataStream<RawRecord> records, DataStream<SpecRecord> specs, Stops stops) {
    return records
        .keyBy(new UserOfRecord(), Types.STRING)
        .connect(specs.union(stops.records()).broadcast())
        .transform(
            "ledger",
            RecordType.ROUND_SUM,
            new LedgerOperator(
                specReader,
                stops.reader(),
                specRequirements,
                topics,
                deadLetters,
                perUser,
                journal.enabled(),
                start))
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
                specReader,
                specRequirements,
                deadLetters,
                topics.models(),
                journal,
                publications,
                start))
        .uid(Uids.LEARNER);
  }

  /** Writes the outputs of each operator through a transactional sink in its tasks. */
  public void outputs(
      SingleOutputStreamOperator<RoundSum> admitted,
      SingleOutputStreamOperator<OutboundRecord> updates,
      Function<OutputSink, Sink<OutboundRecord>> sinks) {
    admitted
        .getSideOutput(SideOutputs.LEDGER)
        .sinkTo(sinks.apply(OutputSink.LEDGER))
        .uid(Uids.LEDGER_SINK)
        .name("accounting");
    updates.sinkTo(sinks.apply(OutputSink.LEARNER)).uid(Uids.LEARNER_SINK).name("updates");
  }
}
