package io.croupier.operators.ledger;

import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.ledger.DeviceWindow.Verdict;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The window as release 0.2.0 kept it: the digests of the highest number's block in the window, and
 * those of earlier blocks beside it.
 */
public final class BlockWindow {
  /** What was in the account. */
  public DeviceWindow window = new DeviceWindow("phone");

  /** What was in a state of its own. */
  public Map<Integer, long[]> blocks = new HashMap<>();

  /** Returns the verdict of that release, and changes the window as it did. */
  public Verdict judge(long sequence, long digest) {
    if (window.judged == 0) {
      window.highest = sequence;
      window.judged = 1;
      window.digests = with(digest, sequence, new long[0]);
      return Verdict.FRESH;
    }
    if (sequence > window.highest) {
      long step = sequence - window.highest;
      if (step > DeviceWindow.MAX_JUMP) {
        return Verdict.JUMP;
      }
      boolean sameBlock = isInLastBlock(sequence);
      if (!sameBlock && step < 64) {
        blocks.put(place(window.highest), window.digests);
      }
      window.judged = 1 | (step >= 64 ? 0 : window.judged << step);
      window.digests = with(digest, sequence, sameBlock ? window.digests : new long[0]);
      window.highest = sequence;
      return Verdict.FRESH;
    }
    long age = window.highest - sequence;
    if (age >= 64 || sequence < window.lowest) {
      return Verdict.TOO_OLD;
    }
    if ((window.judged >>> age & 1) == 0) {
      long[] block = with(digest, sequence, block(sequence));
      if (isInLastBlock(sequence)) {
        window.digests = block;
      } else {
        blocks.put(place(sequence), block);
      }
      window.judged |= 1L << (int) age;
      return Verdict.FRESH;
    }
    return block(sequence)[(int) (sequence % 8)] == digest ? Verdict.DUPLICATE : Verdict.CONFLICT;
  }

  /** Adds a number as a rebuild of that release did. */
  void close(long sequence) {
    if (window.judged == 0 || sequence > window.highest) {
      window.highest = sequence;
      window.judged = 1;
      window.digests = new long[(int) (sequence % 8) + 1];
    }
    window.lowest = DecimalUnits.add(window.highest, 1);
  }

  BlockWindow copy() {
    BlockWindow copy = new BlockWindow();
    copy.window.highest = window.highest;
    copy.window.judged = window.judged;
    copy.window.lowest = window.lowest;
    copy.window.digests = window.digests.clone();
    copy.blocks.putAll(blocks);
    return copy;
  }

  private long[] block(long sequence) {
    long[] block = isInLastBlock(sequence) ? window.digests : blocks.get(place(sequence));
    return block == null ? new long[0] : block;
  }

  private boolean isInLastBlock(long sequence) {
    return sequence / 8 == window.highest / 8;
  }

  private static int place(long sequence) {
    return (int) (sequence / 8 % 8);
  }

  private static long[] with(long digest, long sequence, long[] block) {
    int index = (int) (sequence % 8);
    long[] changed = Arrays.copyOf(block, Math.max(block.length, index + 1));
    changed[index] = digest;
    return changed;
  }
}
