package io.croupier.operators.anonymous;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.operators.report.AnswerContent;
import io.croupier.operators.report.CandidateContent;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.Answer;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.RandomisedResponse;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which bytes are an anonymous report; no others throw, and none gains a token by a change. */
class AnonymousDecoderTest {
  private static final Mechanism LEVEL = new PrivUnitMechanism(2, 256, 69);
  private static final int ROUNDS_OF_A_WINDOW = 10;

  private TestTokens tokens;
  private byte[] token;
  private AnonymousReport report;

  @BeforeEach
  void sign() throws Exception {
    tokens = new TestTokens(5);
    token = tokens.token("m", 0, LEVEL);
    report =
        AnonymousReport.newBuilder()
            .setModelId("m")
            .setRound(4)
            .setToken(ByteString.copyFrom(token))
            .setCandidate(Candidate.newBuilder().setDimension(2).setSeed(17).setIndex(255))
            .setPrivUnit(PrivUnit.newBuilder().setEpsilon(2).setCandidates(256).setTop(69))
            .build();
  }

  private TokenedReport decode(AnonymousReport changed) {
    return AnonymousDecoder.decode(TestTokens.nonce(token).toByteArray(), changed.toByteArray(), 9);
  }

  @Test
  void readsACandidate() {
    Report read = decode(report).report();
    assertThat(read.header()).isEqualTo(Header.anonymous("m", 4));
    assertThat(read.content()).isEqualTo(new CandidateContent(2, 17, 255));
    assertThat(read.mechanism()).isEqualTo(LEVEL);
    assertThat(read.source()).isEqualTo(Source.unknown(9));
  }

  @Test
  void readsAnAnswer() {
    Report read =
        decode(
                report.toBuilder()
                    .setAnswer(Answer.newBuilder().setQuestion("q").setBit(true))
                    .setRandomisedResponse(RandomisedResponse.newBuilder().setEpsilon(1))
                    .build())
            .report();
    assertThat(read.content()).isEqualTo(new AnswerContent("q", true));
    assertThat(read.mechanism().level()).isEqualTo(1);
  }

  @Test
  void whatIsMissingOrOutOfRangeMakesItUnreadable() {
    for (AnonymousReport.Builder changed :
        new AnonymousReport.Builder[] {
          report.toBuilder().clearModelId(),
          report.toBuilder().setModelId("a/b"),
          report.toBuilder().clearRound(),
          report.toBuilder().setRound(-1),
          report.toBuilder().clearToken(),
          report.toBuilder().clearGradient(),
          report.toBuilder().clearDeclaration(),
          report.toBuilder().setRandomisedResponse(RandomisedResponse.newBuilder().setEpsilon(1)),
          report.toBuilder().setAnswer(Answer.newBuilder().setQuestion("q").setBit(true)),
          report.toBuilder().setCandidate(report.getCandidate().toBuilder().setIndex(256)),
          report.toBuilder().setCandidate(report.getCandidate().toBuilder().clearSeed()),
          report.toBuilder().setPrivUnit(report.getPrivUnit().toBuilder().setTop(129))
        }) {
      assertThat(decode(changed.build())).as("%s", changed).isNull();
    }
    assertThat(AnonymousDecoder.decode(null, report.toByteArray(), 9)).isNull();
    assertThat(AnonymousDecoder.decode(new byte[32], report.toByteArray(), 9)).isNull();
    assertThat(AnonymousDecoder.decode(new byte[0], report.toByteArray(), 9)).isNull();
    assertThat(AnonymousDecoder.decode(TestTokens.nonce(token).toByteArray(), null, 9)).isNull();
  }

  /** Changes that leave a signed report leave its model, window, level and token as they were. */
  @Tag("ci")
  @Test
  void noChangeGainsAToken() {
    Random random = new Random(11);
    int read = 0;
    int signed = 0;
    for (int i = 0; i < 100_000; i++) {
      byte[] value = changed(random, report.toByteArray());
      TokenedReport tokened =
          AnonymousDecoder.decode(TestTokens.nonce(token).toByteArray(), value, 9);
      if (tokened == null) {
        continue;
      }
      read++;
      Report of = tokened.report();
      if (tokened
          .token()
          .isFor(
              of.header().modelId(),
              of.header().round() / ROUNDS_OF_A_WINDOW,
              of.mechanism(),
              tokens.modulus())) {
        signed++;
        assertThat(of.header().modelId()).isEqualTo("m");
        assertThat(of.header().round()).isLessThan(ROUNDS_OF_A_WINDOW);
        assertThat(of.mechanism()).isEqualTo(LEVEL);
      }
    }
    assertThat(read).isGreaterThan(10_000);
    assertThat(signed).isBetween(100, read - 1000);
  }

  private static byte[] changed(Random random, byte[] bytes) {
    byte[] value = bytes.clone();
    switch (random.nextInt(4)) {
      case 0 -> value[random.nextInt(value.length)] ^= (byte) (1 << random.nextInt(8));
      case 1 -> value = Arrays.copyOf(value, random.nextInt(value.length));
      case 2 -> value[random.nextInt(value.length)] = (byte) random.nextInt();
      default -> {
        // The fields after the token.
        int at = value.length - 1 - random.nextInt(40);
        value[at] ^= (byte) (1 << random.nextInt(8));
      }
    }
    return value;
  }
}
