package io.croupier.client.token;

import com.google.protobuf.ByteString;
import java.math.BigInteger;
import java.util.HexFormat;

/**
 * The public key of the tokens of one challenge: RSA with a modulus of 2048 bits and the exponent
 * 65537. All devices of a window must use the same key, else the key would say who has a token.
 */
public final class TokenKey {
  /** Bytes of the modulus, of a blinded message and of a signature. */
  public static final int BYTES = 256;

  static final BigInteger EXPONENT = BigInteger.valueOf(65_537);

  /** A SubjectPublicKeyInfo (RFC 9578, section 6.5) before and after the modulus. */
  private static final ByteString INFO_HEAD =
      ByteString.copyFrom(
          HexFormat.of()
              .parseHex(
                  "30820152303d06092a864886f70d01010a3030a00d300b0609608648016503040202"
                      + "a11a301806092a864886f70d010108300b0609608648016503040202a20302013003"
                      + "82010f003082010a0282010100"));

  private static final ByteString INFO_TAIL =
      ByteString.copyFrom(HexFormat.of().parseHex("0203010001"));

  private final BlindRsa rsa;
  private final ByteString modulus;
  private final ByteString id;

  /**
   * Reads a key.
   *
   * @param modulus {@value #BYTES} bytes, big-endian
   * @throws IllegalArgumentException if it has another length, is even, or its highest bit isn't 1
   */
  public TokenKey(ByteString modulus) {
    if (modulus.size() != BYTES || modulus.byteAt(0) >= 0 || (modulus.byteAt(BYTES - 1) & 1) == 0) {
      throw new IllegalArgumentException(
          "the modulus of the key has "
              + modulus.size()
              + " bytes; it must be an odd number of 2048 bits in "
              + BYTES
              + " bytes");
    }
    this.modulus = modulus;
    rsa = new BlindRsa(new BigInteger(1, modulus.toByteArray()), EXPONENT);
    id = ByteString.copyFrom(Digests.sha256().digest(encoded().toByteArray()));
  }

  /** The modulus, {@value #BYTES} bytes, big-endian. */
  public ByteString modulus() {
    return modulus;
  }

  /** The key as a SubjectPublicKeyInfo of RSASSA-PSS, in DER. */
  public ByteString encoded() {
    return INFO_HEAD.concat(modulus).concat(INFO_TAIL);
  }

  /** SHA-256 of {@link #encoded}. */
  public ByteString id() {
    return id;
  }

  /** Whether a token is for that challenge, and this key's owner signed it. */
  public boolean admits(Token token, TokenChallenge challenge) {
    return token.keyId().equals(id)
        && token.challengeDigest().equals(challenge.digest())
        && rsa.verifies(token.prepared(), token.signature(), EmsaPss.HASH_BYTES);
  }

  BlindRsa rsa() {
    return rsa;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TokenKey key && modulus.equals(key.modulus);
  }

  @Override
  public int hashCode() {
    return modulus.hashCode();
  }
}
