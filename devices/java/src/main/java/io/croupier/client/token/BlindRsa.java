package io.croupier.client.token;

import com.google.protobuf.ByteString;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.RSAPublicKeySpec;

/**
 * The public operations of RSABSSA-SHA384 (RFC 9474, sections 4.2, 4.4 and 4.5) for a key (n, e) of
 * any size. Not in constant time, except verification, which has no secret.
 */
final class BlindRsa {
  private final BigInteger modulus;
  private final BigInteger exponent;
  private final PublicKey key;

  BlindRsa(BigInteger modulus, BigInteger exponent) {
    this.modulus = modulus;
    this.exponent = exponent;
    try {
      key = KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(modulus, exponent));
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "the modulus has " + modulus.bitLength() + " bits; it must be that of an RSA key", e);
    }
  }

  BigInteger modulus() {
    return modulus;
  }

  /** Length of the modulus, of messages and of signatures, in bytes. */
  int bytes() {
    return (modulus.bitLength() + 7) / 8;
  }

  /**
   * Blind.
   *
   * @param prepared the message to be signed
   * @param salt of the encoding
   * @param blind r, in [1, n), uniformly random
   * @return the blinded message, as long as the modulus
   * @throws ArithmeticException if the encoding of the message or r has a common divisor with n,
   *     which finds a factor of n
   */
  byte[] blind(byte[] prepared, byte[] salt, BigInteger blind) {
    BigInteger encoded = new BigInteger(1, EmsaPss.encode(prepared, salt, modulus.bitLength() - 1));
    if (!encoded.gcd(modulus).equals(BigInteger.ONE)
        || !blind.gcd(modulus).equals(BigInteger.ONE)) {
      throw new ArithmeticException("a value isn't invertible for the modulus; it must be");
    }
    return toBytes(encoded.multiply(blind.modPow(exponent, modulus)).mod(modulus));
  }

  /**
   * Finalize: the signature of a message, from that of the blinded message.
   *
   * @param blindSignature what the issuer answered
   * @param blind r, as in {@link #blind}
   * @param saltBytes length of the salt
   * @throws SignatureException if the answer isn't the signature of the blinded message
   */
  byte[] unblind(byte[] prepared, byte[] blindSignature, BigInteger blind, int saltBytes)
      throws SignatureException {
    if (blindSignature.length != bytes()) {
      throw new SignatureException(
          "the blind signature has " + blindSignature.length + " bytes; it must have " + bytes());
    }
    BigInteger signature =
        new BigInteger(1, blindSignature).multiply(blind.modInverse(modulus)).mod(modulus);
    byte[] signed = toBytes(signature);
    if (!verifies(prepared, ByteString.copyFrom(signed), saltBytes)) {
      throw new SignatureException("the blind signature is not that of the key; it must be");
    }
    return signed;
  }

  /** Whether the key's owner signed the message: RSASSA-PSS-VERIFY, by the JDK. */
  boolean verifies(byte[] prepared, ByteString signature, int saltBytes) {
    try {
      Signature pss = Signature.getInstance("RSASSA-PSS");
      pss.setParameter(
          new PSSParameterSpec(
              "SHA-384",
              "MGF1",
              MGF1ParameterSpec.SHA384,
              saltBytes,
              PSSParameterSpec.TRAILER_FIELD_BC));
      pss.initVerify(key);
      pss.update(prepared);
      return pss.verify(signature.toByteArray());
    } catch (SignatureException e) {
      // Of a wrong length, or not below the modulus.
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has RSASSA-PSS with SHA-384", e);
    }
  }

  private byte[] toBytes(BigInteger value) {
    return toBytes(value, bytes());
  }

  /** Big-endian, with leading zeros. */
  static byte[] toBytes(BigInteger value, int length) {
    byte[] bytes = new byte[length];
    byte[] signed = value.toByteArray();
    int skipped = Math.max(0, signed.length - length);
    System.arraycopy(
        signed, skipped, bytes, length - signed.length + skipped, signed.length - skipped);
    return bytes;
  }
}
