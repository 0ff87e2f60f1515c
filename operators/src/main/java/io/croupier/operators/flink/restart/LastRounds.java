package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LearnerMark;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last round of each model of one learner subtask, including retired models: no later model of
 * the same name may publish a round that clients have seen.
 */
public final class LastRounds {
  private static final Logger LOG = LoggerFactory.getLogger(LastRounds.class);

  /**
   * The largest clock difference at which this class still detects an older state. Updates are
   * large, so they are read from a short time only; the ledger, whose events are small, reads much
   * further back.
   */
  private static final long CLOCK_SKEW_MS = 10_000;

  private final Map<String, Long> rounds;

  /** The newest visible update of each model since {@link #sinceMs}. */
  private final Map<String, PublishedRound> visible;

  /** Milliseconds since 1970; updates published before are assumed to be visible. */
  private final long sinceMs;

  private LastRounds(Map<String, Long> rounds, Map<String, PublishedRound> visible, long sinceMs) {
    this.rounds = rounds;
    this.visible = visible;
    this.sinceMs = sinceMs;
  }

  /** Without marks: reads the last rounds from what is still visible on the updates topic. */
  public static LastRounds visible(VisibleOutputs outputs, StreamingRuntimeContext context)
      throws IOException {
    Map<String, Long> rounds = new HashMap<>();
    outputs
        .rounds(VisibleOutputs.ALL, context)
        .forEach((modelId, update) -> raise(rounds, modelId, update.round()));
    return ofSubtask(rounds, Map.of(), Long.MAX_VALUE, context.getTaskInfo());
  }

  /**
   * With marks: reads the last rounds from them, and compares them with what is visible.
   *
   * @param marks of all subtasks; empty if the state was written by a release without marks
   * @throws RefusedStartException if a later round is visible
   */
  public static LastRounds restored(
      List<LearnerMark> marks, VisibleOutputs outputs, StreamingRuntimeContext context)
      throws IOException {
    if (marks.isEmpty()) {
      LOG.warn(
          "The restored state contains no last rounds of models, so it is not compared with the"
              + " updates topic {}. Unless its ledger was rebuilt, make sure that it is the newest"
              + " savepoint or checkpoint",
          outputs.updatesTopic());
      // Otherwise the next restore would attribute these rounds to another job.
      return visible(outputs, context);
    }
    Map<String, Long> rounds = new HashMap<>();
    for (LearnerMark mark : marks) {
      for (int i = 0; i < mark.modelIds.length; i++) {
        raise(rounds, mark.modelIds[i], mark.rounds[i]);
      }
    }
    long taken = marks.stream().mapToLong(mark -> mark.takenMs).min().orElseThrow();
    long sinceMs = Math.max(VisibleOutputs.ALL, taken - CLOCK_SKEW_MS);
    Map<String, PublishedRound> visible = outputs.rounds(sinceMs, context);
    visible.forEach(
        (modelId, update) ->
            check(update, rounds.getOrDefault(modelId, -1L), outputs.updatesTopic()));
    return ofSubtask(rounds, visible, sinceMs, context.getTaskInfo());
  }

  private static void check(PublishedRound update, long known, String topic) {
    if (update.round() > known) {
      throw new RefusedStartException(
          ("The restored state is older than the published updates: the updates topic %s contains"
                  + " round %d of model %s, and the state ends at round %d. Either it comes from an older"
                  + " savepoint or checkpoint, or another job has continued from the same one. Restore"
                  + " the newest one; if it is lost, start without state and with --rebuild-ledger")
              .formatted(topic, update.round(), update.modelId(), known));
    }
  }

  private static LastRounds ofSubtask(
      Map<String, Long> all, Map<String, PublishedRound> visible, long sinceMs, TaskInfo task) {
    Map<String, Long> rounds = new HashMap<>(all);
    rounds
        .keySet()
        .removeIf(
            modelId ->
                KeyGroupRangeAssignment.assignKeyToParallelOperator(
                        modelId,
                        task.getMaxNumberOfParallelSubtasks(),
                        task.getNumberOfParallelSubtasks())
                    != task.getIndexOfThisSubtask());
    return new LastRounds(rounds, visible, sinceMs);
  }

  /** Returns the first round of a model without state: 0, or one above its last round. */
  public long first(String modelId) {
    return rounds.getOrDefault(modelId, -1L) + 1;
  }

  /** Returns the models that have a last round. */
  public Set<String> modelIds() {
    return Set.copyOf(rounds.keySet());
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
   * Requires that a model's last round, if it is visible, was published by this state's job: two
   * jobs that continue from one state reach the same round numbers.
   *
   * @param publishedAtMs when the last round of the state was published
   * @throws RefusedStartException if another job published the visible round
   */
  public void requireOwn(String modelId, long publishedAtMs) {
    PublishedRound seen = visible.get(modelId);
    if (seen != null && seen.round() == rounds.get(modelId) && seen.atMs() != publishedAtMs) {
      throw new RefusedStartException(
          ("Another job has continued from the same state: round %d of central model %s is"
                  + " visible with other noise than in this state. Only that job may continue")
              .formatted(seen.round(), modelId));
    }
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
    mark.modelIds = rounds.keySet().toArray(String[]::new);
    mark.rounds = rounds.values().stream().mapToLong(Long::longValue).toArray();
    return mark;
  }
}
