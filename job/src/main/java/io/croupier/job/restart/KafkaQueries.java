package io.croupier.job.restart;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The brokers, as a start asks them.
 *
 * @param kafka properties of Kafka's clients
 */
record KafkaQueries(Map<String, String> kafka) {

  /** One or several requests to the brokers. */
  @FunctionalInterface
  interface Query<T> {
    T to(Admin admin) throws ExecutionException, InterruptedException;
  }

  /**
   * Returns the answer to a query.
   *
   * @param what the answer, for messages
   * @throws IOException if the brokers don't answer, or refuse
   */
  <T> T ask(String what, Query<T> query) throws IOException {
    try (Admin admin = Admin.create(Map.copyOf(kafka))) {
      return query.to(admin);
    } catch (ExecutionException | KafkaException e) {
      Throwable why = e instanceof ExecutionException ? e.getCause() : e;
      throw new IOException("The brokers don't return %s: %s".formatted(what, why.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while looking up " + what, e);
    }
  }

  /** Creates a consumer without a group, which fails at an offset that its partition lacks. */
  KafkaConsumer<byte[], byte[]> consumer(IsolationLevel isolation) {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation.toString());
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "5000");
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    return new KafkaConsumer<>(properties, bytes, bytes);
  }
}
