package io.croupier.cli;

import io.croupier.client.GatewayAddress;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option that selects a gateway instead of Kafka brokers. */
public final class GatewayOptions {
  @Option(
      names = "--gateway",
      paramLabel = "URL",
      description =
          "Address of a gateway, instead of --kafka: https, or http on this machine, without /v1.")
  private URI gateway;

  /**
   * The gateway's address; empty if none is given.
   *
   * @throws InputException if Kafka is selected as well
   */
  public Optional<URI> address(ConnectionOptions connection) {
    if (gateway != null && connection.isGiven()) {
      throw new InputException(
          "--gateway takes the place of Kafka; leave out --kafka, --config, --prefix and --set");
    }
    return Optional.ofNullable(gateway);
  }

  /**
   * Returns once the gateway accepts a connection, or a proxy leads to it.
   *
   * @param err receives a line if this takes longer than two seconds
   * @throws InputException if the address is none of a gateway, ends in /v1, or accepts no
   *     connection within 3 s; the message has the address and the cause
   */
  public static void require(URI gateway, PrintWriter err) {
    try {
      URI unused = GatewayAddress.require(gateway);
    } catch (IllegalArgumentException e) {
      throw new InputException("--gateway: " + e.getMessage(), e);
    }
    if (gateway.getPath().matches(".*/v1/*")) {
      throw new InputException(
          "--gateway is %s; it must be the address without /v1".formatted(gateway));
    }
    boolean isDirect = ProxySelector.getDefault().select(gateway).equals(List.of(Proxy.NO_PROXY));
    if (isDirect) {
      Map<String, String> failures =
          Waiting.on(
              "the gateway at " + gateway,
              err,
              () -> ConnectionAttempts.failures(Map.of("gateway", address(gateway))));
      failures.forEach(
          (name, cause) -> {
            throw new InputException(
                "The gateway can't be reached at %s (%s). Check the address, and that it runs"
                    .formatted(gateway, cause));
          });
    }
  }

  private static InetSocketAddress address(URI gateway) {
    int usual = "https".equalsIgnoreCase(gateway.getScheme()) ? 443 : 80;
    int port = gateway.getPort() < 0 ? usual : gateway.getPort();
    // Without the brackets of an IPv6 address.
    String host = gateway.getHost().replaceAll("[\\[\\]]", "");
    return InetSocketAddress.createUnresolved(host, port);
  }
}
