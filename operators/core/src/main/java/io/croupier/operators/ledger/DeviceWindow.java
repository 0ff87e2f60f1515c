package io.croupier.operators.ledger;

import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.report.DigestKey;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Which sequence numbers of one device were judged: the highest, and which of the {@value #WIDTH}
 * numbers up to it, with a digest of the bytes of each: the anti-replay window of IPsec (RFC 4303,
 * section 3.4.3), which also distinguishes a resend from a second use of a number.
 *
 * <p>Only {@link Verdict#FRESH} changes the window, and it always does, whatever the outcome of the
 * report: its number is used. The other verdicts leave the window unchanged, so that no refused
 * report can push honest ones out.
 *
 * <p>A digest has 64 bits; see {@link DigestKey}. The window keeps those of the last {@value
 * #WHOLE_DIGESTS} numbers, and the last 16 bits of each of the others. Other bytes under a judged
 * number are mistaken for a resend if what is kept of their digests is equal: such a report is not
 * used, as any other report with that number, and it is not charged either. By chance this happens
 * with a probability of 2^-64 for each such report, and of 2^-16 for an earlier number. Under a
 * key, no sender can search for two such reports. Without one, a device can: it gains the release
 * of the second without a charge to its own user, which it could also send elsewhere. The digest of
 * a report that an honest device has not sent yet depends on its noise, so even then no other
 * sender can compute a report with that digest beforehand.
 *
 * <p>Invariants: (1) bit 0 of {@link #judged} is set unless the window is new; (2) each judged
 * number of the window that is not below {@link #lowest} has its place in {@link #endings}, and the
 * last ones also in {@link #digests}.
 */
public final class DeviceWindow {
  /** The count of numbers that the window spans. Part of the state's format: never changed. */
  public static final int WIDTH = 64;

  /** The most by which a number may exceed the highest one. */
  public static final long MAX_JUMP = 1 << 20;

  /**
   * The count of numbers, up to the highest, whose digests are kept as a whole. Part of the state's
   * format: never changed.
   */
  public static final int WHOLE_DIGESTS = 8;

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

  /** The device. */
  public String deviceId;

  /** The highest number judged. */
  public long highest;

  /** Bit i is set if the number {@code highest - i} was judged. */
  public long judged;

  /** Numbers below this one are {@link Verdict#TOO_OLD}, in the window or not. */
  public long lowest;

  /**
   * Digests of the last {@value #WHOLE_DIGESTS} numbers, each at its remainder by that count; any
   * value where a number was not judged. In states up to release 0.2.0 they are those of the
   * numbers with the same quotient as {@link #highest}, at the same places.
   */
  public long[] digests = {};

  /**
   * The last 16 bits of the digest of each number of the window, in two bytes, of which the first
   * is the higher one, at twice the number's remainder by {@value #WIDTH}; any value where a number
   * was not judged. Empty in states up to release 0.2.0.
   */
  public byte[] endings = {};

  /** Creates a window without any judged number, and without a device, for a reader. */
  public DeviceWindow() {}

  /** Creates a window without any judged number. */
  public DeviceWindow(String deviceId) {
    this.deviceId = deviceId;
  }

  /** From now on every number up to the highest is too old; none may be judged as a resend. */
  void close() {
    lowest = DecimalUnits.add(highest, 1);
    digests = new long[0];
    endings = new byte[0];
  }

  /**
   * Adds a number that was judged fresh before this window was lost, and closes the window: the
   * digests of the number's bytes are lost, so a resend can't be recognised.
   */
  void close(long sequence) {
    if (isNew() || sequence > highest) {
      highest = sequence;
      judged = 1;
    }
    close();
  }

  /** Returns whether every number up to the highest is too old. */
  boolean isClosed() {
    return lowest > highest;
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
   * Judges a number and, if it is fresh, adds it. O(1).
   *
   * @param sequence at least 0
   * @param digest the digest of the report's bytes
   */
  public Verdict judge(long sequence, long digest) {
    if (isNew()) {
      highest = sequence;
    } else if (sequence > highest) {
      long step = sequence - highest;
      if (step > MAX_JUMP) {
        return Verdict.JUMP;
      }
      judged = step >= WIDTH ? 0 : judged << step;
      highest = sequence;
    } else {
      long age = highest - sequence;
      if (age >= WIDTH || sequence < lowest) {
        return Verdict.TOO_OLD;
      }
      if ((judged >>> age & 1) != 0) {
        return isKept(sequence, digest) ? Verdict.DUPLICATE : Verdict.CONFLICT;
      }
    }
    judged |= 1L << (int) (highest - sequence);
    keep(sequence, digest);
    return Verdict.FRESH;
  }

  /** Returns whether what is kept of the digest of a judged number equals that of this one. */
  private boolean isKept(long sequence, long digest) {
    if (hasWholeDigest(sequence)) {
      return digests[placeOfDigest(sequence)] == digest;
    }
    int place = placeOfEnding(sequence);
    return endings[place] == (byte) (digest >>> Byte.SIZE) && endings[place + 1] == (byte) digest;
  }

  private void keep(long sequence, long digest) {
    if (hasWholeDigest(sequence)) {
      int place = placeOfDigest(sequence);
      if (place >= digests.length) {
        digests = Arrays.copyOf(digests, place + 1);
      }
      digests[place] = digest;
    }
    int place = placeOfEnding(sequence);
    if (place >= endings.length) {
      endings = Arrays.copyOf(endings, place + 2);
    }
    endings[place] = (byte) (digest >>> Byte.SIZE);
    endings[place + 1] = (byte) digest;
  }

  private boolean hasWholeDigest(long sequence) {
    return highest - sequence < WHOLE_DIGESTS;
  }

  private static int placeOfDigest(long sequence) {
    return (int) (sequence % WHOLE_DIGESTS);
  }

  private static int placeOfEnding(long sequence) {
    return 2 * (int) (sequence % WIDTH);
  }

  /** Returns whether the window has the digests of release 0.2.0, which must move. */
  public boolean isFormer() {
    return digests.length > 0 && endings.length == 0;
  }

  /**
   * Moves the digests from where release 0.2.0 kept them: in {@link #digests} and, of numbers with
   * a smaller quotient by 8, in earlier blocks.
   *
   * @param earlier returns a block by the last three bits of the quotient of its numbers; null if
   *     there is none
   */
  public void move(IntFunction<long[]> earlier) {
    long[] last = digests;
    digests = new long[0];
    for (int age = WIDTH - 1; age >= 0; age--) {
      if ((judged >>> age & 1) != 0) {
        long sequence = highest - age;
        long[] block = sequence / 8 == highest / 8 ? last : earlier.apply((int) (sequence / 8 % 8));
        int index = (int) (sequence % 8);
        // A digest that is missing, which no release leaves out, makes every resend a conflict.
        keep(sequence, block != null && index < block.length ? block[index] : 0);
      }
    }
  }
}
