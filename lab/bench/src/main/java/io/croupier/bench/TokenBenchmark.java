package io.croupier.bench;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.client.token.TokenRequest;
import io.croupier.operators.anonymous.WindowToken;
import io.croupier.schemas.Anonymous;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.ModelSpec;
import java.security.SignatureException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What an anonymous report costs beyond {@link LedgerBenchmark}: its token on the device, the
 * gateway's signature, and the verification, once in the gateway and once in the job.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class TokenBenchmark {
  private static final String MODEL = "m";

  private Mechanism level;
  private TokenChallenge challenge;
  private TokenIssuer issuer;
  private ByteString blinded;
  private WindowToken token;

  /** Derives a key, and signs a token. */
  @Setup
  public void prepare() throws SignatureException {
    level =
        AnonymousWindows.levels(
                ModelSpec.newBuilder()
                    .setModelId(MODEL)
                    .setDimension(2)
                    .setGradientBound(1)
                    .setAnonymous(
                        Anonymous.newBuilder()
                            .addLevels(
                                Anonymous.Level.newBuilder()
                                    .setPrivUnit(
                                        Anonymous.GradientLevel.newBuilder().setEpsilon(2))))
                    .build())
            .get(0);
    challenge = new TokenChallenge(MODEL, 0, AnonymousWindows.bytes(level));
    issuer = TokenIssuer.derive(new byte[TokenIssuer.LEAST_SECRET_BYTES], challenge);
    TokenRequest request = request();
    blinded = request.blinded();
    token = WindowToken.read(request.finish(sign()).encoded().toByteArray());
    if (!verify()) {
      throw new IllegalStateException("the token isn't signed");
    }
  }

  /** A device's request; it draws nonce, prefix, salt and blind. */
  @Benchmark
  public TokenRequest request() {
    return TokenRequest.draw(issuer.key(), challenge);
  }

  /** The signature of a gateway. */
  @Benchmark
  public ByteString sign() {
    return issuer.sign(blinded);
  }

  /** The verification of gateway and job. */
  @Benchmark
  public boolean verify() {
    return token.isFor(MODEL, 0, level, issuer.key().modulus().toByteArray());
  }
}
