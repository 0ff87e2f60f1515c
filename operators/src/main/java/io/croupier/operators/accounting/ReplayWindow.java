package io.croupier.operators.accounting;

import io.croupier.accounting.numerics.DecimalUnits;

/**
 * Which sequence numbers of one device were judged: the highest, and which of the {@value #WIDTH}
 * numbers up to it, with a digest of the bytes of each: the anti-replay window of IPsec (RFC 4303,
 * section 3.4.3), which also distinguishes a resend from a second use of a number. A Flink POJO.
 *
 * <p>Only {@link Verdict#FRESH} changes the window, and it always does, whatever the outcome of the
 * report: its number is used. The other verdicts leave the window unchanged, so that no refused
 * report can push honest ones out.
 *
 * <p>Invariants: (1) bit 0 of {@link #judged} is set unless the window is new; (2) {@link #digests}
 * contains two longs for each set bit, from the highest number down.
 */
public final class ReplayWindow {
  /** The count of numbers that the window spans. */
  public static final int WIDTH = 64;

  /** The most by which a number may exceed the highest one. */
  public static final long MAX_JUMP = 1 << 20;

  /** The verdict on a number and its bytes. */
  public enum Verdict {
    /**
     * Not judged before: the report must be judged now. The first number of a device is always
     * fresh.
     */
    FRESH,
    /** Judged before, with the same bytes: a resend. */
    DUPLICATE,
    /** Judged before, with other bytes. */
    CONFLICT,
    /** Below the window: it is unknown whether it was judged. */
    TOO_OLD,
    /** More than {@link #MAX_JUMP} above the highest number. */
    JUMP
  }

  /** The highest number judged. */
  public long highest;

  /** Bit i is set if the number {@code highest - i} was judged. */
  public long judged;

  /** High and low half of the digest of each judged number, from the highest number down. */
  public long[] digests = {};

  /** Numbers below this one are {@link Verdict#TOO_OLD}, in the window or not. */
  public long lowest;

  /** Creates a window without any judged number. */
  public ReplayWindow() {}

  /**
   * Adds a number that was judged fresh before this window was lost. The digests of its bytes are
   * lost, so a resend can't be recognised: from now on every number up to the highest is too old.
   */
  void close(long sequence) {
    if (isNew() || sequence > highest) {
      highest = sequence;
      judged = 1;
      digests = new long[2];
    }
    lowest = DecimalUnits.add(highest, 1);
  }

  /** Returns the least number that is not too old. */
  long least() {
    return Math.max(lowest, highest - WIDTH + 1);
  }

  /** Returns whether no number was judged yet. */
  public boolean isNew() {
    return judged == 0;
  }

  /**
   * Judges a number and, if it is fresh, adds it. O(1); allocates while the window fills up.
   *
   * @param sequence at least 0
   * @param digestHigh high half of the digest of the report's bytes
   * @param digestLow low half
   */
  public Verdict judge(long sequence, long digestHigh, long digestLow) {
    if (isNew()) {
      highest = sequence;
      insert(0, digestHigh, digestLow);
      return Verdict.FRESH;
    }
    if (sequence > highest) {
      if (sequence - highest > MAX_JUMP) {
        return Verdict.JUMP;
      }
      advanceTo(sequence);
      insert(0, digestHigh, digestLow);
      return Verdict.FRESH;
    }
    long age = highest - sequence;
    if (age >= WIDTH || sequence < lowest) {
      return Verdict.TOO_OLD;
    }
    if ((judged >>> age & 1) == 0) {
      insert((int) age, digestHigh, digestLow);
      return Verdict.FRESH;
    }
    int at = 2 * youngerThan((int) age);
    return digests[at] == digestHigh && digests[at + 1] == digestLow
        ? Verdict.DUPLICATE
        : Verdict.CONFLICT;
  }

  private void advanceTo(long sequence) {
    long step = sequence - highest;
    judged = step >= WIDTH ? 0 : judged << step;
    highest = sequence;
  }

  /** Returns how many judged numbers are above the one {@code age} below the highest. */
  private int youngerThan(int age) {
    return Long.bitCount(judged & ((1L << age) - 1));
  }

  private void insert(int age, long digestHigh, long digestLow) {
    int kept = 2 * Long.bitCount(judged); // fewer than before if the window has advanced
    int at = 2 * youngerThan(age);
    long[] target = digests.length == kept + 2 ? digests : new long[kept + 2];
    System.arraycopy(digests, at, target, at + 2, kept - at);
    if (target != digests) {
      System.arraycopy(digests, 0, target, 0, at);
    }
    target[at] = digestHigh;
    target[at + 1] = digestLow;
    digests = target;
    judged |= 1L << age;
  }
}
