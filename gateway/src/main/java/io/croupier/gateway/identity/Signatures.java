package io.croupier.gateway.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.proc.JWSVerifierFactory;
import com.nimbusds.jwt.SignedJWT;
import io.croupier.client.token.Digests;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.util.Optional;

/**
 * Verifies signatures of tokens, each once: a device sends the same token until it expires. What is
 * remembered is the SHA-256 of a public key and a token that it verifies, which stays true whatever
 * happens to either; the caller checks each time whether the key is still the issuer's and the
 * token still valid. Safe for use by several threads.
 */
final class Signatures {
  /** Some 20 MB; the signatures of tokens that are forgotten are verified again. */
  private static final int MOST = 100_000;

  /** NIST SP 800-131A: no shorter keys. */
  private static final int LEAST_RSA_BITS = 2048;

  private static final JWSVerifierFactory VERIFIERS = new DefaultJWSVerifierFactory();

  /** Empty if the key may not be used. By identity: an issuer's keys that are read again differ. */
  private final LoadingCache<JWK, Optional<PublicKey>> keys =
      Caffeine.newBuilder().weakKeys().build(Signatures::publicKey);

  private final Cache<ByteBuffer, Boolean> right;

  Signatures() {
    this(MOST);
  }

  Signatures(int most) {
    right = Caffeine.newBuilder().maximumSize(most).build();
  }

  private static Optional<PublicKey> publicKey(JWK key) {
    if (key instanceof RSAKey rsa && rsa.size() < LEAST_RSA_BITS) {
      return Optional.empty();
    }
    try {
      return key instanceof AsymmetricJWK asymmetric
          ? Optional.of(asymmetric.toPublicKey())
          : Optional.empty();
    } catch (JOSEException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns whether the signature is right. Nimbus takes each kind of public key for its own
   * algorithms only, so no token can pass a key off as a shared secret.
   *
   * @param jwt the token, parsed
   */
  boolean isSignedBy(JWK key, String token, SignedJWT jwt) {
    Optional<PublicKey> used = keys.get(key);
    if (used.isEmpty()) {
      return false;
    }
    ByteBuffer digest = digest(used.get(), token);
    if (right.getIfPresent(digest) != null) {
      return true;
    }
    try {
      if (!jwt.verify(VERIFIERS.createJWSVerifier(jwt.getHeader(), used.get()))) {
        return false;
      }
    } catch (JOSEException e) {
      return false;
    }
    right.put(digest, true);
    return true;
  }

  /** Unambiguous, since the DER encoding of a key states its length. */
  private static ByteBuffer digest(PublicKey key, String token) {
    MessageDigest sha256 = Digests.sha256();
    sha256.update(key.getEncoded());
    return ByteBuffer.wrap(sha256.digest(token.getBytes(UTF_8)));
  }

  /** How many signatures are remembered. */
  long remembered() {
    right.cleanUp();
    return right.estimatedSize();
  }
}
