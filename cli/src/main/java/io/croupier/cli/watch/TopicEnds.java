package io.croupier.cli.watch;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Asks for the ends of topics every few seconds; a topic that can't be described is left out. */
final class TopicEnds implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(2);
  private static final int TIMEOUT_SECONDS = 10;

  private final Admin admin;
  private final List<String> topics;
  private final Consumer<Map<TopicPartition, Long>> action;
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "topic-ends");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Begins to ask.
   *
   * @param kafka settings of Kafka's clients
   * @param action receives the ends of a topic's partitions; must not throw
   */
  TopicEnds(Map<String, ?> kafka, List<String> topics, Consumer<Map<TopicPartition, Long>> action) {
    this.topics = List.copyOf(topics);
    this.action = action;
    admin = Admin.create(new HashMap<>(kafka));
    // Asking catches its errors.
    Future<?> unused =
        scheduler.scheduleWithFixedDelay(this::ask, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void ask() {
    for (String topic : topics) {
      try {
        action.accept(ends(topic));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (ExecutionException | TimeoutException | KafkaException e) {
        // The topic doesn't exist, or the principal has no right on it, or the brokers are away.
      }
    }
  }

  private Map<TopicPartition, Long> ends(String topic)
      throws ExecutionException, InterruptedException, TimeoutException {
    TopicDescription description =
        admin
            .describeTopics(Set.of(topic))
            .allTopicNames()
            .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .get(topic);
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    description
        .partitions()
        .forEach(
            partition ->
                asked.put(new TopicPartition(topic, partition.partition()), OffsetSpec.latest()));
    Map<TopicPartition, Long> ends = new HashMap<>();
    admin
        .listOffsets(asked)
        .all()
        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .forEach((partition, end) -> ends.put(partition, end.offset()));
    return ends;
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
    admin.close(Duration.ofSeconds(1));
  }
}
