package io.croupier.job;

import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Report;
import java.util.Map;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The job's own stages, with an operator of a test's between the reports and their ledger. */
final class Grafted {
  private Grafted() {}

  static JobClient submit(Map<String, String> settings, MapFunction<Report, Report> graft)
      throws Exception {
    JobConfig config = JobConfig.of(settings);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration());
    BrokerLimits limits = CroupierJob.askBrokers(config);
    CroupierJob.configure(env, config);
    KafkaIo io = new KafkaIo(config, limits);
    Topology topology = CroupierJob.topology(config, limits);
    DataStream<SpecRecord> models = CroupierJob.models(env, io);
    SingleOutputStreamOperator<Report> reports = topology.decode(CroupierJob.reports(env, io));
    DataStream<Report> grafted =
        reports.map(graft).returns(TypeInformation.of(Report.class)).uid("graft");
    SingleOutputStreamOperator<RoundSum> admitted = topology.ledger(grafted, models);
    topology.outputs(
        reports, admitted, topology.learner(topology.preAggregation(admitted), models), io.sink());
    return env.executeAsync("grafted");
  }
}
