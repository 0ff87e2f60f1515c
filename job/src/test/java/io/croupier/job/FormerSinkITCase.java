package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.BrokerLimits;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.job.kafka.OutputSink;
import io.croupier.job.restart.AccountedOffsets;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A start from the state of a job with one sink for all outputs, as releases up to 0.2.0 had it:
 * what this sink had pre-committed on all topics becomes visible, once.
 */
@Tag("ci")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class FormerSinkITCase extends JobFixture {
  private static final int REPORTS = 30;

  @Test
  void whatTheFormerSinkPreCommittedIsResolved() throws Exception {
    ModelSpec spec = OneHotReports.spec("m", REPORTS, 1);
    testTopics.publish(spec);
    for (int i = 0; i < REPORTS; i++) {
      testTopics.send(OneHotReports.report(spec, 0, i));
    }
    testTopics.send(testTopics.topics.gradients(), "person-0", new byte[] {-1});
    testTopics.flush();

    assertThatThrownBy(submitFormer().getJobExecutionResult()::get)
        .hasStackTraceContaining("An intentional failure");
    assertThat(testTopics.count(testTopics.topics.accounting())).isZero();
    assertThat(testTopics.count(testTopics.topics.updates())).isZero();

    try (LoggedWarnings warnings = new LoggedWarnings("io.croupier")) {
      Map<String, String> settings = testTopics.settings();
      settings.put(STATE, checkpoint());
      start(settings);
      assertThat(testTopics.awaitEvents("m", REPORTS))
          .hasSize(REPORTS)
          .extracting(AccountingEvent::getUserId)
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, REPORTS).mapToObj(i -> "person-" + i).toList());
      testTopics.awaitUpdate("m", update -> taken(update) == REPORTS);
      assertThat(testTopics.updates("m"))
          .as("the update that the former sink had pre-committed")
          .anyMatch(update -> update.getRound() == 0);
      assertThat(testTopics.count(testTopics.topics.deadLetters())).isOne();
      assertThat(warnings.messages()).isEmpty();
    }
  }

  /** Some reports arrive before the round that they name is published. */
  private static long taken(ModelUpdate update) {
    return update.getUsed() + update.getOpen() + update.getDroppedUnpublished();
  }

  /** The graph of releases up to 0.2.0; the job fails before it commits anything. */
  private JobClient submitFormer() throws Exception {
    Map<String, String> settings = withCheckpoints(testTopics.settings());
    settings.put("flink.restart-strategy.type", "none");
    // Long enough for some reports to arrive before the first checkpoint.
    settings.put("checkpoint.interval", "2 s");
    JobConfig config = JobConfig.of(settings);
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(2);
    BrokerLimits limits = CroupierJob.askBrokers(config);
    JobEnvironment.configure(env, config);
    KafkaIo io = new KafkaIo(config, limits);
    Topology topology = InstrumentedTopology.topology(config, limits);
    DataStream<SpecRecord> models = JobSources.models(env, io);
    SingleOutputStreamOperator<RoundSum> admitted =
        topology.ledger(
            JobSources.reports(env, io.reports(new AccountedOffsets(Map.of()))),
            models,
            JobSources.stops(env, config, io));
    SingleOutputStreamOperator<OutboundRecord> updates =
        topology.learner(topology.preAggregation(admitted), models);
    updates
        .union(admitted.getSideOutput(SideOutputs.LEDGER))
        .sinkTo(new UncommittedSink(io.sink(OutputSink.LEDGER)))
        .uid("outputs-sink");
    return env.executeAsync("former");
  }

  /** The only checkpoint that is retained. */
  private String checkpoint() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("checkpoints"))) {
      return files
          .filter(file -> file.endsWith("_metadata"))
          .findFirst()
          .orElseThrow()
          .getParent()
          .toUri()
          .toString();
    }
  }
}
