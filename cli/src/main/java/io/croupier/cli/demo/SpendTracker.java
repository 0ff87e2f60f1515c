package io.croupier.cli.demo;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What people have spent, by the ledger: follows the committed events of the accounting topic on a
 * thread of its own.
 */
final class SpendTracker implements AutoCloseable {

  private static final Duration POLL = Duration.ofMillis(200);

  private final Consumer<byte[], byte[]> consumer;
  private final Thread thread = new Thread(this::follow, "spending");
  private final Map<String, MaxSpend> mostPerModel = new HashMap<>();
  private final Map<String, Long> admitted = new HashMap<>();
  private final Map<Refusal, Long> refusals = new LinkedHashMap<>();
  private MaxSpend mostPerPerson = MaxSpend.NOTHING;
  private long undisclosed;
  private long events;
  private volatile long lastEvent = System.nanoTime();
  private RuntimeException failure;
  private volatile boolean closed;

  /** Begins to follow the topic, from its beginning. */
  SpendTracker(Map<String, Object> kafka, String topic) {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    consumer = new KafkaConsumer<>(properties, bytes, bytes);
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(partition -> new TopicPartition(topic, partition.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    thread.setDaemon(true);
    thread.start();
  }

  /** How many reports the ledger has judged. */
  synchronized long events() {
    if (failure != null) {
      throw failure;
    }
    return events;
  }

  /** How many of them it admitted to a model. */
  synchronized long admitted(String modelId) {
    return admitted.getOrDefault(modelId, 0L);
  }

  /** How many it kept from a model. */
  long refused(String modelId) {
    return refusals(modelId).values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many it kept from a model, by why. */
  synchronized Map<Refusal, Long> refusals(String modelId) {
    Map<Refusal, Long> ofModel = new LinkedHashMap<>(refusals);
    ofModel.keySet().removeIf(refusal -> !refusal.modelId().equals(modelId));
    return ofModel;
  }

  /** How many of all reports said nothing of their noise. */
  synchronized long undisclosed() {
    return undisclosed;
  }

  /** The most that one person has spent on a model. */
  synchronized MaxSpend mostPerModel(String modelId) {
    return mostPerModel.getOrDefault(modelId, MaxSpend.NOTHING);
  }

  /** The most that one person has spent on all models. */
  synchronized MaxSpend mostPerPerson() {
    return mostPerPerson;
  }

  /** Time since the newest judgement became known. */
  long nanosSinceEvent() {
    return System.nanoTime() - lastEvent;
  }

  @Override
  public void close() {
    closed = true;
    consumer.wakeup();
    try {
      thread.join(Duration.ofSeconds(5).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void follow() {
    try (consumer) {
      while (!closed) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          add(AccountingEvent.parseFrom(record.value()));
        }
      }
    } catch (WakeupException e) {
      // Woken by close().
    } catch (InvalidProtocolBufferException | RuntimeException e) {
      fail(new IllegalStateException("The accounting topic can't be followed", e));
    }
  }

  private synchronized void fail(RuntimeException e) {
    failure = e;
  }

  private synchronized void add(AccountingEvent event) {
    lastEvent = System.nanoTime();
    events++;
    if (event.getOutcome() == Outcome.ADMITTED) {
      admitted.merge(event.getModelId(), 1L, Long::sum);
    } else {
      refusals.merge(Refusal.of(event), 1L, Long::sum);
    }
    undisclosed += event.getSpent().getUndisclosed();
    // Totals only grow: the largest of all events is what the person with the largest total spent.
    mostPerModel.merge(event.getModelId(), MaxSpend.of(event.getModelTotals()), MaxSpend::max);
    mostPerPerson = mostPerPerson.max(MaxSpend.of(event.getUserTotals()));
  }
}
