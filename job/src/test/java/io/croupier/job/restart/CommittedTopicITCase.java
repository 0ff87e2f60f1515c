package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.croupier.job.BrokerFixture;
import io.croupier.job.TestTopics;
import io.croupier.job.restart.CommittedTopic.Section;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.restart.VisibleOutputs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions and timestamps on a real broker. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CommittedTopicITCase extends BrokerFixture {
  private TestTopics testTopics;

  @BeforeEach
  void openTopics() throws Exception {
    testTopics = newTopics("committed");
  }

  @AfterEach
  void closeTopics() {
    testTopics.close();
  }

  @Test
  void waitsForTheTransactionsThatWereOpenWhenItWasOpened() throws Exception {
    KafkaProducer<byte[], byte[]> first = testTopics.transaction("first");
    send(first, 1, "committed");
    KafkaProducer<byte[], byte[]> second = testTopics.transaction("second");
    send(second, 2, "taken back");
    testTopics.send(testTopics.topics.accounting(), bytes("user"), bytes("plain"));
    testTopics.flush();

    try (CommittedTopic topic = open(VisibleOutputs.ALL)) {
      second.abortTransaction();
      first.commitTransaction();
      KafkaProducer<byte[], byte[]> third = testTopics.transaction("third");
      send(third, 3, "too late");

      assertThat(values(topic)).containsExactlyInAnyOrder("committed", "plain");
      third.close();
    }
    first.close();
    second.close();
  }

  @Test
  void errorNamesOffsetsOfOpenTransaction() throws Exception {
    try (KafkaProducer<byte[], byte[]> open = testTopics.transaction("open")) {
      send(open, 1, "undecided");

      try (CommittedTopic topic =
          CommittedTopic.open(
              testTopics.kafka(),
              testTopics.topics.accounting(),
              Section.since(VisibleOutputs.ALL),
              Set.of("another"),
              Duration.ofMillis(300))) {
        assertThatIOException()
            .isThrownBy(() -> values(topic))
            .withMessageContaining(testTopics.topics.accounting() + "-")
            .withMessageContaining("kafka-transactions.sh");
      }
    }
  }

  /**
   * The state that a failed checkpoint leaves: the restored sink treats the transaction as
   * committed.
   */
  @Test
  void abortsTransactionsOfAnEarlierRun() throws Exception {
    try (KafkaProducer<byte[], byte[]> left = testTopics.transaction("ours-0-1")) {
      send(left, 1, "taken back");
      testTopics.send(testTopics.topics.accounting(), bytes("user"), bytes("plain"));
      testTopics.flush();

      try (CommittedTopic topic =
          CommittedTopic.open(
              testTopics.kafka(),
              testTopics.topics.accounting(),
              Section.since(VisibleOutputs.ALL),
              Set.of("ours"),
              Duration.ofSeconds(8))) {
        assertThat(values(topic)).containsExactly("plain");
      }
      assertThatThrownBy(left::commitTransaction).isInstanceOf(KafkaException.class);
    }
  }

  @Test
  void keepsNewerTransactionOfTheSameName() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = testTopics.transaction("ours-0-2")) {
      send(producer, 1, "committed in time");
      Map<TopicPartition, Long> behindAll = new HashMap<>();
      for (int partition = 0; partition < 2; partition++) {
        behindAll.put(
            new TopicPartition(testTopics.topics.accounting(), partition), Long.MAX_VALUE);
      }
      LingeringTransactions left =
          LingeringTransactions.find(testTopics.kafka(), Set.of("ours"), behindAll);
      producer.commitTransaction();
      producer.beginTransaction();
      send(producer, 2, "the next");

      left.end();

      producer.commitTransaction();
    }
    try (CommittedTopic topic = open(VisibleOutputs.ALL)) {
      assertThat(values(topic)).containsExactly("committed in time", "the next");
    }
  }

  @Test
  void beginsAtATimeStamp() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = testTopics.transaction("stamped")) {
      for (long ms : List.of(1_000L, 2_000L, 3_000L)) {
        send(producer, ms, "at " + ms);
      }
      producer.commitTransaction();
    }

    try (CommittedTopic some = open(2_000);
        CommittedTopic none = open(3_001)) {
      assertThat(values(some)).containsExactly("at 2000", "at 3000");
      assertThat(values(none)).isEmpty();
    }
  }

  /** Shares are disjoint, and complete together. */
  @Test
  void sharesOfAllSubtasksAreTheWholeTopic() throws Exception {
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      sent.add("event " + i);
      testTopics.send(testTopics.topics.accounting(), bytes("user " + i), bytes("event " + i));
    }
    testTopics.flush();
    List<String> read = new ArrayList<>();
    for (int share = 0; share < 3; share++) {
      try (CommittedTopic topic =
          open(new Section(TopicEnd.UNKNOWN, VisibleOutputs.ALL, share, 3))) {
        List<String> values = values(topic);
        // The topic has two partitions.
        assertThat(values.isEmpty()).isEqualTo(share == 2);
        read.addAll(values);
      }
    }
    assertThat(read).containsExactlyInAnyOrderElementsOf(sent);
  }

  @Test
  void beginsAtAnEndOfTheSameTopic() throws Exception {
    TopicEnd empty;
    TopicEnd before;
    try (FollowedEnd end =
        new FollowedEnd(
            testTopics.kafka(), testTopics.topics.accounting(), Set.of(), partition -> true)) {
      empty = end.last();
      testTopics.send(testTopics.topics.accounting(), bytes("user"), bytes("old"));
      testTopics.flush();
      while (end.last().equals(empty)) {
        end.lookUp();
        Thread.onSpinWait();
      }
      before = end.last();
    }
    testTopics.send(testTopics.topics.accounting(), bytes("user"), bytes("new"));
    testTopics.flush();
    long later = System.currentTimeMillis() + 3_600_000;

    assertThat(read(before, VisibleOutputs.ALL)).containsExactly("new");
    assertThat(read(empty, later)).containsExactly("old", "new");
    TopicEnd another = new TopicEnd(before.idHigh() + 1, before.idLow(), before.offsets());
    assertThat(read(another, VisibleOutputs.ALL)).containsExactly("old", "new");
    assertThat(read(another, later)).isEmpty();
    TopicEnd ahead =
        new TopicEnd(
            before.idHigh(), before.idLow(), before.offsets().stream().map(o -> o + 5).toList());
    assertThat(read(ahead, VisibleOutputs.ALL))
        .as("the partition has lost records")
        .containsExactly("old", "new");
    TopicEnd onePartition = new TopicEnd(before.idHigh(), before.idLow(), List.of());
    assertThat(read(onePartition, later)).as("later partitions").containsExactly("old", "new");
  }

  private List<String> read(TopicEnd since, long sinceMs) throws IOException {
    try (CommittedTopic topic = open(new Section(since, sinceMs, 0, 1))) {
      return values(topic);
    }
  }

  @Test
  void reportsDeletedOffsets() throws Exception {
    for (int i = 0; i < 3; i++) {
      testTopics.send(testTopics.topics.accounting(), bytes("user"), bytes("event " + i));
    }
    testTopics.flush();
    int partition;
    try (CommittedTopic all = open(VisibleOutputs.ALL)) {
      int[] seen = {0};
      all.forEach(
          record -> {
            seen[0] = record.partition();
            return true;
          });
      partition = seen[0];
      assertThat(all.forgottenBefore()).isEmpty();
    }
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(testTopics.kafka()))) {
      admin
          .deleteRecords(
              Map.of(
                  new TopicPartition(testTopics.topics.accounting(), partition),
                  RecordsToDelete.beforeOffset(3)))
          .all()
          .get();
    }

    try (CommittedTopic none = open(VisibleOutputs.ALL)) {
      assertThat(none.forgottenBefore()).containsExactly(entry(partition, 3L));
      assertThat(values(none)).isEmpty();
    }
  }

  private CommittedTopic open(long sinceMs) throws IOException {
    return open(Section.since(sinceMs));
  }

  private CommittedTopic open(Section section) throws IOException {
    return CommittedTopic.open(
        testTopics.kafka(), testTopics.topics.accounting(), section, Set.of("ours"));
  }

  private static List<String> values(CommittedTopic topic) throws IOException {
    List<String> values = new ArrayList<>();
    topic.forEach(record -> values.add(new String(record.value(), UTF_8)));
    return values;
  }

  private void send(KafkaProducer<byte[], byte[]> producer, long ms, String value)
      throws Exception {
    producer
        .send(
            new ProducerRecord<>(
                testTopics.topics.accounting(), null, ms, bytes("user"), bytes(value)))
        .get();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
