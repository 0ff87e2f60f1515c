package io.croupier.operators.model;

/** The records of one model on the models topic, so far. A Flink POJO. */
public final class PublishedSpec {
  /** The last good spec, encoded; empty if there is none, or it was retired. */
  public byte[] spec = {};

  /**
   * Offset of the last record by which reports to the running model may be judged: that of the last
   * good spec, or a later one, which only makes rounds smaller; -1 if there is none.
   */
  public long specOffset = -1;

  /** Offset of the last record of the model, whatever its effect. */
  public long lastOffset = -1;

  /** Creates the entry of a model without records. */
  public PublishedSpec() {}
}
