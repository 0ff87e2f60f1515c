package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.Randomiser;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Truncated and damaged ledger files. */
class LedgerDamageTest extends LedgerFixture {
  private static final int REPORTS = 4;
  private static final Randomiser GAUSSIAN = new GaussianRandomiser(1, 2, -16, 0.5);

  private byte[] whole;
  private final List<byte[]> released = new ArrayList<>();
  private final List<Spent> spentAfter = new ArrayList<>();

  /** Begin and end of each report's entry, without its commit marker. */
  private final List<long[]> entries = new ArrayList<>();

  /** End of the header. */
  private long start;

  @BeforeEach
  void write() throws IOException {
    Random random = new Random(7);
    try (LocalLedger ledger = open(Limit.NONE)) {
      start = Files.size(file);
      spentAfter.add(ledger.spent());
      for (int i = 0; i < REPORTS; i++) {
        byte[] report = new byte[10 + i];
        random.nextBytes(report);
        long from = Files.size(file);
        released.add(
            ledger
                .release("m", FrequentData.KEY, (i % 2 == 0 ? HALF : GAUSSIAN).cost(), s -> report)
                .bytes());
        entries.add(new long[] {from, Files.size(file) - LedgerFormat.MARKER_BYTES});
        spentAfter.add(ledger.spent());
        if (i > 0) {
          ledger.acknowledge(i - 1);
        }
      }
    }
    whole = Files.readAllBytes(file);
  }

  @Test
  void truncatedEndCountsAsACrash() throws IOException {
    for (int length = (int) start; length < whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      int survivors = 0;
      while (survivors < REPORTS && entries.get(survivors)[1] <= length) {
        survivors++;
      }
      try (LocalLedger ledger = open(Limit.NONE)) {
        assertThat(ledger.spent()).as("cut at %s", length).isEqualTo(spentAfter.get(survivors));
        assertPendingAsReleased(ledger);
        assertThat(FrequentData.release(ledger, HALF, 1)).isEqualTo(survivors);
      }
      try (LocalLedger ledger = open(Limit.NONE)) {
        assertThat(ledger.spent().reports()).as("cut at %s", length).isEqualTo(survivors + 1);
      }
    }
  }

  @Test
  void fileWithoutHeaderIsNotANewLedger() throws IOException {
    for (int length = 0; length < start; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      Files.write(file, cut);
      assertThatThrownBy(() -> open(Limit.NONE))
          .isInstanceOf(CorruptLedgerException.class)
          .hasMessageContaining("the header of a ledger is missing at byte 0");
      assertThat(Files.readAllBytes(file)).isEqualTo(cut);
    }
  }

  @Test
  void noFlippedBitLowersTheSpending() throws IOException {
    int refused = 0;
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= (byte) (1 << i % 8);
      if (!isUsedInFull(damaged, "byte " + i)) {
        refused++;
      }
    }
    // All bytes except the last commit marker and the mark after it.
    assertThat(refused).isEqualTo((int) entries.get(REPORTS - 1)[1]);
  }

  @Test
  void noRunOfZerosLowersTheSpending() throws IOException {
    for (int from = 0;
        from + 64 < whole.length - LedgerFormat.MARKER_BYTES - LedgerFormat.HEAD_BYTES;
        from += 5) {
      byte[] damaged = whole.clone();
      Arrays.fill(damaged, from, from + 32, (byte) 0);
      // The last commit marker is intact, so no damage before it counts as an unfinished end.
      assertThat(isUsedInFull(damaged, "zeros from " + from))
          .isEqualTo(from >= entries.get(REPORTS - 1)[1] || Arrays.equals(damaged, whole));
    }
  }

  /**
   * Whether the file is accepted, which requires that no spending is missing; false if it is
   * refused as damaged.
   */
  private boolean isUsedInFull(byte[] damaged, String how) throws IOException {
    Files.write(file, damaged);
    try (LocalLedger ledger = open(Limit.NONE)) {
      assertThat(ledger.spent()).as(how).isEqualTo(spentAfter.get(REPORTS));
      assertPendingAsReleased(ledger);
      return true;
    } catch (CorruptLedgerException e) {
      assertThat(Files.readAllBytes(file)).as(how).isEqualTo(damaged);
      assertThat(e).hasMessageContaining("at byte ").hasMessageNotContaining("ada");
      return false;
    }
  }

  private void assertPendingAsReleased(LocalLedger ledger) {
    for (StoredReport report : ledger.pending()) {
      assertThat(report.bytes()).isEqualTo(released.get((int) report.sequence()));
    }
  }
}
