package io.croupier.simulation;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.simulation.TransactionalSink.SinkState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;

/**
 * A subtask of the ledger's or the learner's vertex: its operators, its sink, and the edges into
 * it. It aligns barriers: an edge whose barrier has arrived waits for the others.
 */
abstract class Subtask {
  /** A barrier on an edge. */
  record Barrier(long checkpoint) {}

  /** What a subtask contributes to a checkpoint. */
  record TaskState(OperatorSubtaskState operator, SinkState sink) {}

  /** An edge into the subtask: what has left the upstream subtask and not arrived. */
  static final class Edge {
    private final Deque<Object> waiting = new ArrayDeque<>();
    private boolean hasBarrier;
    private boolean isBlocked;

    void send(Object element) {
      waiting.add(element);
    }
  }

  final SimulatedJob job;
  final int index;
  final StartOutputs outputs;
  private final List<Edge> edges = new ArrayList<>();
  private final TaskState restored;
  private OperatorTask<?> main;
  private TransactionalSink sink;
  private boolean isRunning;
  private long waitsSinceMs = -1;
  private Optional<TaskState> unacknowledged = Optional.empty();

  /**
   * Creates a subtask, which doesn't run yet.
   *
   * @param restored its state; its operator is null without state
   */
  Subtask(SimulatedJob job, int index, int edges, StartOutputs outputs, TaskState restored) {
    this.job = job;
    this.index = index;
    this.outputs = outputs;
    this.restored = restored;
    for (int i = 0; i < edges; i++) {
      this.edges.add(new Edge());
    }
  }

  final Edge edge(int i) {
    return edges.get(i);
  }

  final boolean isRunning() {
    return isRunning;
  }

  abstract String name();

  /** How many subtasks the vertex has. */
  abstract int parallelism();

  /** The prefix of its sink's transactional ids, without the hyphen. */
  abstract String transactions();

  /** Creates the operator that has state. */
  abstract OperatorTask<?> create() throws Exception;

  /** Opens what follows it. */
  abstract void opened() throws Exception;

  /** Passes on what the operators have emitted. */
  abstract void drain() throws Exception;

  /** Emits what those that follow the operator hold back. */
  abstract void beforeBarrier(long checkpoint) throws Exception;

  /** Passes the barrier on. */
  abstract void emitBarrier(Barrier barrier);

  /** Lets timers fire. */
  void tick() throws Exception {
    main.setProcessingTime(job.nowMs());
  }

  /** Ends what follows the operator. */
  abstract void close() throws Exception;

  /** Opens the operators; throws {@link StartOutputs.WaitException} if the start has to wait. */
  private void open() throws Exception {
    OperatorTask<?> next = create();
    next.start(restored.operator(), job.nowMs());
    main = next;
    opened();
  }

  /** Takes an element that is no barrier. */
  void take(Object element) throws Exception {
    tick();
    if (element instanceof SpecRecord) {
      main.processSecond(element);
    } else {
      main.processFirst(element);
    }
    drain();
  }

  /** Starts the sink, or then the operators. */
  final String start() throws Exception {
    if (sink == null) {
      sink =
          job.parts()
              .sink(job.world().log(), transactions(), index, parallelism(), restored.sink());
      sink.start(job.restoredId());
      return "its sink";
    }
    if (!outputs.isReady()) {
      return waitFor();
    }
    try {
      open();
    } catch (StartOutputs.WaitException e) {
      return waitFor();
    }
    isRunning = true;
    return "";
  }

  private String waitFor() throws Exception {
    long now = job.world().nowMs();
    if (waitsSinceMs < 0) {
      waitsSinceMs = now;
      // Until then it isn't known which transactions the state lists.
      try {
        open();
      } catch (StartOutputs.WaitException e) {
        return "waits for open transactions";
      }
      isRunning = true;
      return "";
    }
    if (now - waitsSinceMs < World.PATIENCE_MS) {
      return "waits";
    }
    waitsSinceMs = now;
    return outputs.lookForLingering() ? "ends transactions that linger" : "looks for transactions";
  }

  /** The edges from which an element could be taken. */
  final List<Integer> ready() {
    List<Integer> ready = new ArrayList<>();
    for (int i = 0; i < edges.size(); i++) {
      if (!edges.get(i).isBlocked && !edges.get(i).waiting.isEmpty()) {
        ready.add(i);
      }
    }
    return ready;
  }

  /** Takes the next element of an edge; returns what it was. */
  final String takeFrom(int edge) throws Exception {
    Object next = edges.get(edge).waiting.remove();
    if (next instanceof Barrier barrier) {
      if (!job.isTaking(barrier.checkpoint())) {
        return "a barrier that is too late";
      }
      Edge of = edges.get(edge);
      of.hasBarrier = true;
      of.isBlocked = job.parts().aligns();
      if (edges.stream().allMatch(each -> each.hasBarrier)) {
        checkpoint(barrier);
        return "the last barrier";
      }
      return "a barrier";
    }
    take(next);
    return "";
  }

  /** Takes the barriers that are next on their edges. */
  final String takeBarriers() throws Exception {
    String last = "";
    for (int i : ready()) {
      if (ready().contains(i) && edges.get(i).waiting.peek() instanceof Barrier) {
        last = ", " + takeFrom(i);
      }
    }
    return last;
  }

  private void checkpoint(Barrier barrier) throws Exception {
    long id = barrier.checkpoint();
    tick();
    main.prepareSnapshotPreBarrier(id);
    drain();
    beforeBarrier(id);
    sink.preCommit(id);
    emitBarrier(barrier);
    unacknowledged = Optional.of(new TaskState(main.snapshot(id, job.nowMs()), sink.snapshot(id)));
    unblock();
  }

  /** Ends an alignment. */
  final void unblock() {
    for (Edge edge : edges) {
      edge.hasBarrier = false;
      edge.isBlocked = false;
    }
  }

  /** What has to be acknowledged, once the state is written. */
  final Optional<TaskState> unacknowledged() {
    return unacknowledged;
  }

  final void acknowledged() {
    unacknowledged = Optional.empty();
  }

  /** Hears that a checkpoint is complete. */
  final void complete(long checkpoint) throws Exception {
    main.notifyOfCompletedCheckpoint(checkpoint);
    sink.commitUpTo(checkpoint);
  }

  final void commitUpTo(long checkpoint) {
    sink.commitUpTo(checkpoint);
  }

  final void write(List<OutboundRecord> records) {
    records.forEach(record -> job.write(sink, record));
  }

  /**
   * Ends the subtask.
   *
   * @param isKilled whether its process ends, so that its transaction stays open
   */
  final void end(boolean isKilled) throws Exception {
    if (sink != null && !isKilled) {
      sink.cancel();
    }
    if (main != null) {
      main.close();
      close();
    }
  }

  final int lost() {
    return sink == null ? 0 : sink.lost();
  }
}
