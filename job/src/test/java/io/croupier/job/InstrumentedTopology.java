package io.croupier.job;

import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.BrokerLimits;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.job.restart.AccountedOffsets;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.restart.JobStart;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.operators.flink.shuffle.RecordType;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.DigestKey;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The job's own stages, with a test's operators between them. */
final class InstrumentedTopology {
  private InstrumentedTopology() {}

  /** The stages of a job that restores its accounts. */
  static Topology topology(JobConfig config, BrokerLimits limits) throws InterruptedException {
    VisibleOutputs outputs = new KafkaIo(config, limits).visible(CroupierJob.outputEnds(config));
    return CroupierJob.topology(
        config, limits, new JobStart(LedgerStart.REQUIRE_STATE, outputs, new DigestKey(1, 2)));
  }

  /** With an operator before the ledger. */
  static JobClient submit(JobConfig config, MapFunction<RawRecord, RawRecord> records)
      throws Exception {
    return submit(
        config,
        stream -> stream.map(records).returns(RecordType.RAW).uid("graft"),
        UnaryOperator.identity());
  }

  /**
   * With a {@link FailingMap} behind the ledger: a subtask fails at its 100th sum, twice in all.
   */
  static JobClient failing(JobConfig config) throws Exception {
    return submit(
        config,
        UnaryOperator.identity(),
        sums ->
            sums.map(new FailingMap<RoundSum>(100, 2))
                .returns(RecordType.ROUND_SUM)
                .uid("failing"));
  }

  private static JobClient submit(
      JobConfig config,
      UnaryOperator<DataStream<RawRecord>> recordGraft,
      UnaryOperator<DataStream<RoundSum>> admittedGraft)
      throws Exception {
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration());
    BrokerLimits limits = CroupierJob.askBrokers(config);
    JobEnvironment.configure(env, config);
    KafkaIo io = new KafkaIo(config, limits);
    Topology topology = topology(config, limits);
    DataStream<SpecRecord> models = JobSources.models(env, io);
    SingleOutputStreamOperator<RoundSum> admitted =
        topology.ledger(
            recordGraft.apply(JobSources.reports(env, io.reports(new AccountedOffsets(Map.of())))),
            models,
            JobSources.stops(env, config, io));
    DataStream<RoundSum> sums = topology.preAggregation(admittedGraft.apply(admitted));
    topology.outputs(admitted, topology.learner(sums, models), io::sink);
    return env.executeAsync("grafted");
  }
}
