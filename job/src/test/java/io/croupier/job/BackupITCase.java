package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All brokers and checkpoints are lost, but for copies of some topics and of a savepoint: what a
 * job on new brokers starts from, and what is lost.
 */
class BackupITCase extends BrokerFixture {
  private static final int USERS = 12;
  private static final String PREFIX = "backup";
  private static final String STOPPED = "user-0";

  @TempDir Path directory;
  private final ModelSpec spec = OneHotReports.spec("m", 4, 1);

  private GradientReport report(int user, int sequence) {
    return OneHotReports.report(spec, 0, user % 4, "user-" + user, sequence, 1);
  }

  private void report(TestTopics testTopics, int sequence) throws Exception {
    for (int user = 0; user < USERS; user++) {
      testTopics.send(report(user, sequence));
    }
    testTopics.flush();
  }

  /** Copies the committed records of a topic, each to its partition, with key, headers and time. */
  private static void copy(TestTopics from, String topic, TestTopics to) throws Exception {
    try (KafkaConsumer<byte[], byte[]> consumer = from.consumer(topic);
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.copyOf(to.kafka()), new ByteArraySerializer(), new ByteArraySerializer())) {
      while (!TestTopics.atEnd(consumer)) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
          var unused =
              producer.send(
                  new ProducerRecord<>(
                      topic,
                      record.partition(),
                      record.timestamp(),
                      record.key(),
                      record.value(),
                      record.headers()));
        }
      }
    }
  }

  /** New brokers with copies of what a backup has. */
  private static TestTopics restored(EmbeddedBroker fresh, TestTopics lost) throws Exception {
    TestTopics restored = new TestTopics(fresh, PREFIX);
    for (String topic :
        List.of(
            lost.topics.models(),
            lost.topics.stops(),
            lost.topics.updates(),
            lost.topics.accounting())) {
      copy(lost, topic, restored);
    }
    return restored;
  }

  /**
   * Every other user sends an earlier report again, and the others their third. They are fewer than
   * the state has read, so the job reads them whether or not it runs yet.
   */
  private void assertContinues(TestTopics after, Outcome resent) throws Exception {
    for (int user = 0; user < USERS; user++) {
      after.send(report(user, user % 2 == 0 ? 3 : 2));
    }
    after.flush();
    List<AccountingEvent> events = after.awaitEvents("m", 3 * USERS);
    assertThat(events).hasSize(3 * USERS);
    Map<String, AccountingEvent> last = new HashMap<>();
    events.forEach(event -> last.put(event.getUserId(), event));
    for (int user = 0; user < USERS; user++) {
      AccountingEvent event = last.get("user-" + user);
      boolean isStopped = event.getUserId().equals(STOPPED);
      boolean isNew = user % 2 == 0;
      assertThat(event.getOutcome())
          .as(event.getUserId())
          .isEqualTo(isStopped ? Outcome.REFUSED_STOPPED : isNew ? Outcome.ADMITTED : resent);
      assertThat(event.getUserTotals().getReports())
          .as(event.getUserId())
          .isEqualTo(isStopped ? 1 : isNew || resent == Outcome.REFUSED_SEQUENCE ? 3 : 2);
    }
  }

  @Tag("thorough")
  @Test
  void copiesOfTopicsAndStateMakeTheAccountsAgain() throws Exception {
    RestartedJob job = new RestartedJob(directory);
    try (EmbeddedBroker lost = EmbeddedBroker.start(directory.resolve("lost"));
        EmbeddedBroker first = EmbeddedBroker.start(directory.resolve("first"));
        EmbeddedBroker second = EmbeddedBroker.start(directory.resolve("second"));
        TestTopics before = new TestTopics(lost, PREFIX)) {
      before.publish(spec);
      before.flush();
      job.start(before.settings(), LedgerStart.REQUIRE_STATE);
      before.awaitUpdate("m", update -> update.getRound() == 0);
      report(before, 1);
      before.awaitRecords(before.topics.accounting(), USERS);
      job.stop();
      String older = job.savepoint();
      before.send(before.topics.stops(), STOPPED, new byte[0]);
      before.send(before.topics.erasures(), "user-1", null);
      before.flush();
      job.start(before.settings(), LedgerStart.REQUIRE_STATE);
      before.awaitRecords(before.topics.accounting(), USERS + 1);
      report(before, 2);
      before.awaitRecords(before.topics.accounting(), 2 * USERS + 1);
      long round = before.newestRound("m");
      job.stop();

      // State of the same moment continues, an older one is refused.
      try (TestTopics after = restored(first, before)) {
        Map<String, String> settings = after.settings();
        settings.put("flink.restart-strategy.type", "none");
        settings.put(JobFixture.STATE, older);
        RestartedJob refused = new RestartedJob(directory.resolve("refused"));
        refused.start(settings, LedgerStart.REQUIRE_STATE);
        assertThat(catchThrowable(refused::awaitFailure))
            .hasStackTraceContaining("The restored state is older than the visible accounts");

        job.start(after.settings(), LedgerStart.REQUIRE_STATE);
        assertContinues(after, Outcome.DUPLICATE);
        job.cancel();
      }

      // Without the state, the accounts are those of the events, and the model that of its update.
      try (TestTopics after = restored(second, before)) {
        job.start(after.settings(), LedgerStart.REBUILD);
        assertContinues(after, Outcome.REFUSED_SEQUENCE);
        assertThat(after.newestRound("m")).isGreaterThan(round);
        job.cancel();
      }
    }
  }
}
