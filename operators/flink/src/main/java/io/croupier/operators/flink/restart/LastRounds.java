package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LearnerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.restart.ProgressRecord.OfSubtask;
import io.croupier.operators.flink.restart.ProgressRecord.ProgressWriter;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last round of each model of one learner subtask, including retired models: no later model of
 * the same name may publish a round that clients have seen. Each publication also writes its round
 * to the progress topic, with which a start compares the restored rounds.
 */
public final class LastRounds {
  private static final Logger LOG = LoggerFactory.getLogger(LastRounds.class);

  /**
   * The largest clock difference at which this class still detects an older state of release 0.2.0,
   * which is compared with updates: they are large, so they are read from a short time only.
   */
  private static final long CLOCK_SKEW_MS = 10_000;

  private final int subtask;
  private final long generation = ProgressRecord.newGeneration();
  private final TopicEnd progressEnd;
  private final Map<String, Long> rounds;

  /** The newest visible round of each model since {@link #sinceMs}. */
  private final Map<String, PublishedRound> visible;

  /** Milliseconds since 1970; updates published before are assumed to be visible. */
  private final long sinceMs;

  /** The last update of each model whose state is lost. */
  private final Map<String, ModelUpdate> updates;

  /** Rounds above those on the progress topic. */
  private final Map<String, PublishedRound> unrecorded = new HashMap<>();

  private long records;
  private boolean isRecording;

  private LastRounds(
      TaskInfo task,
      CommittedProgress committed,
      Map<String, Long> rounds,
      Map<String, PublishedRound> visible,
      Map<String, ModelUpdate> updates,
      long sinceMs) {
    subtask = task.getIndexOfThisSubtask();
    progressEnd = committed.end();
    this.rounds = rounds;
    this.visible = visible;
    this.updates = updates;
    this.sinceMs = sinceMs;
    rounds.forEach(
        (modelId, round) -> {
          PublishedRound recorded = committed.rounds().get(modelId);
          if (recorded == null || recorded.round() < round) {
            unrecorded.put(modelId, new PublishedRound(modelId, round, 0));
          }
        });
  }

  /**
   * Reads the last rounds from marks, and compares them with the visible ones; without marks, reads
   * the visible ones.
   *
   * @param restored whether there is state
   * @param start if the ledger was rebuilt, the last updates are read, too
   * @param marks of all subtasks; empty without state, and if the state was written by a release
   *     without marks
   * @throws RefusedStartException if a later round is visible
   */
  public static LastRounds start(
      boolean restored, JobStart start, List<LearnerMark> marks, TaskInfo task) throws IOException {
    VisibleOutputs outputs = start.outputs();
    CommittedProgress committed =
        outputs.progress(
            ProgressRecord.listed(
                ProgressWriter.LEARNER,
                record ->
                    marks.stream()
                        .anyMatch(
                            mark -> record.isWithin(mark.subtask, mark.generation, mark.records))));
    Map<String, PublishedRound> visible = new HashMap<>(committed.rounds());
    Map<String, Long> rounds = new HashMap<>();
    // Also after a failure: a checkpoint may have been complete before the specs came.
    Map<String, ModelUpdate> updates =
        start.ledger() == LedgerStart.REBUILT
            ? outputs.updates(modelId -> isOwn(modelId, task))
            : new HashMap<>();
    long sinceMs = VisibleOutputs.ALL;
    if (marks.isEmpty()) {
      if (restored) {
        LOG.warn(
            "The restored state contains no last rounds of models, so it is not compared with the"
                + " topic {}. Unless its ledger was rebuilt, make sure that it is the newest"
                + " savepoint or checkpoint",
            outputs.progressTopic());
      }
      // Otherwise the next restore would attribute these rounds to another job.
      (visible.isEmpty() ? outputs.rounds(VisibleOutputs.ALL) : visible)
          .forEach((modelId, update) -> raise(rounds, modelId, update.round()));
      visible = Map.of();
      sinceMs = Long.MAX_VALUE;
    } else if (!marks.stream().allMatch(mark -> isOf(mark, committed.end()))) {
      long taken = marks.stream().mapToLong(mark -> mark.takenMs).min().orElseThrow();
      sinceMs = Math.max(VisibleOutputs.ALL, taken - CLOCK_SKEW_MS);
      visible = newer(visible, outputs.rounds(sinceMs));
    }
    for (LearnerMark mark : marks) {
      for (int i = 0; i < mark.modelIds.length; i++) {
        raise(rounds, mark.modelIds[i], mark.rounds[i]);
      }
    }
    rounds.keySet().removeIf(modelId -> !isOwn(modelId, task));
    Map<String, PublishedRound> own = new HashMap<>(visible);
    own.keySet().removeIf(modelId -> !isOwn(modelId, task));
    own.values()
        .forEach(
            update ->
                check(update, rounds.getOrDefault(update.modelId(), -1L), outputs.updatesTopic()));
    return new LastRounds(task, committed, rounds, own, updates, sinceMs);
  }

  private static boolean isOf(LearnerMark mark, TopicEnd progressEnd) {
    return TopicEnd.of(mark.progressIdHigh, mark.progressIdLow, new long[0])
        .isOfSameTopic(progressEnd);
  }

  private static Map<String, PublishedRound> newer(
      Map<String, PublishedRound> recorded, Map<String, PublishedRound> published) {
    Map<String, PublishedRound> newer = new HashMap<>(recorded);
    published.forEach(
        (modelId, update) ->
            newer.merge(modelId, update, (a, b) -> b.round() >= a.round() ? b : a));
    return newer;
  }

  /** Returns whether a subtask has a model. */
  public static boolean isOwn(String modelId, TaskInfo task) {
    return KeyGroupRangeAssignment.assignKeyToParallelOperator(
            modelId, task.getMaxNumberOfParallelSubtasks(), task.getNumberOfParallelSubtasks())
        == task.getIndexOfThisSubtask();
  }

  private static void check(PublishedRound update, long known, String topic) {
    if (update.round() > known) {
      throw new RefusedStartException(
          ("The restored state is older than the published updates: the updates topic %s contains"
                  + " round %d of model %s, and the state ends at round %d. Either it comes from an"
                  + " older savepoint or checkpoint, or another job has continued from the same one."
                  + " Restore the newest one; if it is lost, start without state and with"
                  + " --rebuild-ledger")
              .formatted(topic, update.round(), update.modelId(), known));
    }
  }

  /** Returns the first round of a model without state: 0, or one above its last round. */
  public long first(String modelId) {
    return rounds.getOrDefault(modelId, -1L) + 1;
  }

  /**
   * Returns the update from which a model without state continues: its last one, if the ledger was
   * rebuilt. Empty if the model was retired, or had none, and at further calls: it may be large.
   */
  public Optional<ModelUpdate> update(String modelId) {
    return Optional.ofNullable(updates.remove(modelId))
        .filter(update -> update.getRound() + 1 == first(modelId));
  }

  /** Returns the models that have a last round, in the order of their names. */
  public Set<String> modelIds() {
    return new TreeSet<>(rounds.keySet());
  }

  /**
   * Returns whether a model's last round, published at the given time, is not visible because the
   * brokers have ended its transaction.
   */
  public boolean isLost(String modelId, long publishedAtMs) {
    PublishedRound seen = visible.get(modelId);
    return publishedAtMs >= sinceMs && (seen == null || seen.round() < rounds.get(modelId));
  }

  /**
   * Requires that a central model's last round, if it is visible, was published by this state's
   * job: two jobs that continue from one state reach the same round numbers.
   *
   * @param publishedAtMs when the last round of the state was published
   * @throws RefusedStartException if another job published the visible round
   */
  public void requireOwn(String modelId, long publishedAtMs) {
    PublishedRound seen = visible.get(modelId);
    if (seen != null
        && seen.round() == rounds.get(modelId)
        && seen.atMs() != 0
        && seen.atMs() != publishedAtMs) {
      throw new RefusedStartException(
          ("Another job has continued from the same state: round %d of central model %s is"
                  + " visible with other noise than in this state. Only that job may continue")
              .formatted(seen.round(), modelId));
    }
  }

  /** Writes the rounds that the progress topic lacks. */
  public void recordRestored(Consumer<OutboundRecord> out) {
    unrecorded.values().forEach(round -> out.accept(round.write()));
    unrecorded.clear();
  }

  /**
   * Returns the record that must precede the first record of progress before a barrier: the next
   * start finds by it which transaction they are in. Empty if it was returned already since {@link
   * #barrier}.
   */
  public Optional<OutboundRecord> ofSubtask() {
    if (isRecording) {
      return Optional.empty();
    }
    isRecording = true;
    records++;
    return Optional.of(
        new OfSubtask(ProgressWriter.LEARNER, subtask, generation, records, new SourcePositions())
            .write());
  }

  /** Records that the next records belong to another transaction. */
  public void barrier() {
    isRecording = false;
  }

  /** Records a model's last round. */
  public void raise(String modelId, long round) {
    raise(rounds, modelId, round);
  }

  private static void raise(Map<String, Long> rounds, String modelId, long round) {
    rounds.merge(modelId, round, Math::max);
  }

  /** Returns the mark to store at a checkpoint. */
  public LearnerMark mark(long nowMs) {
    LearnerMark mark = new LearnerMark();
    mark.takenMs = nowMs;
    mark.subtask = subtask;
    mark.generation = generation;
    mark.records = records;
    mark.progressIdHigh = progressEnd.idHigh();
    mark.progressIdLow = progressEnd.idLow();
    mark.modelIds = rounds.keySet().toArray(String[]::new);
    mark.rounds = rounds.values().stream().mapToLong(Long::longValue).toArray();
    return mark;
  }
}
