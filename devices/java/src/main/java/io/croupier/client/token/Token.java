package io.croupier.client.token;

import com.google.protobuf.ByteString;

/**
 * A signed token, with which one report is admitted. Its bytes are a Token of type 2 (RFC 9578,
 * section 6.3), of {@value #STRUCTURE_BYTES} bytes, and after it the {@value #PREFIX_BYTES} random
 * bytes that PrepareRandomize (RFC 9474, section 4.1) puts before the message that is signed:
 *
 * <pre>
 * token type 2                 2
 * nonce                       32   random
 * digest of the challenge     32   {@link TokenChallenge}
 * id of the key               32   {@link TokenKey#id}
 * signature                  256   of prefix | the 98 bytes above
 * prefix                      32   random
 * </pre>
 *
 * @param nonce random bytes that only its owner knows before it is used
 * @param challengeDigest digest of what it is for
 * @param keyId id of the issuer's key
 * @param signature the issuer's signature; {@link TokenKey#admits} verifies it
 * @param prefix random bytes before the signed message
 */
public record Token(
    ByteString nonce,
    ByteString challengeDigest,
    ByteString keyId,
    ByteString signature,
    ByteString prefix) {
  /** Blind RSA of 2048 bits. */
  static final short TYPE = 2;

  /** Bytes of the nonce. */
  static final int NONCE_BYTES = 32;

  /** Bytes of the prefix. */
  static final int PREFIX_BYTES = 32;

  private static final int HASH_BYTES = 32;
  private static final int INPUT_BYTES = 2 + NONCE_BYTES + 2 * HASH_BYTES;

  /** Bytes of the structure of RFC 9578. */
  static final int STRUCTURE_BYTES = INPUT_BYTES + TokenKey.BYTES;

  /** Bytes of a token. */
  public static final int BYTES = STRUCTURE_BYTES + PREFIX_BYTES;

  private static final ByteString TYPE_BYTES = ByteString.copyFrom(new byte[] {0, TYPE});

  /**
   * Reads a token; doesn't verify it.
   *
   * @throws IllegalArgumentException if the bytes have another length or type
   */
  public static Token parse(ByteString bytes) {
    if (bytes.size() != BYTES) {
      throw new IllegalArgumentException(
          "the token has " + bytes.size() + " bytes; it must have " + BYTES);
    }
    if (!bytes.startsWith(TYPE_BYTES)) {
      throw new IllegalArgumentException(
          "the type of the token is "
              + bytes.asReadOnlyByteBuffer().getShort()
              + "; it must be "
              + TYPE);
    }
    int digest = 2 + NONCE_BYTES;
    int key = digest + HASH_BYTES;
    return new Token(
        bytes.substring(2, digest),
        bytes.substring(digest, key),
        bytes.substring(key, INPUT_BYTES),
        bytes.substring(INPUT_BYTES, STRUCTURE_BYTES),
        bytes.substring(STRUCTURE_BYTES));
  }

  /** The bytes of the token. */
  public ByteString encoded() {
    return input().concat(signature).concat(prefix);
  }

  /** The message that is signed. */
  byte[] prepared() {
    return prefix.concat(input()).toByteArray();
  }

  private ByteString input() {
    return TYPE_BYTES.concat(nonce).concat(challengeDigest).concat(keyId);
  }

  /** Contains nothing that links a report to its person. */
  @Override
  public String toString() {
    return "Token";
  }
}
