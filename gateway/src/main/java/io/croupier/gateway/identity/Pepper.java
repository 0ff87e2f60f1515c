package io.croupier.gateway.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret from which all gateways of a deployment compute user ids. With another pepper, a
 * person would have another user id, and so a second budget; without it, readers of Kafka can't
 * test whose a user id is.
 *
 * <p>All values are HMAC-SHA256 under the pepper, of messages that begin with four bytes: for a
 * user id the length of the issuer, for all others a negative number, which is no length.
 */
public final class Pepper {
  private static final String KIND = "the pepper";
  private static final int BYTES = 32;
  private static final int OF_THE_PEPPER = -1;
  private static final int OF_AN_ISSUER = -2;
  private static final int OF_TOKENS = -3;
  private static final int OF_A_REQUEST = -4;
  private static final int OF_OBLIVIOUS_HTTP = -5;
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  /** Takes a secret of 32 bytes. */
  Pepper(byte[] secret) {
    key = new SecretKeySpec(secret, ALGORITHM);
  }

  /**
   * Creates a file with a new pepper; an existing file stays as it is.
   *
   * @return whether the file was created
   * @throws IllegalArgumentException as {@link #read} does for an existing file
   */
  public static boolean create(Path file) throws IOException {
    boolean created = SecretFile.create(file, HexFormat.of().formatHex(newSecret()));
    if (!created) {
      read(file);
    }
    return created;
  }

  /** A new pepper, which ends with this process. */
  public static Pepper inMemory() {
    return new Pepper(newSecret());
  }

  private static byte[] newSecret() {
    byte[] secret = new byte[BYTES];
    new SecureRandom().nextBytes(secret);
    return secret;
  }

  /**
   * Reads a pepper.
   *
   * @throws IllegalArgumentException if there is no such file, other users may read it, or it
   *     contains no pepper
   */
  public static Pepper read(Path file) {
    String text = SecretFile.read(file, KIND);
    try {
      byte[] secret = HexFormat.of().parseHex(text);
      if (secret.length == BYTES) {
        return new Pepper(secret);
      }
    } catch (IllegalArgumentException e) {
      // Without the cause, whose message quotes the text.
    }
    throw new IllegalArgumentException(
        "%s contains no pepper; it must be %d hexadecimal digits".formatted(file, 2 * BYTES));
  }

  /**
   * The user id of a person: base64url without padding, 43 characters, of the HMAC of the issuer's
   * length in bytes (4 bytes, big-endian), the issuer and the subject in UTF-8. The length makes
   * the encoding unambiguous: no two pairs have the same.
   */
  public String userId(String issuer, String subject) {
    byte[] first = issuer.getBytes(UTF_8);
    byte[] second = subject.getBytes(UTF_8);
    return text(
        ByteBuffer.allocate(Integer.BYTES + first.length + second.length)
            .putInt(first.length)
            .put(first)
            .put(second)
            .array());
  }

  /** Identifies this pepper, and reveals nothing else about it. */
  public String fingerprint() {
    return fingerprint(OF_THE_PEPPER, "croupier pepper fingerprint");
  }

  /** Identifies an issuer to holders of the pepper, and reveals nothing about it to others. */
  public String fingerprint(String issuer) {
    return fingerprint(OF_AN_ISSUER, issuer);
  }

  private String fingerprint(int kind, String of) {
    byte[] bytes = of.getBytes(UTF_8);
    return text(ByteBuffer.allocate(Integer.BYTES + bytes.length).putInt(kind).put(bytes).array());
  }

  /** The secret from which all gateways derive the keys of tokens: 32 bytes. */
  public byte[] tokenSecret() {
    return hmac(ByteBuffer.allocate(Integer.BYTES).putInt(OF_TOKENS).array());
  }

  /** The secret from which all gateways derive the key of encapsulated requests: 32 bytes. */
  public byte[] obliviousSecret() {
    return hmac(ByteBuffer.allocate(Integer.BYTES).putInt(OF_OBLIVIOUS_HTTP).array());
  }

  /** Identifies a request for a token: 32 bytes that follow from the pepper and the request. */
  public byte[] tag(byte[] request) {
    return hmac(
        ByteBuffer.allocate(Integer.BYTES + request.length)
            .putInt(OF_A_REQUEST)
            .put(request)
            .array());
  }

  private String text(byte[] message) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(hmac(message));
  }

  private byte[] hmac(byte[] message) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac.doFinal(message);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "Pepper";
  }
}
