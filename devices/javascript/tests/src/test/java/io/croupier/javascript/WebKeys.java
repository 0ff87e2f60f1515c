package io.croupier.javascript;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** X25519 and AES-128-GCM on bytes, as a browser's Web Crypto has them. */
final class WebKeys {
  static final int BYTES = 32;

  private static final String CURVE = "X25519";
  private static final int TAG_BITS = 128;

  private WebKeys() {}

  /** The shared secret; the base point's is the public key. */
  static byte[] agree(byte[] privateKey, byte[] publicKey) {
    byte[] bigEndian = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      bigEndian[i] = publicKey[BYTES - 1 - i];
    }
    try {
      KeyFactory keys = KeyFactory.getInstance(CURVE);
      KeyAgreement agreement = KeyAgreement.getInstance(CURVE);
      agreement.init(
          keys.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, privateKey)));
      agreement.doPhase(
          keys.generatePublic(
              new XECPublicKeySpec(NamedParameterSpec.X25519, new BigInteger(1, bigEndian))),
          true);
      return agreement.generateSecret();
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(e);
    }
  }

  static byte[] aesGcm(boolean isEncryption, byte[] key, byte[] nonce, byte[] bytes) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(
          isEncryption ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE,
          new SecretKeySpec(key, "AES"),
          new GCMParameterSpec(TAG_BITS, nonce));
      return cipher.doFinal(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
