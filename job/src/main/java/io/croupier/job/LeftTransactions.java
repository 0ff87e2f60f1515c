package io.croupier.job;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions of an earlier run that nobody ends. The sink's names come from a pool: a failed
 * checkpoint may have begun a transaction under the name that the last complete one has as
 * pre-committed. The committer finds that its own is over, the writer spares whatever has that
 * name, and it would stay open until it times out.
 */
final class LeftTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(LeftTransactions.class);

  private LeftTransactions() {}

  /**
   * Ends this job's transactions that are open below some offsets, like a writer does that takes
   * their names: what they hold is taken back.
   *
   * @param prefix of the names that are this job's, without the hyphen behind it
   * @param ends what begins at these offsets or behind them goes on
   * @throws IOException if the brokers don't let it
   */
  static void end(Map<String, String> kafka, String prefix, Map<TopicPartition, Long> ends)
      throws IOException {
    try (Admin admin = Admin.create(KafkaIo.properties(kafka))) {
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
      if (producers.isEmpty()) {
        return;
      }
      List<String> names =
          admin
              .listTransactions(new ListTransactionsOptions().filterProducerIds(producers))
              .all()
              .get()
              .stream()
              .map(TransactionListing::transactionalId)
              .filter(name -> name.startsWith(prefix + "-"))
              .toList();
      if (!names.isEmpty()) {
        LOG.warn("Transactions that an earlier run has left open are ended: {}", names);
        admin.fenceProducers(names).all().get();
      }
    } catch (ExecutionException | KafkaException e) {
      throw new IOException("Transactions that an earlier run has left open can't be ended", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while transactions were ended", e);
    }
  }
}
