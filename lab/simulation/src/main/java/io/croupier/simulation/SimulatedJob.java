package io.croupier.simulation;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.ledger.UserOfRecord;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.shuffle.RecordType;
import io.croupier.operators.flink.spend.NonceOfRecord;
import io.croupier.operators.model.RoundSum;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import io.croupier.simulation.Subtask.Barrier;
import io.croupier.simulation.Subtask.TaskState;
import io.croupier.simulation.TransactionalSink.Committable;
import io.croupier.simulation.TransactionalSink.SinkState;
import io.croupier.simulation.TransactionalSink.WriterState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;

/**
 * One attempt of the job: from a start to its failure. It has a source for each partition of its
 * inputs and one of the specs, ledgers, learners, and a coordinator of checkpoints.
 */
final class SimulatedJob {
  private static final UserOfRecord USER = new UserOfRecord();
  private static final NonceOfRecord NONCE = new NonceOfRecord();
  private static final TypeSerializer<RoundSum> SUMS =
      RecordType.ROUND_SUM.createSerializer(new SerializerConfigImpl());

  /** Vertices and their subtasks' states, and positions of the sources. */
  record Checkpoint(
      long id,
      List<TaskState> ledgers,
      List<TaskState> learners,
      List<TaskState> spends,
      List<Long> positions) {}

  /** A source: one partition, read by one subtask. */
  private static final class SourceTask {
    private final Partition partition;
    private long position;
    private boolean hasBarrier;

    private SourceTask(Partition partition, long position) {
      this.partition = partition;
      this.position = position;
    }
  }

  private final World world;
  private final Optional<Checkpoint> restored;
  private final long restoredId;
  private final long clockOffsetMs;
  private final Map<String, TopicEnd> submittedEnds;
  private final List<SourceTask> sources = new ArrayList<>();
  private final List<LedgerSubtask> ledgers = new ArrayList<>();
  private final List<LearnerSubtask> learners = new ArrayList<>();
  private final List<SpendSubtask> spends = new ArrayList<>();
  private final Map<Subtask, TaskState> acknowledged = new LinkedHashMap<>();
  private final Map<SourceTask, Long> positions = new HashMap<>();
  private final List<Map.Entry<Subtask, Long>> notifications = new ArrayList<>();

  /** The number of the source of specs: those of the ledger end with it, and it is everyone's. */
  private int specs;

  private long taking;
  private long next;

  /**
   * Creates an attempt; its subtasks start one by one.
   *
   * @param from the checkpoint that it restores; empty for a first start
   * @param clockOffsetMs how far the clock of its machines is ahead
   */
  SimulatedJob(
      World world, Optional<Checkpoint> from, int parallelism, int learnerCount, long clockOffsetMs)
      throws Exception {
    this.world = world;
    this.clockOffsetMs = clockOffsetMs;
    restored = from;
    restoredId = from.map(Checkpoint::id).orElse(0L);
    next = Math.max(restoredId, world.lastCheckpointId()) + 1;
    submittedEnds = new HashMap<>();
    for (String topic : List.of(World.TOPICS.accounting(), World.TOPICS.updates())) {
      submittedEnds.put(topic, StartOutputs.end(world.log(), topic));
    }
    for (String topic : world.sources()) {
      if (topic.equals(World.TOPICS.models())) {
        specs = sources.size();
      }
      for (Partition partition : world.log().partitions(topic)) {
        int i = sources.size();
        sources.add(new SourceTask(partition, from.map(c -> c.positions().get(i)).orElse(0L)));
      }
    }
    int spendCount = world.models().hasAnonymous() ? learnerCount : 0;
    List<TaskState> ledgerStates = from.map(Checkpoint::ledgers).orElse(List.of());
    for (int i = 0; i < parallelism; i++) {
      TaskState state = state(ledgerStates, parallelism, i, parts()::ledgerState);
      ledgers.add(new LedgerSubtask(this, i, specs + 1, parts().outputs(this), state));
    }
    List<TaskState> spendStates = from.map(Checkpoint::spends).orElse(List.of());
    for (int i = 0; i < spendCount; i++) {
      TaskState state = state(spendStates, spendCount, i, parts()::spendState);
      spends.add(new SpendSubtask(this, i, sources.size() - specs, parts().outputs(this), state));
    }
    List<TaskState> learnerStates = from.map(Checkpoint::learners).orElse(List.of());
    for (int i = 0; i < learnerCount; i++) {
      TaskState state = state(learnerStates, learnerCount, i, parts()::learnerState);
      learners.add(
          new LearnerSubtask(this, i, parallelism + 1 + spendCount, parts().outputs(this), state));
    }
    from.ifPresent(this::loseWhatIsAborted);
  }

  /**
   * What a restored state lists and the brokers have aborted is lost, in its order, whichever
   * subtask notices it first.
   */
  private void loseWhatIsAborted(Checkpoint state) {
    Stream.of(state.ledgers(), state.spends(), state.learners())
        .flatMap(List::stream)
        .flatMap(task -> task.sink().committer().stream())
        .flatMap(of -> world.log().timedOut(of.name(), of.epoch()).stream())
        .forEach(world.log()::lose);
  }

  private static TaskState state(
      List<TaskState> states, int parallelism, int i, UnaryOperator<OperatorSubtaskState> restored)
      throws Exception {
    return new TaskState(
        restored.apply(operator(states, parallelism, i)), sink(sinks(states), parallelism, i));
  }

  private static OperatorSubtaskState operator(List<TaskState> states, int parallelism, int i)
      throws Exception {
    if (states.isEmpty()) {
      return null;
    }
    OperatorSubtaskState all =
        AbstractStreamOperatorTestHarness.repackageState(
            states.stream().map(TaskState::operator).toArray(OperatorSubtaskState[]::new));
    OperatorSubtaskState share =
        AbstractStreamOperatorTestHarness.repartitionOperatorState(
            all, OperatorTask.KEY_GROUPS, states.size(), parallelism, i);
    return inOrder(share, states);
  }

  /** Flink gives a subtask the parts of list states in an order that follows from random names. */
  private static OperatorSubtaskState inOrder(OperatorSubtaskState share, List<TaskState> states) {
    List<StreamStateHandle> order =
        states.stream()
            .flatMap(state -> state.operator().getManagedOperatorState().stream())
            .map(OperatorStateHandle::getDelegateStateHandle)
            .toList();
    List<OperatorStateHandle> parts = new ArrayList<>(share.getManagedOperatorState());
    parts.sort(Comparator.comparingInt(part -> order.indexOf(part.getDelegateStateHandle())));
    return share.toBuilder().setManagedOperatorState(new StateObjectCollection<>(parts)).build();
  }

  private static List<SinkState> sinks(List<TaskState> states) {
    return states.stream().map(TaskState::sink).toList();
  }

  /** As Flink distributes a list state: in its order, in shares of the same size. */
  static SinkState sink(List<SinkState> states, int parallelism, int i) {
    if (states.size() == parallelism) {
      return states.get(i);
    }
    List<WriterState> writer = new ArrayList<>();
    List<Committable> committer = new ArrayList<>();
    states.forEach(state -> writer.addAll(state.writer()));
    states.forEach(state -> committer.addAll(state.committer()));
    return new SinkState(share(writer, parallelism, i), share(committer, parallelism, i));
  }

  /** A subtask's share of a list state. */
  static <T> List<T> share(List<T> all, int shares, int i) {
    int base = all.size() / shares;
    int longer = all.size() % shares;
    int from = i * base + Math.min(i, longer);
    return all.subList(from, from + base + (i < longer ? 1 : 0));
  }

  World world() {
    return world;
  }

  Parts parts() {
    return world.parts();
  }

  long restoredId() {
    return restoredId;
  }

  /** Where the restored state ends in a partition. */
  long restored(Partition partition) {
    return restored.map(from -> position(from, partition)).orElse(0L);
  }

  /** Where a state ends in a partition that the job reads. */
  long position(Checkpoint state, Partition partition) {
    int source = 0;
    while (sources.get(source).partition != partition) {
      source++;
    }
    return state.positions().get(source);
  }

  /** Whether the brokers have aborted events of the restored checkpoint. */
  boolean hasLostEvents() {
    return restored.stream()
        .flatMap(checkpoint -> checkpoint.ledgers().stream())
        .flatMap(state -> state.sink().committer().stream())
        .filter(committable -> committable.checkpoint() == restoredId)
        .flatMap(of -> world.log().timedOut(of.name(), of.epoch()).stream())
        .anyMatch(aborted -> aborted.isIn(of -> of.topic().equals(World.TOPICS.accounting())));
  }

  int ledgers() {
    return ledgers.size();
  }

  int learners() {
    return learners.size();
  }

  long nowMs() {
    return world.nowMs() + clockOffsetMs;
  }

  Map<String, TopicEnd> submittedEnds() {
    return submittedEnds;
  }

  int spends() {
    return spends.size();
  }

  List<Subtask> subtasks() {
    List<Subtask> all = new ArrayList<>(ledgers);
    all.addAll(spends);
    all.addAll(learners);
    return all;
  }

  List<LedgerSubtask> ledgerSubtasks() {
    return ledgers;
  }

  boolean isRunning() {
    return subtasks().stream().allMatch(Subtask::isRunning);
  }

  int sources() {
    return sources.size();
  }

  /** Whether a source has something to read, or a barrier to emit. */
  boolean hasWork(int source) {
    SourceTask of = sources.get(source);
    return of.hasBarrier || of.position < of.partition.end();
  }

  /** Lets a source read some records, or emit its barrier. */
  String read(int source, int most, boolean prefersBarrier) {
    SourceTask of = sources.get(source);
    if (of.hasBarrier && (prefersBarrier || of.position >= of.partition.end())) {
      of.hasBarrier = false;
      positions.put(of, of.position);
      Barrier barrier = new Barrier(taking);
      broadcast(source, barrier);
      if (isSpecs(of)) {
        learners.forEach(learner -> learner.edge(ledgers.size()).send(barrier));
      }
      completeIfAll();
      return of.partition + " emits barrier " + barrier.checkpoint();
    }
    List<Entry> entries = of.partition.committed(of.position);
    int count = Math.min(most, entries.size());
    for (Entry entry : entries.subList(0, count)) {
      send(source, of, entry);
    }
    of.position = count < entries.size() ? entries.get(count).offset() : of.partition.end();
    return of.partition + " reads " + count + " to " + of.position;
  }

  private static boolean isSpecs(SourceTask source) {
    return source.partition.topic().equals(World.TOPICS.models());
  }

  private void send(int source, SourceTask of, Entry entry) {
    String topic = of.partition.topic();
    if (TopicLayout.FOLLOWED.contains(topic)) {
      SpecRecord record = World.spec(topic, entry);
      broadcast(source, record);
      if (isSpecs(of)) {
        learners.get(subtask(record.modelId, learners.size())).edge(ledgers.size()).send(record);
      }
      return;
    }
    RawRecord raw = new RawRecord();
    raw.topic = topic;
    raw.partition = of.partition.index();
    raw.offset = entry.offset();
    raw.appendedAtMs = entry.atMs();
    raw.key = entry.key();
    raw.value = entry.value();
    if (source <= specs) {
      ledgers.get(subtask(USER.getKey(raw), ledgers.size())).edge(source).send(raw);
    } else {
      spends.get(subtask(NONCE.getKey(raw), spends.size())).edge(source - specs).send(raw);
    }
  }

  /** Sends something to all subtasks, of ledger or spend or both, that read a source. */
  private void broadcast(int source, Object element) {
    if (source <= specs) {
      ledgers.forEach(ledger -> ledger.edge(source).send(element));
    }
    if (source >= specs) {
      spends.forEach(spend -> spend.edge(source - specs).send(element));
    }
  }

  private static int subtask(String key, int parallelism) {
    return KeyGroupRangeAssignment.assignKeyToParallelOperator(
        key, OperatorTask.KEY_GROUPS, parallelism);
  }

  /** Sends the sum of admitted reports to the learner of its model. */
  void toLearner(int edge, RoundSum sum) {
    Subtask learner = learners.get(subtask(sum.modelId, learners.size()));
    parts().onEdge(SUMS.copy(sum)).forEach(learner.edge(edge)::send);
  }

  void toLearners(int edge, Barrier barrier) {
    learners.forEach(learner -> learner.edge(edge).send(barrier));
  }

  /** Writes an output of a subtask in its sink's transaction. */
  void write(TransactionalSink sink, OutboundRecord record) {
    sink.write(world.partition(record), record.key, record.value, world.nowMs());
  }

  /** Begins a checkpoint, if all subtasks run and none is under way. */
  Optional<Long> trigger() {
    if (taking != 0 || !isRunning()) {
      return Optional.empty();
    }
    taking = next++;
    world.tookCheckpoint(taking);
    sources.forEach(source -> source.hasBarrier = true);
    return Optional.of(taking);
  }

  boolean isTaking(long checkpoint) {
    return taking == checkpoint;
  }

  long taking() {
    return taking;
  }

  /** Acknowledges the part of a subtask; its state is written. */
  void acknowledge(Subtask subtask) {
    subtask.unacknowledged().ifPresent(state -> acknowledged.put(subtask, state));
    subtask.acknowledged();
    completeIfAll();
  }

  private void completeIfAll() {
    if (positions.size() < sources.size() || acknowledged.size() < subtasks().size()) {
      return;
    }
    Checkpoint complete =
        new Checkpoint(
            taking,
            ledgers.stream().map(this::state).toList(),
            learners.stream().map(this::state).toList(),
            spends.stream().map(this::state).toList(),
            sources.stream()
                .map(source -> parts().position(positions.get(source), source.position))
                .toList());
    subtasks().forEach(subtask -> notifications.add(Map.entry(subtask, complete.id())));
    forget();
    world.completed(complete);
  }

  private TaskState state(Subtask subtask) {
    return acknowledged.get(subtask);
  }

  /** Ends a checkpoint that fails: later barriers of it are ignored. */
  void failCheckpoint() {
    forget();
  }

  private void forget() {
    taking = 0;
    acknowledged.clear();
    positions.clear();
    sources.forEach(source -> source.hasBarrier = false);
    subtasks()
        .forEach(
            subtask -> {
              subtask.unblock();
              subtask.acknowledged();
            });
  }

  int notifications() {
    return notifications.size();
  }

  /** Notifies a subtask that a checkpoint is complete. */
  String deliver(int notification) throws Exception {
    Map.Entry<Subtask, Long> next = notifications.remove(notification);
    next.getKey().complete(next.getValue());
    return next.getKey().name() + " commits checkpoint " + next.getValue();
  }

  /** The sink of a paused process commits, although another attempt runs. */
  String deliverToSink(int notification) {
    Map.Entry<Subtask, Long> late = notifications.remove(notification);
    late.getKey().commitUpTo(late.getValue());
    return late.getKey().name() + " commits checkpoint " + late.getValue();
  }

  /** Ends all subtasks. */
  void end(boolean isKilled) throws Exception {
    for (Subtask subtask : subtasks()) {
      subtask.end(isKilled);
    }
  }
}
