package io.croupier.cli.gateway;

import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import io.croupier.gateway.AtExit;
import io.croupier.gateway.config.ListenSettings;
import io.croupier.gateway.http.RelayServer;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a relay in this process. */
@Command(
    name = "relay",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Forwards encrypted anonymous reports to a gateway until SIGTERM or SIGINT (Oblivious HTTP,"
          + " RFC 9458), so that the gateway doesn't see the devices' addresses.",
      "",
      "It can't read what it forwards. Another organisation than the gateway's must run it: together"
          + " they know who reports what. docs/anonymity.md states what it protects."
    })
public final class RelayCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "URL",
      description = "The gateway: https, or http on this machine, without /v1.")
  private URI gateway;

  @Option(
      names = "--address",
      defaultValue = "127.0.0.1",
      paramLabel = "ADDRESS",
      description = "Address to listen on (default: ${DEFAULT-VALUE}).")
  private InetAddress address;

  @Option(
      names = "--port",
      defaultValue = "8090",
      paramLabel = "N",
      description = "Port to listen on; 0: any free port (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--certificate",
      paramLabel = "FILE",
      description =
          "Certificate chain, in PEM. Without it, the relay listens on the loopback interface only.")
  private Path certificate;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "The certificate's private key, in PEM, PKCS #8 without a password.")
  private Path key;

  @Option(
      names = "--proxy",
      description =
          "All requests come through a proxy that appends its client's address to X-Forwarded-For;"
              + " the last address there is then the one that is limited.")
  private boolean proxy;

  @Override
  public Integer call() throws InterruptedException {
    Log.toConsole();
    RelayServer relay = start();
    AtExit.run(relay::close);
    spec.commandLine().getOut().printf("Relaying %s to %s%n", relay.address(), relay.gateway());
    spec.commandLine().getOut().flush();
    // A signal ends this process.
    new CountDownLatch(1).await();
    return 0;
  }

  private RelayServer start() {
    if ((certificate == null) != (key == null)) {
      throw new InputException("--certificate and --key must be given together");
    }
    if (certificate == null && !address.isLoopbackAddress()) {
      throw new InputException(
          "--address is %s; without --certificate it must be one of the loopback interface"
              .formatted(address.getHostAddress()));
    }
    Optional<ListenSettings.Tls> tls =
        Optional.ofNullable(certificate).map(chain -> new ListenSettings.Tls(chain, key));
    try {
      return new RelayServer(new ListenSettings(address, port, tls, proxy), gateway);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new InputException(e.getMessage(), e);
    }
  }
}
