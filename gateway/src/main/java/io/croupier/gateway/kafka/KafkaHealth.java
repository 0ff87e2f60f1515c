package io.croupier.gateway.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the brokers for the gradients topic every few seconds, so that readiness is known. */
public final class KafkaHealth implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaHealth.class);
  private static final Duration INTERVAL = Duration.ofSeconds(2);
  private static final int TIMEOUT_MS = 2000;

  private final Admin admin;
  private final String topic;
  private final Runnable use;
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "gateway-kafka-health");
            thread.setDaemon(true);
            return thread;
          });

  /** Only the scheduler's thread uses it. */
  private boolean failing;

  private volatile boolean reachable;

  /**
   * Begins to ask.
   *
   * @param use what else needs the brokers; throws an exception if it can't use them
   */
  public KafkaHealth(Map<String, String> kafka, String topic, Runnable use) {
    this.topic = topic;
    this.use = use;
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, String.valueOf(TIMEOUT_MS));
    properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, String.valueOf(TIMEOUT_MS));
    admin = Admin.create(properties);
    // Asking catches its errors.
    Future<?> unused =
        scheduler.scheduleWithFixedDelay(this::ask, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether the brokers answered the last question, and the topic exists. */
  public boolean isReachable() {
    return reachable;
  }

  private void ask() {
    try {
      admin
          .describeTopics(Set.of(topic), new DescribeTopicsOptions().timeoutMs(TIMEOUT_MS))
          .allTopicNames()
          .get();
      use.run();
      reachable = true;
      failing = false;
    } catch (InterruptedException | InterruptException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      // Any error means that reports can't be stored now.
      reachable = false;
      if (!failing) {
        LOG.warn("Topic {} can't be written; trying again: {}", topic, e.getMessage());
      }
      failing = true;
    }
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
    admin.close(Duration.ofSeconds(1));
  }
}
