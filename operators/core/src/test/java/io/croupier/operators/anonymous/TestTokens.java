package io.croupier.operators.anonymous;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.schemas.AnonymousWindows;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** Tokens that are signed without a blind, by a key of the JDK. */
public final class TestTokens {
  private static final String INFO_HEAD =
      "30820152303d06092a864886f70d01010a3030a00d300b0609608648016503040202"
          + "a11a301806092a864886f70d010108300b0609608648016503040202a20302013003"
          + "82010f003082010a0282010100";

  private static final Map<Long, KeyPair> KEYS = new ConcurrentHashMap<>();

  private final KeyPair keys;
  private final Random random;

  /** Those of a seed have one key in a process, as finding its primes takes long. */
  public TestTokens(long seed) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    keys = KEYS.computeIfAbsent(seed, s -> generator.generateKeyPair());
    random = new Random(seed);
  }

  /** The modulus in 256 bytes. */
  public byte[] modulus() {
    byte[] bytes = ((RSAPublicKey) keys.getPublic()).getModulus().toByteArray();
    return Arrays.copyOfRange(bytes, bytes.length - 256, bytes.length);
  }

  /** A key that the JDK reads from the bytes whose digest is the key's id. */
  BigInteger readModulus() throws GeneralSecurityException {
    return ((RSAPublicKey)
            java.security.KeyFactory.getInstance("RSASSA-PSS")
                .generatePublic(new X509EncodedKeySpec(info())))
        .getModulus();
  }

  private byte[] info() {
    return info(modulus());
  }

  private static byte[] info(byte[] modulus) {
    return HexFormat.of().parseHex(INFO_HEAD + HexFormat.of().formatHex(modulus) + "0203010001");
  }

  /** The same token with the id of another key, which didn't sign it. */
  static byte[] underKey(byte[] token, byte[] modulus) throws GeneralSecurityException {
    byte[] changed = token.clone();
    byte[] id = MessageDigest.getInstance("SHA-256").digest(info(modulus));
    System.arraycopy(id, 0, changed, 66, id.length);
    return changed;
  }

  /** A token for a window and a level. */
  public byte[] token(String modelId, long window, Mechanism level)
      throws GeneralSecurityException {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    sha256.update(ByteBuffer.allocate(8).putLong(window).array());
    byte[] context = sha256.digest(AnonymousWindows.bytes(level).toByteArray());
    byte[] name = modelId.getBytes(UTF_8);
    byte[] challenge =
        ByteBuffer.allocate(39 + name.length)
            .putShort((short) 2)
            .putShort((short) name.length)
            .put(name)
            .put((byte) 32)
            .put(context)
            .putShort((short) 0)
            .array();
    byte[] nonce = new byte[32];
    byte[] prefix = new byte[32];
    random.nextBytes(nonce);
    random.nextBytes(prefix);
    byte[] input =
        ByteBuffer.allocate(98)
            .putShort((short) 2)
            .put(nonce)
            .put(sha256.digest(challenge))
            .put(sha256.digest(info()))
            .array();
    Signature pss = Signature.getInstance("RSASSA-PSS");
    pss.setParameter(new PSSParameterSpec("SHA-384", "MGF1", MGF1ParameterSpec.SHA384, 48, 1));
    pss.initSign(keys.getPrivate());
    pss.update(prefix);
    pss.update(input);
    return ByteBuffer.allocate(WindowToken.BYTES).put(input).put(pss.sign()).put(prefix).array();
  }

  /** The nonce of a token. */
  public static ByteString nonce(byte[] token) {
    return ByteString.copyFrom(token, 2, 32);
  }
}
