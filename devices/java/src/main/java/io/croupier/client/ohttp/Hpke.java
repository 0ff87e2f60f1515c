package io.croupier.client.ohttp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** HPKE in base mode, for one message to a recipient (RFC 9180, sections 4 and 5). */
final class Hpke {
  /** Bytes of a private key, of a public key, of an encapsulated key and of a hash. */
  static final int KEY_BYTES = 32;

  static final int AEAD_KEY_BYTES = 16;
  static final int AEAD_NONCE_BYTES = 12;

  private static final byte[] KEM_SUITE = {'K', 'E', 'M', 0, 0x20};
  private static final byte[] SUITE = {'H', 'P', 'K', 'E', 0, 0x20, 0, 1, 0, 1};
  private static final byte[] BASE_POINT = new byte[KEY_BYTES];
  private static final byte[] EMPTY = {};
  private static final int TAG_BITS = 128;
  private static final String HMAC = "HmacSHA256";

  static {
    BASE_POINT[0] = 9;
  }

  /** Keys of one exchange: of the request, and the secret from which the answer's follow. */
  static final class Context {
    private final byte[] key;
    private final byte[] nonce;
    private final byte[] exporterSecret;

    private Context(byte[] key, byte[] nonce, byte[] exporterSecret) {
      this.key = key;
      this.nonce = nonce;
      this.exporterSecret = exporterSecret;
    }

    byte[] seal(byte[] message) throws GeneralSecurityException {
      return Hpke.seal(key, nonce, message);
    }

    byte[] open(byte[] sealed) throws GeneralSecurityException {
      return Hpke.open(key, nonce, sealed);
    }

    byte[] export(String context, int bytes) throws GeneralSecurityException {
      return labelledExpand(SUITE, exporterSecret, "sec", context.getBytes(US_ASCII), bytes);
    }
  }

  private Hpke() {}

  /** A private key that follows from a secret (DeriveKeyPair of section 7.1.3). */
  static byte[] derivePrivateKey(byte[] secret) throws GeneralSecurityException {
    byte[] random = labelledExtract(KEM_SUITE, EMPTY, "dkp_prk", secret);
    return labelledExpand(KEM_SUITE, random, "sk", EMPTY, KEY_BYTES);
  }

  static byte[] newPrivateKey() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return key;
  }

  static byte[] publicKey(byte[] privateKey) throws GeneralSecurityException {
    return agree(privateKey, BASE_POINT);
  }

  /** The context of a sender with an ephemeral key, which it uses once. */
  static Context sender(byte[] ephemeral, byte[] recipient, byte[] info)
      throws GeneralSecurityException {
    return context(
        agree(ephemeral, recipient), concatenated(publicKey(ephemeral), recipient), info);
  }

  /**
   * The context of a recipient.
   *
   * @param encapsulated the sender's ephemeral public key
   */
  static Context recipient(byte[] encapsulated, byte[] privateKey, byte[] publicKey, byte[] info)
      throws GeneralSecurityException {
    return context(agree(privateKey, encapsulated), concatenated(encapsulated, publicKey), info);
  }

  private static Context context(byte[] agreed, byte[] publicKeys, byte[] info)
      throws GeneralSecurityException {
    byte[] shared =
        labelledExpand(
            KEM_SUITE,
            labelledExtract(KEM_SUITE, EMPTY, "eae_prk", agreed),
            "shared_secret",
            publicKeys,
            KEY_BYTES);
    byte[] schedule =
        concatenated(
            new byte[1], // base mode
            labelledExtract(SUITE, EMPTY, "psk_id_hash", EMPTY),
            labelledExtract(SUITE, EMPTY, "info_hash", info));
    byte[] secret = labelledExtract(SUITE, shared, "secret", EMPTY);
    return new Context(
        labelledExpand(SUITE, secret, "key", schedule, AEAD_KEY_BYTES),
        labelledExpand(SUITE, secret, "base_nonce", schedule, AEAD_NONCE_BYTES),
        labelledExpand(SUITE, secret, "exp", schedule, KEY_BYTES));
  }

  /**
   * X25519 (RFC 7748).
   *
   * @throws GeneralSecurityException if the point has a small order, so that the result is no
   *     secret
   */
  private static byte[] agree(byte[] privateKey, byte[] publicKey) throws GeneralSecurityException {
    KeyFactory keys = KeyFactory.getInstance("X25519");
    PrivateKey scalar =
        keys.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, privateKey));
    byte[] bigEndian = new byte[KEY_BYTES];
    for (int i = 0; i < KEY_BYTES; i++) {
      bigEndian[i] = publicKey[KEY_BYTES - 1 - i];
    }
    bigEndian[0] &= 0x7f;
    KeyAgreement agreement = KeyAgreement.getInstance("X25519");
    agreement.init(scalar);
    agreement.doPhase(
        keys.generatePublic(
            new XECPublicKeySpec(NamedParameterSpec.X25519, new BigInteger(1, bigEndian))),
        true);
    return agreement.generateSecret();
  }

  private static byte[] labelledExtract(byte[] suite, byte[] salt, String label, byte[] key)
      throws GeneralSecurityException {
    return extract(salt, concatenated(version(), suite, label.getBytes(US_ASCII), key));
  }

  private static byte[] labelledExpand(
      byte[] suite, byte[] key, String label, byte[] info, int bytes)
      throws GeneralSecurityException {
    byte[] length = {0, (byte) bytes};
    return expand(
        key, concatenated(length, version(), suite, label.getBytes(US_ASCII), info), bytes);
  }

  private static byte[] version() {
    return "HPKE-v1".getBytes(US_ASCII);
  }

  /** HKDF-Extract (RFC 5869). */
  static byte[] extract(byte[] salt, byte[] key) throws GeneralSecurityException {
    // A key of zeros is what HMAC makes of an empty one, which Java doesn't take.
    return hmac(salt.length == 0 ? new byte[KEY_BYTES] : salt, key);
  }

  /** HKDF-Expand (RFC 5869) to at most one hash. */
  static byte[] expand(byte[] key, byte[] info, int bytes) throws GeneralSecurityException {
    return Arrays.copyOf(hmac(key, concatenated(info, new byte[] {1})), bytes);
  }

  private static byte[] hmac(byte[] key, byte[] message) throws GeneralSecurityException {
    Mac mac = Mac.getInstance(HMAC);
    mac.init(new SecretKeySpec(key, HMAC));
    return mac.doFinal(message);
  }

  /** AES-128-GCM without associated data. */
  static byte[] seal(byte[] key, byte[] nonce, byte[] message) throws GeneralSecurityException {
    return cipher(Cipher.ENCRYPT_MODE, key, nonce).doFinal(message);
  }

  static byte[] open(byte[] key, byte[] nonce, byte[] sealed) throws GeneralSecurityException {
    return cipher(Cipher.DECRYPT_MODE, key, nonce).doFinal(sealed);
  }

  private static Cipher cipher(int mode, byte[] key, byte[] nonce) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_BITS, nonce));
    return cipher;
  }

  static byte[] concatenated(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] all = new byte[length];
    int end = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, end, part.length);
      end += part.length;
    }
    return all;
  }
}
