package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.croupier.job.kafka.KafkaSpecReader;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The ledger has every spec that was published before it started. */
@Tag("ci")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class KafkaSpecReaderITCase extends JobFixture {
  @Test
  void readsCommittedRecordsWithoutWaitingForTransactions() throws Exception {
    testTopics.publish(spec("first"));
    testTopics.retire("first");
    testTopics.flush();
    try (KafkaProducer<byte[], byte[]> aborted = testTopics.transaction("aborted")) {
      send(aborted, "taken-back");
      aborted.abortTransaction();
    }
    awaitState("aborted", TransactionState.COMPLETE_ABORT);
    testTopics.publish(spec("second"));
    testTopics.flush();
    KafkaProducer<byte[], byte[]> open = testTopics.transaction("open");
    send(open, "unfinished");
    testTopics.publish(spec("behind-the-open-one"));
    testTopics.flush();

    List<SpecRecord> specs = reader().readToEnd();

    assertThat(specs).extracting(spec -> spec.modelId).containsExactly("first", "first", "second");
    assertThat(specs.get(1).value).isNull();
    assertThat(ModelSpec.parseFrom(specs.get(2).value)).isEqualTo(spec("second"));
    assertThat(specs).extracting(spec -> spec.offset).isSorted();

    open.commitTransaction();
    open.close();
    awaitState("open", TransactionState.COMPLETE_COMMIT);
    assertThat(reader().readToEnd())
        .extracting(spec -> spec.modelId)
        .containsExactly("first", "first", "second", "unfinished", "behind-the-open-one");
  }

  /** The end offset is then after a transaction marker, where no record can be. */
  @Test
  void returnsWhereTheTopicEndsInAnAbortedTransaction() throws Exception {
    try (KafkaProducer<byte[], byte[]> aborted = testTopics.transaction("aborted")) {
      send(aborted, "taken-back");
      aborted.abortTransaction();
    }
    awaitState("aborted", TransactionState.COMPLETE_ABORT);

    assertThat(reader().readToEnd()).isEmpty();
  }

  /**
   * What compaction leaves of a retired model, once the retirement is old: offsets without records.
   * A topic looks the same to a reader if these offsets never had records of the model.
   */
  @Test
  void retiresKnownModelsWhoseRecordsTheTopicNoLongerHas() throws Exception {
    testTopics.publish(spec("first"));
    testTopics.publish(spec("second"));
    testTopics.flush();
    Map<String, Long> known = Map.of("first", 0L, "gone", 1L, "of-another-topic", 2L);

    List<SpecRecord> specs;
    try (LoggedWarnings warnings = new LoggedWarnings(KafkaSpecReader.class)) {
      specs = reader().readToEnd(known);
      assertThat(warnings.messages())
          .singleElement()
          .asString()
          .startsWith("The topic " + testTopics.topics.models() + " ends before offset 2, ");
    }

    assertThat(specs).extracting(spec -> spec.modelId).containsExactly("gone", "first", "second");
    assertThat(specs.get(0).value).isNull();
    assertThat(specs.get(0).offset).isEqualTo(2);

    deleteRecords();
    assertThat(reader().readToEnd(known)).as("records have expired").isEmpty();
  }

  /** Deletes all records of the models topic, which its policy must allow first. */
  private void deleteRecords() throws Exception {
    String topic = testTopics.topics.models();
    ConfigEntry deletes = new ConfigEntry(TopicConfig.CLEANUP_POLICY_CONFIG, "delete");
    Map<TopicPartition, RecordsToDelete> all =
        Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(2));
    try (Admin admin = testTopics.admin()) {
      admin
          .incrementalAlterConfigs(
              Map.of(
                  new ConfigResource(ConfigResource.Type.TOPIC, topic),
                  List.of(new AlterConfigOp(deletes, AlterConfigOp.OpType.SET))))
          .all()
          .get();
      boolean done = false;
      while (!done) {
        try {
          admin.deleteRecords(all).all().get();
          done = true;
        } catch (ExecutionException e) {
          // The broker applies the policy some time after it has acknowledged it.
          assertThat(e).hasCauseInstanceOf(PolicyViolationException.class);
        }
      }
    }
  }

  @Test
  void namesATopicThatCannotBeRead() {
    KafkaSpecReader reader = new KafkaSpecReader(testTopics.kafka(), "no/topic");

    assertThatIOException().isThrownBy(reader::readToEnd).withMessageContaining("no/topic");
  }

  @Test
  void earlierReportIsAdmittedByEarlierSpec() throws Exception {
    ModelSpec spec = spec("early");
    testTopics.publish(spec);
    testTopics.send(OneHotReports.report(spec, 0, 0));
    testTopics.flush();
    start(testTopics.settings());
    assertThat(testTopics.awaitEvents("early", 1))
        .extracting(AccountingEvent::getOutcome)
        .containsExactly(Outcome.ADMITTED);
  }

  private KafkaSpecReader reader() {
    return new KafkaSpecReader(testTopics.kafka(), testTopics.topics.models());
  }

  private static ModelSpec spec(String modelId) {
    return OneHotReports.spec(modelId, 2, 1);
  }

  /** The broker writes a transaction's end to the topic some time after the producer's request. */
  private void awaitState(String id, TransactionState state) throws Exception {
    try (Admin admin = testTopics.admin()) {
      while (admin.describeTransactions(List.of(id)).description(id).get().state() != state) {
        Thread.onSpinWait();
      }
    }
  }

  private void send(KafkaProducer<byte[], byte[]> producer, String modelId) throws Exception {
    byte[] key = modelId.getBytes(UTF_8);
    producer
        .send(new ProducerRecord<>(testTopics.topics.models(), key, spec(modelId).toByteArray()))
        .get();
  }
}
