package io.croupier.job;

import java.io.IOException;
import java.util.Collection;
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
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions of an earlier run that nobody ends. The sink's names come from a pool: a failed
 * checkpoint may have begun a transaction under the name that the last complete one has as
 * pre-committed. The committer finds that its own is over, the writer spares whatever has that
 * name, and it would stay open until it times out.
 *
 * <p>One that the committer is still to commit looks the same, and is committed as soon as its
 * coordinator answers. So they are looked at, the coordinators have to answer, and those that are
 * still open a while later may be ended.
 */
final class LingeringTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(LingeringTransactions.class);

  private final Map<String, String> kafka;
  private final String prefix;
  private final Map<TopicPartition, Long> ends;
  private final Set<OpenTransaction> seen;

  /** One transaction: the name alone may be that of a later one. */
  private record OpenTransaction(String name, long producerId, int epoch, long startTimeMs) {}

  private LingeringTransactions(
      Map<String, String> kafka, String prefix, Map<TopicPartition, Long> ends) throws IOException {
    this.kafka = kafka;
    this.prefix = prefix;
    this.ends = ends;
    seen = ask("looked for", this::open);
  }

  /**
   * Looks for this job's transactions that are open below some offsets.
   *
   * @param prefix of the names that are this job's, without the hyphen behind it
   * @param ends what begins at these offsets or behind them goes on
   * @throws IOException if the brokers don't say
   */
  static LingeringTransactions find(
      Map<String, String> kafka, String prefix, Map<TopicPartition, Long> ends) throws IOException {
    return new LingeringTransactions(kafka, prefix, ends);
  }

  /**
   * Ends those that are still open, like a writer does that takes their names: what they hold is
   * taken back.
   *
   * @throws IOException if the brokers don't let it
   */
  void end() throws IOException {
    ask(
        "ended",
        admin -> {
          Set<OpenTransaction> left = open(admin);
          left.retainAll(seen);
          Set<String> names = new HashSet<>();
          left.forEach(transaction -> names.add(transaction.name()));
          if (!names.isEmpty()) {
            LOG.warn("Transactions that an earlier run has left open are ended: {}", names);
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
                if (state.currentTransactionStartOffset().orElse(Long.MAX_VALUE)
                    < ends.get(partition)) {
                  producers.add(state.producerId());
                }
              }
            });
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

  /** Their coordinators have to answer, all of them. */
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
            .filter(name -> name.startsWith(prefix + "-"))
            .toList();
    return names.isEmpty() ? Map.of() : admin.describeTransactions(names).all().get();
  }

  /** A question to the brokers, or several. */
  @FunctionalInterface
  private interface BrokerQuery<T> {
    T to(Admin admin) throws ExecutionException, InterruptedException;
  }

  private <T> T ask(String what, BrokerQuery<T> question) throws IOException {
    try (Admin admin = Admin.create(KafkaIo.properties(kafka))) {
      return question.to(admin);
    } catch (ExecutionException | KafkaException e) {
      throw new IOException("Transactions that an earlier run has left open can't be " + what, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while transactions were " + what, e);
    }
  }
}
