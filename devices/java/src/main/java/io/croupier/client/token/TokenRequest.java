package io.croupier.client.token;

import com.google.protobuf.ByteString;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.security.SignatureException;

/**
 * A token that its owner asks for, and what only the owner knows of it: nonce, prefix, salt and
 * blind. The same request always has the same {@linkplain #blinded blinded message}, so it can be
 * stored, and sent again after a crash.
 */
public final class TokenRequest {
  /** Bytes of {@link #secrets}. */
  static final int SECRET_BYTES =
      Token.NONCE_BYTES + Token.PREFIX_BYTES + EmsaPss.HASH_BYTES + TokenKey.BYTES;

  private final TokenKey key;
  private final Token unsigned;
  private final ByteString secrets;
  private final BigInteger blind;
  private final ByteString blinded;

  /**
   * Restores a request from its {@link #secrets}.
   *
   * @throws IllegalArgumentException if the secrets have another length, or their blind isn't that
   *     of a request for this key
   */
  public TokenRequest(TokenKey key, TokenChallenge challenge, ByteString secrets) {
    if (secrets.size() != SECRET_BYTES) {
      throw new IllegalArgumentException(
          "the secrets of the request have "
              + secrets.size()
              + " bytes; they must have "
              + SECRET_BYTES);
    }
    this.key = key;
    this.secrets = secrets;
    int prefix = Token.NONCE_BYTES;
    int salt = prefix + Token.PREFIX_BYTES;
    int end = salt + EmsaPss.HASH_BYTES;
    unsigned =
        new Token(
            secrets.substring(0, prefix),
            challenge.digest(),
            key.id(),
            ByteString.EMPTY,
            secrets.substring(prefix, salt));
    blind = new BigInteger(1, secrets.substring(end).toByteArray());
    if (blind.signum() == 0 || blind.compareTo(key.rsa().modulus()) >= 0) {
      throw new IllegalArgumentException(
          "the blind of the request is 0, or not below the key's modulus; it must be between them");
    }
    blinded =
        ByteString.copyFrom(
            key.rsa()
                .blind(unsigned.prepared(), secrets.substring(salt, end).toByteArray(), blind));
  }

  /** A new request, with new secrets. */
  public static TokenRequest draw(TokenKey key, TokenChallenge challenge) {
    SecureRandom random = new SecureRandom();
    byte[] secrets = new byte[SECRET_BYTES - TokenKey.BYTES];
    random.nextBytes(secrets);
    return new TokenRequest(
        key, challenge, ByteString.copyFrom(secrets).concat(blind(random, key.rsa().modulus())));
  }

  /** Uniform in [1, n), by rejection. */
  private static ByteString blind(SecureRandom random, BigInteger modulus) {
    BigInteger drawn;
    do {
      drawn = new BigInteger(modulus.bitLength(), random);
    } while (drawn.signum() == 0 || drawn.compareTo(modulus) >= 0);
    return ByteString.copyFrom(BlindRsa.toBytes(drawn, TokenKey.BYTES));
  }

  /** What the owner must keep until it has the token, and must not disclose. */
  public ByteString secrets() {
    return secrets;
  }

  /** What the issuer signs: {@value TokenKey#BYTES} bytes, uniformly random to the issuer. */
  public ByteString blinded() {
    return blinded;
  }

  /**
   * The token, from the issuer's answer.
   *
   * @throws SignatureException if the answer isn't the signature of {@link #blinded} by the key
   */
  public Token finish(ByteString blindSignature) throws SignatureException {
    byte[] signature =
        key.rsa()
            .unblind(unsigned.prepared(), blindSignature.toByteArray(), blind, EmsaPss.HASH_BYTES);
    return new Token(
        unsigned.nonce(),
        unsigned.challengeDigest(),
        unsigned.keyId(),
        ByteString.copyFrom(signature),
        unsigned.prefix());
  }

  /** Contains no secret. */
  @Override
  public String toString() {
    return "TokenRequest";
  }
}
