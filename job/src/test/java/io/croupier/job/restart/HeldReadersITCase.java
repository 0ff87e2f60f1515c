package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.JobFixture;
import io.croupier.operators.flink.restart.VisibleOutputs;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Open transactions on a real broker, as seen by those whom they hold back. */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class HeldReadersITCase extends JobFixture {
  @Test
  void countsFromTheFirstLookUpThatSawTheTransactionToItsEnd() throws Exception {
    String updates = testTopics.topics.updates();
    AtomicLong clock = new AtomicLong(1_000);
    try (HeldReaders held =
            new HeldReaders(
                testTopics.kafka(),
                Set.of(new TopicPartition(updates, 0), new TopicPartition(updates, 1)),
                Optional.empty(),
                clock::get);
        KafkaProducer<byte[], byte[]> open = testTopics.transaction("open")) {
      assertThat(lookUp(held)).isZero();

      send(open, updates, 1);
      assertThat(lookUp(held)).as("seen first").isZero();
      clock.addAndGet(7_000);
      assertThat(lookUp(held)).isEqualTo(7_000);
      clock.addAndGet(1_000);
      send(open, updates, 1);
      assertThat(lookUp(held)).isEqualTo(8_000);

      open.commitTransaction();
      await(held, ms -> ms == 0);

      // As at every checkpoint: another transaction is open at each look-up.
      for (int checkpoint = 0; checkpoint < 3; checkpoint++) {
        clock.addAndGet(5_000);
        open.beginTransaction();
        send(open, updates, 1);
        assertThat(lookUp(held)).isZero();
        open.commitTransaction();
        await(held, ms -> ms == 0);
      }
    }
  }

  /** Of two subtasks, the one that has the partition reports it. */
  @Test
  void jobsFollowAccountsAndUpdates() throws Exception {
    VisibleOutputs outputs = testTopics.outputs("ours");
    for (String topic : Set.of(testTopics.topics.accounting(), testTopics.topics.updates())) {
      try (KafkaProducer<byte[], byte[]> open = testTopics.transaction("open");
          VisibleOutputs.Readers first = outputs.readers(0, 2);
          VisibleOutputs.Readers second = outputs.readers(1, 2)) {
        send(open, topic, 1);
        while (second.heldMs() == 0) {
          first.lookUp();
          second.lookUp();
          Thread.sleep(20);
        }
        assertThat(first.heldMs()).as(topic).isZero();
      }
    }
  }

  /** Each input of the job counts, from its first committed record to the job's first position. */
  @Test
  void countsPartitionsThatTheJobDoesNotRead() throws Exception {
    try (Admin admin = testTopics.admin();
        HeldReaders held =
            new HeldReaders(
                testTopics.kafka(), Set.of(), Optional.of(testTopics.inputs()), () -> 0)) {
      assertThat(unread(held)).as("without records").isZero();

      List<String> inputs =
          List.of(
              testTopics.topics.gradients(),
              testTopics.topics.rawGradients(),
              testTopics.topics.erasures(),
              testTopics.topics.models());
      for (String topic : inputs) {
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(5))).all().get();
        try (KafkaProducer<byte[], byte[]> producer = testTopics.transaction("writer")) {
          send(producer, topic, 4);
          assertThat(unread(held)).as("before the commit to " + topic).isZero();
          producer.commitTransaction();
          while (unread(held) == 0) {
            Thread.sleep(20);
          }
          assertThat(unread(held)).as(topic).isEqualTo(1);
        }
        admin
            .alterConsumerGroupOffsets(
                testTopics.inputs().group(),
                Map.of(new TopicPartition(topic, 4), new OffsetAndMetadata(1)))
            .all()
            .get();
        assertThat(unread(held)).as("after the job's position on " + topic).isZero();
      }
    }
  }

  private static long unread(HeldReaders held) throws InterruptedException {
    lookUp(held);
    return held.unreadPartitions();
  }

  private static long lookUp(HeldReaders held) throws InterruptedException {
    held.lookUp();
    while (!held.isDone()) {
      Thread.sleep(5);
    }
    return held.heldMs();
  }

  /** A commit is acknowledged before the partitions have its marker. */
  private static void await(HeldReaders held, LongPredicate reached) throws InterruptedException {
    while (!reached.test(lookUp(held))) {
      Thread.sleep(20);
    }
  }

  private static void send(KafkaProducer<byte[], byte[]> producer, String topic, int partition)
      throws Exception {
    producer
        .send(new ProducerRecord<>(topic, partition, new byte[] {1}, "update".getBytes(UTF_8)))
        .get();
  }
}
