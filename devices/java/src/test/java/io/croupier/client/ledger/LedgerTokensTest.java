package io.croupier.client.ledger;

import static io.croupier.noise.Refusals.assertRefusedWith;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.client.ledger.StoredToken.Stage;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Tokens in the ledger's file: charged once, and kept in their newest stage. */
class LedgerTokensTest extends LedgerFixture {
  private static final byte[] REQUEST = {1, 2, 3};

  private LocalLedger open() throws IOException {
    return LocalLedger.open(file, "ada", Limit.ofEpsilon(1), Disk.REAL, 300);
  }

  private static StoredToken charge(LocalLedger ledger, Randomiser level) {
    return ledger.chargeToken("m", FrequentData.KEY, level.cost(), sequence -> REQUEST);
  }

  private static StoredToken only(LocalLedger ledger) {
    assertThat(ledger.tokens()).hasSize(1);
    return ledger.tokens().get(0);
  }

  @Test
  void everyStageSurvivesAndOnlyTheFirstIsCharged() throws Exception {
    try (LocalLedger ledger = open()) {
      StoredToken asked = charge(ledger, HALF);
      assertThat(asked.sequence()).isZero();
      assertThat(asked).hasToString("StoredToken[sequence=0, stage=ASKED]");
    }
    Stage before = Stage.ASKED;
    for (Stage next : new Stage[] {Stage.HELD, Stage.DRAWN, Stage.ENDED}) {
      try (LocalLedger ledger = open()) {
        StoredToken token = only(ledger);
        assertThat(token.stage()).isEqualTo(before);
        byte[] bytes = next.name().getBytes(UTF_8);
        if (next == Stage.DRAWN) {
          ledger.draw(token, "m", FrequentData.KEY, () -> bytes);
        } else {
          ledger.advance(token, next, bytes);
        }
        assertThat(only(ledger).bytes()).isEqualTo(bytes);
        assertThat(ledger.spent().epsilon()).isEqualByComparingTo("0.5");
      }
      before = next;
    }
    try (LocalLedger ledger = open()) {
      assertThat(only(ledger).bytes()).isEqualTo("ENDED".getBytes(UTF_8));
      ledger.forget(only(ledger));
      assertThat(ledger.tokens()).isEmpty();
      assertThat(ledger.pending()).isEmpty();
    }
    try (LocalLedger ledger = open()) {
      assertThat(ledger.tokens()).isEmpty();
      assertThat(ledger.spent()).isEqualTo(new Spent(1, 500_000_000, 0, 0, 0));
    }
  }

  @Test
  void aTokenIsWithinTheLimitLikeAReport() throws Exception {
    try (LocalLedger ledger = open()) {
      charge(ledger, HALF);
      FrequentData.release(ledger, HALF, 1);
      assertThatThrownBy(() -> charge(ledger, HALF)).isInstanceOf(LimitReachedException.class);
      assertThat(ledger.spent().epsilon()).isEqualByComparingTo(BigDecimal.ONE);
    }
  }

  @Test
  void theRewrittenFileKeepsTokens() throws Exception {
    try (LocalLedger ledger = open(Disk.REAL, 300)) {
      StoredToken held = ledger.advance(charge(ledger, HALF), Stage.HELD, new byte[] {4});
      for (int i = 1; i < 200; i++) {
        ledger.acknowledge(FrequentData.release(ledger, HALF, 50));
      }
      ledger.draw(held, "m", FrequentData.KEY, () -> new byte[] {5});
      charge(ledger, HALF);
      assertThat(Files.size(file)).isLessThan(2000);
    }
    try (LocalLedger ledger = open(Disk.REAL, 300)) {
      assertThat(ledger.tokens()).extracting(StoredToken::sequence).containsExactly(0L, 200L);
      assertThat(ledger.tokens())
          .extracting(StoredToken::stage)
          .containsExactly(Stage.DRAWN, Stage.ASKED);
      assertThat(ledger.tokens().get(0).bytes()).containsExactly(5);
      assertThat(ledger.spent().reports()).isEqualTo(201);
    }
  }

  /** The job recognises a resend among its newest numbers only. */
  @Test
  void aTokenMustBeGrantedBeforeItsNumberIsTooOld() {
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    StoredToken asked = charge(ledger, HALF);
    for (int i = 1; i < LocalLedger.WINDOW; i++) {
      ledger.acknowledge(FrequentData.release(ledger, HALF, 1));
    }
    assertThatThrownBy(() -> FrequentData.release(ledger, HALF, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("report 0 is still pending");
    ledger.advance(asked, Stage.HELD, REQUEST);
    assertThat(FrequentData.release(ledger, HALF, 1)).isEqualTo(64);
  }

  @Test
  void stagesDontReturn() {
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    StoredToken asked = charge(ledger, HALF);
    StoredToken drawn = ledger.draw(asked, "m", FrequentData.KEY, () -> REQUEST);
    for (StoredToken token : new StoredToken[] {asked, drawn}) {
      assertThatThrownBy(() -> ledger.advance(token, Stage.HELD, REQUEST))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("token 0 is not in the stage " + token.stage());
    }
    assertThatThrownBy(() -> ledger.advance(asked, Stage.ENDED, REQUEST))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aTokenDisclosesItsCost() {
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    Randomiser undisclosed = new UndisclosedRandomiser(new GaussianRandomiser(1, 2, -16, 0.3));
    assertRefusedWith(() -> charge(ledger, undisclosed), "undisclosed or unbounded");
    assertThat(ledger.spent()).isEqualTo(Spent.NOTHING);
  }

  /** Slots of two challenges, and of two ledgers, are drawn independently. */
  @Test
  void slotsDifferByChallengeAndLedger() {
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    LocalLedger other = LocalLedger.inMemory("ada", Limit.NONE);
    int equalChallenges = 0;
    int equalLedgers = 0;
    int[] counts = new int[10];
    for (int i = 0; i < 1000; i++) {
      byte[] digest = new byte[32];
      digest[0] = (byte) i;
      digest[1] = (byte) (i >> 8);
      int slot = ledger.slot(ByteString.copyFrom(digest), 10);
      counts[slot]++;
      equalLedgers += other.slot(ByteString.copyFrom(digest), 10) == slot ? 1 : 0;
      digest[2] = 1;
      equalChallenges += ledger.slot(ByteString.copyFrom(digest), 10) == slot ? 1 : 0;
    }
    // Each is binomial(1000, 0.1), with standard deviation 9.5. Beyond 6.3 of them: below 1e-8 for
    // each of the 12 numbers (Chernoff bounds, above 160 and below 45).
    assertThat(equalChallenges).isBetween(45, 160);
    assertThat(equalLedgers).isBetween(45, 160);
    for (int count : counts) {
      assertThat(count).isBetween(45, 160);
    }
  }
}
