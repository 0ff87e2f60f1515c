package io.croupier.simulation;

import io.croupier.simulation.SimulatedLog.FencedException;
import io.croupier.simulation.SimulatedLog.Partition;
import io.croupier.simulation.SimulatedLog.Producer;
import io.croupier.simulation.SimulatedLog.Transaction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One subtask of Flink's Kafka sink with pooled transactional ids: the writer and the committer,
 * with the same protocol. A writer has one transaction for each checkpoint. Before the barrier it
 * passes the transaction to the committer, and takes a free id for the next one; state contains the
 * ids that are pre-committed, and the committables. The committer commits when the checkpoint is
 * complete, and at a restore. A writer that starts aborts the open transactions of the ids that it
 * owns, other than those that its state lists.
 */
class TransactionalSink {
  /** What the committer is to commit. */
  record Committable(long checkpoint, String name, long epoch) {}

  /** An id in use, in the order in which the pool frees them. */
  private record Used(long checkpoint, String name) implements Comparable<Used> {
    @Override
    public int compareTo(Used other) {
      int byCheckpoint = Long.compare(checkpoint, other.checkpoint);
      return byCheckpoint != 0 ? byCheckpoint : name.compareTo(other.name);
    }
  }

  /**
   * The state of a writer: one for each subtask whose ids it owns.
   *
   * @param owned the subtask
   * @param total of how many subtasks
   */
  record WriterState(int owned, int total, Map<String, Long> precommitted) {}

  /** The state of both. */
  record SinkState(List<WriterState> writer, List<Committable> committer) {
    static final SinkState NONE = new SinkState(List.of(), List.of());
  }

  private final SimulatedLog log;
  private final String prefix;
  private final int[] owned;
  private final int total;
  private final TreeSet<Used> used = new TreeSet<>();
  private final Map<String, Used> byName = new HashMap<>();
  private final Deque<String> finished = new ArrayDeque<>();
  private final TreeMap<Long, List<Committable>> committables = new TreeMap<>();
  private Producer current;
  private boolean hasRecords;
  private int lost;

  /**
   * Creates a subtask's sink, from what its state contains.
   *
   * @param prefix of its ids, without the hyphen
   */
  TransactionalSink(
      SimulatedLog log, String prefix, int subtask, int parallelism, SinkState restored) {
    this.log = log;
    this.prefix = prefix;
    List<WriterState> writer = restored.writer();
    owned =
        writer.isEmpty()
            ? new int[] {subtask}
            : writer.stream().mapToInt(WriterState::owned).sorted().toArray();
    total = writer.isEmpty() ? parallelism : Math.max(writer.get(0).total(), parallelism);
    for (WriterState state : writer) {
      state.precommitted().forEach((name, checkpoint) -> use(new Used(checkpoint, name)));
    }
    for (Committable committable : restored.committer()) {
      committables
          .computeIfAbsent(committable.checkpoint(), unused -> new ArrayList<>())
          .add(committable);
    }
  }

  private void use(Used id) {
    used.add(id);
    byName.put(id.name(), id);
  }

  /**
   * Starts: the committer commits what the state lists, and the writer aborts what it doesn't.
   *
   * @param checkpoint the restored one; 0 without state
   */
  void start(long checkpoint) {
    Set<String> listed = Set.copyOf(byName.keySet());
    commitUpTo(checkpoint);
    abortLingering(listed);
    begin(checkpoint + 1);
  }

  /** Aborts the open transactions that this writer owns, and its state doesn't list. */
  void abortLingering(Set<String> listed) {
    for (Transaction transaction : log.open()) {
      String name = transaction.name();
      if (name.startsWith(prefix + "-") && owns(name) && !listed.contains(name)) {
        log.fence(transaction);
      }
    }
  }

  private boolean owns(String name) {
    String subtaskAndOffset = name.substring(prefix.length() + 1);
    String ofSubtask = subtaskAndOffset.substring(0, subtaskAndOffset.indexOf('-'));
    int subtask = Integer.parseInt(ofSubtask) % total;
    for (int each : owned) {
      if (each == subtask) {
        return true;
      }
    }
    return false;
  }

  private void begin(long checkpoint) {
    int offset = 0;
    while (byName.containsKey(name(offset))) {
      offset++;
    }
    use(new Used(checkpoint, name(offset)));
    current = log.takeId(name(offset));
    hasRecords = false;
  }

  private String name(int offset) {
    return prefix + "-" + owned[0] + "-" + offset;
  }

  /** Writes a record in the current transaction. */
  void write(Partition partition, byte[] key, byte[] value, long nowMs) {
    log.append(current, partition, key, value, nowMs);
    hasRecords = true;
  }

  /** Passes the transaction to the committer, right before a barrier. */
  void preCommit(long checkpoint) {
    if (hasRecords) {
      committables
          .computeIfAbsent(checkpoint, unused -> new ArrayList<>())
          .add(new Committable(checkpoint, current.name(), current.epoch()));
    } else {
      free(current.name());
    }
  }

  private void free(String name) {
    Used id = byName.remove(name);
    if (id != null) {
      used.remove(id);
    }
  }

  /** Returns the state at a checkpoint, and begins the next transaction. */
  SinkState snapshot(long checkpoint) {
    while (!finished.isEmpty()) {
      Used done = byName.get(finished.peek());
      free(finished.remove());
      if (done != null) {
        // The pool frees the ids of earlier checkpoints with it.
        Collection<Used> earlier = new ArrayList<>(used.headSet(done));
        earlier.forEach(id -> free(id.name()));
      }
    }
    Map<String, Long> precommitted = new TreeMap<>();
    used.forEach(id -> precommitted.put(id.name(), id.checkpoint()));
    begin(checkpoint + 1);
    List<WriterState> states = new ArrayList<>();
    for (int i = 0; i < owned.length; i++) {
      states.add(new WriterState(owned[i], total, i == 0 ? precommitted : Map.of()));
    }
    List<Committable> pending = new ArrayList<>();
    committables.values().forEach(pending::addAll);
    return new SinkState(states, pending);
  }

  /** Commits the transactions of a complete checkpoint, and of those before. */
  void commitUpTo(long checkpoint) {
    Map<Long, List<Committable>> due = committables.headMap(checkpoint, true);
    due.values().stream().flatMap(Collection::stream).forEach(this::commit);
    due.clear();
  }

  private void commit(Committable committable) {
    try {
      log.commit(committable.name(), committable.epoch());
    } catch (FencedException e) {
      // The connector logs it, and counts the committable as failed.
      lost++;
      log.timedOut(committable.name(), committable.epoch()).ifPresent(log::lose);
    }
    finished.add(committable.name());
  }

  /** How many transactions couldn't be committed. */
  final int lost() {
    return lost;
  }

  /** Ends as a task that Flink cancels: aborts the transaction that no barrier has passed. */
  void cancel() {
    if (hasRecords) {
      try {
        log.abort(current.name(), current.epoch());
      } catch (FencedException e) {
        // A later producer has the id.
        hasRecords = false;
      }
    }
  }
}
