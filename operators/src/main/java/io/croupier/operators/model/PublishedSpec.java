package io.croupier.operators.model;

/** What is known of one model from the models topic. A Flink POJO. */
public final class PublishedSpec {
  /** The last good spec, encoded; empty if there is none, or it was retired. */
  public byte[] spec = {};

  /** Offset of the record that held the last good spec; -1 if there is none. */
  public long specOffset = -1;

  /** Offset of the last record seen of the model, whatever it did. */
  public long lastOffset = -1;

  /** Creates an entry for a model of which nothing was seen. */
  public PublishedSpec() {}
}
