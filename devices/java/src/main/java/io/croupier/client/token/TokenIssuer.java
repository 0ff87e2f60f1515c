package io.croupier.client.token;

import com.google.protobuf.ByteString;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.RSAPrivateCrtKeySpec;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;

/**
 * Signs the tokens of one challenge. All gateways derive the same key pair from a secret that they
 * share, so that there is one key for all devices, and nothing has to be stored.
 *
 * <p>The signature of the same bytes is always the same. The JDK computes it by the Chinese
 * remainder theorem, with a blind of its own in each exponentiation, and checks the result by the
 * public exponent, so neither the time nor a fault of the computation depends on the message alone.
 * Safe for use by several threads.
 */
public final class TokenIssuer {
  /** Fewest bytes of the secret. */
  public static final int LEAST_SECRET_BYTES = 32;

  private final TokenKey key;
  private final PrivateKey privateKey;

  private TokenIssuer(BigInteger p, BigInteger q) {
    BigInteger modulus = p.multiply(q);
    BigInteger p1 = p.subtract(BigInteger.ONE);
    BigInteger q1 = q.subtract(BigInteger.ONE);
    BigInteger d = TokenKey.EXPONENT.modInverse(p1.multiply(q1).divide(p1.gcd(q1)));
    key = new TokenKey(ByteString.copyFrom(BlindRsa.toBytes(modulus, TokenKey.BYTES)));
    try {
      privateKey =
          KeyFactory.getInstance("RSA")
              .generatePrivate(
                  new RSAPrivateCrtKeySpec(
                      modulus, TokenKey.EXPONENT, d, p, q, d.mod(p1), d.mod(q1), q.modInverse(p)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has RSA", e);
    }
  }

  /**
   * Derives the key pair of a challenge; takes some tenths of a second, so keep the result.
   *
   * @param secret what all gateways of a deployment share, at least {@value #LEAST_SECRET_BYTES}
   *     bytes; not modified
   * @throws IllegalArgumentException if the secret is shorter
   */
  public static TokenIssuer derive(byte[] secret, TokenChallenge challenge) {
    if (secret.length < LEAST_SECRET_BYTES) {
      throw new IllegalArgumentException(
          "the secret of the tokens has "
              + secret.length
              + " bytes; it must have at least "
              + LEAST_SECRET_BYTES);
    }
    PrimeStream primes = new PrimeStream(secret, challenge.digest());
    BigInteger p = primes.next();
    BigInteger q = primes.next();
    while (!PrimeStream.areFarApart(p, q)) {
      q = primes.next();
    }
    return new TokenIssuer(p, q);
  }

  /** The public key. */
  public TokenKey key() {
    return key;
  }

  /**
   * Signs a blinded message.
   *
   * @param blinded {@value TokenKey#BYTES} bytes
   * @throws IllegalArgumentException if it has another length, or isn't below the modulus
   */
  public ByteString sign(ByteString blinded) {
    if (blinded.size() != TokenKey.BYTES
        || new BigInteger(1, blinded.toByteArray()).compareTo(key.rsa().modulus()) >= 0) {
      throw new IllegalArgumentException(
          "blinded has "
              + blinded.size()
              + " bytes; it must be a number below the key's modulus in "
              + TokenKey.BYTES
              + " bytes");
    }
    try {
      Cipher rsa = Cipher.getInstance("RSA/ECB/NoPadding");
      // With a private key, this is a signature: the JDK checks its result.
      rsa.init(Cipher.ENCRYPT_MODE, privateKey);
      return ByteString.copyFrom(rsa.doFinal(blinded.toByteArray()));
    } catch (BadPaddingException e) {
      throw new IllegalStateException("the RSA computation was faulty; nothing is signed", e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has RSA without padding", e);
    }
  }
}
