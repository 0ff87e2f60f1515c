package io.croupier.operators.accounting;

import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.accounting.DeviceWindow.Verdict;

/** The window as release 0.1.0 kept it: all digests in one array, of 128 bits each. */
public final class FormerWindow {
  /** What was in state. */
  public ReplayWindow window = new ReplayWindow();

  /** Returns the verdict of that release, and changes the window as it did. */
  public Verdict judge(long sequence, long digestHigh, long digestLow) {
    if (window.judged == 0) {
      window.highest = sequence;
      insert(0, digestHigh, digestLow);
      return Verdict.FRESH;
    }
    if (sequence > window.highest) {
      long step = sequence - window.highest;
      if (step > DeviceWindow.MAX_JUMP) {
        return Verdict.JUMP;
      }
      window.judged = step >= DeviceWindow.WIDTH ? 0 : window.judged << step;
      window.highest = sequence;
      insert(0, digestHigh, digestLow);
      return Verdict.FRESH;
    }
    long age = window.highest - sequence;
    if (age >= DeviceWindow.WIDTH || sequence < window.lowest) {
      return Verdict.TOO_OLD;
    }
    if ((window.judged >>> age & 1) == 0) {
      insert((int) age, digestHigh, digestLow);
      return Verdict.FRESH;
    }
    int at = 2 * youngerThan((int) age);
    return window.digests[at] == digestHigh && window.digests[at + 1] == digestLow
        ? Verdict.DUPLICATE
        : Verdict.CONFLICT;
  }

  void close(long sequence) {
    if (window.judged == 0 || sequence > window.highest) {
      window.highest = sequence;
      window.judged = 1;
      window.digests = new long[2];
    }
    window.lowest = DecimalUnits.add(window.highest, 1);
  }

  private int youngerThan(int age) {
    return Long.bitCount(window.judged & ((1L << age) - 1));
  }

  private void insert(int age, long digestHigh, long digestLow) {
    int kept = 2 * Long.bitCount(window.judged);
    int at = 2 * youngerThan(age);
    long[] target = new long[kept + 2];
    System.arraycopy(window.digests, 0, target, 0, at);
    System.arraycopy(window.digests, at, target, at + 2, kept - at);
    target[at] = digestHigh;
    target[at + 1] = digestLow;
    window.digests = target;
    window.judged |= 1L << age;
  }
}
