package io.croupier.operators.flink.learner;

import io.croupier.operators.model.LiveModel;

/**
 * Decides at each publication of one model whether it may open a new round. A new round makes the
 * reports that name older rounds staler, so it waits
 *
 * <ul>
 *   <li>while the last publication is not visible, since no report can name it yet;
 *   <li>while the job is behind, since reports that wait on the topic name older rounds;
 *   <li>while the last publication is unanswered ({@link LiveModel#isAnswered}). Its weights are
 *       untried until then, and a learner that continues from weights without any feedback
 *       diverges, however few steps it takes between two publications.
 * </ul>
 *
 * <p>For the last two reasons, it waits no longer than the longest hold.
 *
 * <p>The gate has no state: a restore commits what the checkpoint has pre-committed, so the
 * publications in the state count as visible. With unaligned barriers a publication may still be on
 * its way to the sink at a restore, or at the checkpoint after its own: reports are one publication
 * staler in that case.
 */
final class RoundGate {

  /** Why a new round waits. */
  enum HoldReason {
    /** It doesn't wait. */
    NONE(0),
    /** The job is behind. */
    BEHIND(1),
    /** The last publication is not visible yet. */
    UNCONFIRMED(2),
    /** Too few reports have named the last publication yet. */
    UNANSWERED(3);

    private final int code;

    HoldReason(int code) {
      this.code = code;
    }

    /** The value of the metric. */
    int code() {
      return code;
    }
  }

  private static final long NEVER = -1;

  private final long longestHoldMs;
  private HoldReason hold = HoldReason.NONE;

  /**
   * Since when a new round has waited, and since when it has waited for another reason than
   * visibility; or {@link #NEVER}.
   */
  private long heldSinceMs = NEVER;

  private long waitingSinceMs = NEVER;
  private long openedAt = NEVER;

  RoundGate(PublicationSettings settings) {
    longestHoldMs = settings.longestHold().toMillis();
  }

  /** Returns whether {@code model} may open a new round now. The first round never waits. */
  boolean mayOpen(LiveModel model, Backlog backlog, long nowMs) {
    hold = model.publishedRound() < 0 ? HoldReason.NONE : reason(model, backlog, nowMs);
    boolean waits = hold != HoldReason.NONE && model.hasNewRound();
    heldSinceMs = since(heldSinceMs, waits, nowMs);
    waitingSinceMs = since(waitingSinceMs, waits && hold != HoldReason.UNCONFIRMED, nowMs);
    return hold == HoldReason.NONE;
  }

  private HoldReason reason(LiveModel model, Backlog backlog, long nowMs) {
    if (!model.isConfirmed()) {
      return HoldReason.UNCONFIRMED;
    }
    if (waitingSinceMs != NEVER && nowMs - waitingSinceMs >= longestHoldMs) {
      return HoldReason.NONE;
    }
    if (model.waitsForBacklog() && backlog.isBehind(nowMs)) {
      return HoldReason.BEHIND;
    }
    return model.isAnswered() ? HoldReason.NONE : HoldReason.UNANSWERED;
  }

  private static long since(long sinceMs, boolean waits, long nowMs) {
    if (!waits) {
      return NEVER;
    }
    return sinceMs == NEVER ? nowMs : sinceMs;
  }

  /** Resets the gate for another model. */
  void reset() {
    hold = HoldReason.NONE;
    heldSinceMs = NEVER;
    waitingSinceMs = NEVER;
    openedAt = NEVER;
  }

  /** Records that a new round was published for this checkpoint. */
  void opened(long checkpointId) {
    openedAt = checkpointId;
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

  /**
   * Returns why a new round waited at the last publication; {@link HoldReason#NONE} if it didn't.
   */
  HoldReason hold() {
    return heldSinceMs == NEVER ? HoldReason.NONE : hold;
  }

  /** Returns how long a new round has waited, in milliseconds. */
  long heldMs(long nowMs) {
    return heldSinceMs == NEVER ? 0 : nowMs - heldSinceMs;
  }
}
