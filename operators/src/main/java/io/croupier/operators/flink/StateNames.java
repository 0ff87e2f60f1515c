package io.croupier.operators.flink;

/** The names of all state. Names are never renamed and never reused; retired ones stay listed. */
public final class StateNames {
  /** Ledger, broadcast: the last good spec of each model, and the last offset seen of it. */
  public static final String SPECS = "specs";

  /**
   * Ledger, by user: totals of each model. Never expires, since spent privacy must not be
   * forgotten.
   */
  public static final String MODEL_TOTALS = "model-totals";

  /** Ledger, by user: totals over all models. Never expires. */
  public static final String USER_TOTALS = "user-totals";

  /**
   * Ledger, by user: what was charged for the last tree of each central model. Replaced by the next
   * tree's; never expires.
   */
  public static final String RUNNING_ZETAS = "running-zetas";

  /**
   * Ledger, by user: what was charged for all participations that each central model allows, and
   * for which limits. Replaced when limits loosen; never expires.
   */
  public static final String WHOLE_CHARGES = "whole-charges";

  /** Ledger, by user: the anti-replay window of each device. Never expires; at most 16 per user. */
  public static final String REPLAY_WINDOWS = "replay-windows";

  /**
   * Ledger, union list: the progress of each subtask. One entry per subtask; replaced at each
   * checkpoint.
   */
  public static final String LEDGER_MARKS = "ledger-marks";

  /** Learner, by model: the model in training, in chunks; for a retired model its next round. */
  public static final String MODEL = "model";

  /**
   * Learner, by model: reports judged by a spec that has not arrived yet. Cleared when the spec
   * arrives.
   */
  public static final String WAITING_FOR_SPEC = "waiting-for-spec";

  /** Learner, timers by model: when a partly full round closes. Each is deleted with its round. */
  public static final String ROUND_TIMEOUTS = "round-timeouts";

  /** Learner, union list: the last rounds of each subtask's models. Replaced at each checkpoint. */
  public static final String LEARNER_MARKS = "learner-marks";

  private StateNames() {}
}
