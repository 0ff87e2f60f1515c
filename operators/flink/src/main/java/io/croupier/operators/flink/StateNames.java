package io.croupier.operators.flink;

/** The names of all state. Names are never renamed and never reused; retired ones stay listed. */
public final class StateNames {
  /** Ledger up to release 0.2.0, broadcast: what {@link #PUBLISHED_SPECS} is now. */
  public static final String SPECS = "specs";

  /**
   * Ledger, union list: the last good spec of each model, and the last offset seen of it. Written
   * by the first subtask.
   */
  public static final String PUBLISHED_SPECS = "published-specs";

  /**
   * Ledger, by user: what a report usually accesses of the account. Never expires, since spent
   * privacy must not be forgotten.
   */
  public static final String ACCOUNTS = "accounts";

  /**
   * Ledger, by user: what was charged for models that the account has no room for. Never expires.
   */
  public static final String FURTHER_MODELS = "further-models";

  /**
   * Ledger, by user: the window of the newest token of each model with anonymous reports, and the
   * tag of the request for it. Never expires, since no window has a second token.
   */
  public static final String TOKENS = "tokens";

  /**
   * Ledger of release 0.2.0, by user: the digests of a device's earlier reports, in blocks. Cleared
   * when the account is first accessed.
   */
  public static final String EARLIER_DIGESTS = "earlier-digests";

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

  /** Only in states up to release 0.2.0: timers by model, when a partly full round closed. */
  public static final String ROUND_TIMEOUTS = "round-timeouts";

  /** Learner, union list: the last rounds of each subtask's models. Replaced at each checkpoint. */
  public static final String LEARNER_MARKS = "learner-marks";

  /**
   * Spend, union list: the last good spec of each model, and the last offset seen of it. Written by
   * the first subtask.
   */
  public static final String SPEND_SPECS = "spend-specs";

  /**
   * Spend, union list: the public keys of open windows, and the last closed window of each model.
   * Written by the first subtask; the keys of a window leave when it is closed.
   */
  public static final String TOKEN_KEYS = "token-keys";

  /** Spend, by nonce and window: whether the token was spent. Cleared when the window is closed. */
  public static final String SPENT_NONCES = "spent-nonces";

  private StateNames() {}
}
