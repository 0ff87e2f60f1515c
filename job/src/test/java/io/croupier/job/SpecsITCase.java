package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Models are added, changed and retired while the job runs. */
@Tag("ci")
class SpecsITCase extends BrokerFixture {
  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS)
  void specsAreFollowedWhileTheJobRuns() throws Exception {
    try (TestTopics testTopics = newTopics("specs")) {
      JobClient job =
          CroupierJob.submit(
              StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
              JobConfig.of(testTopics.settings()));
      ModelSpec spec = OneHotReports.spec("changing", 1000, 1);
      publish(testTopics, spec);
      testTopics.awaitUpdate("changing", u -> u.getRound() == 0);

      publish(testTopics, spec.toBuilder().setDimension(7).build());
      ConsumerRecord<byte[], byte[]> letter =
          testTopics.awaitRecords(testTopics.topics.deadLetters(), 1).get(0);
      String reason = new String(letter.headers().lastHeader(DeadLetters.REASON).value(), UTF_8);
      assertThat(reason).contains("dimension").contains("7").contains("1000");

      publish(testTopics, spec.toBuilder().setAnswerProbability(0.5).build());
      testTopics.awaitUpdate("changing", u -> u.getAnswerProbability() == 0.5);
      testTopics.send(OneHotReports.report(spec, 0, 0));
      testTopics.flush();
      testTopics.awaitUpdate("changing", u -> u.getUsed() == 1 && u.getWeightsCount() == 1000);
      long round = testTopics.newestRound("changing");

      testTopics.retire("changing");
      testTopics.flush();
      // The ledger receives the retirement some time after it is on its topic.
      int sent = 1;
      List<AccountingEvent> events;
      do {
        testTopics.send(OneHotReports.report(spec, round, sent++));
        testTopics.flush();
        events = testTopics.awaitEvents("changing", sent);
      } while (events.stream().allMatch(e -> e.getOutcome() == Outcome.ADMITTED));
      assertThat(events)
          .filteredOn(e -> e.getOutcome() == Outcome.REFUSED_UNKNOWN_MODEL)
          .isNotEmpty()
          .allMatch(e -> e.getUserTotals().getUndisclosed() == 1);
      job.cancel().get(30, TimeUnit.SECONDS);
    }
  }

  private static void publish(TestTopics testTopics, ModelSpec spec) throws Exception {
    testTopics.publish(spec);
    testTopics.flush();
  }
}
