package io.croupier.operators.flink.learner;

import io.croupier.operators.model.LiveModel;
import io.croupier.schemas.ModelUpdate.Wait;

/**
 * Decides at each checkpoint whether one model publishes a new round. It does
 *
 * <ol>
 *   <li>once its last publication is visible, since no report can name it before;
 *   <li>once at least {@code reports_per_round} reports have arrived since, or the oldest of them
 *       has waited for {@code round_timeout_ms};
 *   <li>once at least one of them names the last visible publication, or the model has waited for
 *       such a report for the longest hold. The weights of a publication are untried until then.
 * </ol>
 *
 * <p>A model with anonymous windows waits for reports no longer than for an answer: devices draw
 * the publication at which they report, and may leave one without reports.
 *
 * <p>So a backlog of reports becomes one round, and reports don't become too old because the job is
 * behind.
 *
 * <p>The gate has no state: a restore commits what the checkpoint has pre-committed, so the
 * publications in the state count as visible. With unaligned barriers a publication may still be on
 * its way to the sink at a restore, or at the checkpoint after its own: reports are one publication
 * staler in that case.
 */
final class RoundGate {

  private static final long NEVER = -1;

  private final long longestHoldMs;
  private Wait hold = Wait.WAIT_UNSPECIFIED;

  /** Since when a new round has waited for the same reason; or {@link #NEVER}. */
  private long heldSinceMs = NEVER;

  /** Since when it has lacked nothing but what the longest hold bounds; or {@link #NEVER}. */
  private long boundedSinceMs = NEVER;

  private long openedAt = NEVER;

  RoundGate(PublicationSettings settings) {
    longestHoldMs = settings.longestHold().toMillis();
  }

  /**
   * Returns whether {@code model} may open a new round now. The first round never waits.
   *
   * @param isTimedOut whether the oldest report of the open round has waited for its timeout
   */
  boolean mayOpen(LiveModel model, boolean isTimedOut, long nowMs) {
    Wait last = hold;
    hold = model.publishedRound() < 0 ? Wait.WAIT_UNSPECIFIED : reason(model, isTimedOut);
    boolean waits = model.hasNewRound();
    boolean isBounded =
        hold == Wait.ANSWER || (hold == Wait.REPORTS && model.spec().hasAnonymous());
    boundedSinceMs = since(boundedSinceMs, waits && isBounded, nowMs);
    if (boundedSinceMs != NEVER && nowMs - boundedSinceMs >= longestHoldMs) {
      hold = Wait.WAIT_UNSPECIFIED;
    }
    heldSinceMs =
        since(hold == last ? heldSinceMs : NEVER, waits && hold != Wait.WAIT_UNSPECIFIED, nowMs);
    return hold == Wait.WAIT_UNSPECIFIED;
  }

  private static Wait reason(LiveModel model, boolean isTimedOut) {
    if (!model.isConfirmed()) {
      return Wait.VISIBILITY;
    }
    if (!model.isFull() && !isTimedOut) {
      return Wait.REPORTS;
    }
    return model.isAnswered() ? Wait.WAIT_UNSPECIFIED : Wait.ANSWER;
  }

  private static long since(long sinceMs, boolean waits, long nowMs) {
    if (!waits) {
      return NEVER;
    }
    // The clock may have been set back.
    return sinceMs == NEVER ? nowMs : Math.min(sinceMs, nowMs);
  }

  /** Resets the gate for another model. */
  void reset() {
    hold = Wait.WAIT_UNSPECIFIED;
    heldSinceMs = NEVER;
    boundedSinceMs = NEVER;
    openedAt = NEVER;
  }

  /** Records that a new round was published for this checkpoint; the next one waits anew. */
  void opened(long checkpointId) {
    openedAt = checkpointId;
    boundedSinceMs = NEVER;
  }

  /**
   * Records that a checkpoint is complete: the sink commits all outputs up to it.
   *
   * @param aligned whether its barriers were aligned; if not, records emitted right before the
   *     barrier may be in the transaction of the next checkpoint
   */
  void completed(long checkpointId, boolean aligned, LiveModel model) {
    if (!model.isConfirmed() && (aligned ? checkpointId >= openedAt : checkpointId > openedAt)) {
      model.confirm();
    }
  }

  /** Returns why a new round waited at the last checkpoint; unspecified if it didn't. */
  Wait hold() {
    return heldSinceMs == NEVER ? Wait.WAIT_UNSPECIFIED : hold;
  }

  /** Returns how long a new round has waited, in milliseconds. */
  long heldMs(long nowMs) {
    return heldSinceMs == NEVER ? 0 : nowMs - heldSinceMs;
  }
}
