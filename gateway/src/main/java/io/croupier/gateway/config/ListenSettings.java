package io.croupier.gateway.config;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the gateway listens.
 *
 * @param port 0 for any free port
 * @param tls empty for HTTP without TLS, which only a loopback address may have
 * @param proxy whether a proxy appends addresses to X-Forwarded-For
 */
public record ListenSettings(InetAddress address, int port, Optional<Tls> tls, boolean proxy) {

  /**
   * PEM files.
   *
   * @param certificate the chain
   * @param key the private key
   */
  public record Tls(Path certificate, Path key) {}

  /**
   * Checks the address.
   *
   * @throws IllegalArgumentException if it would serve plain HTTP to other machines
   */
  public ListenSettings {
    if (tls.isEmpty() && !address.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "%s is '%s', and there is no certificate: without TLS, tokens and reports would cross the"
                  .formatted(GatewayKey.LISTEN_ADDRESS.key(), address.getHostAddress())
              + " network in the clear. Set %s and %s, or an address of the loopback interface"
                  .formatted(GatewayKey.LISTEN_CERTIFICATE.key(), GatewayKey.LISTEN_KEY.key()));
    }
  }
}
