package io.croupier.broker;

import java.nio.file.Path;
import java.util.Map;

/** A broker in a separate process, with ports that stay the same across restarts. */
public final class BrokerProcess {
  private BrokerProcess() {}

  /** Runs a broker until the process is terminated: {@code DIRECTORY PORT CONTROLLER_PORT}. */
  public static void main(String[] args) {
    if (args.length != 3) {
      throw new IllegalArgumentException(
          "%d arguments; give DIRECTORY PORT CONTROLLER_PORT".formatted(args.length));
    }
    int port = Integer.parseInt(args[1]);
    int controllerPort = Integer.parseInt(args[2]);
    EmbeddedBroker broker =
        EmbeddedBroker.start(
            Path.of(args[0]),
            Map.of(
                "listeners",
                "PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d"
                    .formatted(port, controllerPort),
                "advertised.listeners",
                "PLAINTEXT://127.0.0.1:" + port,
                "controller.quorum.voters",
                "1@127.0.0.1:" + controllerPort,
                // The controller accepts a restarted broker only after the session of the killed
                // one has timed out.
                "broker.session.timeout.ms",
                "3000",
                "broker.heartbeat.interval.ms",
                "500"));
    Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
  }
}
