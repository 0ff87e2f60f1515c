package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.deploy.ManifestsTest.Manifest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.Charset;
import java.util.Map;
import java.util.Set;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.prometheus.LoopbackReporterFactory;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.runtime.metrics.filter.ReporterFilter;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;
import org.apache.flink.runtime.metrics.groups.FrontMetricGroup;
import org.apache.flink.runtime.metrics.groups.ReporterScopedSettings;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What Flink's reporter for Prometheus makes of names, with the settings of each manifest. */
class LabelsTest {
  private static final String PREFIX = "metrics.reporter.prometheus.";
  private static final ReporterScopedSettings<Metric> SCOPE =
      new ReporterScopedSettings<>(0, '.', ReporterFilter.getNoOpFilter(), Set.of(), Map.of());

  @ParameterizedTest
  @EnumSource
  void eachModelAndCategoryHasSeriesOfItsOwn(Manifest manifest) throws Exception {
    assertThat(scrape(manifest, "a.x", "a-x", "a_x", "a x"))
        .contains("{model=\"a.x\",", "{model=\"a-x\",", "{model=\"a_x\",", "{model=\"a x\",");
  }

  @ParameterizedTest
  @EnumSource
  void theReporterEscapesWhatWouldEndALabel(Manifest manifest) throws Exception {
    assertThat(scrape(manifest, "\"quoted\"", "back\\slash", "two\nlines"))
        .contains(
            "{model=\"\\\"quoted\\\"\",", "{model=\"back\\\\slash\",", "{model=\"two\\nlines\",");
  }

  /** The reporter's answer with a metric of each model; the metric's name contains none. */
  private static String scrape(Manifest manifest, String... models) throws Exception {
    MetricConfig config = new MetricConfig();
    manifest
        .settings()
        .forEach(
            (key, value) -> {
              if (key.startsWith(PREFIX)) {
                config.setProperty(key.substring(PREFIX.length()), value);
              }
            });
    int port = Cluster.freePorts();
    config.setProperty("port", String.valueOf(port));
    MetricReporter reporter = new LoopbackReporterFactory().createMetricReporter(config);
    try {
      reporter.open(config);
      for (String model : models) {
        reporter.notifyOfAddedMetric(
            (Gauge<Integer>) () -> 1,
            "lag-ms",
            new FrontMetricGroup<>(
                SCOPE,
                (AbstractMetricGroup<?>)
                    UnregisteredMetricGroups.createUnregisteredTaskManagerMetricGroup()
                        .addGroup("model", model)));
      }
      String scraped =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/".formatted(port)))
                      .build(),
                  // The reporter encodes in this one, too.
                  BodyHandlers.ofString(Charset.defaultCharset()))
              .body();
      assertThat(scraped.lines().filter(line -> line.startsWith("#")))
          .as("the help and the type of a single metric")
          .hasSize(2);
      return scraped;
    } finally {
      reporter.close();
    }
  }
}
