package io.croupier.operators.flink;

import java.io.Serializable;

/** A record of the models topic, or of another one that all subtasks follow. A Flink POJO. */
public final class SpecRecord implements Serializable {
  private static final long serialVersionUID = 1;

  /** The topic that it comes from. */
  public String topic = "";

  /** The Kafka key as text; empty if there was none. */
  public String modelId = "";

  public int partition;
  public long offset;

  /** An encoded {@link io.croupier.schemas.ModelSpec}; null retires the model. */
  public byte[] value;
}
