package org.apache.flink.metrics.prometheus;

import io.prometheus.client.exporter.HTTPServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Flink's own Prometheus reporter, but on the loopback interface alone: the stock one listens on
 * all of them. It stands in Flink's package since the registry is visible there only.
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
          "metrics.reporter.prometheus.port is %d, which can't be listened on".formatted(port), e);
    }
  }

  @Override
  public void close() {
    server.stop();
    super.close();
  }
}
