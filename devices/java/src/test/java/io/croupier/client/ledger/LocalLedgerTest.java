package io.croupier.client.ledger;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.ledger.WatchedDisk.Watcher;
import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.operators.ledger.DeviceWindow;
import io.croupier.operators.ledger.DeviceWindow.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class LocalLedgerTest extends LedgerFixture {
  private static final GridRandomiser GAUSSIAN = new GaussianRandomiser(1, 2, -16, 0.3);

  private static final GridRandomiser OPEN =
      new CoordinateLaplaceRandomiser(
          1, -16, new double[] {0.1, Double.POSITIVE_INFINITY}, ClippingNorm.COORDINATES);

  private static final String UNBOUNDED =
      "the cost has no bound, because a tau is Infinity or the report's custom noise"
          + " states neither epsilon nor mu; the limit is ";

  @Test
  void usageExample() throws Exception {
    String deviceId;
    try (LocalLedger ledger = open(Limit.NONE)) {
      deviceId = ledger.deviceId();
      for (byte i = 0; i < 4; i++) {
        byte number = i;
        StoredReport report =
            ledger.release(
                "m",
                FrequentData.KEY,
                (i == 3 ? new UndisclosedRandomiser(GAUSSIAN) : TENTH).cost(),
                s -> bytes(number));
        assertThat(report.sequence()).isEqualTo(i);
      }
      ledger.acknowledge(0);
      ledger.refuse(2);
    }
    try (LocalLedger ledger = open(Limit.NONE)) {
      assertThat(ledger.deviceId()).isEqualTo(deviceId);
      assertThat(ledger.spent()).isEqualTo(new Spent(4, 300_000_000, 90_000_000_000L, 1, 0));
      assertThat(ledger.spent().epsilon()).isEqualByComparingTo("0.3");
      assertThat(ledger.spent().muSquared()).isEqualByComparingTo("0.09");
      assertThat(ledger.pending()).extracting(StoredReport::sequence).containsExactly(1L, 3L);
      assertThat(ledger.pending())
          .extracting(StoredReport::bytes)
          .containsExactly(bytes((byte) 1), bytes((byte) 3));
      assertThat(
              ledger.release("m", FrequentData.KEY, TENTH.cost(), s -> bytes((byte) 4)).sequence())
          .isEqualTo(4);
    }
  }

  private static byte[] bytes(byte value) {
    return new byte[] {value, 7};
  }

  /** A thread that is interrupted closes the channels that it uses. */
  @Test
  void interruptsDontCloseTheFile() throws Exception {
    Thread caller = Thread.currentThread();
    AtomicBoolean interrupts = new AtomicBoolean();
    Watcher interrupting =
        operation -> {
          if (interrupts.get()) {
            caller.interrupt();
          }
        };
    try (LocalLedger ledger = open(new WatchedDisk(interrupting), 300)) {
      for (int i = 0; i < 50; i++) {
        interrupts.set(i % 2 == 0);
        if (i % 2 == 1) {
          caller.interrupt();
        }
        ledger.acknowledge(FrequentData.release(ledger, TENTH, 50));
        assertThat(Thread.interrupted()).isTrue();
      }
      assertThat(Files.size(file)).as("the file was rewritten").isLessThan(2000);
    }
    try (LocalLedger ledger = open(Limit.NONE)) {
      assertThat(ledger.spent().reports()).isEqualTo(50);
      assertThat(ledger.pending()).isEmpty();
    }
  }

  @Test
  void tenTenthsAreExactlyOne() throws Exception {
    for (int i = 0; i < 10; i++) {
      // The limit applies across all openings.
      try (LocalLedger ledger = open(Limit.ofEpsilon(1))) {
        FrequentData.release(ledger, TENTH, 1);
      }
    }
    try (LocalLedger ledger = open(Limit.ofEpsilon(1))) {
      Spent before = ledger.spent();
      assertLimit(ledger, TENTH, "epsilon would add up to 1.1; the limit is 1");
      assertThat(ledger.spent()).isEqualTo(before);
    }
    try (LocalLedger ledger = open(Limit.ofEpsilon(1.1))) {
      FrequentData.release(ledger, TENTH, 1);
    }
  }

  @Test
  void everyKindOfCostHasItsLimit() {
    LocalLedger pure = LocalLedger.inMemory("u", Limit.ofEpsilon(5));
    assertLimit(
        pure,
        GAUSSIAN,
        "the report has Gaussian noise and spends mu^2 = 0.09; the limit, epsilon = 5, allows none:"
            + " state a limit on mu, too, or use other noise");
    LocalLedger gaussian = LocalLedger.inMemory("u", Limit.ofMu(0.6));
    for (int i = 0; i < 4; i++) {
      FrequentData.release(gaussian, new UndisclosedRandomiser(GAUSSIAN), 1);
    }
    assertLimit(
        gaussian, GAUSSIAN, "mu^2 would add up to 0.45; the limit is the square of mu = 0.6");
    assertLimit(
        gaussian,
        TENTH,
        "the report spends epsilon = 0.1; the limit, mu = 0.6, allows Gaussian noise only: state"
            + " a limit on epsilon, too, or use Gaussian noise");
    LocalLedger one = LocalLedger.inMemory("u", new Limit(9, 9, 1));
    FrequentData.release(one, TENTH, 1);
    assertLimit(one, TENTH, "reports would be 2; the limit is 1");
  }

  @Test
  void unboundedCostExceedsEveryLimit() {
    assertLimit(
        LocalLedger.inMemory("u", Limit.ofEpsilon(5)), OPEN, UNBOUNDED + "epsilon = 5, mu = 0");
    assertLimit(
        LocalLedger.inMemory("u", new Limit(Double.POSITIVE_INFINITY, 2, 9)),
        OPEN,
        UNBOUNDED + "epsilon = Infinity, mu = 2");
    double none = Double.POSITIVE_INFINITY;
    LocalLedger one = LocalLedger.inMemory("u", new Limit(none, none, 1));
    FrequentData.release(one, OPEN, 1);
    assertThat(one.spent()).isEqualTo(new Spent(1, 100_000_000, 0, 0, 1));
    assertLimit(one, OPEN, "reports would be 2; the limit is 1");
  }

  @Test
  void unboundedReportsAreRemembered() throws Exception {
    try (LocalLedger ledger = open(Limit.NONE)) {
      FrequentData.release(ledger, OPEN, 1);
      FrequentData.release(ledger, new UndisclosedRandomiser(OPEN), 1);
    }
    // An earlier unbounded cost doesn't count against a later limit.
    try (LocalLedger ledger = open(Limit.ofEpsilon(0.3))) {
      assertThat(ledger.spent()).isEqualTo(new Spent(2, 200_000_000, 0, 1, 2));
      FrequentData.release(ledger, TENTH, 1);
      assertLimit(ledger, TENTH, "epsilon would add up to 0.4; the limit is 0.3");
    }
  }

  /** Asserts a refusal, which draws no noise. */
  private static void assertLimit(LocalLedger ledger, GridRandomiser randomiser, String message) {
    assertThatThrownBy(
            () ->
                ledger.release(
                    "m",
                    FrequentData.KEY,
                    randomiser.cost(),
                    sequence -> {
                      throw new AssertionError("noise was drawn");
                    }))
        .isInstanceOf(LimitReachedException.class)
        .hasMessage(message);
  }

  @Test
  void aSaturatedSumIsExhausted() {
    GridRandomiser huge = new L2LaplaceRandomiser(1, 2, -16, 1e12);
    LocalLedger unlimited = LocalLedger.inMemory("u", Limit.NONE);
    FrequentData.release(unlimited, huge, 1);
    FrequentData.release(unlimited, TENTH, 1);
    assertThat(unlimited.spent().epsilonNanos()).isEqualTo(Long.MAX_VALUE);
    assertLimit(
        LocalLedger.inMemory("u", Limit.ofEpsilon(Double.MAX_VALUE)),
        huge,
        "epsilon would add up to at least 9223372036.854775807; the limit is 1.7976931348623157E308");
    assertLimit(
        LocalLedger.inMemory("u", Limit.ofMu(1e300)),
        new GaussianRandomiser(1, 2, -16, 1e12),
        "mu^2 would add up to at least 9223372.036854775807; the limit is the square of mu = 1.0E300");
  }

  @Test
  void limitsAreNotNegative() {
    assertRefused(() -> Limit.ofEpsilon(-1), "epsilon is -1.0; it must be at least 0");
    assertThatIllegalArgumentException().isThrownBy(() -> Limit.ofMu(Double.NaN));
    assertThatIllegalArgumentException().isThrownBy(() -> new Limit(1, 1, -1));
  }

  @Test
  void aDrawThatFailsCostsNothing() throws Exception {
    try (LocalLedger ledger = open(Limit.NONE)) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  ledger.release(
                      "m",
                      FrequentData.KEY,
                      TENTH.cost(),
                      s -> {
                        throw new IllegalArgumentException("no gradient");
                      }));
      assertThat(ledger.spent()).isEqualTo(Spent.NOTHING);
      assertThat(FrequentData.release(ledger, TENTH, 1)).isZero();
    }
  }

  @Test
  void onlyItsOwnerCanReadIt() throws Exception {
    try (LocalLedger ledger = open(Limit.NONE)) {
      FrequentData.release(ledger, TENTH, 1);
    }
    assertThat(folder).isDirectoryContaining(path -> path.equals(file));
    try (var files = Files.list(folder)) {
      assertThat(files.toList())
          .hasSize(2)
          .allSatisfy(
              path ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                      .isEqualTo("rw-------"));
    }
  }

  @Test
  void canBeOpenOnlyOnce() throws Exception {
    try (LocalLedger ledger = open(Limit.NONE)) {
      assertThatThrownBy(() -> open(Limit.NONE))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("already open");
      FrequentData.release(ledger, TENTH, 1);
    }
    open(Limit.NONE).close();
  }

  @Test
  void belongsToOneUserAndOneDevice() throws Exception {
    open(Limit.NONE).close();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LocalLedger.open(file, "bob", Limit.NONE))
        .withMessageStartingWith("userId differs from that of the ledger")
        .withMessageNotContaining("bob");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LocalLedger.inMemory("", Limit.NONE))
        .withMessageStartingWith("userId");
    assertThat(LocalLedger.inMemory("u", Limit.NONE).deviceId())
        .isNotEqualTo(LocalLedger.inMemory("u", Limit.NONE).deviceId());
    open(Limit.NONE).close();
  }

  @Test
  void afterAFailedWriteItMustBeOpenedAgain() throws Exception {
    int[] forces = {0};
    Disk full =
        new WatchedDisk(
            operation -> {
              if (operation.name().equals("force") && ++forces[0] == 3) {
                throw new IOException("disk is full");
              }
            });
    try (LocalLedger ledger = open(full, 1)) {
      assertThatThrownBy(() -> FrequentData.release(ledger, TENTH, 1))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessage(file.toRealPath() + ": can't be written: disk is full");
      assertThatThrownBy(() -> FrequentData.release(ledger, TENTH, 1))
          .hasMessageContaining(file.toRealPath() + ": ", "reopen the ledger");
      assertThat(ledger.pending()).isEmpty();
    }
    try (LocalLedger ledger = open(Limit.NONE)) {
      assertThat(ledger.spent().reports()).isEqualTo(1);
      assertThat(ledger.pending()).hasSize(1);
    }
  }

  @Test
  void aClosedLedgerReleasesNothing() throws Exception {
    LocalLedger ledger = open(Limit.NONE);
    FrequentData.release(ledger, TENTH, 1);
    ledger.close();
    ledger.close();
    ledger.acknowledge(0);
    assertThatThrownBy(() -> FrequentData.release(ledger, TENTH, 1))
        .isInstanceOf(IllegalStateException.class);
    try (LocalLedger again = open(Limit.NONE)) {
      assertThat(again.pending()).hasSize(1);
    }
  }

  @Test
  void noReportIsPendingBeyondTheResendWindow() {
    assertThat(LocalLedger.WINDOW).isEqualTo(DeviceWindow.WIDTH);
    LocalLedger ledger = LocalLedger.inMemory("u", Limit.NONE);
    DeviceWindow window = new DeviceWindow("d");
    for (int i = 0; i < LocalLedger.WINDOW; i++) {
      long sequence = FrequentData.release(ledger, TENTH, 1);
      assertThat(window.judge(sequence, sequence)).isEqualTo(Verdict.FRESH);
      if (i > 0) {
        ledger.acknowledge(i);
      }
    }
    assertThatThrownBy(() -> FrequentData.release(ledger, TENTH, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("report 0 is still pending; it must be settled before report 64 is drawn");
    assertThat(window.judge(0, 0)).isEqualTo(Verdict.DUPLICATE);
    ledger.acknowledge(0);
    assertThat(FrequentData.release(ledger, TENTH, 1)).isEqualTo(64);
  }
}
