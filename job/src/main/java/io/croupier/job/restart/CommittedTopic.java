package io.croupier.job.restart;

import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.restart.VisibleOutputs;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the committed records of one topic up to an end, including those after open transactions.
 * The reader waits for open transactions: those that an earlier run had pre-committed are committed
 * when its sink restores, and all others are aborted. If a transaction that may be aborted stays
 * open for half of the wait, and for another quarter of it after the brokers have answered, {@link
 * LingeringTransactions} aborts it.
 */
final class CommittedTopic implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(CommittedTopic.class);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration UNMENTIONED = Duration.ofSeconds(2);
  private static final Duration LOG_EVERY = Duration.ofSeconds(5);

  private final String topic;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Map<TopicPartition, Long> ends;
  private final Map<String, String> kafka;
  private final OpenTransactions transactions;
  private final Duration patience;
  private final TopicEnd end;
  private final Map<Integer, Long> forgottenBefore = new TreeMap<>();

  /**
   * Which records of a topic are read.
   *
   * @param since reads the records after this end of the topic; {@link TopicEnd#UNKNOWN} if none is
   *     known
   * @param sinceMs timestamp of the first record to read where {@code since} can't be used; {@link
   *     VisibleOutputs#ALL} for all records
   * @param until reads the records before this end of the topic; empty for its current end
   */
  record Section(TopicEnd since, long sinceMs, Optional<TopicEnd> until) {
    /** All records. */
    static Section all() {
      return since(TopicEnd.UNKNOWN);
    }

    /** The records after an end, or all if the topic is another one. */
    static Section since(TopicEnd since) {
      return new Section(since, VisibleOutputs.ALL, Optional.empty());
    }
  }

  /**
   * Looks up the end offsets of a topic.
   *
   * @throws IOException if the brokers don't return the offsets
   */
  static CommittedTopic open(
      Map<String, String> kafka, String topic, Section section, OpenTransactions transactions)
      throws IOException {
    return open(kafka, topic, section, transactions, PATIENCE);
  }

  /** The same, but waits at most {@code patience} for open transactions. */
  static CommittedTopic open(
      Map<String, String> kafka,
      String topic,
      Section section,
      OpenTransactions transactions,
      Duration patience)
      throws IOException {
    return new CommittedTopic(
        topic,
        kafka,
        new KafkaQueries(kafka)
            .ask(
                "the offsets of the topic " + topic,
                admin -> {
                  TopicOffsets offsets = new TopicOffsets(admin, topic);
                  Map<TopicPartition, Long> ends = offsets.ends(section);
                  return new Bounds(offsets.starts(section, ends), ends, offsets.end(ends));
                }),
        transactions,
        patience);
  }

  /**
   * What is read.
   *
   * @param starts the first offset of each partition; -1 for none
   * @param ends the offset behind the last one of each partition
   * @param end the same ends with the topic's id
   */
  private record Bounds(
      Map<TopicPartition, Long> starts, Map<TopicPartition, Long> ends, TopicEnd end) {}

  private CommittedTopic(
      String topic,
      Map<String, String> kafka,
      Bounds bounds,
      OpenTransactions transactions,
      Duration patience)
      throws IOException {
    this.topic = topic;
    this.kafka = kafka;
    end = bounds.end();
    this.transactions = transactions;
    this.patience = patience;
    ends = new HashMap<>(bounds.ends());
    Map<TopicPartition, Long> starts = bounds.starts();
    starts.forEach(
        (partition, start) -> {
          if (start > 0) {
            forgottenBefore.put(partition.partition(), start);
          }
        });
    // These partitions have nothing to read: no record is late enough, or all are deleted.
    ends.entrySet()
        .removeIf(
            end -> starts.get(end.getKey()) < 0 || starts.get(end.getKey()) >= end.getValue());
    consumer = new KafkaQueries(kafka).consumer(IsolationLevel.READ_COMMITTED);
    consumer.assign(ends.keySet());
    ends.keySet().forEach(p -> consumer.seek(p, starts.get(p)));
  }

  /**
   * Passes the records to {@code more} until it returns false.
   *
   * @throws IOException if a transaction stays open before the end, or the topic can't be read
   */
  void forEach(RecordVisitor more) throws IOException {
    try {
      long deadline = System.nanoTime() + patience.toNanos();
      Optional<LingeringTransactions> left = Optional.empty();
      long foundNanos = 0;
      boolean ended = false;
      long nextLog = System.nanoTime() + UNMENTIONED.toNanos();
      Map<TopicPartition, Long> before = Map.of();
      for (Map<TopicPartition, Long> open = unread(); !open.isEmpty(); open = unread()) {
        long remaining = deadline - System.nanoTime();
        if (open.equals(before) && System.nanoTime() - nextLog >= 0) {
          logWait(open, patience.minusNanos(remaining));
          nextLog = System.nanoTime() + LOG_EVERY.toNanos();
        }
        if (!open.equals(before)) {
          nextLog = System.nanoTime() + UNMENTIONED.toNanos();
          deadline = System.nanoTime() + patience.toNanos();
          left = Optional.empty();
          ended = false;
        } else if (remaining < 0 && transactions.listed().isPresent()) {
          LOG.warn(
              "The start waits until the sinks of all subtasks end the transactions on {} that an"
                  + " earlier run has left open; nothing was committed or aborted there for {} after"
                  + " the offsets {}",
              topic,
              patience,
              open);
          before = Map.of();
          continue;
        } else if (remaining < 0) {
          throw new IOException(
              ("The topic %s could not be read to its end: for %s, nothing was committed or aborted"
                      + " after the offsets %s. A transaction is open there: stop the job that owns"
                      + " it, or abort it with kafka-transactions.sh")
                  .formatted(topic, patience, open));
        } else if (left.isEmpty() && remaining < patience.toNanos() / 2) {
          left = Optional.of(LingeringTransactions.find(kafka, transactions, endsOf(open)));
          foundNanos = System.nanoTime();
          // The query itself may have taken long; the committer still gets the rest of the wait.
          deadline = Math.max(deadline, foundNanos + patience.toNanos() / 2);
        } else if (left.isPresent()
            && !ended
            && System.nanoTime() - foundNanos > patience.toNanos() / 4) {
          // A live committer would have committed by now.
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

  /** The script deploy/cluster shows these lines while a job starts. */
  private void logWait(Map<TopicPartition, Long> open, Duration waited) {
    String left =
        "; what the job left open there, and no sink is about to commit, is aborted after %d s"
            .formatted(patience.toSeconds() * 3 / 4);
    String others =
        "; after %d s without a change, the start fails".formatted(patience.toSeconds());
    LOG.info(
        "Waiting for open transactions of an earlier run on {} at {}, for {} s{}{}",
        topic,
        open,
        waited.toSeconds(),
        transactions.abortable().isEmpty() ? "" : left,
        transactions.listed().isPresent() ? "" : others);
  }

  private Map<TopicPartition, Long> endsOf(Map<TopicPartition, Long> unread) {
    Map<TopicPartition, Long> some = new HashMap<>(ends);
    some.keySet().retainAll(unread.keySet());
    return some;
  }

  /** The end up to which the topic is read. */
  TopicEnd end() {
    return end;
  }

  /** The first offset read, by partition, of partitions that are not read from offset 0 on. */
  Map<Integer, Long> forgottenBefore() {
    return forgottenBefore;
  }

  /** Receives a record, and returns whether to continue. */
  @FunctionalInterface
  interface RecordVisitor {
    boolean after(ConsumerRecord<byte[], byte[]> record) throws IOException;
  }

  /** Positions of the partitions that have not reached their end; pauses the others. */
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
