package io.croupier.cli;

import java.net.URI;
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
}
