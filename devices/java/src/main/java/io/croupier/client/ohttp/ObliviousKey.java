package io.croupier.client.ohttp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;

/** The public key of a gateway, with which devices encapsulate requests (RFC 9458, section 3). */
public final class ObliviousKey {
  /** The media type of an encoded key. */
  public static final String MEDIA_TYPE = "application/ohttp-keys";

  /** KDF and AEAD: the only pair, after the length of the list of pairs. */
  private static final byte[] ALGORITHMS = {0, 4, 0, 1, 0, 1};

  private static final byte[] KEM = {0, 0x20};
  private static final int CONFIG_BYTES = 1 + KEM.length + Hpke.KEY_BYTES + ALGORITHMS.length;

  private final byte id;
  private final byte[] publicKey;

  ObliviousKey(byte id, byte[] publicKey) {
    this.id = id;
    this.publicKey = publicKey;
  }

  /**
   * Reads what a gateway serves at {@code /v1/ohttp-keys}.
   *
   * @throws IllegalArgumentException if it isn't one key of X25519 with HKDF-SHA256 and AES-128-GCM
   */
  public static ObliviousKey parse(byte[] keys) {
    if (keys.length == Short.BYTES + CONFIG_BYTES) {
      ByteBuffer bytes = ByteBuffer.wrap(keys);
      short length = bytes.getShort();
      byte id = bytes.get();
      byte[] kem = new byte[KEM.length];
      byte[] publicKey = new byte[Hpke.KEY_BYTES];
      byte[] algorithms = new byte[ALGORITHMS.length];
      bytes.get(kem).get(publicKey).get(algorithms);
      if (length == CONFIG_BYTES
          && Arrays.equals(kem, KEM)
          && Arrays.equals(algorithms, ALGORITHMS)) {
        return new ObliviousKey(id, publicKey);
      }
    }
    throw new IllegalArgumentException(
        "the %d bytes are no key of a gateway; they must be what it serves at /v1/ohttp-keys: %d bytes"
                .formatted(keys.length, Short.BYTES + CONFIG_BYTES)
            + " with one key of X25519, HKDF-SHA256 and AES-128-GCM");
  }

  /** The bytes that {@link #parse} reads. */
  public byte[] encoded() {
    return ByteBuffer.allocate(Short.BYTES + CONFIG_BYTES)
        .putShort((short) CONFIG_BYTES)
        .put(id)
        .put(KEM)
        .put(publicKey)
        .put(ALGORITHMS)
        .array();
  }

  byte[] publicKey() {
    return publicKey;
  }

  /** What an encapsulated request under this key begins with. */
  byte[] header() {
    return new byte[] {id, KEM[0], KEM[1], 0, 1, 0, 1};
  }

  /**
   * Encapsulates a request under a new ephemeral key; {@link ObliviousExchange#REQUEST_OVERHEAD}
   * bytes longer.
   *
   * @throws IllegalStateException if this Java platform has no X25519, or the key is no secret one
   */
  public ObliviousExchange encapsulate(byte[] message) {
    return encapsulate(message, Hpke.newPrivateKey());
  }

  ObliviousExchange encapsulate(byte[] message, byte[] ephemeral) {
    try {
      byte[] encapsulated = Hpke.publicKey(ephemeral);
      Hpke.Context context = Hpke.sender(ephemeral, publicKey, ObliviousExchange.info(header()));
      byte[] request = Hpke.concatenated(header(), encapsulated, context.seal(message));
      return new ObliviousExchange(request, context, encapsulated);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "nothing can be encrypted for the gateway: the runtime must have the module"
              + " jdk.crypto.ec, and the key a point of large order",
          e);
    }
  }
}
