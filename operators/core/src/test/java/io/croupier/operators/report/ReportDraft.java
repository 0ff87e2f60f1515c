package io.croupier.operators.report;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;

/** The parts of a report, which tests change before they build it. */
public final class ReportDraft {
  public String modelId = "";
  public long round;
  public String userId = "";
  public String deviceId = "";
  public long sequence;
  public double gradientBound;
  public Mechanism mechanism = UndisclosedNoise.UNDISCLOSED;

  /** Null: a vector of the form, the dimension, the values and the indices. */
  public Content content;

  public VectorForm form = VectorForm.DENSE;
  public int dimension;
  public byte[] values = {};
  public int[] indices = {};
  public long digest;
  public String topic = "";
  public int partition;
  public long offset;
  public long appendedAtMs;

  public Report build() {
    return new Report(
        new Header(modelId, round, userId, deviceId, sequence, 0, gradientBound),
        mechanism,
        content == null ? new VectorContent(form, dimension, values, indices) : content,
        digest,
        new Source(topic, partition, offset, appendedAtMs));
  }
}
