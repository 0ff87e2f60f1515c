package io.croupier.job.restart;

import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What a reader does about transactions that stay open.
 *
 * @param abortable prefixes of the transactional ids, without the hyphens after them, whose
 *     transactions it may abort
 * @param listed whether a sink of this run commits the transaction that begins with a record, so
 *     that the reader waits until it does, however long that takes; empty if no sink runs
 */
record OpenTransactions(
    Set<String> abortable, Optional<Predicate<ConsumerRecord<byte[], byte[]>>> listed) {

  /** Aborts every transaction of the given ids: no job runs that could commit one. */
  static OpenTransactions abort(Set<String> abortable) {
    return new OpenTransactions(abortable, Optional.empty());
  }

  /** Aborts none. */
  static OpenTransactions leave() {
    return abort(Set.of());
  }

  /** Aborts those that no sink lists. */
  static OpenTransactions abortUnlisted(
      Set<String> abortable, Predicate<ConsumerRecord<byte[], byte[]>> listed) {
    return new OpenTransactions(abortable, Optional.of(listed));
  }
}
