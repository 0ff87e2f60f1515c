package io.croupier.cli;

import io.croupier.job.config.JobConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options that select the Kafka brokers, the topics and the job's configuration. */
public final class ConnectionOptions {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The job's configuration, a YAML file with kafka.*, topics.* and other" + " settings.")
  private Path file;

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT",
      description =
          "Bootstrap address of the brokers; overrides kafka.bootstrap.servers of" + " --config.")
  private String bootstrapServers;

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      description =
          "First part of the topics' names; overrides topics.prefix of --config (default:"
              + " croupier).")
  private String prefix;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Overrides any other setting of --config; repeatable.")
  private Map<String, String> settings = new LinkedHashMap<>();

  /** Whether {@code --config} or {@code --kafka} is given. */
  public boolean isNamed() {
    return file != null || bootstrapServers != null;
  }

  /** Whether any of these options is given. */
  public boolean isGiven() {
    return isNamed() || prefix != null || !settings.isEmpty();
  }

  /**
   * The configuration file with all overrides applied.
   *
   * @throws InputException if no broker address is given, or a setting is invalid
   */
  public JobConfig config() {
    return config(Map.of());
  }

  /**
   * The same, once a broker has answered.
   *
   * @throws InputException also if no broker can be reached
   */
  public JobConfig connected() {
    return connected(Map.of());
  }

  /** The same with further overrides, from options of the command. */
  public JobConfig connected(Map<String, String> more) {
    JobConfig config = config(more);
    Brokers.require(config.kafka(), command.commandLine().getErr());
    return config;
  }

  /** The configuration with further overrides, from options of the command. */
  public JobConfig config(Map<String, String> more) {
    Map<String, String> overrides = new LinkedHashMap<>(settings);
    overrides.putAll(more);
    if (bootstrapServers != null) {
      overrides.put("kafka.bootstrap.servers", bootstrapServers);
    }
    if (prefix != null) {
      if (prefix.isBlank()) {
        throw new InputException(
            "--prefix is '%s'; it must have letters or digits, such as croupier".formatted(prefix));
      }
      overrides.put("topics.prefix", prefix);
    }
    if (file == null && !overrides.containsKey("kafka.bootstrap.servers")) {
      throw new InputException("No Kafka address is given; use --kafka HOST:PORT or --config FILE");
    }
    try {
      return file == null ? JobConfig.of(overrides) : JobConfig.load(file, overrides);
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage().lines().toList(), e);
    }
  }
}
