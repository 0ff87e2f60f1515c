package io.croupier.client;

import io.croupier.client.ohttp.BinaryRequest;
import io.croupier.client.ohttp.ObliviousKeyPair;

/** Encapsulates a request. */
final class ObliviousDevice {
  private ObliviousDevice() {}

  /** No arguments. */
  public static void main(String[] args) {
    byte[] request =
        ObliviousKeyPair.derive(new byte[32])
            .key()
            .encapsulate(new byte[BinaryRequest.BYTES])
            .request();
    System.out.println("bytes: " + request.length);
  }
}
