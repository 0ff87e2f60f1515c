package io.croupier.gateway.http;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpStatus;

/** Counts of requests by route and status, for Prometheus. No label has a value from a request. */
final class GatewayMetrics {
  static final String OTHER = "other";

  private static final double NANOS = 1e-9;

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Counter requests =
      Counter.builder()
          .name("croupier_gateway_requests_total")
          .help("Requests by route and status.")
          .labelNames("route", "status")
          .register(registry);
  private final Histogram seconds =
      Histogram.builder()
          .name("croupier_gateway_request_seconds")
          .help("Time from a request's header to the end of its answer.")
          .labelNames("route")
          .classicOnly()
          .register(registry);

  GatewayMetrics(Places concurrent, Places bytes, Places waiting, BooleanSupplier kafka) {
    gauge(
        "croupier_gateway_requests_running",
        "Reports that are checked and stored.",
        concurrent::taken);
    gauge(
        "croupier_gateway_body_bytes",
        "Bytes of the bodies of reports that are not answered yet.",
        bytes::taken);
    gauge("croupier_gateway_requests_waiting", "Requests that wait.", waiting::taken);
    gauge(
        "croupier_gateway_kafka_reachable",
        "1 if the brokers answer.",
        () -> kafka.getAsBoolean() ? 1 : 0);
  }

  private void gauge(String name, String help, java.util.function.LongSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(callback -> callback.call((double) value.getAsLong()))
        .register(registry);
  }

  void count(String route, int status, long nanos) {
    requests.labelValues(route, String.valueOf(status)).inc();
    seconds.labelValues(route).observe(nanos * NANOS);
  }

  void handle(Exchange exchange) {
    PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      writer.write(out, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    exchange.answer(HttpStatus.OK_200, writer.getContentType(), out.toByteArray());
  }
}
