package io.croupier.job;

import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.job.kafka.KafkaSpecReader;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The streams that the job reads. */
final class JobSources {
  private JobSources() {}

  /**
   * All inputs of the graph.
   *
   * @param reports where the job's reports begin depends on its state
   */
  static Topology.Inputs inputs(
      StreamExecutionEnvironment env,
      JobConfig config,
      KafkaIo io,
      KafkaSource<RawRecord> reports) {
    return new Topology.Inputs(
        reports(env, reports),
        models(env, io),
        stops(env, config, io),
        config.anonymous() ? Optional.of(anonymous(env, config, io)) : Optional.empty());
  }

  static DataStream<RawRecord> reports(
      StreamExecutionEnvironment env, KafkaSource<RawRecord> source) {
    return source(env, source, "gradients", Uids.REPORTS_SOURCE);
  }

  static DataStream<SpecRecord> models(StreamExecutionEnvironment env, KafkaIo io) {
    return source(env, io.models(), "models", Uids.MODELS_SOURCE).setParallelism(1);
  }

  static Topology.Stops stops(StreamExecutionEnvironment env, JobConfig config, KafkaIo io) {
    return new Topology.Stops(
        source(env, io.stops(), "stops", Uids.STOPS_SOURCE).setParallelism(1),
        new KafkaSpecReader(config.kafka(), config.topics().stops()));
  }

  private static Topology.Anonymous anonymous(
      StreamExecutionEnvironment env, JobConfig config, KafkaIo io) {
    return new Topology.Anonymous(
        source(env, io.anonymous(), "anonymous", Uids.ANONYMOUS_SOURCE),
        source(env, io.tokenKeys(), "token-keys", Uids.TOKEN_KEYS_SOURCE).setParallelism(1),
        new KafkaSpecReader(config.kafka(), config.topics().tokenKeys()));
  }

  private static <T> SingleOutputStreamOperator<T> source(
      StreamExecutionEnvironment env, KafkaSource<T> source, String name, String uid) {
    return env.fromSource(source, WatermarkStrategy.noWatermarks(), name).uid(uid);
  }
}
