package org.apache.flink.metrics.prometheus;

import java.util.Properties;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * Creates the reporter that listens on the loopback interface, on the port of the setting {@code
 * port}.
 */
public final class LoopbackReporterFactory implements MetricReporterFactory {
  @Override
  public MetricReporter createMetricReporter(Properties properties) {
    return new LoopbackReporter(((MetricConfig) properties).getInteger("port", 0));
  }
}
