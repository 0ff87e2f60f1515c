package io.croupier.gateway.trial;

import io.croupier.gateway.kafka.ReportStore;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Position;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * The reports of a page's visitors: stores them while the trial runs, and counts them apart from
 * all others. Every stored report has one accounting event, so a trial can wait until all of them
 * are judged. Safe for use by several threads.
 */
public final class Visits implements ReportStore {

  // Guarded by this.
  private ReportStore store;
  private boolean ended;
  private int underway;
  private final Set<Position> stored = new HashSet<>();

  /** Also of reports whose acknowledgement was lost, which a page sends again. */
  private final Set<Position> judged = new HashSet<>();

  private long admitted;

  /** The newest event of each visitor; the default one before the first. */
  private final Map<String, AccountingEvent> newest = new HashMap<>();

  /** Begins to take reports. */
  public synchronized void begin(ReportStore reports) {
    store = reports;
  }

  /** Ends to take reports; further calls have no effect. */
  public synchronized void end() {
    ended = true;
  }

  /** Whether {@link #end} was called. */
  public synchronized boolean hasEnded() {
    return ended;
  }

  @Override
  public CompletableFuture<RecordMetadata> send(String topic, String userId, byte[] report) {
    ReportStore open;
    synchronized (this) {
      if (store == null || ended) {
        return CompletableFuture.failedFuture(
            new IllegalStateException("The trial takes no reports now"));
      }
      open = store;
      underway++;
      newest.putIfAbsent(userId, AccountingEvent.getDefaultInstance());
    }
    return open.send(topic, userId, report)
        .whenComplete(
            (position, failure) -> {
              synchronized (this) {
                underway--;
                if (failure == null) {
                  stored.add(position(position));
                }
              }
            });
  }

  /**
   * Takes an event of the accounting topic.
   *
   * @return whether it is about a visitor's report
   */
  public synchronized boolean judged(AccountingEvent event) {
    if (newest.computeIfPresent(event.getUserId(), (userId, before) -> event) == null) {
      return false;
    }
    judged.add(event.getSource());
    admitted += event.getOutcome() == AccountingEvent.Outcome.ADMITTED ? 1 : 0;
    return true;
  }

  private static Position position(RecordMetadata stored) {
    return Position.newBuilder()
        .setTopic(stored.topic())
        .setPartition(stored.partition())
        .setOffset(stored.offset())
        .build();
  }

  /** Whether no report comes any more, and every stored one is judged. */
  public synchronized boolean areSettled() {
    return ended && underway == 0 && judged.containsAll(stored);
  }

  /**
   * What a visitor is shown, read at one moment: {@code judged} counts the report of {@code
   * newest}.
   *
   * @param visitors number of people who sent a report
   * @param judged number of judged reports of all visitors
   * @param newest the newest event about this visitor; empty if there is none yet
   */
  public record Account(int visitors, long judged, Optional<AccountingEvent> newest) {}

  /** The account of a visitor. */
  public synchronized Account account(String userId) {
    return new Account(
        visitors(),
        judged(),
        Optional.ofNullable(newest.get(userId)).filter(AccountingEvent::hasUserId));
  }

  /** Number of people who sent a report. */
  public synchronized int visitors() {
    return newest.size();
  }

  /** Number of judged reports, including those that came twice. */
  public synchronized long judged() {
    return judged.size();
  }

  /** Number of reports that the ledger admitted. */
  public synchronized long admitted() {
    return admitted;
  }
}
