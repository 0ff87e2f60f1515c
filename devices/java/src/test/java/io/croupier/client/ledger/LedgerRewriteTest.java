package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The rewriting of a ledger's file without its settled reports. */
class LedgerRewriteTest extends LedgerFixture {
  private static final Randomiser UNSAID =
      new UndisclosedRandomiser(new GaussianRandomiser(1, 2, -16, 0.3));
  private static final int SLACK_BYTES = 200;

  /** A report of 100 bytes with entry and commit marker, and its mark. */
  private static final int REPORT_BYTES =
      LedgerFormat.HEAD_BYTES + LedgerSecret.DATA_BYTES + 100 + 4 + LedgerFormat.MARKER_BYTES;

  private LocalLedger open(int slackBytes) throws IOException {
    return open(Disk.REAL, slackBytes);
  }

  private static StoredReport release(LocalLedger ledger, int i) {
    byte[] bytes = new byte[100];
    Arrays.fill(bytes, (byte) i);
    return ledger.release(
        "m", FrequentData.KEY, (i % 2 == 0 ? TENTH : UNSAID).cost(), sequence -> bytes);
  }

  @Test
  void staysSmallAndKeepsAllSpending() throws Exception {
    long largest = 0;
    String deviceId;
    List<Boolean> answers;
    try (LocalLedger ledger = open(LedgerFile.SLACK_BYTES)) {
      deviceId = ledger.deviceId();
      answers = answers(ledger);
      for (int i = 0; i < 800; i++) {
        release(ledger, i);
        if (i >= 5) {
          ledger.acknowledge(i - 5);
        }
        largest = Math.max(largest, Files.size(file));
      }
    }
    assertThat(largest)
        .isBetween(
            (long) LedgerFile.SLACK_BYTES,
            LedgerFile.SLACK_BYTES + LedgerFormat.MOST_HEADER_BYTES + 8L * REPORT_BYTES);
    try (LocalLedger ledger = open(LedgerFile.SLACK_BYTES)) {
      assertThat(ledger.spent())
          .isEqualTo(new Spent(800, 40_000_000_000L, 36_000_000_000_000L, 400, 0));
      assertThat(ledger.deviceId()).isEqualTo(deviceId);
      assertThat(answers(ledger)).isEqualTo(answers);
      assertThat(ledger.pending())
          .extracting(StoredReport::sequence)
          .containsExactly(795L, 796L, 797L, 798L, 799L);
      assertThat(ledger.pending())
          .allSatisfy(report -> assertThat(report.bytes()[99]).isEqualTo((byte) report.sequence()));
      assertThat(release(ledger, 800).sequence()).isEqualTo(800);
    }
  }

  private static List<Boolean> answers(LocalLedger ledger) {
    List<Boolean> answers = new ArrayList<>();
    for (int round = 0; round < 64; round++) {
      answers.add(ledger.answers("m", round, 0.5));
    }
    return answers;
  }

  /** The file grows while reports are pending; afterwards its size is at most twice theirs. */
  @Test
  void isRewrittenOnlyWhenItDoubles() throws Exception {
    int[] moves = {-1};
    Disk counting = new WatchedDisk(o -> moves[0] += o.name().equals("move") ? 1 : 0);
    int reports = 200;
    try (LocalLedger ledger = open(counting, SLACK_BYTES)) {
      for (int i = 0; i < reports; i++) {
        release(ledger, i);
        if (i >= 20) {
          ledger.acknowledge(i - 20);
        }
        assertThat(Files.size(file))
            .isLessThan(2 * (22L * REPORT_BYTES + LedgerFormat.MOST_HEADER_BYTES));
      }
    }
    assertThat(moves[0]).isBetween(reports / 40, reports / 10);
  }

  @Test
  void aCarriedReportIsSettledLikeAnyOther() throws Exception {
    try (LocalLedger ledger = open(SLACK_BYTES)) {
      carry(ledger);
      ledger.refuse(0);
    }
    try (LocalLedger ledger = open(SLACK_BYTES)) {
      assertThat(ledger.pending()).extracting(StoredReport::sequence).containsExactly(1L, 3L);
    }
  }

  /** Carries reports 0 and 1 over; report 3 follows. */
  private static void carry(LocalLedger ledger) {
    release(ledger, 0);
    release(ledger, 1);
    ledger.acknowledge(FrequentData.release(ledger, TENTH, 2000));
    release(ledger, 3);
  }

  @Test
  void noDamageToARewrittenFileLowersTheSpending() throws Exception {
    Spent spent;
    try (LocalLedger ledger = open(SLACK_BYTES)) {
      carry(ledger);
      spent = ledger.spent();
    }
    byte[] whole = Files.readAllBytes(file);
    int lastMarker = whole.length - LedgerFormat.MARKER_BYTES;
    int carriedEnd = whole.length - REPORT_BYTES;
    for (int i = 0; i < whole.length; i += 7) {
      byte[] damaged = whole.clone();
      damaged[i] ^= (byte) (1 << i % 8);
      Files.write(file, damaged);
      if (i < lastMarker) {
        assertCorrupt("byte " + i);
      } else {
        try (LocalLedger ledger = open(SLACK_BYTES)) {
          assertThat(ledger.spent()).isEqualTo(spent);
        }
      }
    }
    for (int length = 0; length < carriedEnd - LedgerFormat.MARKER_BYTES; length += 13) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertCorrupt("cut at " + length);
    }
    Files.write(file, Arrays.copyOf(whole, carriedEnd));
    try (LocalLedger ledger = open(SLACK_BYTES)) {
      assertThat(ledger.spent().reports()).isEqualTo(3);
      assertThat(ledger.pending()).extracting(StoredReport::sequence).containsExactly(0L, 1L);
    }
  }

  private void assertCorrupt(String how) {
    assertThatThrownBy(() -> open(SLACK_BYTES)).as(how).isInstanceOf(CorruptLedgerException.class);
  }

  @Test
  void drawsNothingIfRewritingFails() throws Exception {
    boolean[] full = {false};
    Disk disk =
        new WatchedDisk(
            operation -> {
              if (full[0] && operation.name().equals("create")) {
                throw new IOException("disk is full");
              }
            });
    try (LocalLedger ledger = open(disk, 1)) {
      for (int i = 0; i < 3; i++) {
        ledger.acknowledge(FrequentData.release(ledger, TENTH, 1000));
      }
      full[0] = true;
      assertThatThrownBy(
              () -> ledger.release("m", FrequentData.KEY, TENTH.cost(), sequence -> drawn()))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("disk is full");
      assertThatThrownBy(
              () -> ledger.release("m", FrequentData.KEY, TENTH.cost(), sequence -> drawn()))
          .hasMessageContaining("reopen the ledger");
    }
    try (LocalLedger ledger = open(1)) {
      assertThat(ledger.spent().reports()).isEqualTo(3);
    }
  }

  private static byte[] drawn() {
    throw new AssertionError("noise was drawn");
  }

  /** A file of version 0.1.0 with reports 0 to 4, of which 1 and 3, undisclosed, are pending. */
  @Test
  void fileOfAnOlderVersionIsMigrated() throws Exception {
    copyOfVersion(1, file);
    List<Boolean> answers;
    try (LocalLedger ledger = open(LedgerFile.SLACK_BYTES)) {
      assertTakenOver(ledger);
      answers = answers(ledger);
    }
    assertThat(Files.readAllBytes(file)[11]).isEqualTo((byte) 3);
    try (LocalLedger ledger = open(LedgerFile.SLACK_BYTES)) {
      assertTakenOver(ledger);
      assertThat(answers(ledger)).isEqualTo(answers);
      assertThat(release(ledger, 5).sequence()).isEqualTo(5);
    }
  }

  /**
   * A file of version 2: reports 0 and 4 are settled, 1 (undisclosed) and 5 pending; token 2 is
   * held, 3 asked for.
   */
  @Test
  void fileOfVersion2IsMigratedAndItsDataAreUnknown() throws Exception {
    copyOfVersion(2, file);
    DataKey day = DataKey.of("day");
    for (int opening = 0; opening < 2; opening++) {
      try (LocalLedger ledger = open(LedgerFile.SLACK_BYTES)) {
        assertThat(Files.readAllBytes(file)[11]).isEqualTo((byte) 3);
        assertThat(ledger.deviceId()).isEqualTo("1af98a1c-0d84-4b40-8ea7-b2403587858d");
        assertThat(ledger.spent()).isEqualTo(new Spent(6, 2_500_000_000L, 62_500_000_000L, 1, 0));
        assertThat(ledger.pending())
            .extracting(StoredReport::bytes)
            .containsExactly(new byte[] {1, 7}, new byte[] {5, 7});
        assertThat(ledger.tokens())
            .extracting(StoredToken::bytes)
            .containsExactly(new byte[] {2, 9}, new byte[] {3, 8});
        // The secret is the same.
        assertThat(LongStream.range(1, 6).mapToObj(round -> ledger.answers("m", round, 0.5)))
            .containsExactly(false, true, true, true, false);
        assertThat(ledger.reported("m", day)).isZero();
        ledger.requireUnreported("m", day);
      }
    }
    try (LocalLedger ledger = open(LedgerFile.SLACK_BYTES)) {
      ledger.draw(ledger.tokens().get(0), "m", day, () -> new byte[] {2, 10});
      assertThatThrownBy(() -> ledger.requireUnreported("m", day))
          .isInstanceOf(AlreadyReportedException.class);
    }
  }

  private static void assertTakenOver(LocalLedger ledger) {
    assertThat(ledger.deviceId()).isEqualTo("7a5a0fe7-4d8e-47e2-aaf7-d22b6baefc01");
    assertThat(ledger.spent()).isEqualTo(new Spent(5, 400_000_000, 90_000_000_000L, 1, 0));
    assertThat(ledger.pending())
        .extracting(StoredReport::bytes)
        .containsExactly(new byte[] {1, 7}, new byte[] {3, 7});
  }
}
