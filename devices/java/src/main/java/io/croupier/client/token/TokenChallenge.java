package io.croupier.client.token;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Objects;

/**
 * What a token is for: one window of one model, and one declaration of a report's noise. Tokens of
 * different challenges have different keys.
 *
 * <p>Its bytes are a TokenChallenge (RFC 9577, section 2.1): the token type 2; the issuer's name,
 * which is the model's id; the redemption context SHA-256(window | declaration), the window in 8
 * bytes, big-endian; and no origin.
 *
 * @param modelId id of the model, 1 to 65,535 bytes of UTF-8
 * @param window number of the window, at least 0
 * @param declaration bytes that stand for the declaration
 */
public record TokenChallenge(String modelId, long window, ByteString declaration) {
  private static final int DIGEST_BYTES = 32;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if the model's id is empty or too long, or the window negative
   */
  public TokenChallenge {
    Objects.requireNonNull(declaration, "declaration");
    int bytes = modelId.getBytes(UTF_8).length;
    if (bytes < 1 || bytes > 0xffff) {
      throw new IllegalArgumentException(
          "modelId has " + bytes + " bytes; it must have 1 to 65535 bytes of UTF-8");
    }
    if (window < 0) {
      throw new IllegalArgumentException("window is " + window + "; it must be at least 0");
    }
  }

  private byte[] encoded() {
    MessageDigest sha256 = Digests.sha256();
    sha256.update(ByteBuffer.allocate(Long.BYTES).putLong(window).flip());
    sha256.update(declaration.asReadOnlyByteBuffer());
    byte[] name = modelId.getBytes(UTF_8);
    return ByteBuffer.allocate(2 + 2 + name.length + 1 + DIGEST_BYTES + 2)
        .putShort(Token.TYPE)
        .putShort((short) name.length)
        .put(name)
        .put((byte) DIGEST_BYTES)
        .put(sha256.digest())
        .putShort((short) 0)
        .array();
  }

  /** SHA-256 of its bytes. */
  public ByteString digest() {
    return ByteString.copyFrom(Digests.sha256().digest(encoded()));
  }
}
