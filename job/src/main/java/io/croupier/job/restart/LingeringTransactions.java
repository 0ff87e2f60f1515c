package io.croupier.job.restart;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Open transactions of an earlier run that no process commits or aborts. The sink takes
 * transactional ids from a pool, so a failed checkpoint may have begun a transaction under the id
 * that the last completed checkpoint lists as pre-committed. The committer then finds its own
 * transaction completed, the writer doesn't abort transactions with listed ids, and the new one
 * would stay open until it times out.
 *
 * <p>A transaction that the committer is about to commit has the same name. Its first record of
 * progress shows that the restored state contains it, so this class leaves it open. It lists the
 * other open transactions, requires answers from all their coordinators, and lets the caller abort
 * only those that are still open some time later.
 */
final class LingeringTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(LingeringTransactions.class);

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Brokers brokers;
  private final OpenTransactions transactions;
  private final Map<TopicPartition, Long> ends;

  /** Where a transaction that has records there is left open. */
  private final Set<TopicPartition> spared;

  private final Set<OpenTransaction> seen;

  /** One transaction. The name alone doesn't identify it: a later transaction may have the same. */
  private record OpenTransaction(String name, long producerId, int epoch, long startTimeMs) {}

  private LingeringTransactions(
      Map<String, String> kafka,
      OpenTransactions transactions,
      Map<TopicPartition, Long> ends,
      Set<TopicPartition> spared)
      throws IOException {
    brokers = new Brokers(kafka);
    this.transactions = transactions;
    this.spared = spared;
    this.ends = ends;
    seen = brokers.ask("the transactions that an earlier run left open", this::open);
  }

  /**
   * Finds this job's transactions that opened below the given offsets.
   *
   * @param transactions which of them may be aborted
   * @param ends end offsets; transactions that begin at them or later are ignored
   * @throws IOException if the brokers don't answer
   */
  static LingeringTransactions find(
      Map<String, String> kafka, OpenTransactions transactions, Map<TopicPartition, Long> ends)
      throws IOException {
    return new LingeringTransactions(kafka, transactions, ends, Set.of());
  }

  /**
   * Finds this job's transactions that are open on some partitions and not on that of the records
   * of progress.
   *
   * @param prefixes of this job's transactional ids, without the hyphens after them
   * @throws IOException if the brokers don't answer
   */
  static LingeringTransactions findUnrecorded(
      Map<String, String> kafka,
      Set<String> prefixes,
      Set<TopicPartition> partitions,
      TopicPartition progress)
      throws IOException {
    Map<TopicPartition, Long> all = new HashMap<>();
    partitions.forEach(partition -> all.put(partition, Long.MAX_VALUE));
    return new LingeringTransactions(
        kafka, OpenTransactions.abort(prefixes), all, Set.of(progress));
  }

  /** Returns whether there is any. */
  boolean isAny() {
    return !seen.isEmpty();
  }

  /**
   * Aborts those that are still open, by fencing their producers, as a new writer with the same ids
   * does.
   *
   * @throws IOException if the brokers refuse
   */
  void end() throws IOException {
    brokers.ask(
        "the end of the transactions that an earlier run left open",
        admin -> {
          Set<OpenTransaction> left = open(admin);
          left.retainAll(seen);
          Set<String> names = new HashSet<>();
          left.forEach(transaction -> names.add(transaction.name()));
          if (!names.isEmpty()) {
            LOG.warn("Aborting transactions that an earlier run left open: {}", names);
            admin.fenceProducers(names).all().get();
          }
          return names;
        });
  }

  private Set<OpenTransaction> open(Admin admin) throws ExecutionException, InterruptedException {
    Set<Long> producers = new HashSet<>();
    admin
        .describeProducers(ends.keySet())
        .all()
        .get()
        .forEach(
            (partition, states) -> {
              for (ProducerState state : states.activeProducers()) {
                long start = state.currentTransactionStartOffset().orElse(Long.MAX_VALUE);
                if (start < ends.get(partition) && !isListed(partition, start)) {
                  producers.add(state.producerId());
                }
              }
            });
    if (!producers.isEmpty() && !spared.isEmpty()) {
      admin
          .describeProducers(spared)
          .all()
          .get()
          .values()
          .forEach(
              states ->
                  states.activeProducers().stream()
                      .filter(state -> state.currentTransactionStartOffset().isPresent())
                      .forEach(state -> producers.remove(state.producerId())));
    }
    Set<OpenTransaction> open = new HashSet<>();
    describe(admin, producers)
        .forEach(
            (name, transaction) -> {
              if (transaction.state() == TransactionState.ONGOING) {
                open.add(
                    new OpenTransaction(
                        name,
                        transaction.producerId(),
                        transaction.producerEpoch(),
                        transaction.transactionStartTimeMs().orElse(0)));
              }
            });
    return open;
  }

  /** Whether a sink commits the transaction that begins at an offset. */
  private boolean isListed(TopicPartition partition, long start) {
    if (transactions.listed().isEmpty()) {
      return false;
    }
    try (KafkaConsumer<byte[], byte[]> consumer =
        brokers.consumer(IsolationLevel.READ_UNCOMMITTED)) {
      consumer.assign(Set.of(partition));
      consumer.seek(partition, start);
      for (ConsumerRecord<byte[], byte[]> first : consumer.poll(PATIENCE)) {
        return transactions.listed().get().test(first);
      }
    }
    // Not known: the transaction is left open, and looked at again.
    return true;
  }

  /**
   * Describes this job's transactions of the given producers. Fails unless all coordinators answer.
   */
  private Map<String, TransactionDescription> describe(Admin admin, Set<Long> producers)
      throws ExecutionException, InterruptedException {
    if (producers.isEmpty()) {
      return Map.of();
    }
    Collection<String> names =
        admin
            .listTransactions(new ListTransactionsOptions().filterProducerIds(producers))
            .all()
            .get()
            .stream()
            .map(TransactionListing::transactionalId)
            .filter(
                name ->
                    transactions.abortable().stream()
                        .anyMatch(prefix -> name.startsWith(prefix + "-")))
            .toList();
    return names.isEmpty() ? Map.of() : admin.describeTransactions(names).all().get();
  }
}
