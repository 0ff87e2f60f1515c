package io.croupier.cli.demo;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.gateway.kafka.TopicFollower;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Tracks what people have spent: follows the committed events of the accounting topic on a separate
 * thread. Visitors of the page are no people of the data, and count only among the admitted
 * reports.
 */
final class SpendTracker implements AutoCloseable {

  private final TopicFollower follower;
  private final Predicate<AccountingEvent> visits;
  private final Map<String, MaxSpend> mostPerModel = new HashMap<>();
  private final Map<String, Long> admitted = new HashMap<>();
  private final Map<RefusedReport, Long> refusals = new LinkedHashMap<>();
  private MaxSpend mostPerPerson = MaxSpend.NOTHING;
  private long undisclosed;
  private long events;
  private long anonymous;
  private volatile long lastEvent = System.nanoTime();
  private RuntimeException failure;

  /**
   * Starts to follow the topic from its beginning.
   *
   * @param visits takes each event, and decides whether it is about a visitor's report
   */
  SpendTracker(Map<String, Object> kafka, String topic, Predicate<AccountingEvent> visits) {
    this.visits = visits;
    follower = new TopicFollower(kafka, topic, this::read);
  }

  /** The number of people's reports that the ledger has judged, without those of visitors. */
  synchronized long events() {
    if (failure != null) {
      throw failure;
    }
    return events;
  }

  /** The number of people's reports that were judged, and of anonymous ones. */
  synchronized long accounted() {
    return events() + anonymous;
  }

  /** Adds an anonymous report to a model. It has no event, since its token was charged. */
  synchronized void addAnonymous(String modelId) {
    anonymous++;
    admitted.merge(modelId, 1L, Long::sum);
  }

  /**
   * The number of reports to a model that the ledger admitted, including those of visitors, and of
   * anonymous ones that a gateway accepted.
   */
  synchronized long admitted(String modelId) {
    return admitted.getOrDefault(modelId, 0L);
  }

  /** The number of reports to a model that the ledger refused. */
  long refused(String modelId) {
    return refusals(modelId).values().stream().mapToLong(Long::longValue).sum();
  }

  /** The number of refused reports to a model, by reason. */
  synchronized Map<RefusedReport, Long> refusals(String modelId) {
    Map<RefusedReport, Long> ofModel = new LinkedHashMap<>(refusals);
    ofModel.keySet().removeIf(refusal -> !refusal.modelId().equals(modelId));
    return ofModel;
  }

  /** The number of reports that don't declare their noise. */
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

  /** Nanoseconds since the newest event arrived. */
  long nanosSinceEvent() {
    return System.nanoTime() - lastEvent;
  }

  @Override
  public void close() {
    follower.close();
  }

  private void read(ConsumerRecord<byte[], byte[]> record) {
    try {
      add(AccountingEvents.read(record.key(), record.value()));
    } catch (InvalidProtocolBufferException | RuntimeException e) {
      fail(
          new IllegalStateException(
              "The accounting topic can't be followed beyond %s, partition %d, offset %d"
                  .formatted(record.topic(), record.partition(), record.offset()),
              e));
    }
  }

  private synchronized void fail(RuntimeException e) {
    failure = e;
  }

  private synchronized void add(AccountingEvent event) {
    lastEvent = System.nanoTime();
    if (event.getOutcome() == Outcome.ERASED) {
      // An operator's record, of no report.
      return;
    }
    boolean isAdmitted = event.getOutcome() == Outcome.ADMITTED;
    if (isAdmitted) {
      admitted.merge(event.getModelId(), 1L, Long::sum);
    }
    if (visits.test(event)) {
      return;
    }
    events++;
    if (!isAdmitted && event.getOutcome() != Outcome.GRANTED) {
      refusals.merge(RefusedReport.of(event), 1L, Long::sum);
    }
    undisclosed += event.getSpent().getUndisclosed();
    // Totals only grow, so the maximum over all events is the largest total of a person.
    mostPerModel.merge(event.getModelId(), MaxSpend.of(event.getModelTotals()), MaxSpend::max);
    mostPerPerson = mostPerPerson.max(MaxSpend.of(event.getUserTotals()));
  }
}
