package io.croupier.job;

import io.croupier.operators.flink.VisibleOutputs;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Committed records of one topic up to the end that it has now, behind open transactions. These are
 * waited for: what an earlier run had pre-committed is committed when its sink is restored, and
 * what it had not is taken back. What neither has happened to in half of the wait, and in a quarter
 * of it more after the brokers have answered, {@link LingeringTransactions} ends.
 */
final class CommittedTopic implements Closeable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofMillis(100);

  private final String topic;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Map<TopicPartition, Long> ends;
  private final Map<String, String> kafka;
  private final String ownTransactions;
  private final Duration patience;
  private final Map<Integer, Long> forgottenBefore = new TreeMap<>();

  /**
   * Notes where a topic ends.
   *
   * @param sinceMs time stamp of the first record to read; {@link VisibleOutputs#ALL} for all
   * @param ownTransactions prefix of the transactional ids that may be ended
   * @throws IOException if the brokers don't say
   */
  static CommittedTopic open(
      Map<String, String> kafka, String topic, long sinceMs, String ownTransactions)
      throws IOException {
    return open(kafka, topic, sinceMs, ownTransactions, PATIENCE);
  }

  /** The same, but waiting for open transactions for so long only. */
  static CommittedTopic open(
      Map<String, String> kafka,
      String topic,
      long sinceMs,
      String ownTransactions,
      Duration patience)
      throws IOException {
    Map<TopicPartition, Long> ends;
    Map<TopicPartition, Long> starts;
    try (Admin admin = Admin.create(KafkaIo.properties(kafka))) {
      Set<TopicPartition> partitions =
          admin
              .describeTopics(List.of(topic))
              .allTopicNames()
              .get()
              .get(topic)
              .partitions()
              .stream()
              .map(p -> new TopicPartition(topic, p.partition()))
              .collect(Collectors.toSet());
      ends = offsets(admin, partitions, OffsetSpec.latest());
      starts =
          offsets(
              admin,
              partitions,
              sinceMs == VisibleOutputs.ALL
                  ? OffsetSpec.earliest()
                  : OffsetSpec.forTimestamp(sinceMs));
    } catch (ExecutionException | KafkaException e) {
      throw new IOException("The brokers don't say where the topic " + topic + " ends", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while the topic " + topic + " was looked up", e);
    }
    return new CommittedTopic(topic, kafka, starts, ends, ownTransactions, patience);
  }

  /** Offsets that don't care for transactions; -1 where no record is late enough. */
  private static Map<TopicPartition, Long> offsets(
      Admin admin, Set<TopicPartition> partitions, OffsetSpec spec)
      throws ExecutionException, InterruptedException {
    return admin
        .listOffsets(
            partitions.stream().collect(Collectors.toMap(Function.identity(), p -> spec)),
            new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
        .all()
        .get()
        .entrySet()
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().offset()));
  }

  private CommittedTopic(
      String topic,
      Map<String, String> kafka,
      Map<TopicPartition, Long> starts,
      Map<TopicPartition, Long> ends,
      String ownTransactions,
      Duration patience)
      throws IOException {
    this.topic = topic;
    this.kafka = kafka;
    this.ownTransactions = ownTransactions;
    this.patience = patience;
    this.ends = new HashMap<>(ends);
    starts.forEach(
        (partition, start) -> {
          if (start > 0) {
            forgottenBefore.put(partition.partition(), start);
          }
        });
    // Nothing to read: no record is late enough, or none is left.
    this.ends.keySet().removeIf(p -> starts.get(p) < 0 || starts.get(p) >= ends.get(p));
    Properties properties = KafkaIo.properties(kafka);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "5000");
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    try {
      consumer = new KafkaConsumer<>(properties, bytes, bytes);
    } catch (KafkaException e) {
      throw new IOException("The topic " + topic + " can't be read", e);
    }
    consumer.assign(this.ends.keySet());
    this.ends.keySet().forEach(p -> consumer.seek(p, starts.get(p)));
  }

  /**
   * Shows the records until {@code more} says false.
   *
   * @throws IOException if the end isn't reached because a transaction stays open, or the topic
   *     can't be read
   */
  void forEach(RecordVisitor more) throws IOException {
    try {
      long deadline = System.nanoTime() + patience.toNanos();
      Optional<LingeringTransactions> left = Optional.empty();
      long foundNanos = 0;
      boolean ended = false;
      Map<TopicPartition, Long> before = Map.of();
      for (Map<TopicPartition, Long> open = unread(); !open.isEmpty(); open = unread()) {
        long remaining = deadline - System.nanoTime();
        if (!open.equals(before)) {
          deadline = System.nanoTime() + patience.toNanos();
          left = Optional.empty();
          ended = false;
        } else if (remaining < 0) {
          throw new IOException(
              ("The topic %s could not be read to its end: for %s, nothing was committed or taken back"
                      + " behind the offsets %s. A transaction is open there: end the job that has"
                      + " it, or abort it with kafka-transactions.sh")
                  .formatted(topic, patience, open));
        } else if (left.isEmpty() && remaining < patience.toNanos() / 2) {
          left = Optional.of(LingeringTransactions.find(kafka, ownTransactions, endsOf(open)));
          foundNanos = System.nanoTime();
          // The brokers may have taken their time to answer.
          deadline = Math.max(deadline, foundNanos + patience.toNanos() / 2);
        } else if (left.isPresent()
            && !ended
            && System.nanoTime() - foundNanos > patience.toNanos() / 4) {
          // The committer has had its time.
          left.get().end();
          ended = true;
        }
        before = open;
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          TopicPartition partition = new TopicPartition(record.topic(), record.partition());
          if (record.offset() < ends.get(partition) && !more.after(record)) {
            return;
          }
        }
      }
    } catch (KafkaException e) {
      throw new IOException("The topic " + topic + " can't be read", e);
    }
  }

  private Map<TopicPartition, Long> endsOf(Map<TopicPartition, Long> unread) {
    Map<TopicPartition, Long> some = new HashMap<>(ends);
    some.keySet().retainAll(unread.keySet());
    return some;
  }

  /** Where each partition begins that is not read from its first offset on. */
  Map<Integer, Long> forgottenBefore() {
    return forgottenBefore;
  }

  /** Is shown a record, and says whether to go on. */
  @FunctionalInterface
  interface RecordVisitor {
    boolean after(ConsumerRecord<byte[], byte[]> record) throws IOException;
  }

  /** Where the partitions are that have not reached their end; the others are read no further. */
  private Map<TopicPartition, Long> unread() {
    Map<TopicPartition, Long> unread =
        new TreeMap<>((a, b) -> Integer.compare(a.partition(), b.partition()));
    ends.forEach(
        (partition, end) -> {
          long position = consumer.position(partition);
          if (position < end) {
            unread.put(partition, position);
          } else {
            consumer.pause(Set.of(partition));
          }
        });
    return unread;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
