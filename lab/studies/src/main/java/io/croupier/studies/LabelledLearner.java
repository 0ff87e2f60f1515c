package io.croupier.studies;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.report.DirectionalNoise;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.StrongestNoise.NoiseCase;
import java.util.List;

/**
 * A learner in a trial.
 *
 * @param label what tables and legends call it
 * @param directionalVariance declared directional variance of every report, for learners that use
 *     it
 * @param gradientBound G of its spec; 1 if it has none
 */
record LabelledLearner(
    String label, Learner<LearnerState> learner, double directionalVariance, double gradientBound) {

  /** The learner of a spec; to BANCO, every report declares the strongest noise that it accepts. */
  static LabelledLearner of(String label, ModelSpec spec) {
    List<String> violations = ModelSpecs.violations(spec);
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(label + ": " + String.join("; ", violations));
    }
    double variance =
        DirectionalNoise.of(spec).variance(declared(spec.getBanco().getStrongestNoise()));
    return new LabelledLearner(
        label, anyState(Learners.of(spec)), variance, spec.getGradientBound());
  }

  private static Mechanism declared(StrongestNoise noise) {
    // Of a learner that isn't BANCO, or for which the operator vouches, nothing needs to be
    // declared.
    return noise.getNoiseCase() == NoiseCase.NOISE_NOT_SET || noise.hasSubExponential()
        ? UndisclosedNoise.UNDISCLOSED
        : Declarations.of(Declarations.declared(noise), 0);
  }

  /** A learner that isn't among those of specs. */
  static LabelledLearner of(String label, Learner<?> learner) {
    return new LabelledLearner(label, anyState(learner), 0, 1);
  }

  /** A learner receives only states that it created itself. */
  @SuppressWarnings("unchecked")
  private static Learner<LearnerState> anyState(Learner<? extends LearnerState> learner) {
    return (Learner<LearnerState>) learner;
  }
}
