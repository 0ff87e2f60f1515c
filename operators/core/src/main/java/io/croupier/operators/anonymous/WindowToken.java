package io.croupier.operators.anonymous;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.schemas.AnonymousWindows;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The token of an anonymous report: a Token of type 2 (RFC 9578, section 6.3) and the 32 bytes that
 * RSABSSA-SHA384-PSS-Randomized (RFC 9474, section 5) puts before the message. It contains nothing
 * that the signer has seen.
 */
public final class WindowToken {
  /** Bytes of a token. */
  public static final int BYTES = 386;

  /** Bytes of a key's modulus, and of a signature. */
  public static final int KEY_BYTES = 256;

  private static final short TYPE = 2;
  private static final int HASH_BYTES = 32;
  private static final int NONCE_BYTES = 32;
  private static final int PREFIX_BYTES = 32;
  private static final int DIGEST_AT = Short.BYTES + NONCE_BYTES;
  private static final int KEY_AT = DIGEST_AT + HASH_BYTES;
  private static final int SIGNATURE_AT = KEY_AT + HASH_BYTES;
  private static final int PREFIX_AT = SIGNATURE_AT + KEY_BYTES;
  private static final BigInteger EXPONENT = BigInteger.valueOf(65_537);
  private static final PSSParameterSpec PSS =
      new PSSParameterSpec("SHA-384", "MGF1", MGF1ParameterSpec.SHA384, 48, 1);

  /** A SubjectPublicKeyInfo of RSASSA-PSS with these parameters, before and after the modulus. */
  private static final byte[] INFO_HEAD =
      HexFormat.of()
          .parseHex(
              "30820152303d06092a864886f70d01010a3030a00d300b0609608648016503040202"
                  + "a11a301806092a864886f70d010108300b0609608648016503040202a20302013003"
                  + "82010f003082010a0282010100");

  private static final byte[] INFO_TAIL = HexFormat.of().parseHex("0203010001");

  private final byte[] bytes;

  private WindowToken(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Reads a token; doesn't verify it.
   *
   * @param bytes kept and not copied
   * @return null if they have another length or type
   */
  public static WindowToken read(byte[] bytes) {
    return bytes.length == BYTES && ByteBuffer.wrap(bytes).getShort() == TYPE
        ? new WindowToken(bytes)
        : null;
  }

  /**
   * Returns whether bytes are the modulus of a key: {@value #KEY_BYTES} of them, the highest bit 1,
   * and odd.
   */
  static boolean isModulus(byte[] bytes) {
    return bytes != null
        && bytes.length == KEY_BYTES
        && bytes[0] < 0
        && (bytes[KEY_BYTES - 1] & 1) == 1;
  }

  /** Returns whether the token's nonce is {@code key}. */
  boolean hasNonce(byte[] key) {
    return Arrays.equals(bytes, Short.BYTES, DIGEST_AT, key, 0, key.length);
  }

  /** Returns the nonce, of 32 bytes. */
  public byte[] nonce() {
    return Arrays.copyOfRange(bytes, Short.BYTES, DIGEST_AT);
  }

  /**
   * Returns whether the token is for a window and a level of a model, and the owner of the key has
   * signed it.
   *
   * @param modulus of the key, {@value #KEY_BYTES} bytes, big-endian; nothing is signed by bytes
   *     that are no key
   */
  public boolean isFor(String modelId, long window, Mechanism level, byte[] modulus) {
    byte[] challenge = challengeDigest(modelId, window, level);
    byte[] keyId = sha256(INFO_HEAD, modulus, INFO_TAIL);
    return Arrays.equals(bytes, DIGEST_AT, KEY_AT, challenge, 0, HASH_BYTES)
        && Arrays.equals(bytes, KEY_AT, SIGNATURE_AT, keyId, 0, HASH_BYTES)
        && isSigned(modulus);
  }

  private boolean isSigned(byte[] modulus) {
    try {
      PublicKey key =
          KeyFactory.getInstance("RSASSA-PSS")
              .generatePublic(new RSAPublicKeySpec(new BigInteger(1, modulus), EXPONENT));
      Signature pss = Signature.getInstance("RSASSA-PSS");
      pss.setParameter(PSS);
      pss.initVerify(key);
      pss.update(bytes, PREFIX_AT, PREFIX_BYTES);
      pss.update(bytes, 0, SIGNATURE_AT);
      return pss.verify(bytes, SIGNATURE_AT, KEY_BYTES);
    } catch (InvalidKeySpecException | InvalidKeyException | SignatureException e) {
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has RSASSA-PSS", e);
    }
  }

  /**
   * Returns the digest of a TokenChallenge (RFC 9577, section 2.1): the model as the issuer's name,
   * SHA-256 of window and level as the redemption context, no origin.
   */
  static byte[] challengeDigest(String modelId, long window, Mechanism level) {
    byte[] context =
        sha256(
            ByteBuffer.allocate(Long.BYTES).putLong(window).array(),
            AnonymousWindows.bytes(level).toByteArray());
    byte[] name = modelId.getBytes(UTF_8);
    return sha256(
        ByteBuffer.allocate(3 * Short.BYTES + name.length + 1 + HASH_BYTES)
            .putShort(TYPE)
            .putShort((short) name.length)
            .put(name)
            .put((byte) HASH_BYTES)
            .put(context)
            .putShort((short) 0)
            .array());
  }

  private static byte[] sha256(byte[]... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) {
        digest.update(part);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Without the token, which its owner may still have to use. */
  @Override
  public String toString() {
    return "WindowToken";
  }
}
