package io.croupier.gateway.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.util.Base64;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is remembered of a token speaks for no other token and no other key. */
class SignaturesTest {
  private static ECKey key;
  private static ECKey other;

  private final Signatures signatures = new Signatures();

  /** Two keys of one id. */
  @BeforeAll
  static void createKeys() throws Exception {
    key = new ECKeyGenerator(Curve.P_256).keyID("k").generate();
    other = new ECKeyGenerator(Curve.P_256).keyID("k").generate();
  }

  private static String token(String subject) throws Exception {
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("k").build(),
            new JWTClaimsSet.Builder().subject(subject).build());
    token.sign(new ECDSASigner(key));
    return token.serialize();
  }

  private boolean isSignedBy(ECKey by, String token) throws Exception {
    return signatures.isSignedBy(by, token, SignedJWT.parse(token));
  }

  @Test
  void aTokenIsRememberedOnceHoweverOftenTheKeyIsRead() throws Exception {
    String token = token("ada");
    for (int i = 0; i < 3; i++) {
      assertThat(isSignedBy(ECKey.parse(key.toPublicJWK().toString()), token)).isTrue();
      assertThat(signatures.remembered()).isOne();
    }
  }

  @Test
  void anotherKeyOfTheSameIdVerifiesNothingThatIsRemembered() throws Exception {
    String token = token("ada");
    assertThat(isSignedBy(key, token)).isTrue();
    assertThat(isSignedBy(other, token)).isFalse();
    assertThat(signatures.remembered()).isOne();
  }

  @Test
  void everyPartOfARememberedTokenCounts() throws Exception {
    String[] ada = token("ada").split("\\.");
    String[] bob = token("bob").split("\\.");
    assertThat(isSignedBy(key, String.join(".", ada))).isTrue();
    assertThat(isSignedBy(key, String.join(".", bob))).isTrue();
    String header =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("{\"kid\":\"k\", \"alg\":\"ES256\"}".getBytes(UTF_8));
    assertThat(isSignedBy(key, String.join(".", header, ada[1], ada[2]))).isFalse();
    assertThat(isSignedBy(key, String.join(".", ada[0], bob[1], ada[2]))).isFalse();
    assertThat(isSignedBy(key, String.join(".", ada[0], ada[1], bob[2]))).isFalse();
    assertThat(signatures.remembered()).isEqualTo(2);
  }

  @Test
  void memoryIsBounded() throws Exception {
    Signatures few = new Signatures(3);
    for (int i = 0; i < 50; i++) {
      String token = token("user-" + i);
      assertThat(few.isSignedBy(key, token, SignedJWT.parse(token))).isTrue();
    }
    assertThat(few.remembered()).isEqualTo(3);
  }
}
