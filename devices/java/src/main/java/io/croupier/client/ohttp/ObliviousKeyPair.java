package io.croupier.client.ohttp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;

/**
 * The key pair of a gateway, which opens encapsulated requests. Safe for use by several threads.
 */
public final class ObliviousKeyPair {
  private static final byte ID = 1;

  private final byte[] privateKey;
  private final ObliviousKey key;

  ObliviousKeyPair(byte id, byte[] privateKey) {
    this.privateKey = privateKey;
    try {
      key = new ObliviousKey(id, Hpke.publicKey(privateKey));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the runtime must have the module jdk.crypto.ec", e);
    }
  }

  /**
   * The pair that follows from a secret, so that all gateways of a deployment have the same.
   *
   * @param secret 32 random bytes
   */
  public static ObliviousKeyPair derive(byte[] secret) {
    try {
      return new ObliviousKeyPair(ID, Hpke.derivePrivateKey(secret));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  /** The public key. */
  public ObliviousKey key() {
    return key;
  }

  /**
   * Opens an encapsulated request.
   *
   * @throws GeneralSecurityException if it isn't encrypted under this key
   */
  public ObliviousExchange open(byte[] request) throws GeneralSecurityException {
    if (request.length < ObliviousExchange.REQUEST_OVERHEAD) {
      throw new GeneralSecurityException("the request is too short");
    }
    byte[] header = new byte[ObliviousExchange.HEADER_BYTES];
    byte[] encapsulated = new byte[Hpke.KEY_BYTES];
    byte[] sealed = new byte[request.length - header.length - encapsulated.length];
    ByteBuffer.wrap(request).get(header).get(encapsulated).get(sealed);
    if (!Arrays.equals(header, key.header())) {
      throw new GeneralSecurityException("the request has the header of another key");
    }
    Hpke.Context context =
        Hpke.recipient(encapsulated, privateKey, key.publicKey(), ObliviousExchange.info(header));
    return new ObliviousExchange(context.open(sealed), context, encapsulated);
  }

  /** Without the private key. */
  @Override
  public String toString() {
    return "ObliviousKeyPair";
  }
}
