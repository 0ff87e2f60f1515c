package io.croupier.cli;

import io.croupier.job.JobConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that say which Kafka and which topics a command is about. */
public final class ConnectionOptions {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The job's configuration, YAML: kafka.*, topics.*, and so on.")
  private Path file;

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT",
      description = "Address of the brokers, whatever the configuration says.")
  private String bootstrapServers;

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      description = "First part of the topics' names, likewise (default: croupier).")
  private String prefix;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Replaces any other setting; repeatable.")
  private Map<String, String> settings = new LinkedHashMap<>();

  /** Whether a Kafka is named at all. */
  public boolean isNamed() {
    return file != null || bootstrapServers != null;
  }

  /**
   * The configuration that they come to.
   *
   * @throws InputException if they name no Kafka, or a setting is wrong
   */
  public JobConfig config() {
    return config(Map.of());
  }

  /** The same, with settings over it that have options of their own. */
  JobConfig config(Map<String, String> more) {
    Map<String, String> overrides = new LinkedHashMap<>(settings);
    overrides.putAll(more);
    if (bootstrapServers != null) {
      overrides.put("kafka.bootstrap.servers", bootstrapServers);
    }
    if (prefix != null) {
      overrides.put("topics.prefix", prefix);
    }
    if (file == null && !overrides.containsKey("kafka.bootstrap.servers")) {
      throw new InputException("Which Kafka? Name it by --kafka HOST:PORT or --config FILE");
    }
    try {
      return file == null ? JobConfig.of(overrides) : JobConfig.load(file, overrides);
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
  }
}
