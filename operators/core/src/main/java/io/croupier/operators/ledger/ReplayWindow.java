package io.croupier.operators.ledger;

/**
 * The window of one device in the state of release 0.1.0. Nothing reads it, but Flink restores no
 * state without the class, also where {@link DeviceWindow}s have replaced all of them. A Flink
 * POJO.
 */
public final class ReplayWindow {
  public long highest;
  public long judged;
  public long[] digests = {};
  public long lowest;

  /** Creates an empty window; the serialiser needs it. */
  public ReplayWindow() {}
}
