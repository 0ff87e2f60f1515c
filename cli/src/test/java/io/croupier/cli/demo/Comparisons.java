package io.croupier.cli.demo;

import io.croupier.cli.NoiseMechanism;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Score;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.Guarantee;
import io.croupier.schemas.GuaranteeEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Comparisons with fictitious curves, for tests of their presentation. */
final class Comparisons {

  private Comparisons() {}

  static Comparison ofTheUsualLearners() {
    return of(Census.load());
  }

  /** A comparison in which two learners receive raw reports. */
  static Comparison withRawReports() {
    Comparison local = ofTheUsualLearners();
    List<LearnerResult> results = new ArrayList<>(local.results());
    Map<String, GuaranteeEvent> guarantees = new HashMap<>();
    LearnerResult like = local.results().get(7);
    for (ComparedLearner comparedLearner :
        ComparedLearner.parse(List.of("dp-ftrl-tree:1", "dp-ftrl-blt:1"))) {
      MaxSpend spent = new MaxSpend(0, 1.666, 0);
      results.add(
          0,
          new LearnerResult(
              comparedLearner,
              like.average(),
              like.lastIterate(),
              like.curve(),
              spent,
              0.25,
              false,
              List.of()));
      guarantees.put(
          comparedLearner.modelId(),
          GuaranteeEvent.newBuilder()
              .setNoiseMultiplier(2.94)
              .setReplaceOne(Guarantee.newBuilder().setEpsilon(7.9996))
              .build());
    }
    return with(local, local.nothing(), results, guarantees, Map.of());
  }

  /** The same comparison, in which only these learners took part. */
  static Comparison with(Comparison like, LearnerResult... results) {
    return with(like, like.nothing(), List.of(results), Map.of(), Map.of());
  }

  static Comparison with(
      Comparison like,
      Score nothing,
      List<LearnerResult> results,
      Map<String, GuaranteeEvent> guarantees,
      Map<String, WindowGuarantee> windows) {
    return new Comparison(
        like.data(),
        like.terms(),
        nothing,
        like.optimum(),
        results,
        like.reconciliation(),
        guarantees,
        windows);
  }

  static Comparison of(DataSet data) {
    return of(data, 0, new MaxSpend(8, 0, 0), new MaxSpend(72, 2.356093, 0), 0, List.of());
  }

  /** A comparison in which a fifth of the people don't declare their noise; BANCO refuses them. */
  static Comparison withUndisclosedReports() {
    return of(
        Census.load(),
        0.2,
        new MaxSpend(8, 0, 1),
        new MaxSpend(72, 0, 9),
        50_679,
        List.of("BANCO refused 5,631 undisclosed reports (DECLARATION)."));
  }

  private static Comparison of(
      DataSet data,
      double undisclosedShare,
      MaxSpend perLearner,
      MaxSpend perPerson,
      long undisclosed,
      List<String> refusals) {
    Score nothing = new Score(0.693147, 0.5004);
    Score optimum = new Score(0.5181, 0.7401);
    double[] ends = {0.527, 0.531, 0.58, 0.532, 0.6, 0.558, 0.541, 0.676, 0.523};
    List<LearnerResult> results = new ArrayList<>();
    for (ComparedLearner comparedLearner :
        ComparedLearner.parse(List.of(ComparedLearner.LOCAL.split(",")))) {
      double end = ends[results.size()];
      List<CurvePoint> curve = new ArrayList<>();
      for (long people = 0; people <= 28_155; people += 95) {
        double left = Math.exp(-people / 5000.0);
        curve.add(
            new CurvePoint(
                people, end + (nothing.loss() - end) * left, 0.735 - 0.2346 * left * left));
      }
      results.add(
          new LearnerResult(
              comparedLearner,
              new Score(end, 0.735),
              new Score(end + 0.1, 0.73),
              curve,
              perLearner,
              0.2134567,
              false,
              List.of(estimate())));
    }
    DemoParameters parameters =
        new DemoParameters(NoiseMechanism.L2_LAPLACE, 8, undisclosedShare, 0.25, 1, 28_155, 1);
    Reconciliation reconciliation =
        new Reconciliation(
            true, Map.of(), perPerson, undisclosed, refusals, List.of(), List.of(), List.of());
    return new Comparison(
        data, parameters, nothing, optimum, results, reconciliation, Map.of(), Map.of());
  }

  private static Estimate estimate() {
    Estimate.Builder estimate =
        Estimate.newBuilder()
            .setFraction(0.7312)
            .setStandardError(0.0154)
            .setLow(0.70)
            .setHigh(0.76)
            .setAnswers(563);
    estimate.getQuestionBuilder().setName("accuracy");
    return estimate.build();
  }
}
