package io.croupier.gateway.kafka;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Where accepted reports go. */
@FunctionalInterface
public interface ReportStore {

  /**
   * Stores a report.
   *
   * @return its position, once it is stored for certain; fails if it is not known to be stored
   */
  CompletableFuture<RecordMetadata> send(String topic, String userId, byte[] report);
}
