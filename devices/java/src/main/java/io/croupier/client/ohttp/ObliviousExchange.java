package io.croupier.client.ohttp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;

/**
 * An encapsulated request, and the keys of its answer (RFC 9458, section 4). The client's side
 * opens the answer, the gateway's side seals it.
 */
public final class ObliviousExchange {
  /** The media type of encapsulated requests. */
  public static final String REQUEST_TYPE = "message/ohttp-req";

  /** The media type of encapsulated answers. */
  public static final String ANSWER_TYPE = "message/ohttp-res";

  /** Key, KEM, KDF and AEAD. */
  static final int HEADER_BYTES = 7;

  private static final int TAG_BYTES = 16;

  /** How many bytes an encapsulated request has more than its message. */
  public static final int REQUEST_OVERHEAD = HEADER_BYTES + Hpke.KEY_BYTES + TAG_BYTES;

  /** How many bytes an encapsulated answer has more than its message. */
  public static final int ANSWER_OVERHEAD = Hpke.AEAD_KEY_BYTES + TAG_BYTES;

  private final byte[] request;
  private final Hpke.Context context;
  private final byte[] encapsulated;

  /**
   * Creates an exchange.
   *
   * @param request what the other side receives: on the client the encapsulated request, on the
   *     gateway the message in it
   * @param encapsulated the client's ephemeral public key
   */
  ObliviousExchange(byte[] request, Hpke.Context context, byte[] encapsulated) {
    this.request = request;
    this.context = context;
    this.encapsulated = encapsulated;
  }

  /** What binds a request to its header. */
  static byte[] info(byte[] header) {
    return Hpke.concatenated("message/bhttp request\0".getBytes(US_ASCII), header);
  }

  /** The request: on the client's side encapsulated, on the gateway's the message. */
  public byte[] request() {
    return request.clone();
  }

  /** Encapsulates the gateway's answer; {@link #ANSWER_OVERHEAD} bytes longer. */
  public byte[] seal(byte[] answer) {
    byte[] random = new byte[Hpke.AEAD_KEY_BYTES];
    new SecureRandom().nextBytes(random);
    return seal(answer, random);
  }

  byte[] seal(byte[] answer, byte[] random) {
    try {
      byte[] key = answerKey(random);
      return Hpke.concatenated(
          random, Hpke.seal(expanded(key, "key"), expanded(key, "nonce"), answer));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has AES and HMAC", e);
    }
  }

  /**
   * Opens the encapsulated answer, on the client's side.
   *
   * @throws GeneralSecurityException if it isn't the gateway's answer to this request
   */
  public byte[] open(byte[] sealed) throws GeneralSecurityException {
    if (sealed.length < ANSWER_OVERHEAD) {
      throw new GeneralSecurityException(
          "an encapsulated answer has at least %d bytes".formatted(ANSWER_OVERHEAD));
    }
    ByteBuffer bytes = ByteBuffer.wrap(sealed);
    byte[] random = new byte[Hpke.AEAD_KEY_BYTES];
    byte[] content = new byte[sealed.length - random.length];
    bytes.get(random).get(content);
    byte[] key = answerKey(random);
    return Hpke.open(expanded(key, "key"), expanded(key, "nonce"), content);
  }

  private byte[] answerKey(byte[] random) throws GeneralSecurityException {
    return Hpke.extract(
        Hpke.concatenated(encapsulated, random),
        context.export("message/bhttp response", Hpke.AEAD_KEY_BYTES));
  }

  private static byte[] expanded(byte[] key, String label) throws GeneralSecurityException {
    int bytes = label.equals("key") ? Hpke.AEAD_KEY_BYTES : Hpke.AEAD_NONCE_BYTES;
    return Hpke.expand(key, label.getBytes(US_ASCII), bytes);
  }
}
