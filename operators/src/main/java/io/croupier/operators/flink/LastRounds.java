package io.croupier.operators.flink;

import io.croupier.operators.flink.VisibleOutputs.PublishedRound;
import io.croupier.operators.flink.VisibleOutputs.Visible;
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
 * The last round of each model of one learner subtask, of those too that nobody trains at present:
 * no later model of the same name may publish a round that clients have seen.
 */
final class LastRounds {
  private static final Logger LOG = LoggerFactory.getLogger(LastRounds.class);

  /**
   * Most by which clocks may differ for an older state to be found out here. Updates are large, so
   * the ledger, whose events are small, looks much further back.
   */
  private static final long CLOCK_SKEW_MS = 10_000;

  private final Map<String, Long> rounds;

  /** The newest updates that were seen since {@link #sinceMs}. */
  private final Map<String, PublishedRound> visible;

  /** Milliseconds since 1970; what was published before is taken to be visible. */
  private final long sinceMs;

  private LastRounds(Map<String, Long> rounds, Map<String, PublishedRound> visible, long sinceMs) {
    this.rounds = rounds;
    this.visible = visible;
    this.sinceMs = sinceMs;
  }

  /** Where no mark says it: what is still visible on the updates topic. */
  static LastRounds visible(VisibleOutputs outputs, StreamingRuntimeContext context)
      throws IOException {
    Map<String, Long> rounds = new HashMap<>();
    try (Visible<PublishedRound> published = outputs.rounds(VisibleOutputs.ALL, context)) {
      published.forEach(
          update -> {
            raise(rounds, update.modelId(), update.round());
            return true;
          });
    }
    return ofSubtask(rounds, Map.of(), Long.MAX_VALUE, context.getTaskInfo());
  }

  /**
   * With state: what it says, compared with what is visible.
   *
   * @param marks of all subtasks; none if the state is of a release that kept none
   * @throws RefusedStartException if a later round is visible
   */
  static LastRounds restored(
      List<LearnerMark> marks, VisibleOutputs outputs, StreamingRuntimeContext context)
      throws IOException {
    if (marks.isEmpty()) {
      LOG.warn(
          "The restored state doesn't say which rounds came last, so it is not compared with the"
              + " updates topic {}: it must be the newest one",
          outputs.updatesTopic());
      // Else the next restore would take these rounds for those of another job.
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
    Map<String, PublishedRound> visible = new HashMap<>();
    try (Visible<PublishedRound> published = outputs.rounds(sinceMs, context)) {
      published.forEach(
          update -> {
            check(update, rounds.getOrDefault(update.modelId(), -1L), outputs.updatesTopic());
            visible.merge(update.modelId(), update, (a, b) -> b.round() >= a.round() ? b : a);
            return true;
          });
    }
    return ofSubtask(rounds, visible, sinceMs, context.getTaskInfo());
  }

  private static void check(PublishedRound update, long known, String topic) {
    if (update.round() > known) {
      throw new RefusedStartException(
          ("The restored state is older than what is visible: the updates topic %s holds round %d of"
                  + " model %s, and the state ends at round %d. It is of an older savepoint or"
                  + " checkpoint, or another job went on from the same one. Restore the newest one;"
                  + " if that is lost, start without state and with --rebuild-ledger")
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

  /** The round that a model begins with which has no state: 0, or right above its last one. */
  long first(String modelId) {
    return rounds.getOrDefault(modelId, -1L) + 1;
  }

  /** The models that have a last round. */
  Set<String> modelIds() {
    return Set.copyOf(rounds.keySet());
  }

  /**
   * Whether a model's last round, which was published at that time, is not visible: the brokers
   * have ended the transaction that it was in.
   */
  boolean isLost(String modelId, long publishedAtMs) {
    PublishedRound seen = visible.get(modelId);
    return publishedAtMs >= sinceMs && (seen == null || seen.round() < rounds.get(modelId));
  }

  /**
   * Requires that a model's last round, if it is visible, is that of the state: two jobs that went
   * on from one state come to the same numbers.
   *
   * @param publishedAtMs when that of the state was published
   * @throws RefusedStartException if it is another job's
   */
  void requireOwn(String modelId, long publishedAtMs) {
    PublishedRound seen = visible.get(modelId);
    if (seen != null && seen.round() == rounds.get(modelId) && seen.atMs() != publishedAtMs) {
      throw new RefusedStartException(
          ("Another job went on from the same state: round %d of central model %s is visible with"
                  + " other noise than this state has. Only that job may go on")
              .formatted(seen.round(), modelId));
    }
  }

  /** Notes a model's last round. */
  void raise(String modelId, long round) {
    raise(rounds, modelId, round);
  }

  private static void raise(Map<String, Long> rounds, String modelId, long round) {
    rounds.merge(modelId, round, Math::max);
  }

  /** The mark to store at a checkpoint. */
  LearnerMark mark(long nowMs) {
    LearnerMark mark = new LearnerMark();
    mark.takenMs = nowMs;
    mark.modelIds = rounds.keySet().toArray(String[]::new);
    mark.rounds = rounds.values().stream().mapToLong(Long::longValue).toArray();
    return mark;
  }
}
