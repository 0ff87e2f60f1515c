package io.croupier.job;

/**
 * The uids of all operators. Savepoints map state to operators by uid, so uids are never renamed or
 * reused, and retired ones stay listed.
 */
final class Uids {
  static final String REPORTS_SOURCE = "gradients-source";
  static final String MODELS_SOURCE = "models-source";

  /** Up to release 0.2.0, an operator without state. */
  static final String DECODE = "decode";

  static final String LEDGER = "ledger";
  static final String PRE_AGGREGATION = "pre-aggregation";
  static final String LEARNER = "learner";

  /**
   * Up to release 0.2.0, this sink wrote all outputs. The ledger's sink commits what a state of
   * such a release lists.
   */
  static final String LEDGER_SINK = "outputs-sink";

  static final String LEARNER_SINK = "learner-sink";

  static final String STOPS_SOURCE = "stops-source";
  static final String ANONYMOUS_SOURCE = "anonymous-source";
  static final String TOKEN_KEYS_SOURCE = "token-keys-source";
  static final String SPEND = "spend";
  static final String SPEND_PRE_AGGREGATION = "spend-pre-aggregation";

  /** Sources of the rebuild of a ledger, whose ledger has the uid of the job's. */
  static final String ACCOUNTING_SOURCE = "accounting-source";

  static final String LATER_ACCOUNTING_SOURCE = "later-accounting-source";

  private Uids() {}
}
