package io.croupier.operators.accounting;

import static io.croupier.operators.accounting.ReplayWindow.Verdict.CONFLICT;
import static io.croupier.operators.accounting.ReplayWindow.Verdict.DUPLICATE;
import static io.croupier.operators.accounting.ReplayWindow.Verdict.FRESH;
import static io.croupier.operators.accounting.ReplayWindow.Verdict.JUMP;
import static io.croupier.operators.accounting.ReplayWindow.Verdict.TOO_OLD;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.accounting.ReplayWindow.Verdict;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayWindowTest {

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 63, 64, 1L << 40, Long.MAX_VALUE})
  void theFirstNumberMayBeAnything(long first) {
    ReplayWindow window = new ReplayWindow();
    assertThat(window.isNew()).isTrue();
    assertThat(window.judge(first, 1, 2)).isEqualTo(FRESH);
    assertThat(window.isNew()).isFalse();
    assertThat(window.judge(first, 1, 2)).isEqualTo(DUPLICATE);
    assertThat(window.judge(first, 1, 3)).isEqualTo(CONFLICT);
    assertThat(window.judge(first, 0, 2)).isEqualTo(CONFLICT);
  }

  @Test
  void edgesOfTheWindow() {
    ReplayWindow window = new ReplayWindow();
    window.judge(1000, 0, 0);
    assertThat(window.judge(936, 0, 0)).isEqualTo(TOO_OLD);
    assertThat(window.judge(937, 0, 0)).isEqualTo(FRESH);
    assertThat(window.judge(1000 + (1 << 20) + 1, 0, 0)).isEqualTo(JUMP);
    assertThat(window.judge(1000 + (1 << 20), 0, 0)).isEqualTo(FRESH);
    assertThat(window.judge(1000, 0, 0)).isEqualTo(TOO_OLD);
    assertThat(window.digests).hasSize(2);
  }

  @Test
  void refusedNumbersDoNotChangeTheWindow() {
    ReplayWindow window = new ReplayWindow();
    for (long sequence : new long[] {100, 102, 110}) {
      window.judge(sequence, sequence, 0);
    }
    long[] before = window.digests.clone();
    assertThat(window.judge(110, 9, 9)).isEqualTo(CONFLICT);
    assertThat(window.judge(10, 9, 9)).isEqualTo(TOO_OLD);
    assertThat(window.judge(Long.MAX_VALUE, 9, 9)).isEqualTo(JUMP);
    assertThat(window.judge(102, 102, 0)).isEqualTo(DUPLICATE);
    assertThat(window.highest).isEqualTo(110);
    assertThat(window.digests).isEqualTo(before).containsExactly(110, 0, 102, 0, 100, 0);
  }

  @Test
  void noOverflowAtTheTop() {
    ReplayWindow window = new ReplayWindow();
    assertThat(window.judge(0, 0, 0)).isEqualTo(FRESH);
    assertThat(window.judge(Long.MAX_VALUE, 0, 0)).isEqualTo(JUMP);
    ReplayWindow high = new ReplayWindow();
    high.judge(Long.MAX_VALUE, 0, 0);
    assertThat(high.judge(0, 0, 0)).isEqualTo(TOO_OLD);
    assertThat(high.judge(Long.MAX_VALUE - 63, 0, 0)).isEqualTo(FRESH);
  }

  @Test
  void agreesWithANaiveModelOnRandomSequences() {
    long seed = 61;
    Random random = new Random(seed);
    Map<Verdict, Integer> seen = new EnumMap<>(Verdict.class);
    for (int run = 0; run < 400; run++) {
      ReplayWindow window = new ReplayWindow();
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
        Verdict verdict = window.judge(sequence, digest, ~digest);
        assertThat(verdict)
            .as("seed %s, run %s, step %s, sequence %s", seed, run, n, sequence)
            .isEqualTo(naive.judge(sequence, digest));
        assertThat(window.digests).hasSize(2 * Long.bitCount(window.judged));
        seen.merge(verdict, 1, Integer::sum);
      }
    }
    for (Verdict verdict : Verdict.values()) {
      assertThat(seen.getOrDefault(verdict, 0)).as(verdict.name()).isGreaterThan(100);
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
      return known == null ? FRESH : known == digest ? DUPLICATE : CONFLICT;
    }
  }
}
