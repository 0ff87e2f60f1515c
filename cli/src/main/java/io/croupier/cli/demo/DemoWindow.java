package io.croupier.cli.demo;

import io.croupier.cli.InputException;
import io.croupier.cli.NoiseMechanism;
import io.croupier.schemas.Anonymous;
import io.croupier.schemas.ModelSpec;
import java.time.Duration;
import java.util.List;

/**
 * The window in which all people of a demonstration report without identity.
 *
 * @param publications that it has; 0 if people report with identity
 * @param epsilon local epsilon of a report
 * @param people how many report at a publication, on average
 * @param interval between two publications, in which these people can report
 */
record DemoWindow(int publications, double epsilon, int people, Duration interval) {

  /** People report with identity. */
  static final DemoWindow NONE = new DemoWindow(0, 0, 0, Duration.ZERO);

  /**
   * Fewer than the 750 that a gateway in the process took on two cores: where models publish before
   * their people have reported, the window ends before most people's turn.
   */
  private static final int REPORTS_PER_SECOND = 500;

  /**
   * A publication without a report would be the last one: with this many people in the fewest
   * publications, one of them has none with a probability of 2e-11.
   */
  static final int LEAST_PEOPLE = 200;

  /** At least max_staleness. */
  private static final int LEAST_PUBLICATIONS = 8;

  private static final int MOST_PUBLICATIONS = 100;
  private static final int REPORTS_PER_PUBLICATION = 50;

  /**
   * The window of these people.
   *
   * @throws InputException if people, mechanism or learners don't suit it
   */
  static DemoWindow of(DemoParameters parameters, List<ComparedLearner> learners) {
    if (parameters.mechanism() != NoiseMechanism.PRIV_UNIT) {
      throw new InputException(
          "demo anonymous is not for %s: devices send anonymous reports by priv-unit only"
              .formatted(parameters.mechanism()));
    }
    if (parameters.people() < LEAST_PEOPLE) {
      throw new InputException(
          "demo anonymous requires at least %d people, got %d"
              .formatted(LEAST_PEOPLE, parameters.people()));
    }
    for (ComparedLearner learner : learners) {
      if (learner.isCentral() || learner.findsClip()) {
        throw new InputException(
            "demo anonymous: the learner '%s' takes no anonymous reports; it must be %s"
                .formatted(learner.label(), ComparedLearner.WITH_CLIP));
      }
    }
    int publications =
        Math.max(
            LEAST_PUBLICATIONS,
            Math.min(MOST_PUBLICATIONS, parameters.people() / REPORTS_PER_PUBLICATION));
    int people = parameters.people() / publications;
    return new DemoWindow(
        publications,
        parameters.epsilon(),
        people,
        Duration.ofMillis(1000L * people * learners.size() / REPORTS_PER_SECOND));
  }

  /** Whether people report without identity. */
  boolean isOpen() {
    return publications > 0;
  }

  /** The spec with this window; a round closes after the interval, unless many people came. */
  ModelSpec in(ModelSpec spec) {
    if (!isOpen()) {
      return spec;
    }
    Anonymous.Builder anonymous = Anonymous.newBuilder().setPublications(publications);
    anonymous.addLevelsBuilder().getPrivUnitBuilder().setEpsilon(epsilon);
    return spec.toBuilder()
        .setAnonymous(anonymous)
        .setReportsPerRound(Math.max(spec.getReportsPerRound(), 2 * people))
        .setRoundTimeoutMs(interval.toMillis())
        .build();
  }
}
