package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.ledger.StoredToken.Stage;
import io.croupier.client.randomiser.BitRandomiser;
import io.croupier.client.randomiser.HashedResponseRandomiser;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The same data are reported once to each model, whatever happens to the device. */
class ReportedDataTest extends LedgerFixture {
  private static final DataKey DAY = DataKey.of("2026-11-28");

  private static byte[] report(long sequence) {
    return new byte[100];
  }

  private static byte[] never(long sequence) {
    throw new AssertionError("noise was drawn");
  }

  private LocalLedger open() throws IOException {
    return open(Disk.REAL, 300);
  }

  private static void assertRefused(LocalLedger ledger, DataKey key, String often) {
    Spent before = ledger.spent();
    assertThatThrownBy(() -> ledger.release("m", key, HALF.cost(), ReportedDataTest::never))
        .isInstanceOf(AlreadyReportedException.class)
        .hasMessage(
            "data of this key were reported to model m "
                + often
                + "; give other data another key, or set the key's times to report the same"
                + " again");
    assertThat(ledger.spent()).isEqualTo(before);
  }

  private static void assertReported(ThrowingCallable draw) {
    assertThatThrownBy(draw).isInstanceOf(AlreadyReportedException.class);
  }

  @Test
  void aSecondReportOfAnyKindIsRefusedBeforeItIsDrawn() throws Exception {
    try (LocalLedger ledger = open()) {
      BitRandomiser answer = BitRandomiser.ofEpsilon(0.5);
      ledger.answer("m", DAY, answer.cost(), ReportedDataTest::report);
      assertRefused(ledger, DAY, "once, and they may be once");
      assertReported(() -> ledger.release("m", DAY, answer.cost(), ReportedDataTest::never));
      HashedResponseRandomiser groups =
          HashedResponseRandomiser.costing(HALF.cost(), 3).orElseThrow();
      assertReported(() -> ledger.release("m", DAY, groups.cost(), ReportedDataTest::never));
      assertReported(() -> ledger.chargeToken("m", DAY, HALF.cost(), ReportedDataTest::never));
      // Another model, another day.
      ledger.release("n", DAY, HALF.cost(), ReportedDataTest::report);
      ledger.release("m", DataKey.of("2026-11-29"), HALF.cost(), ReportedDataTest::report);
      assertThat(ledger.reported("m", DAY)).isEqualTo(1);
    }
  }

  @Test
  void aKeyMayAllowMoreReportsEarlierOnesIncluded() throws Exception {
    for (int i = 0; i < 3; i++) {
      try (LocalLedger ledger = open()) {
        ledger.release("m", DAY.times(3), HALF.cost(), ReportedDataTest::report);
      }
    }
    try (LocalLedger ledger = open()) {
      assertRefused(ledger, DAY.times(3), "3 times, and they may be 3 times");
      assertRefused(ledger, DAY, "3 times, and they may be once");
    }
  }

  /** 200 settled reports make the file be rewritten many times. */
  @Test
  void rewritingForgetsNothing() throws Exception {
    try (LocalLedger ledger = open()) {
      for (int day = 0; day < 200; day++) {
        StoredReport report =
            ledger.release("m", DataKey.of("day " + day), HALF.cost(), ReportedDataTest::report);
        ledger.acknowledge(report.sequence());
      }
      // 24 bytes of each.
      assertThat(Files.size(file)).isBetween(4800L, 2 * 5200L);
    }
    try (LocalLedger ledger = open()) {
      for (int day = 0; day < 200; day++) {
        assertRefused(ledger, DataKey.of("day " + day), "once, and they may be once");
      }
    }
  }

  /** An end without its last byte was never sent, and one without its marker may have been. */
  @Test
  void keyAndChargeAreOneEntry() throws Exception {
    try (LocalLedger ledger = open()) {
      ledger.release("m", DataKey.of("before"), HALF.cost(), ReportedDataTest::report);
    }
    int before = (int) Files.size(file);
    try (LocalLedger ledger = open()) {
      ledger.release("m", DAY, HALF.cost(), ReportedDataTest::report);
    }
    byte[] whole = Files.readAllBytes(file);
    for (int length = before; length <= whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      try (LocalLedger ledger = open()) {
        assertThat(ledger.reported("m", DAY))
            .as("cut at %d", length)
            .isEqualTo(ledger.spent().reports() - 1);
        assertThat(ledger.reported("m", DataKey.of("before"))).isEqualTo(1);
      }
    }
  }

  /** A second token would show that the first one had no report. */
  @Test
  void aTokenIsChargedForTheDataForGoodWithOrWithoutAReport() throws Exception {
    String charged =
        "0 times, tokens were charged for 1 more of their reports, and they may be once";
    try (LocalLedger ledger = open()) {
      StoredToken asked = ledger.chargeToken("m", DAY, HALF.cost(), ReportedDataTest::report);
      assertRefused(ledger, DAY, charged);
      assertThat(ledger.reported("m", DAY)).isZero();
      StoredToken held = ledger.advance(asked, Stage.HELD, new byte[] {1});
      ledger.forget(ledger.advance(held, Stage.ENDED, new byte[0]));
      rewrite(ledger);
    }
    try (LocalLedger ledger = open()) {
      assertRefused(ledger, DAY, charged);
      assertReported(() -> ledger.chargeToken("m", DAY, HALF.cost(), ReportedDataTest::never));
      StoredToken asked =
          ledger.chargeToken("m", DAY.times(2), HALF.cost(), ReportedDataTest::report);
      ledger.draw(asked, "m", DAY, () -> new byte[] {2});
      rewrite(ledger);
    }
    try (LocalLedger ledger = open()) {
      assertThat(ledger.reported("m", DAY)).isEqualTo(1);
      assertRefused(
          ledger,
          DAY.times(2),
          "once, tokens were charged for 1 more of their reports, and they may be 2 times");
    }
  }

  private static void rewrite(LocalLedger ledger) {
    for (int i = 0; i < 20; i++) {
      ledger.acknowledge(
          ledger.release("m", FrequentData.KEY, HALF.cost(), ReportedDataTest::report).sequence());
    }
  }

  /** Data that the token of others reported have their own token: no request shows the report. */
  @Test
  void aTokenMayReportOtherDataUnlessTheyWereReported() throws Exception {
    DataKey next = DataKey.of("2026-11-29");
    try (LocalLedger ledger = open()) {
      StoredToken token = ledger.chargeToken("m", DAY, HALF.cost(), ReportedDataTest::report);
      ledger.draw(token, "m", next, () -> new byte[] {2});
      assertThat(ledger.reported("m", next)).isEqualTo(1);
      assertThat(ledger.reported("m", DAY)).isZero();
      assertRefused(ledger, next, "once, and they may be once");
      StoredToken second = ledger.chargeToken("m", next, HALF.cost(), ReportedDataTest::report);
      assertReported(() -> ledger.draw(second, "m", next, () -> never(0)));
    }
  }

  @Test
  void digestsDependOnTheSecretTheModelAndTheKey() {
    Set<Object> digests = new HashSet<>();
    for (int i = 0; i < 2; i++) {
      LedgerSecret secret = new LedgerSecret(LedgerSecret.newSecret());
      for (String model : new String[] {"m", "m1"}) {
        for (String text : new String[] {"1", "11", "2"}) {
          digests.add(secret.data(model, DataKey.of(text)));
          digests.add(secret.data(model, DataKey.of(text)));
        }
        digests.add(secret.data(model, DataKey.digestOf(1, 2)));
        digests.add(secret.data(model, DataKey.digestOf(1, 2).times(7)));
        digests.add(secret.data(model, DataKey.digestOf(2, 1)));
      }
    }
    assertThat(digests).hasSize(2 * 2 * 5);
  }

  @Test
  void keysAreChecked() {
    assertThatThrownBy(() -> DataKey.of(""))
        .hasMessage("the key has 0 bytes of UTF-8; it must have 1 to 256");
    assertThatThrownBy(() -> DataKey.of("é".repeat(129)))
        .hasMessage("the key has 258 bytes of UTF-8; it must have 1 to 256");
    for (String half : new String[] {"\ud83d", "day \ude00"}) {
      assertThatThrownBy(() -> DataKey.of(half))
          .hasMessageStartingWith("the key has half of a surrogate pair; it must be Unicode");
    }
    assertThat(DataKey.of("\ud83d\ude00").bytes().size()).isEqualTo(4);
    assertThatThrownBy(() -> DAY.times(0)).hasMessage("times is 0; it must be at least 1");
    assertThat(DAY).hasToString("DataKey[times=1]");
  }
}
