package io.croupier.operators.accounting;

import io.croupier.accounting.numerics.DecimalUnits;
import java.util.Arrays;

/**
 * Which sequence numbers of one device were judged: the highest, and which of the {@value #WIDTH}
 * numbers up to it, with a digest of the bytes of each: the anti-replay window of IPsec (RFC 4303,
 * section 3.4.3), which also distinguishes a resend from a second use of a number.
 *
 * <p>Only {@link Verdict#FRESH} changes the window, and it always does, whatever the outcome of the
 * report: its number is used. The other verdicts leave the window unchanged, so that no refused
 * report can push honest ones out.
 *
 * <p>Digests are the first 64 bits of a SHA-256. Other bytes under a judged number are mistaken for
 * a resend if their digests are equal: such a report is not used, as any other report with that
 * number, and it is not charged either. By chance this happens with a probability of 2^-64 for each
 * such report. A device can compute two reports with the same digest (some 2^32 hashes). It gains
 * the release of the second without a charge to its own user, which it could also send elsewhere.
 * The digest of a report that an honest device has not sent yet depends on its noise, so no other
 * sender can compute a report with that digest beforehand.
 *
 * <p>Numbers are in blocks of {@value #BLOCK}, of the same quotient by {@value #BLOCK}. The window
 * itself has the digests of the highest number's block; those of earlier blocks are in {@link
 * EarlierDigests}, so that a device that counts upwards changes little with each report.
 *
 * <p>Invariants: (1) bit 0 of {@link #judged} is set unless the window is new; (2) {@link #digests}
 * ends with the digest of the highest number; (3) the digest of each other judged number of the
 * window is in {@link #digests} or in the earlier block of its number.
 */
public final class DeviceWindow {
  /** The count of numbers that the window spans. Part of the state's format: never changed. */
  public static final int WIDTH = 64;

  /** The most by which a number may exceed the highest one. */
  public static final long MAX_JUMP = 1 << 20;

  /** The count of numbers of a block, a power of two. Part of the state's format: never changed. */
  static final int BLOCK = 8;

  /** The count of earlier blocks that are kept. */
  public static final int BLOCKS = WIDTH / BLOCK;

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

  /**
   * The digests of the earlier blocks of one device, which the account's owner keeps beside the
   * window. Blocks whose numbers differ by {@value DeviceWindow#WIDTH} share a place.
   */
  public interface EarlierDigests {

    /**
     * Returns what was stored last at a place; null if nothing was. Must not be changed.
     *
     * @param place from 0, below {@link DeviceWindow#BLOCKS}
     */
    long[] block(int place);

    /**
     * Stores a block.
     *
     * @param digests at most {@value DeviceWindow#BLOCK}; neither side changes it from now on
     */
    void store(int place, long[] digests);
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
   * Digests of the block of {@link #highest}, up to that number; any value where a number was not
   * judged. Never changed, only replaced.
   */
  public long[] digests = {};

  /** Creates a window without any judged number, and without a device, for a reader. */
  public DeviceWindow() {}

  /** Creates a window without any judged number. */
  public DeviceWindow(String deviceId) {
    this.deviceId = deviceId;
  }

  /**
   * Adds a number that was judged fresh before this window was lost. The digests of its bytes are
   * lost, so a resend can't be recognised: from now on every number up to the highest is too old.
   */
  void close(long sequence) {
    if (isNew() || sequence > highest) {
      highest = sequence;
      judged = 1;
      digests = new long[indexInBlock(sequence) + 1];
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
   * Judges a number and, if it is fresh, adds it. O(1).
   *
   * @param sequence at least 0
   * @param digest the first 64 bits of the digest of the report's bytes
   * @param earlier the device's earlier blocks: accessed for a number that is not in the highest
   *     one's block
   */
  public Verdict judge(long sequence, long digest, EarlierDigests earlier) {
    if (isNew()) {
      highest = sequence;
      judged = 1;
      digests = with(digest, indexInBlock(sequence), new long[0]);
      return Verdict.FRESH;
    }
    if (sequence > highest) {
      if (sequence - highest > MAX_JUMP) {
        return Verdict.JUMP;
      }
      advanceTo(sequence, digest, earlier);
      return Verdict.FRESH;
    }
    long age = highest - sequence;
    if (age >= WIDTH || sequence < lowest) {
      return Verdict.TOO_OLD;
    }
    if ((judged >>> age & 1) == 0) {
      insert(sequence, digest, earlier);
      return Verdict.FRESH;
    }
    long known = block(sequence, earlier)[indexInBlock(sequence)];
    return known == digest ? Verdict.DUPLICATE : Verdict.CONFLICT;
  }

  private void advanceTo(long sequence, long digest, EarlierDigests earlier) {
    long step = sequence - highest;
    boolean sameBlock = isInLastBlock(sequence);
    if (!sameBlock && step < WIDTH) {
      earlier.store(place(highest), digests);
    }
    judged = 1 | (step >= WIDTH ? 0 : judged << step);
    digests = with(digest, indexInBlock(sequence), sameBlock ? digests : new long[0]);
    highest = sequence;
  }

  private void insert(long sequence, long digest, EarlierDigests earlier) {
    long[] block = with(digest, indexInBlock(sequence), block(sequence, earlier));
    if (isInLastBlock(sequence)) {
      digests = block;
    } else {
      earlier.store(place(sequence), block);
    }
    judged |= 1L << (int) (highest - sequence);
  }

  /** Returns the digests of a number's block; empty if there are none. */
  private long[] block(long sequence, EarlierDigests earlier) {
    if (isInLastBlock(sequence)) {
      return digests;
    }
    long[] block = earlier.block(place(sequence));
    return block == null ? new long[0] : block;
  }

  private boolean isInLastBlock(long sequence) {
    return sequence / BLOCK == highest / BLOCK;
  }

  private static int place(long sequence) {
    return (int) (sequence / BLOCK % BLOCKS);
  }

  private static int indexInBlock(long sequence) {
    return (int) (sequence % BLOCK);
  }

  private static long[] with(long digest, int index, long[] block) {
    long[] changed = Arrays.copyOf(block, Math.max(block.length, index + 1));
    changed[index] = digest;
    return changed;
  }
}
