package io.croupier.studies;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.DirectionalNoise;
import io.croupier.operators.report.Report;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.StrongestNoise.NoiseCase;
import java.util.List;
import java.util.Optional;

/**
 * A learner in a trial.
 *
 * @param label what tables and legends call it
 * @param directionalVariance declared directional variance of every report, for learners that use
 *     it
 * @param gradientBound G of its spec; 1 if it has none
 * @param noise what the learner's model makes of declarations; empty if it isn't of a spec
 * @param spec empty if there is none
 */
record LabelledLearner(
    String label,
    Learner<LearnerState> learner,
    double directionalVariance,
    double gradientBound,
    Optional<DirectionalNoise> noise,
    Optional<ModelSpec> spec) {

  /** The learner of a spec; to BANCO, every report declares the strongest noise that it accepts. */
  static LabelledLearner of(String label, ModelSpec spec) {
    List<String> violations = ModelSpecs.violations(spec);
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(label + ": " + String.join("; ", violations));
    }
    DirectionalNoise noise = DirectionalNoise.of(spec);
    double variance = noise.variance(declaring(spec.getBanco().getStrongestNoise()));
    return new LabelledLearner(
        label,
        anyState(Learners.of(spec)),
        variance,
        spec.getGradientBound(),
        Optional.of(noise),
        Optional.of(spec));
  }

  private static Report declaring(StrongestNoise noise) {
    Report report = new Report();
    // Of a learner that isn't BANCO, or for which the operator vouches, nothing needs to be
    // declared.
    if (noise.getNoiseCase() != NoiseCase.NOISE_NOT_SET && !noise.hasSubExponential()) {
      Declaration.declare(Declarations.of(Declarations.declared(noise), 0), report);
    }
    return report;
  }

  /** A learner that isn't among those of specs. */
  static LabelledLearner of(String label, Learner<?> learner) {
    return new LabelledLearner(label, anyState(learner), 0, 1, Optional.empty(), Optional.empty());
  }

  /** The same learner under another name. */
  LabelledLearner as(String otherLabel) {
    return new LabelledLearner(
        otherLabel, learner, directionalVariance, gradientBound, noise, spec);
  }

  /** Whether its model admits reports that declare this mechanism. */
  boolean accepts(Mechanism declared) {
    return noise.map(known -> known.accepts(declared)).orElse(true);
  }

  /** A learner receives only states that it created itself. */
  @SuppressWarnings("unchecked")
  private static Learner<LearnerState> anyState(Learner<? extends LearnerState> learner) {
    return (Learner<LearnerState>) learner;
  }
}
