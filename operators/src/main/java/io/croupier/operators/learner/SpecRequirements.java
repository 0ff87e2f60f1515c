package io.croupier.operators.learner;

import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What a valid spec must meet to be run here: a learner that exists, and records that fit their
 * topics.
 *
 * @param reportBytes largest record of the gradient topics
 * @param updateBytes largest record of the updates topic
 */
public record SpecRequirements(int reportBytes, int updateBytes)
    implements Function<ModelSpec, List<String>>, Serializable {

  /** What keeps {@code spec} from running, each with what would be right; empty if nothing does. */
  @Override
  public List<String> apply(ModelSpec spec) {
    List<String> obstacles = new ArrayList<>();
    try {
      Learners.of(spec);
    } catch (IllegalArgumentException e) {
      obstacles.add(e.getMessage());
    }
    checkSize(obstacles, spec, "reports", ModelSpecs.reportBytes(spec), "gradient", reportBytes);
    checkSize(obstacles, spec, "updates", ModelSpecs.updateBytes(spec), "updates", updateBytes);
    return obstacles;
  }

  private static void checkSize(
      List<String> obstacles, ModelSpec spec, String what, long needed, String topic, int taken) {
    if (needed > taken) {
      obstacles.add(
          ("dimension is %d: its %s take up to %d bytes, and the %s topic takes %d; raise"
                  + " max.message.bytes of the topic, or message.max.bytes of the brokers, to at"
                  + " least %d")
              .formatted(spec.getDimension(), what, needed, topic, taken, needed));
    }
  }
}
