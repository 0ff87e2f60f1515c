package io.croupier.cli.watch;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.gateway.AtExit;
import io.croupier.job.config.JobConfig;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Serves the page about a running job. */
@Command(
    name = "watch",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Serves a page about models, accounts and dead letters, to browsers on this machine alone,"
          + " until SIGTERM or SIGINT.",
      "",
      "The numbers are those of the committed records on the job's topics; the page changes none."
          + " It contains no user ids. docs/run/watch.md explains each number, and which rights the"
          + " command needs."
    },
    footer = {"", "Try:", "  croupier watch --kafka localhost:9092"})
public final class WatchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private ConnectionOptions connection;

  @Option(
      names = "--port",
      defaultValue = "8090",
      paramLabel = "N",
      description = "Port on 127.0.0.1; 0: any free port (default: ${DEFAULT-VALUE}).")
  private int port;

  @Override
  public Integer call() throws InterruptedException {
    if (port < 0 || port > 65_535) {
      throw new InputException("--port is %d; it must be from 0 to 65535".formatted(port));
    }
    Log.toConsole();
    JobConfig config = connection.connected();
    WatchFeed feed = new WatchFeed("Croupier", "");
    WatchServer server = serve(feed);
    feed.follow(config.kafka(), config.topics());
    AtExit.run(
        () -> {
          feed.end("The command that serves this page has ended.");
          server.close();
          feed.close();
        });
    spec.commandLine().getOut().printf("Watch: %s%n", server.address());
    spec.commandLine().getOut().flush();
    // A signal ends this process.
    new CountDownLatch(1).await();
    return 0;
  }

  private WatchServer serve(WatchFeed feed) {
    try {
      return new WatchServer(feed, port);
    } catch (IllegalStateException e) {
      throw new InputException(e.getMessage(), e);
    }
  }
}
