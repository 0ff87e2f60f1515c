package io.croupier.operators.flink;

import io.croupier.operators.central.BltSearches;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.model.CentralModel;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.RecordLimits;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.CheckpointingMode;

/**
 * What a valid spec must satisfy to run in this job: its learner is supported, its records fit
 * their topics, and, where the job adds the noise, delivery publishes each noisy release exactly
 * once.
 *
 * @param reportBytes largest record of the gradient topics, in bytes
 * @param updateBytes largest record of the updates topic, in bytes
 * @param transactionTimeout the longest time for which the brokers keep a transaction open
 * @param anonymous whether the job reads anonymous reports
 */
public record SpecRequirements(
    int reportBytes, int updateBytes, Duration transactionTimeout, boolean anonymous)
    implements Function<ModelSpec, List<String>>, Serializable {

  /** The longest outage that pre-committed outputs of a central model must survive. */
  public static final Duration LONGEST_OUTAGE = Duration.ofHours(24);

  /** The requirements of a job that reads no anonymous reports. */
  public SpecRequirements(int reportBytes, int updateBytes, Duration transactionTimeout) {
    this(reportBytes, updateBytes, transactionTimeout, false);
  }

  /** Returns the reasons why {@code spec} can't run, each with the remedy; empty if it can. */
  @Override
  public List<String> apply(ModelSpec spec) {
    return obstacles(spec, new BltSearches());
  }

  private List<String> obstacles(ModelSpec spec, BltSearches searches) {
    List<String> obstacles =
        new ArrayList<>(new RecordLimits(reportBytes, updateBytes).obstacles(spec));
    if (ModelSpecs.isCentral(spec) && transactionTimeout.compareTo(LONGEST_OUTAGE) < 0) {
      obstacles.add(
          ("the model is central, and the brokers end transactions after %s: a noisy release would"
                  + " be lost with its transaction, and its noise can't be drawn again; raise transaction.max.timeout.ms of the"
                  + " brokers to at least %d")
              .formatted(transactionTimeout, LONGEST_OUTAGE.toMillis()));
    }
    if (spec.hasAnonymous() && !anonymous) {
      obstacles.add(
          "anonymous is set, and the job reads no anonymous reports; set anonymous.enabled of the"
              + " job to true");
    }
    // A central learner allocates its weights, so it is checked only once the dimension fits.
    if (obstacles.isEmpty() || !ModelSpecs.isCentral(spec)) {
      checkLearner(obstacles, spec, searches);
    }
    return obstacles;
  }

  private static void checkLearner(List<String> obstacles, ModelSpec spec, BltSearches searches) {
    try {
      if (ModelSpecs.isCentral(spec)) {
        CentralModel.check(spec, searches);
      } else {
        Learners.of(spec);
      }
    } catch (IllegalArgumentException e) {
      obstacles.add(e.getMessage());
    }
  }

  /**
   * Returns the same requirements, with those on the given configuration of the job.
   *
   * @param searches shared with the later use of the specs, and with no other thread
   */
  public Function<ModelSpec, List<String>> in(Configuration job, BltSearches searches) {
    boolean exactlyOnce =
        CheckpointingOptions.isCheckpointingEnabled(job)
            && CheckpointingOptions.getCheckpointingMode(job) == CheckpointingMode.EXACTLY_ONCE;
    int tolerated = job.getOptional(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER).orElse(0);
    return spec -> {
      List<String> obstacles = obstacles(spec, searches);
      if (ModelSpecs.isCentral(spec) && tolerated != 0) {
        obstacles.add(
            ("the model is central, and the job tolerates failed checkpoints (%s is %d): a round closed"
                    + " at such a checkpoint would stay closed and never become visible, so its"
                    + " participations would be lost; set it to 0")
                .formatted(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER.key(), tolerated));
      }
      if (ModelSpecs.isCentral(spec) && !exactlyOnce) {
        obstacles.add(
            "the model is central, and the job's checkpoints are off or not exactly-once: after a"
                + " failure the job would draw noise twice for the same reports; set"
                + " execution.checkpointing.interval, and execution.checkpointing.mode to"
                + " EXACTLY_ONCE");
      }
      return obstacles;
    };
  }
}
