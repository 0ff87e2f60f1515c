package io.croupier.gateway.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;

/**
 * Mints tokens for trials, under a key of its own. A gateway accepts them only if its configuration
 * allows that.
 */
public final class TestTokens {
  /** The issuer of test tokens; no other issuer can have this name. */
  public static final String ISSUER = "urn:croupier:test";

  static final String AUDIENCE = "urn:croupier:gateway";
  static final String ALGORITHM = "ES256";
  private static final String KIND = "the key of test tokens";

  private final ECKey key;

  private TestTokens(ECKey key) {
    this.key = key;
  }

  /**
   * Creates a file with a new key; an existing file stays as it is.
   *
   * @return whether the file was created
   * @throws IllegalArgumentException as {@link #read} does for an existing file
   */
  public static boolean create(Path file) throws IOException {
    boolean created = SecretFile.create(file, newKey().toJSONString());
    if (!created) {
      read(file);
    }
    return created;
  }

  /** Mints under a new key, which ends with this process. */
  public static TestTokens inMemory() {
    return new TestTokens(newKey());
  }

  private static ECKey newKey() {
    try {
      return new ECKeyGenerator(Curve.P_256)
          .keyUse(KeyUse.SIGNATURE)
          .keyIDFromThumbprint(true)
          .generate();
    } catch (JOSEException e) {
      throw new IllegalStateException("every Java platform has the curve P-256", e);
    }
  }

  /**
   * Reads a key.
   *
   * @throws IllegalArgumentException if there is no such file, other users may read it, or it
   *     contains no key
   */
  public static TestTokens read(Path file) {
    String text = SecretFile.read(file, KIND);
    try {
      ECKey key = ECKey.parse(text);
      if (key.isPrivate() && Curve.P_256.equals(key.getCurve())) {
        return new TestTokens(key);
      }
    } catch (ParseException | IllegalArgumentException e) {
      // Without the cause, whose message may quote the text.
    }
    throw new IllegalArgumentException(file + " contains no key of test tokens");
  }

  JWKSource<SecurityContext> publicKeys() {
    return new ImmutableJWKSet<>(new JWKSet(key.toPublicJWK()));
  }

  /** A token for {@code subject}, valid for a time from now on. */
  public String mint(String subject, Instant now, Duration lifetime) {
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).build(),
            new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .audience(AUDIENCE)
                .subject(subject)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(lifetime)))
                .build());
    try {
      token.sign(new ECDSASigner(key));
    } catch (JOSEException e) {
      throw new IllegalStateException("a key of P-256 signs by ES256", e);
    }
    return token.serialize();
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "TestTokens";
  }
}
