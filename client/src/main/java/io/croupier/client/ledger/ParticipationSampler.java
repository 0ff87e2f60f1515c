package io.croupier.client.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Decides which published rounds a device answers.
 *
 * <p>The draw for a round is HMAC-SHA256(secret, "croupier answer" | model_id | round), the round
 * in 8 bytes, big-endian; its first 53 bits are a number in [0, 1), and the round is answered if
 * that number is below the probability. So no decision has to be stored, and repeated calls, also
 * after a restart, return the same decision: with a new draw at each call, a device that asks often
 * would answer with a higher probability. Without the secret, the draws are indistinguishable from
 * independent uniform ones.
 */
final class ParticipationSampler {
  static final int SECRET_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] PURPOSE = "croupier answer".getBytes(UTF_8);

  private final SecretKeySpec key;

  ParticipationSampler(ByteString secret) {
    key = new SecretKeySpec(secret.toByteArray(), ALGORITHM);
  }

  static ByteString newSecret() {
    byte[] secret = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(secret);
    return ByteString.copyFrom(secret);
  }

  /** False at 0, true at 1, and monotone in the probability. */
  boolean answers(String modelId, long round, double probability) {
    Mac mac;
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
    mac.update(PURPOSE);
    mac.update(modelId.getBytes(UTF_8));
    mac.update(ByteBuffer.allocate(Long.BYTES).putLong(round).flip());
    long bits = ByteBuffer.wrap(mac.doFinal()).getLong() >>> 11;
    return bits * 0x1p-53 < probability;
  }
}
