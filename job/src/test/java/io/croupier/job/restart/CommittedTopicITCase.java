package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.croupier.job.JobFixture;
import io.croupier.job.LoggedWarnings;
import io.croupier.job.restart.CommittedTopic.Section;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.logging.log4j.Level;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions and timestamps on a real broker. */
@Tag("ci")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class CommittedTopicITCase extends JobFixture {
  @Test
  void waitsForTheTransactionsThatWereOpenWhenItWasOpened() throws Exception {
    KafkaProducer<byte[], byte[]> first = testTopics.transaction("first");
    send(first, 1, "committed");
    KafkaProducer<byte[], byte[]> second = testTopics.transaction("second");
    send(second, 2, "taken back");
    write("plain");

    try (CommittedTopic topic = open()) {
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
          open(OpenTransactions.abort(Set.of("another")), Duration.ofMillis(300))) {
        assertThatIOException()
            .isThrownBy(() -> values(topic))
            .withMessageContainingAll(
                testTopics.topics.accounting() + "-", "kafka-transactions.sh");
      }
    }
  }

  /**
   * The state that a failed checkpoint leaves: the restored sink treats the transaction as
   * committed.
   */
  @Test
  void abortsTransactionsOfAnEarlierRun() throws Exception {
    try (LoggedWarnings log = new LoggedWarnings(CommittedTopic.class.getName(), Level.INFO);
        KafkaProducer<byte[], byte[]> left = testTopics.transaction("ours-0-1")) {
      send(left, 1, "taken back");
      write("plain");

      try (CommittedTopic topic =
          open(OpenTransactions.abort(Set.of("ours")), Duration.ofSeconds(8))) {
        assertThat(values(topic)).containsExactly("plain");
      }
      assertThat(log.messages())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .startsWith("Waiting for open transactions of an earlier run on ")
                      .contains(
                          testTopics.topics.accounting() + "-0=0",
                          ", for 2 s; ",
                          "is aborted after 6 s; ",
                          "after 8 s without a change, the start fails"));
      assertThatThrownBy(left::commitTransaction).isInstanceOf(KafkaException.class);
    }
  }

  @Tag("thorough")
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
          LingeringTransactions.find(
              testTopics.kafka(), OpenTransactions.abort(Set.of("ours")), behindAll);
      producer.commitTransaction();
      producer.beginTransaction();
      send(producer, 2, "the next");

      left.end();

      producer.commitTransaction();
    }
    try (CommittedTopic topic = open()) {
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

  /** The sink of a slow subtask commits the first transaction after several waits. */
  @Tag("thorough")
  @Test
  void leavesTransactionsThatASinkListsAndAbortsTheOthers() throws Exception {
    try (KafkaProducer<byte[], byte[]> listed = testTopics.transaction("ours-0-1");
        KafkaProducer<byte[], byte[]> left = testTopics.transaction("ours-0-2")) {
      send(listed, 1, "listed");
      send(left, 2, "taken back");
      List<String> asked = new ArrayList<>();
      CompletableFuture<List<String>> read;
      try (LoggedWarnings warnings = new LoggedWarnings(CommittedTopic.class);
          CommittedTopic topic =
              open(
                  OpenTransactions.abortUnlisted(
                      Set.of("ours"),
                      first -> {
                        String value = new String(first.value(), UTF_8);
                        asked.add(value);
                        return value.equals("listed");
                      }),
                  Duration.ofSeconds(2))) {
        read = CompletableFuture.supplyAsync(() -> valuesOf(topic));
        while (warnings.messages().size() < 2) {
          assertThat(read).isNotDone();
          Thread.onSpinWait();
        }
        assertThat(warnings.messages().get(0)).contains("waits until the sinks", "PT2S");
        listed.commitTransaction();
        assertThat(read.get(5, TimeUnit.MINUTES)).containsExactly("listed");
      }
      assertThat(asked).contains("listed", "taken back");
      assertThatThrownBy(left::commitTransaction).isInstanceOf(KafkaException.class);
    }
  }

  /** The second transaction is one of the run that asks, and is about to be committed. */
  @Tag("thorough")
  @Test
  void abortsWhatWasLeftOpenBetweenTwoBarriers() throws Exception {
    Topics topics = testTopics.topics;
    VisibleOutputs outputs = testTopics.outputs("ours");
    outputs.leftOpen().abort();
    try (KafkaProducer<byte[], byte[]> left = testTopics.transaction("ours-3-0");
        KafkaProducer<byte[], byte[]> answers = testTopics.transaction("ours-4-0");
        KafkaProducer<byte[], byte[]> another = testTopics.transaction("theirs-0-0");
        KafkaProducer<byte[], byte[]> running = testTopics.transaction("ours-0-1")) {
      send(left, 1, "taken back");
      sendAnswer(answers);
      send(another, 2, "theirs");
      send(running, 3, "running");
      VisibleOutputs.LeftOpen open = outputs.leftOpen();
      running.send(new ProducerRecord<>(topics.progress(), 0, bytes("ledger/0"), bytes(""))).get();

      open.abort();

      requireAborted(() -> send(left, 4, "more"));
      requireAborted(() -> sendAnswer(answers));
      another.commitTransaction();
      running.commitTransaction();
    }
    try (CommittedTopic topic = open()) {
      assertThat(values(topic)).containsExactlyInAnyOrder("theirs", "running");
    }
  }

  private void sendAnswer(KafkaProducer<byte[], byte[]> producer) throws Exception {
    producer
        .send(new ProducerRecord<>(testTopics.topics.accountAnswers(), bytes("taken back")))
        .get();
  }

  /** Sends until the transaction is aborted, at the latest to the test's time limit. */
  private static void requireAborted(ThrowingCallable send) {
    assertThatThrownBy(
            () -> {
              while (true) {
                send.call();
              }
            })
        .hasCauseInstanceOf(KafkaException.class);
  }

  private static List<String> valuesOf(CommittedTopic topic) {
    try {
      return values(topic);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What subtasks write that have started already is not waited for. */
  @Tag("thorough")
  @Test
  void endsWhereTheTopicEndedEarlier() throws Exception {
    write("old");
    TopicEnd before = end();
    try (KafkaProducer<byte[], byte[]> running = testTopics.transaction("running")) {
      send(running, 1, "new");
      Section section = new Section(TopicEnd.UNKNOWN, VisibleOutputs.ALL, Optional.of(before));
      try (CommittedTopic topic = open(section)) {
        assertThat(values(topic)).containsExactly("old");
      }
      Section nothing =
          new Section(TopicEnd.UNKNOWN, VisibleOutputs.ALL, Optional.of(TopicEnd.UNKNOWN));
      try (CommittedTopic topic = open(nothing)) {
        assertThat(values(topic)).isEmpty();
      }
    }
  }

  private TopicEnd end() throws Exception {
    try (Admin admin = testTopics.admin()) {
      return new TopicOffsets(admin, testTopics.topics.accounting()).end();
    }
  }

  @Tag("thorough")
  @Test
  void beginsAtAnEndOfTheSameTopic() throws Exception {
    TopicEnd empty = end();
    write("old");
    TopicEnd before = end();
    write("new");
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
    try (CommittedTopic topic = open(new Section(since, sinceMs, Optional.empty()))) {
      return values(topic);
    }
  }

  @Test
  void reportsDeletedOffsets() throws Exception {
    for (int i = 0; i < 3; i++) {
      write("event " + i);
    }
    int partition;
    try (CommittedTopic all = open()) {
      int[] seen = {0};
      all.forEach(
          record -> {
            seen[0] = record.partition();
            return true;
          });
      partition = seen[0];
      assertThat(all.forgottenBefore()).isEmpty();
    }
    testTopics.deleteRecords(testTopics.topics.accounting(), partition, 3);

    try (CommittedTopic none = open()) {
      assertThat(none.forgottenBefore()).containsExactly(entry(partition, 3L));
      assertThat(values(none)).isEmpty();
    }
  }

  private CommittedTopic open() throws IOException {
    return open(Section.all());
  }

  private CommittedTopic open(long sinceMs) throws IOException {
    return open(new Section(TopicEnd.UNKNOWN, sinceMs, Optional.empty()));
  }

  private CommittedTopic open(OpenTransactions transactions, Duration patience) throws IOException {
    return CommittedTopic.open(
        testTopics.kafka(), testTopics.topics.accounting(), Section.all(), transactions, patience);
  }

  private CommittedTopic open(Section section) throws IOException {
    return CommittedTopic.open(
        testTopics.kafka(),
        testTopics.topics.accounting(),
        section,
        OpenTransactions.abort(Set.of("ours")));
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

  /** Writes a record without a transaction. */
  private void write(String value) throws Exception {
    testTopics.send(testTopics.topics.accounting(), "user", bytes(value));
    testTopics.flush();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
