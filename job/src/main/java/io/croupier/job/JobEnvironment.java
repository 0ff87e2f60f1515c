package io.croupier.job;

import io.croupier.job.config.ConfigKey;
import io.croupier.job.config.JobConfig;
import io.croupier.job.restart.StateMetadata;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.flink.client.deployment.application.executors.EmbeddedExecutor;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Flink, as the job relies on it, and the state that the job restores. */
final class JobEnvironment {
  private static final Logger LOG = LoggerFactory.getLogger(JobEnvironment.class);

  private JobEnvironment() {}

  /**
   * Sets the options that the job relies on. If the settings name no parallelism, Flink's own
   * setting applies.
   *
   * @throws IllegalArgumentException if that is above the max parallelism, or if the job could not
   *     continue from its state
   */
  static void configure(StreamExecutionEnvironment env, JobConfig config) {
    env.configure(flinkOptions(config));
    requireRestorableChangelog(env.getConfiguration());
    if (config.flink().parallelism() > 0) {
      env.setParallelism(config.flink().parallelism());
    }
    setMaxParallelism(env, config);
    env.enableCheckpointing(
        config.flink().checkpointInterval().toMillis(), CheckpointingMode.EXACTLY_ONCE);
  }

  /** Flink would restore the state only to end at the first checkpoint, again and again. */
  private static void requireRestorableChangelog(ReadableConfig flink) {
    RecoveryClaimMode claim = flink.get(StateRecoveryOptions.RESTORE_MODE);
    if (flink.get(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG)
        && claim != RecoveryClaimMode.CLAIM) {
      throw new IllegalArgumentException(
          "%s is true, and %s is %s; it must be CLAIM: with a changelog, a job restores only state that it owns"
              .formatted(
                  StateChangelogOptions.ENABLE_STATE_CHANGE_LOG.key(),
                  StateRecoveryOptions.RESTORE_MODE.key(),
                  claim));
    }
  }

  /**
   * Sets the max parallelism of the settings, or else of the state that the job restores.
   *
   * @throws IllegalArgumentException if it is below the parallelism
   */
  static void setMaxParallelism(StreamExecutionEnvironment env, JobConfig config) {
    int most =
        config.flink().maxParallelism() > 0
            ? config.flink().maxParallelism()
            : state(env, config)
                .flatMap(JobEnvironment::restoredMaxParallelism)
                .orElse(JobConfig.NEW_MAX_PARALLELISM);
    if (env.getParallelism() > most) {
      throw new IllegalArgumentException(
          "%s is %d, but the parallelism is %d; set %s to that or more, unless the job has state:"
                  .formatted(
                      ConfigKey.MAX_PARALLELISM.key(),
                      most,
                      env.getParallelism(),
                      ConfigKey.MAX_PARALLELISM.key())
              + " then reduce the parallelism");
    }
    env.setMaxParallelism(most);
  }

  private static Optional<Integer> restoredMaxParallelism(String state) {
    try {
      OptionalInt found = StateMetadata.maxParallelism(state);
      return found.isPresent() ? Optional.of(found.getAsInt()) : Optional.empty();
    } catch (IOException e) {
      LOG.warn(
          "The state {} can't be read here: if it was written by a job with another {} than {},"
              + " Flink refuses it, unless the setting has that number",
          state,
          ConfigKey.MAX_PARALLELISM.key(),
          JobConfig.NEW_MAX_PARALLELISM,
          e);
      return Optional.empty();
    }
  }

  /** The options that the job relies on; they override those that the user passes to Flink. */
  private static Configuration flinkOptions(JobConfig config) {
    Map<String, String> options = new HashMap<>(config.flink().options());
    Configuration configuration = Configuration.fromMap(options);
    configuration.set(PipelineOptions.GENERIC_TYPES, false);
    configuration.set(PipelineOptions.AUTO_GENERATE_UIDS, false);
    // No operator modifies or keeps records that it has emitted, so chained operators need no
    // copies.
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    // A sink in another task may run at another parallelism, and would then mix up the order of one
    // user's events.
    configuration.set(PipelineOptions.OPERATOR_CHAINING, true);
    if (!configuration.contains(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION)) {
      configuration.set(
          CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
          ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    }
    // Flink reads a local file of the heap's state byte by byte, unless it is compressed.
    if (!configuration.contains(ExecutionOptions.SNAPSHOT_COMPRESSION)) {
      configuration.set(ExecutionOptions.SNAPSHOT_COMPRESSION, true);
    }
    if (!config.flink().checkpointDirectory().isEmpty()) {
      configuration.set(
          CheckpointingOptions.CHECKPOINTS_DIRECTORY, config.flink().checkpointDirectory());
    }
    return configuration;
  }

  static <T> void set(StreamExecutionEnvironment env, ConfigOption<T> option, T value) {
    env.configure(new Configuration().set(option, value));
  }

  /** The state that the job restores, if any. */
  static Optional<String> state(StreamExecutionEnvironment env, JobConfig config) {
    return Configuration.fromMap(config.flink().options())
        .getOptional(StateRecoveryOptions.SAVEPOINT_PATH)
        .or(() -> env.getConfiguration().getOptional(StateRecoveryOptions.SAVEPOINT_PATH));
  }

  /**
   * Requires that the state exists, as far as this process can look. A JobManager that runs the
   * application again after its restart continues from high availability's newest checkpoint, and
   * the state with which the job began may be deleted by then.
   */
  static void requireState(StreamExecutionEnvironment env, String state) {
    Configuration flink = new Configuration((Configuration) env.getConfiguration());
    if (EmbeddedExecutor.NAME.equals(flink.get(DeploymentOptions.TARGET))
        && HighAvailabilityMode.isHighAvailabilityModeActivated(flink)) {
      return;
    }
    try {
      set(env, StateRecoveryOptions.SAVEPOINT_PATH, StateMetadata.requireAny(state));
    } catch (IOException e) {
      LOG.debug("Only Flink itself can look for the state {}", state, e);
    }
  }
}
