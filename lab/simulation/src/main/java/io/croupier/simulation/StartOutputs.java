package io.croupier.simulation;

import io.croupier.operators.flink.restart.CommittedProgress;
import io.croupier.operators.flink.restart.ProgressRecord;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Topics;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import io.croupier.simulation.SimulatedLog.Transaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What one subtask reads of the outputs at its start, as {@code KafkaVisibleOutputs} does. A read
 * that has to wait for open transactions throws {@link WaitException}, and the start is tried again
 * later: with the same ends.
 */
class StartOutputs implements VisibleOutputs {
  private static final long serialVersionUID = 1;

  /** The start waits for a transaction. */
  static final class WaitException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final transient SimulatedLog log;
  private final Topics topics;
  private final transient Predicate<String> ownIds;
  private final transient Consumer<Runnable> background;
  private final Map<String, TopicEnd> ends = new HashMap<>();
  private transient Predicate<ProgressRecord> listed;
  private transient List<Transaction> found;
  private transient List<Transaction> leftOpen;

  /** Creates what a subtask of an attempt reads. */
  StartOutputs(SimulatedJob job) {
    log = job.world().log();
    topics = World.TOPICS;
    ownIds = World::isOwnId;
    background = job.world()::later;
    ends.putAll(job.submittedEnds());
  }

  /** The end of a topic now. */
  static TopicEnd end(SimulatedLog log, String topic) {
    return new TopicEnd(
        log.creations(topic),
        topic.hashCode(),
        log.partitions(topic).stream().map(Partition::end).toList());
  }

  /** Whether what the start reads first is not open any more. */
  final boolean isReady() {
    TopicEnd end = ends.get(topics.progress());
    return end == null || log.partition(topics.progress(), 0).stableEnd() >= end.offsets().get(0);
  }

  /**
   * Looks for transactions that no sink ends, after the start has waited for long; ends those that
   * it has found before. Returns whether it has ended any.
   */
  final boolean lookForLingering() {
    if (listed == null) {
      return false;
    }
    if (found == null) {
      found = unlisted();
      return false;
    }
    List<Transaction> left = unlisted();
    left.retainAll(found);
    left.forEach(log::fence);
    found = null;
    return !left.isEmpty();
  }

  private List<Transaction> unlisted() {
    Partition progress = log.partition(topics.progress(), 0);
    long end = ends.get(topics.progress()).offsets().get(0);
    List<Transaction> unlisted = new ArrayList<>();
    for (Transaction transaction : log.open()) {
      long first = transaction.first(progress).orElse(Long.MAX_VALUE);
      if (first < end && ownIds.test(transaction.name()) && !isListed(progress, first)) {
        unlisted.add(transaction);
      }
    }
    return unlisted;
  }

  private boolean isListed(Partition progress, long first) {
    Entry entry = progress.uncommitted(first).get(0);
    return listed.test(read(entry));
  }

  private static ProgressRecord read(Entry entry) {
    try {
      return ProgressRecord.read(entry.key(), entry.value());
    } catch (IOException e) {
      throw new AssertionError("Only the job writes there", e);
    }
  }

  @Override
  public CommittedProgress progress(Predicate<ProgressRecord> inState) {
    listed = inState;
    TopicEnd end = ends.computeIfAbsent(topics.progress(), topic -> end(log, topic));
    if (!isReady()) {
      throw new WaitException();
    }
    CommittedProgress committed = new CommittedProgress(end);
    for (Entry entry : visible(log.partition(topics.progress(), 0), end.offsets().get(0))) {
      committed.add(read(entry), 0, entry.offset());
    }
    return committed;
  }

  /** The records of progress that the start sees. */
  List<Entry> visible(Partition progress, long end) {
    return progress.committed(0, end);
  }

  @Override
  public void accounting(TopicEnd since, long sinceMs, Predicate<AccountingEvent> more)
      throws IOException {
    for (Entry entry : section(topics.accounting(), since, sinceMs)) {
      if (entry.value() != null && !more.test(AccountingEvents.read(entry.key(), entry.value()))) {
        return;
      }
    }
  }

  private List<Entry> section(String topic, TopicEnd since, long sinceMs) {
    TopicEnd until = ends.get(topic);
    List<Entry> section = new ArrayList<>();
    for (Partition partition : log.partitions(topic)) {
      long end = until.offsets().get(partition.index());
      if (partition.stableEnd() < end) {
        throw new WaitException();
      }
      boolean isKnown = since.isOfSameTopic(until) && partition.index() < since.offsets().size();
      for (Entry entry :
          partition.committed(isKnown ? since.offsets().get(partition.index()) : 0, end)) {
        if (isKnown || entry.atMs() >= sinceMs) {
          section.add(entry);
        }
      }
    }
    return section;
  }

  @Override
  public Map<String, PublishedRound> rounds(long sinceMs) throws IOException {
    Map<String, PublishedRound> rounds = new HashMap<>();
    for (Entry entry : section(topics.updates(), TopicEnd.UNKNOWN, sinceMs)) {
      if (entry.value() != null) {
        ModelUpdate update = ModelUpdate.parseFrom(entry.value());
        rounds.merge(
            update.getModelId(),
            new PublishedRound(update.getModelId(), update.getRound(), update.getPublishedAtMs()),
            (a, b) -> b.round() >= a.round() ? b : a);
      }
    }
    return rounds;
  }

  @Override
  public Map<String, ModelUpdate> updates(Predicate<String> models) throws IOException {
    Map<String, ModelUpdate> updates = new HashMap<>();
    for (Entry entry : section(topics.updates(), TopicEnd.UNKNOWN, ALL)) {
      String modelId = World.text(entry.key());
      if (models.test(modelId)) {
        if (entry.value() == null) {
          updates.remove(modelId);
        } else {
          updates.put(modelId, ModelUpdate.parseFrom(entry.value()));
        }
      }
    }
    return updates;
  }

  @Override
  public LeftOpen leftOpen() {
    if (leftOpen == null) {
      leftOpen = unrecorded();
    }
    return () ->
        background.accept(
            () -> {
              List<Transaction> left = unrecorded();
              left.retainAll(leftOpen);
              left.forEach(log::fence);
            });
  }

  /** The open transactions that have no record of progress. */
  List<Transaction> unrecorded() {
    Partition progress = log.partition(topics.progress(), 0);
    List<Transaction> open = new ArrayList<>(log.open());
    open.removeIf(
        transaction -> !ownIds.test(transaction.name()) || transaction.first(progress).isPresent());
    return open;
  }

  @Override
  public List<SourceRange> sources() {
    List<SourceRange> sources = new ArrayList<>();
    for (String topic : List.of(topics.gradients(), topics.rawGradients(), topics.erasures())) {
      TopicEnd end = end(log, topic);
      TopicEnd beginning =
          new TopicEnd(
              end.idHigh(),
              end.idLow(),
              log.partitions(topic).stream().map(this::beginning).toList());
      sources.add(new SourceRange(topic, beginning, end));
    }
    return sources;
  }

  /** The offset of the first record that a topic still has. */
  long beginning(Partition partition) {
    return partition.first();
  }

  @Override
  public Readers readers(int share, int shares) {
    return NoReaders.INSTANCE;
  }

  /** No one looks at the metric of readers. */
  private enum NoReaders implements Readers {
    INSTANCE;

    @Override
    public void lookUp() {}

    @Override
    public long heldMs() {
      return 0;
    }

    @Override
    public long unreadPartitions() {
      return 0;
    }

    @Override
    public void close() {}
  }

  @Override
  public String accountingTopic() {
    return topics.accounting();
  }

  @Override
  public String updatesTopic() {
    return topics.updates();
  }

  @Override
  public String progressTopic() {
    return topics.progress();
  }
}
