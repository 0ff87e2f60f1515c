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
 * Decides which published rounds a device answers, in which of them by one bit instead of a
 * gradient, and in which it uses a token.
 *
 * <p>The draw for a round is HMAC-SHA256(secret, purpose | model_id | round), the round in 8 bytes,
 * big-endian; its first 53 bits are a number in [0, 1). The round is answered if that number is
 * below the probability, for the purpose "croupier answer"; likewise a question is asked, for the
 * purpose "croupier question"; the question is the n-th of several if the number for the purpose
 * "croupier which question" times their count has the whole part n.
 *
 * <p>So no decision has to be stored, and repeated calls, also after a crash, return the same
 * decision: with a new draw at each call, a device that asks often would answer with a higher
 * probability. Without the secret, the draws are indistinguishable from independent uniform ones.
 */
final class ParticipationSampler {
  static final int SECRET_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] ANSWER = "croupier answer".getBytes(UTF_8);
  private static final byte[] QUESTION = "croupier question".getBytes(UTF_8);
  private static final byte[] SLOT = "croupier slot".getBytes(UTF_8);
  private static final long LOW_BITS = 0xffff_ffffL;
  private static final byte[] WHICH = "croupier which question".getBytes(UTF_8);

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
    return draw(ANSWER, modelId, round) < probability;
  }

  /** Whether a question is asked instead of for a gradient. Like {@link #answers}, monotone. */
  boolean isAsked(String modelId, long round, double probability) {
    return draw(QUESTION, modelId, round) < probability;
  }

  /** Which of {@code count} questions is asked, from 0. */
  int question(String modelId, long round, int count) {
    return (int) (draw(WHICH, modelId, round) * count);
  }

  /**
   * In which of a window's publications a token is used, from 0. The draw is HMAC-SHA256(secret,
   * "croupier slot" | 0 in one byte | digest | 0 in 4 bytes, the number of the token): its first 64
   * bits are a number u, and the slot is floor(u publications / 2^64).
   */
  int slot(ByteString challengeDigest, int publications) {
    Mac mac = mac();
    mac.update(SLOT);
    mac.update((byte) 0);
    mac.update(challengeDigest.asReadOnlyByteBuffer());
    long lot = ByteBuffer.wrap(mac.doFinal(new byte[Integer.BYTES])).getLong();
    long low = ((lot & LOW_BITS) * publications) >>> Integer.SIZE;
    return (int) (((lot >>> Integer.SIZE) * publications + low) >>> Integer.SIZE);
  }

  private double draw(byte[] purpose, String modelId, long round) {
    Mac mac = mac();
    mac.update(purpose);
    mac.update(modelId.getBytes(UTF_8));
    mac.update(ByteBuffer.allocate(Long.BYTES).putLong(round).array());
    return (ByteBuffer.wrap(mac.doFinal()).getLong() >>> 11) * 0x1p-53;
  }

  private Mac mac() {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac;
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }
}
