package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.DeviceWindow.Verdict.CONFLICT;
import static io.croupier.operators.ledger.DeviceWindow.Verdict.DUPLICATE;
import static io.croupier.operators.ledger.DeviceWindow.Verdict.FRESH;
import static io.croupier.operators.ledger.DeviceWindow.Verdict.JUMP;
import static io.croupier.operators.ledger.DeviceWindow.Verdict.TOO_OLD;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.ledger.DeviceWindow.Verdict;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceWindowTest {
  private final DeviceWindow window = new DeviceWindow("phone");

  private Verdict judge(long sequence, long digest) {
    return window.judge(sequence, digest);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 7, 63, 64, 1L << 40, Long.MAX_VALUE})
  void theFirstNumberMayBeAnything(long first) {
    assertThat(window.isNew()).isTrue();
    assertThat(judge(first, 1)).isEqualTo(FRESH);
    assertThat(window.isNew()).isFalse();
    assertThat(judge(first, 1)).isEqualTo(DUPLICATE);
    assertThat(judge(first, 2)).isEqualTo(CONFLICT);
    assertThat(judge(first, 0)).isEqualTo(CONFLICT);
  }

  @Test
  void edgesOfTheWindow() {
    judge(1000, 0);
    assertThat(judge(936, 0)).isEqualTo(TOO_OLD);
    assertThat(judge(937, 0)).isEqualTo(FRESH);
    assertThat(judge(1000 + (1 << 20) + 1, 0)).isEqualTo(JUMP);
    assertThat(judge(1000 + (1 << 20), 0)).isEqualTo(FRESH);
    assertThat(judge(1000, 0)).isEqualTo(TOO_OLD);
  }

  @Test
  void refusedNumbersDoNotChangeTheWindow() {
    for (long sequence : new long[] {100, 102, 110}) {
      judge(sequence, sequence);
    }
    long[] before = window.digests.clone();
    byte[] endings = window.endings.clone();
    assertThat(judge(110, 9)).isEqualTo(CONFLICT);
    assertThat(judge(100, 9)).isEqualTo(CONFLICT);
    assertThat(judge(10, 9)).isEqualTo(TOO_OLD);
    assertThat(judge(Long.MAX_VALUE, 9)).isEqualTo(JUMP);
    assertThat(judge(102, 102)).isEqualTo(DUPLICATE);
    assertThat(window.highest).isEqualTo(110);
    assertThat(window.judged).isEqualTo(1 | 1 << 8 | 1 << 10);
    assertThat(window.digests).isEqualTo(before).contains(110);
    assertThat(window.endings).isEqualTo(endings);
  }

  @Test
  void noOverflowAtTheTop() {
    assertThat(judge(0, 0)).isEqualTo(FRESH);
    assertThat(judge(Long.MAX_VALUE, 0)).isEqualTo(JUMP);
    DeviceWindow high = new DeviceWindow("tablet");
    high.judge(Long.MAX_VALUE, 0);
    assertThat(high.judge(0, 0)).isEqualTo(TOO_OLD);
    assertThat(high.judge(Long.MAX_VALUE - 63, 0)).isEqualTo(FRESH);
  }

  /** Of the last eight numbers the whole digest counts, of the others its last 16 bits. */
  @Test
  void whatIsKeptOfDigests() {
    long digest = 0x1234_5678_9abc_def0L;
    for (long sequence = 500; sequence < 580; sequence++) {
      judge(sequence, digest + sequence);
    }
    for (long sequence = 516; sequence < 580; sequence++) {
      boolean whole = sequence >= 572;
      assertThat(judge(sequence, digest + sequence)).isEqualTo(DUPLICATE);
      for (int bit = 0; bit < 64; bit++) {
        assertThat(judge(sequence, digest + sequence ^ 1L << bit))
            .as("number %s, bit %s", sequence, bit)
            .isEqualTo(whole || bit < 16 ? CONFLICT : DUPLICATE);
      }
    }
    assertThat(judge(515, digest + 515)).isEqualTo(TOO_OLD);
    assertThat(window.digests).hasSize(8);
    assertThat(window.endings).hasSize(128);
  }

  /** A closed window refuses every number up to the highest, and opens with a higher one. */
  @Test
  void aClosedWindowOpensWithAHigherNumber() {
    for (long sequence = 0; sequence < 20; sequence++) {
      judge(sequence, sequence);
    }
    window.close();
    assertThat(window.isClosed()).isTrue();
    assertThat(window.digests).isEmpty();
    assertThat(window.endings).isEmpty();
    for (long sequence = 0; sequence < 20; sequence++) {
      assertThat(judge(sequence, sequence)).isEqualTo(TOO_OLD);
    }
    assertThat(judge(22, 1)).isEqualTo(FRESH);
    assertThat(window.isClosed()).isFalse();
    assertThat(judge(22, 1)).isEqualTo(DUPLICATE);
    assertThat(judge(20, 2)).isEqualTo(FRESH);
    assertThat(judge(20, 3)).isEqualTo(CONFLICT);
    assertThat(judge(19, 19)).isEqualTo(TOO_OLD);
  }

  @Test
  void agreesWithANaiveModelOnRandomSequences() {
    long seed = 61;
    Random random = new Random(seed);
    Map<Verdict, Integer> seen = new EnumMap<>(Verdict.class);
    for (int run = 0; run < 400; run++) {
      DeviceWindow window = new DeviceWindow("phone");
      Naive naive = new Naive();
      long at = random.nextInt(200);
      int spread = 1 + random.nextInt(150);
      for (int n = 0; n < 300; n++) {
        at += random.nextInt(3);
        long sequence = Math.max(0, at + random.nextInt(spread) - spread / 2);
        if (random.nextInt(50) == 0) {
          sequence = at + (1 << 20) - 20 + random.nextInt(40);
          at = random.nextInt(10) == 0 ? sequence : at;
        }
        long digest = random.nextInt(10) == 0 ? random.nextInt(3) : sequence;
        Verdict verdict = window.judge(sequence, digest);
        assertThat(verdict)
            .as("seed %s, run %s, step %s, sequence %s", seed, run, n, sequence)
            .isEqualTo(naive.judge(sequence, digest));
        assertThat(window.digests).hasSizeLessThanOrEqualTo(8);
        assertThat(window.endings).hasSizeLessThanOrEqualTo(128);
        seen.merge(verdict, 1, Integer::sum);
      }
    }
    for (Verdict verdict : Verdict.values()) {
      assertThat(seen.getOrDefault(verdict, 0)).as(verdict.name()).isGreaterThan(100);
    }
  }

  /** The window of release 0.2.0, with its blocks, moved after any number of reports. */
  @Test
  void agreesWithTheWindowOfBlocksWheneverItMoves() {
    long seed = 71;
    Random random = new Random(seed);
    Map<Verdict, Integer> seen = new EnumMap<>(Verdict.class);
    for (int run = 0; run < 2000; run++) {
      BlockWindow former = new BlockWindow();
      long at = random.nextInt(200);
      int spread = 1 + random.nextInt(150);
      DeviceWindow moved = null;
      int moves = 1 + random.nextInt(150);
      for (int n = 0; n < 250; n++) {
        if (n == moves) {
          moved = former.window;
          assertThat(moved.isFormer()).isTrue();
          former = former.copy();
          moved.move(former.blocks::get);
          assertThat(moved.isFormer()).isFalse();
        }
        at += random.nextInt(random.nextInt(100) == 0 ? 150 : 3);
        long sequence = Math.max(0, at + random.nextInt(spread) - spread / 2);
        long digest = random.nextInt(10) == 0 ? random.nextInt(3) : sequence;
        if (random.nextInt(400) == 0) {
          former.close(sequence);
          if (moved != null) {
            moved.close(sequence);
          }
        }
        Verdict expected = former.judge(sequence, digest);
        if (moved != null) {
          assertThat(moved.judge(sequence, digest))
              .as("seed %s, run %s, step %s, sequence %s", seed, run, n, sequence)
              .isEqualTo(expected);
          assertThat(moved.highest).isEqualTo(former.window.highest);
          assertThat(moved.judged).isEqualTo(former.window.judged);
          assertThat(moved.lowest).isEqualTo(former.window.lowest);
          seen.merge(expected, 1, Integer::sum);
        }
      }
    }
    for (Verdict verdict : new Verdict[] {FRESH, DUPLICATE, CONFLICT, TOO_OLD}) {
      assertThat(seen.getOrDefault(verdict, 0)).as(verdict.name()).isGreaterThan(1000);
    }
  }

  /** A window that keeps every number. */
  private static final class Naive {
    private final TreeMap<Long, Long> digests = new TreeMap<>();

    Verdict judge(long sequence, long digest) {
      if (!digests.isEmpty() && sequence > digests.lastKey() + (1 << 20)) {
        return JUMP;
      }
      if (!digests.isEmpty() && sequence <= digests.lastKey() - 64) {
        return TOO_OLD;
      }
      Long known = digests.putIfAbsent(sequence, digest);
      long compared = sequence > digests.lastKey() - 8 ? -1 : 0xffff;
      return known == null
          ? FRESH
          : (known & compared) == (digest & compared) ? DUPLICATE : CONFLICT;
    }
  }
}
