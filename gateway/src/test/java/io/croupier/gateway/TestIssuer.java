package io.croupier.gateway;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;

/** An issuer of tokens with a key of its own. */
public final class TestIssuer {
  static final String AUDIENCE = "croupier-gateway";

  /** For tests that need no other: a key takes longer to make than most of them. */
  public static final TestIssuer COMMON = common();

  final String name;
  final RSAKey key;

  /** Creates a key. */
  public TestIssuer(String name) throws Exception {
    this.name = name;
    key = new RSAKeyGenerator(2048).keyUse(KeyUse.SIGNATURE).keyIDFromThumbprint(true).generate();
  }

  private static TestIssuer common() {
    try {
      return new TestIssuer("https://issuer.example");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Writes the public keys. */
  public Path jwks(Path file) throws Exception {
    return Files.writeString(file, new JWKSet(key).toPublicJWKSet().toString());
  }

  JWTClaimsSet.Builder claims(String subject) {
    return new JWTClaimsSet.Builder()
        .issuer(name)
        .audience(AUDIENCE)
        .subject(subject)
        .expirationTime(Date.from(Instant.now().plus(Duration.ofHours(1))));
  }

  /** A valid token. */
  public String token(String subject) {
    return sign(claims(subject));
  }

  String sign(JWTClaimsSet.Builder claims) {
    try {
      return sign(
          new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(),
          claims,
          new RSASSASigner(key));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static String sign(JWSHeader header, JWTClaimsSet.Builder claims, JWSSigner signer)
      throws Exception {
    SignedJWT token = new SignedJWT(header, claims.build());
    token.sign(signer);
    return token.serialize();
  }
}
