package org.apache.flink.metrics.prometheus;

import java.util.Properties;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** Makes the reporter that listens on the loopback interface, at the setting {@code port}. */
public final class LoopbackReporterFactory implements MetricReporterFactory {
  @Override
  public MetricReporter createMetricReporter(Properties properties) {
    return new LoopbackReporter(((MetricConfig) properties).getInteger("port", 0));
  }
}
