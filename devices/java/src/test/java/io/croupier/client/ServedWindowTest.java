package io.croupier.client;

import static io.croupier.client.SigningGateway.PUBLICATIONS;
import static io.croupier.client.SigningGateway.challenge;
import static io.croupier.client.SigningGateway.issuer;
import static io.croupier.client.SigningGateway.window;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.client.token.TokenChallenge;
import io.croupier.schemas.TokenLevel;
import io.croupier.schemas.TokenWindow;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A gateway that wants to recognise one person serves that person something else. */
class ServedWindowTest {
  private static final HeldToken TOKEN = token(0, 0);

  /** The token of a window, as its entry in the update says. */
  private static HeldToken token(long window, int level) {
    return new HeldToken(
        challenge(window),
        window * PUBLICATIONS,
        (window + 1) * PUBLICATIONS - 1,
        level,
        issuer(window).key(),
        ByteString.EMPTY);
  }

  private static ServedWindow of(HeldToken token, TokenWindow.Builder... served) {
    return ServedWindow.of(token, Stream.of(served).map(TokenWindow.Builder::build).toList());
  }

  private static TokenLevel.Builder special() {
    return window(0).getLevelsBuilder(0).setModulus(issuer(9).key().modulus());
  }

  @Test
  void theWindowOfAllIsTheSame() {
    assertThat(of(TOKEN, window(0))).isEqualTo(ServedWindow.SAME);
    assertThat(of(TOKEN, window(0), window(1))).isEqualTo(ServedWindow.SAME);
    assertThat(of(token(2, 0), window(1), window(2), window(3))).isEqualTo(ServedWindow.SAME);
    assertThat(of(TOKEN, window(1), window(2))).isEqualTo(ServedWindow.NONE);
    assertThat(ServedWindow.of(TOKEN, List.of())).isEqualTo(ServedWindow.NONE);
  }

  @Test
  void roundsOfOnePersonDiffer() {
    HeldToken fixed = new HeldToken(challenge(0), 3, 3, 0, issuer(0).key(), ByteString.EMPTY);
    assertThat(of(fixed, window(0), window(1))).isEqualTo(ServedWindow.ANOTHER);
  }

  /** Devices find their level by its epsilon, so a second one of that epsilon is for one person. */
  @Test
  void aLevelOfOnePersonIsTwice() {
    TokenWindow.Builder twice = window(0).addLevels(special());
    assertThat(of(TOKEN, twice)).isEqualTo(ServedWindow.ANOTHER);
    HeldToken own =
        new HeldToken(challenge(0), 0, PUBLICATIONS - 1, 1, issuer(9).key(), ByteString.EMPTY);
    assertThat(of(own, twice)).isEqualTo(ServedWindow.ANOTHER);
    TokenLevel.Builder few = special();
    few.getPrivUnitBuilder().setCandidates(2);
    assertThat(of(TOKEN, window(0).addLevels(few))).isEqualTo(ServedWindow.ANOTHER);
  }

  @Test
  void aWindowOfOnePersonFollowsNoOther() {
    TokenWindow.Builder extra = window(0).setWindow(1000);
    assertThat(of(TOKEN, window(0), window(1), extra)).isEqualTo(ServedWindow.ANOTHER);
    assertThat(of(TOKEN, window(0), window(0))).isEqualTo(ServedWindow.ANOTHER);
    assertThat(of(TOKEN, window(0), window(2))).isEqualTo(ServedWindow.ANOTHER);
    TokenWindow.Builder longer = window(1).setLastRound(20);
    assertThat(of(TOKEN, window(0), longer)).isEqualTo(ServedWindow.ANOTHER);
    TokenWindow.Builder shifted = window(0).setFirstRound(1).setLastRound(PUBLICATIONS);
    assertThat(of(TOKEN, shifted)).isEqualTo(ServedWindow.ANOTHER);
  }

  @Test
  void aKeyOrADeclarationOfOnePersonDiffers() {
    TokenWindow.Builder key = window(0);
    key.setLevels(0, special());
    assertThat(of(TOKEN, key)).isEqualTo(ServedWindow.ANOTHER);
    HeldToken declared =
        new HeldToken(
            new TokenChallenge("m", 0, ByteString.copyFromUtf8("other")),
            0,
            PUBLICATIONS - 1,
            0,
            issuer(0).key(),
            ByteString.EMPTY);
    assertThat(of(declared, window(0))).isEqualTo(ServedWindow.ANOTHER);
    assertThat(of(token(0, 1), window(0))).isEqualTo(ServedWindow.ANOTHER);
  }
}
