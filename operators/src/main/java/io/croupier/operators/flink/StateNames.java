package io.croupier.operators.flink;

/** Every state's name, once. Never renamed, never reused; retired ones stay listed. */
final class StateNames {
  /** Ledger, broadcast: the last good spec of each model, and how far the topic was followed. */
  static final String SPECS = "specs";

  /** Ledger, by user: totals of each model. Never dies: forgetting spend would be the bug. */
  static final String MODEL_TOTALS = "model-totals";

  /** Ledger, by user: totals over all models. Never dies. */
  static final String USER_TOTALS = "user-totals";

  /**
   * Ledger, by user: what the last tree of each central model was charged. Replaced by that of the
   * next tree; never dies.
   */
  static final String RUNNING_ZETAS = "running-zetas";

  /**
   * Ledger, by user: what each central model was charged at once, and for which limits. Replaced
   * when limits loosen; never dies.
   */
  static final String WHOLE_CHARGES = "whole-charges";

  /** Ledger, by user: the anti-replay window of each device. Never dies; at most 16 a user. */
  static final String REPLAY_WINDOWS = "replay-windows";

  /** Ledger, union list: how far each subtask had come. One entry a subtask; replaced each time. */
  static final String LEDGER_MARKS = "ledger-marks";

  /** Learner, by model: the model in training, in chunks; of a retired model its next round. */
  static final String MODEL = "model";

  /** Learner, by model: what was judged by a spec that has not arrived yet. Dies when it does. */
  static final String WAITING_FOR_SPEC = "waiting-for-spec";

  /** Learner, timers by model: when a half-full round closes. Each dies with its round. */
  static final String ROUND_TIMEOUTS = "round-timeouts";

  /** Learner, union list: the last rounds of each subtask's models. Replaced each time. */
  static final String LEARNER_MARKS = "learner-marks";

  private StateNames() {}
}
