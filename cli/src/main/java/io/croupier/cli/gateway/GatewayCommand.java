package io.croupier.cli.gateway;

import io.croupier.cli.Brokers;
import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.gateway.AtExit;
import io.croupier.gateway.Gateway;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a gateway in this process. */
@Command(
    name = "gateway",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    description = {
      "Serves devices over HTTPS until SIGTERM or SIGINT: takes their reports under an identity that"
          + " they can't choose, and publishes models to them.",
      "",
      "The topics must exist (see 'croupier topics create'). Run 'croupier gateway init' once before"
          + " the first start."
    },
    footer = {
      "",
      "A minimal configuration:",
      "  kafka:",
      "    bootstrap.servers: broker-1:9092",
      "  listen:",
      "    address: 0.0.0.0",
      "    port: 443",
      "    certificate: gateway.pem",
      "    key: gateway.key",
      "  pepper:",
      "    file: gateway.pepper",
      "  issuers:",
      "    main:",
      "      issuer: https://accounts.example",
      "      audience: croupier",
      "      jwks: https://accounts.example/keys"
    })
public final class GatewayCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  /** The configuration, which all subcommands need. */
  static final class Configuration {
    @Option(
        names = "--config",
        paramLabel = "FILE",
        description =
            "The gateway's configuration, a YAML file; docs/run/gateway-settings.md lists its settings. Required.")
    private Path file;

    /** Picocli would require the option of this command for each of its subcommands, too. */
    GatewayConfig read() {
      if (file == null) {
        throw new InputException("No configuration is given; use --config FILE");
      }
      return GatewayFile.read(file);
    }
  }

  @Mixin private Configuration configuration;

  @Override
  public Integer call() throws InterruptedException {
    Log.toConsole();
    GatewayConfig config = configuration.read();
    Gateway gateway = start(config);
    AtExit.run(gateway::close);
    out().printf("Serving %s%n", gateway.address());
    out().flush();
    // A signal ends this process.
    new CountDownLatch(1).await();
    return 0;
  }

  private Gateway start(GatewayConfig config) {
    try {
      // A missing secret is reported whether or not the brokers run.
      Pepper.read(config.identity().pepper());
      Brokers.require(config.kafka(), spec.commandLine().getErr());
      return new Gateway(config);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  @Command(
      name = "init",
      mixinStandardHelpOptions = true,
      description = {
        "Creates the secrets that the configuration names, where they are missing.",
        "",
        "These are the pepper, from which user ids are computed, and, if test-tokens.key-file is set,"
            + " the key of test tokens. Existing files are not changed. Copy the pepper to all"
            + " gateways of a deployment, and keep a backup: with a new one, everybody has a new"
            + " user id."
      })
  int init(@Mixin Configuration options) {
    GatewayConfig config = options.read();
    try {
      print(Pepper.create(config.identity().pepper()), config.identity().pepper());
      if (config.identity().testKey().isPresent()) {
        print(
            TestTokens.create(config.identity().testKey().get()),
            config.identity().testKey().get());
      }
    } catch (IOException e) {
      throw new InputException("A secret can't be created: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
    return 0;
  }

  private void print(boolean created, Path file) {
    out().printf("%-8s %s%n", created ? "created" : "exists", file);
  }

  @Command(
      name = "token",
      mixinStandardHelpOptions = true,
      description = {
        "Prints a token for trials, with which a client reports as the given subject.",
        "",
        "Gateways accept it only if test-tokens.allowed is true in their configuration."
      })
  int token(
      @Mixin Configuration options,
      @Option(names = "--subject", paramLabel = "NAME", description = "Who the token is about.")
          String subject,
      @Option(
              names = "--hours",
              defaultValue = "24",
              paramLabel = "N",
              description = "How long it is valid (default: ${DEFAULT-VALUE}).")
          int hours) {
    // Picocli does not require options of a method that has a mixin.
    if (subject == null || subject.isEmpty() || hours < 1) {
      throw new InputException("--subject must be given, and --hours be at least 1");
    }
    Path key =
        options
            .read()
            .identity()
            .testKey()
            .orElseThrow(
                () ->
                    new InputException(
                        "The configuration has no test-tokens.key-file; set it, and run 'croupier"
                            + " gateway init'"));
    try {
      out().println(TestTokens.read(key).mint(subject, Instant.now(), Duration.ofHours(hours)));
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
    return 0;
  }

  @Command(
      name = "user",
      mixinStandardHelpOptions = true,
      description = {
        "Prints the user id of a person, under which 'croupier ledger --user' and 'croupier erase"
            + " --user' find the account.",
        "",
        "It needs the pepper. With the subject and this id, one knows whose account it is."
      })
  int user(
      @Mixin Configuration options,
      @Option(
              names = "--subject",
              paramLabel = "NAME",
              description = "The person at the issuer: the token's sub, or the claim that is set.")
          String subject,
      @Option(
              names = "--issuer",
              paramLabel = "NAME",
              description =
                  "Name of the issuer's settings; 'test' is that of test tokens. May be left out if"
                      + " there is one issuer.")
          String issuer) {
    if (subject == null) {
      throw new InputException("--subject must be given");
    }
    out().println(GatewayFile.userId(options.read(), issuer, subject));
    return 0;
  }
}
