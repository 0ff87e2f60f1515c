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
 * What follows from the secret of a ledger: which published rounds a device answers, in which of
 * them by one bit instead of a gradient, in which it uses a token, and by which digest it knows
 * data that it has reported.
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
final class LedgerSecret {
  static final int SECRET_BYTES = 32;

  /** Two of a device's data share a digest with a chance of 2^-128. */
  static final int DATA_BYTES = 16;

  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] ANSWER = "croupier answer".getBytes(UTF_8);
  private static final byte[] QUESTION = "croupier question".getBytes(UTF_8);
  private static final byte[] DATA = "croupier data".getBytes(UTF_8);
  private static final byte[] SLOT = "croupier slot".getBytes(UTF_8);
  private static final long LOW_BITS = 0xffff_ffffL;
  private static final byte[] WHICH = "croupier which question".getBytes(UTF_8);

  private final SecretKeySpec key;

  LedgerSecret(ByteString secret) {
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

  /**
   * The digest of data that are reported to a model: the first {@value #DATA_BYTES} bytes of
   * HMAC-SHA256(secret, "croupier data" | 0 | model_id | 0 | origin of the key in one byte | key).
   * A model_id contains no zero byte, so no two inputs are equal. A reader of the digest who
   * doesn't know the secret can't try out data.
   */
  ByteString data(String modelId, DataKey key) {
    Mac mac = mac();
    mac.update(DATA);
    mac.update((byte) 0);
    mac.update(modelId.getBytes(UTF_8));
    mac.update((byte) 0);
    mac.update(key.origin().code());
    mac.update(key.bytes().asReadOnlyByteBuffer());
    return ByteString.copyFrom(mac.doFinal(), 0, DATA_BYTES);
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
