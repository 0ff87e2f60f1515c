package io.croupier.operators.accounting;

/**
 * The window of one device as release 0.1.0 stored it, with digests of 128 bits. A Flink POJO; a
 * user's windows become {@link DeviceWindow}s when the user's account is first accessed.
 */
public final class ReplayWindow {
  /** The highest number judged. */
  public long highest;

  /** Bit i is set if the number {@code highest - i} was judged. */
  public long judged;

  /** High and low half of the digest of each judged number, from the highest number down. */
  public long[] digests = {};

  /** Numbers below this one are too old, in the window or not. */
  public long lowest;

  /** Creates a window without any judged number; the serialiser needs it. */
  public ReplayWindow() {}

  /** Returns the same window with shorter digests. */
  public DeviceWindow move(String deviceId) {
    DeviceWindow window = new DeviceWindow(deviceId);
    int at = 2 * Long.bitCount(judged);
    for (int age = Long.SIZE - 1; age >= 0; age--) {
      if ((judged >>> age & 1) != 0) {
        at -= 2;
        window.judge(highest - age, digests[at]);
      }
    }
    window.lowest = lowest;
    return window;
  }
}
