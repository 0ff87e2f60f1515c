package io.croupier.gateway.anonymous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.client.token.Token;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.client.token.TokenRequest;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.PrivUnit;
import java.security.SignatureException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A report needs a token that the gateway's own key signs, whatever key is on the topic. */
class AnonymousCheckTest {
  private static final double EPSILON = 2;
  private static final PrivUnitMechanism LEVEL = TestWindows.level(EPSILON);

  private final TestWindows windows = new TestWindows();
  private final AnonymousCheck check =
      new AnonymousCheck(windows.specs, windows.updates, windows.issuers);

  @AfterEach
  void close() {
    windows.close();
  }

  private static TokenChallenge challenge(long window) {
    return new TokenChallenge("m", window, AnonymousWindows.bytes(LEVEL));
  }

  private static Token signed(TokenIssuer issuer, long window) throws SignatureException {
    TokenRequest request = TokenRequest.draw(issuer.key(), challenge(window));
    return request.finish(issuer.sign(request.blinded()));
  }

  private static byte[] report(Token token, long round) {
    AnonymousReport report =
        AnonymousReport.newBuilder()
            .setModelId("m")
            .setRound(round)
            .setToken(token.encoded())
            .setCandidate(Candidate.newBuilder().setDimension(2).setSeed(17).setIndex(3))
            .setPrivUnit(
                PrivUnit.newBuilder()
                    .setEpsilon(LEVEL.epsilon())
                    .setCandidates(LEVEL.candidates())
                    .setTop(LEVEL.top()))
            .build();
    int missing = AnonymousCheck.PROTOBUF_BYTES - 3 - report.getSerializedSize();
    return report.toBuilder()
        .setPadding(ByteString.copyFrom(new byte[missing]))
        .build()
        .toByteArray();
  }

  @Test
  void theOwnKeyAdmits() throws Exception {
    windows.publish("m", EPSILON);
    windows.update("m", 4);
    String unused = windows.next() + windows.next();
    Token token = signed(windows.issuers.issuer("m", 0, LEVEL).orElseThrow(), 0);
    assertThat(check.protobuf(report(token, 4)).nonce()).isEqualTo(token.nonce());
  }

  /** A writer to the topic of keys must not make tokens without a charge. */
  @Test
  void aStrangersKeyAdmitsNothing() throws Exception {
    byte[] secret = new byte[32];
    Arrays.fill(secret, (byte) 1);
    TokenIssuer stranger = TokenIssuer.derive(secret, challenge(0));
    windows.key("m", 0, EPSILON, stranger.key().modulus());
    windows.publish("m", EPSILON);
    windows.update("m", 4);
    assertThat(windows.next()).startsWith("m/1/");
    assertThatThrownBy(() -> check.protobuf(report(signed(stranger, 0), 4)))
        .isInstanceOfSatisfying(
            ProblemException.class,
            refused -> assertThat(refused.problem().type()).isEqualTo(ProblemType.CONFLICT));
  }

  /** A gateway that started in the next window takes the last reports of the one before. */
  @Tag("ci")
  @Test
  void theWindowBeforeIsKnownAfterAStart() throws Exception {
    TokenIssuer earlier = TokenIssuer.derive(new byte[32], challenge(0));
    windows.key("m", 0, EPSILON, earlier.key().modulus());
    windows.publish("m", EPSILON);
    windows.update("m", 11);
    assertThat(windows.next()).startsWith("m/1/");
    assertThat(windows.next()).startsWith("m/2/");
    // The models are looked at in turns, so the window before is known by then.
    windows.publish("n", EPSILON);
    windows.update("n", 0);
    assertThat(windows.next()).startsWith("n/0/");
    Token token = signed(earlier, 0);
    assertThat(check.protobuf(report(token, 9)).nonce()).isEqualTo(token.nonce());
  }
}
