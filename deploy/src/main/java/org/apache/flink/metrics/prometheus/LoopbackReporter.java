package org.apache.flink.metrics.prometheus;

import io.prometheus.client.exporter.HTTPServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Flink's Prometheus reporter, restricted to the loopback interface: the original listens on all
 * interfaces. It is in Flink's package because the registry is package-private.
 */
final class LoopbackReporter extends AbstractPrometheusReporter {
  private final HTTPServer server;

  /** Serves metrics at a port of the loopback interface until it is closed. */
  LoopbackReporter(int port) {
    try {
      server =
          new HTTPServer(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port), registry, true);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "metrics.reporter.prometheus.port is %d, but the reporter can't listen on it"
              .formatted(port),
          e);
    }
  }

  @Override
  public void close() {
    server.stop();
    super.close();
  }
}
