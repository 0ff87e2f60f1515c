package io.croupier.studies;

import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.noise.DirectionalNoise;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.StrongestNoise;
import java.util.List;

/**
 * A learner in a trial.
 *
 * @param label what tables and legends call it
 * @param directionalVariance declared directional variance of every report, for learners that use
 *     it
 */
record LabelledLearner(String label, Learner<LearnerState> learner, double directionalVariance) {

  /** The learner of a spec; to BANCO, every report declares the strongest noise that it accepts. */
  static LabelledLearner of(String label, ModelSpec spec) {
    List<String> violations = ModelSpecs.violations(spec);
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(label + ": " + String.join("; ", violations));
    }
    double variance =
        DirectionalNoise.of(spec).variance(declaring(spec.getBanco().getStrongestNoise()));
    return new LabelledLearner(label, anyState(Learners.of(spec)), variance);
  }

  private static Report declaring(StrongestNoise noise) {
    Report report = new Report();
    switch (noise.getNoiseCase()) {
      case L2_LAPLACE -> {
        report.declaration = Declaration.L2_LAPLACE;
        report.level = noise.getL2Laplace().getEpsilon();
      }
      case GAUSSIAN -> {
        report.declaration = Declaration.GAUSSIAN;
        report.level = noise.getGaussian().getMu();
      }
      case PRIV_UNIT -> {
        report.declaration = Declaration.PRIV_UNIT;
        report.level = noise.getPrivUnit().getEpsilon();
        report.candidates = noise.getPrivUnit().getCandidates();
        report.top = noise.getPrivUnit().getTop();
      }
      // The operator vouches for the others, or the learner isn't BANCO.
      default -> {}
    }
    return report;
  }

  /** A learner that isn't among those of specs. */
  static LabelledLearner of(String label, Learner<?> learner) {
    return new LabelledLearner(label, anyState(learner), 0);
  }

  /** The same learner under another name. */
  LabelledLearner as(String otherLabel) {
    return new LabelledLearner(otherLabel, learner, directionalVariance);
  }

  /** A learner receives only states that it created itself. */
  @SuppressWarnings("unchecked")
  private static Learner<LearnerState> anyState(Learner<? extends LearnerState> learner) {
    return (Learner<LearnerState>) learner;
  }
}
