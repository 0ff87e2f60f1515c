package io.croupier.bench.speed;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.token.Token;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.client.token.TokenRequest;
import io.croupier.operators.anonymous.WindowKeys;
import io.croupier.schemas.Anonymous;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.TokenKey;
import io.croupier.schemas.view.GradientReportView;
import java.security.SignatureException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The same releases of {@code priv_unit} as reports without identity, each with a token of its own,
 * and as ordinary reports of as many people. Signing a token takes longer than the measured work,
 * so all runs share the tokens; every run has its own topics.
 */
final class AnonymousBacklog {
  private static final int DIMENSION = 10;
  private static final double EPSILON = 2;
  private static final int PUBLICATIONS = 1_000_000;

  private final ModelSpec spec;
  private final Mechanism level;
  private final TokenIssuer issuer;
  private final List<KeyedRecord> anonymous = new ArrayList<>();
  private final List<KeyedRecord> ordinary = new ArrayList<>();

  /** A record of a topic. */
  record KeyedRecord(ByteString key, ByteString value) {}

  /**
   * Signs tokens.
   *
   * @param reports of each kind
   */
  AnonymousBacklog(int reports) throws SignatureException {
    spec =
        ModelSpec.newBuilder()
            .setModelId(Workload.modelId(0))
            .setDimension(DIMENSION)
            .setGradientBound(1)
            .setBlackBox(BlackBox.getDefaultInstance())
            .setAnonymous(
                Anonymous.newBuilder()
                    .setPublications(PUBLICATIONS)
                    .addLevels(
                        Anonymous.Level.newBuilder()
                            .setPrivUnit(Anonymous.GradientLevel.newBuilder().setEpsilon(EPSILON))))
            .build();
    level = AnonymousWindows.levels(spec).get(0);
    TokenChallenge challenge =
        new TokenChallenge(spec.getModelId(), 0, AnonymousWindows.bytes(level));
    issuer = TokenIssuer.derive(new byte[TokenIssuer.LEAST_SECRET_BYTES], challenge);
    PrivUnitRandomiser randomiser = new PrivUnitRandomiser(1, DIMENSION, EPSILON);
    Random random = new Random(DIMENSION);
    for (int i = 0; i < reports; i++) {
      GradientReportView.Builder release = GradientReportView.newBuilder();
      randomiser.release(random.doubles(DIMENSION, -1, 1).toArray(), release);
      GradientReportView report =
          release
              .setModelId(spec.getModelId())
              .setRound(0)
              .setUserId("user-" + i)
              .setDeviceId("8d2ad0f2b6f04e4c")
              .setSequence(1)
              .setCreatedAtMs(1_700_000_000_000L)
              .build();
      ordinary.add(new KeyedRecord(report.getUserIdBytes(), report.toByteString()));
      TokenRequest request = TokenRequest.draw(issuer.key(), challenge);
      Token token = request.finish(issuer.sign(request.blinded()));
      anonymous.add(
          new KeyedRecord(
              token.nonce(),
              AnonymousReport.newBuilder()
                  .setModelId(spec.getModelId())
                  .setRound(0)
                  .setToken(token.encoded())
                  .setCandidate(report.getCandidate())
                  .setPrivUnit(report.getPrivUnit())
                  .build()
                  .toByteString()));
    }
  }

  ModelSpec spec() {
    return spec;
  }

  /** The public key of the tokens, as a gateway publishes it. */
  KeyedRecord publicKey() {
    return new KeyedRecord(
        ByteString.copyFromUtf8(WindowKeys.name(spec.getModelId(), 0, level)),
        TokenKey.newBuilder().setModulus(issuer.key().modulus()).build().toByteString());
  }

  /** The reports without identity. */
  List<KeyedRecord> anonymous() {
    return anonymous;
  }

  /** The same releases with user, device and sequence. */
  List<KeyedRecord> ordinary() {
    return ordinary;
  }
}
