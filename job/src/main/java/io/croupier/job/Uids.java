package io.croupier.job;

/**
 * Every operator's uid, once: a savepoint finds its state by them. Never renamed, never reused;
 * retired ones stay listed.
 */
final class Uids {
  static final String REPORTS_SOURCE = "gradients-source";
  static final String MODELS_SOURCE = "models-source";
  static final String DECODE = "decode";
  static final String LEDGER = "ledger";
  static final String PRE_AGGREGATION = "pre-aggregation";
  static final String LEARNER = "learner";
  static final String SINK = "outputs-sink";

  private Uids() {}
}
