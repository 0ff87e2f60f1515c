package io.croupier.job.restart;

import io.croupier.operators.flink.restart.TopicEnd;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.IntPredicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * The end of a topic while the job runs, and how far its readers get. If a look-up fails, the
 * earlier result stays: it is an end before which fewer records were written, so a start reads
 * more.
 */
final class FollowedEnd implements TopicEnd.Follower {
  private final Admin admin;
  private final String topic;
  private final TopicEnd first;
  private final HeldReaders held;
  private volatile TopicEnd last;
  private KafkaFuture<Map<TopicPartition, ListOffsetsResultInfo>> running =
      KafkaFuture.completedFuture(Map.of());

  /**
   * Looks up the end, and waits for it.
   *
   * @param others topics whose readers are followed, too
   * @param share the partitions of all these topics whose readers are followed
   * @throws IOException if the brokers don't return it
   */
  FollowedEnd(Map<String, String> kafka, String topic, Set<String> others, IntPredicate share)
      throws IOException {
    this.topic = topic;
    try {
      admin = Admin.create(Map.copyOf(kafka));
    } catch (KafkaException e) {
      throw new IOException("The topic " + topic + " can't be followed", e);
    }
    try {
      TopicOffsets offsets = new TopicOffsets(admin, topic);
      first = offsets.end();
      last = first;
      Set<TopicPartition> read = new HashSet<>(offsets.partitions(share));
      for (String other : others) {
        read.addAll(new TopicOffsets(admin, other).partitions(share));
      }
      held = new HeldReaders(admin, read, System::currentTimeMillis);
    } catch (ExecutionException | KafkaException e) {
      close();
      throw new IOException("The brokers don't return the end offsets of the topic " + topic, e);
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while looking up the offsets of the topic " + topic, e);
    }
  }

  @Override
  public void lookUp() {
    held.lookUp();
    if (!running.isDone()) {
      return;
    }
    Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
    for (int partition = 0; partition < first.offsets().size(); partition++) {
      latest.put(new TopicPartition(topic, partition), OffsetSpec.latest());
    }
    running =
        admin
            .listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
            .all()
            .whenComplete(
                (found, failure) -> {
                  if (failure == null) {
                    last = end(found);
                  }
                });
  }

  private TopicEnd end(Map<TopicPartition, ListOffsetsResultInfo> found) {
    List<Long> offsets = new ArrayList<>();
    for (int partition = 0; partition < first.offsets().size(); partition++) {
      offsets.add(found.get(new TopicPartition(topic, partition)).offset());
    }
    return new TopicEnd(first.idHigh(), first.idLow(), offsets);
  }

  @Override
  public TopicEnd last() {
    return last;
  }

  @Override
  public long readersHeldMs() {
    return held.ms();
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
