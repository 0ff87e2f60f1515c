package io.croupier.cli.demo;

import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Score;
import java.util.ArrayList;
import java.util.List;

/** A comparison with made-up curves, as tests of its presentation need one. */
final class Comparisons {

  private Comparisons() {}

  static Comparison ofTheUsualLearners() {
    return of(Census.load());
  }

  static Comparison of(DataSet data) {
    Score nothing = new Score(0.693147, 0.5004);
    Score optimum = new Score(0.5181, 0.7401);
    double[] ends = {0.531, 0.558, 0.535, 0.541, 0.676, 0.523, 1.396};
    List<Result> results = new ArrayList<>();
    for (Entrant entrant : Entrant.parse(List.of(Entrant.USUAL.split(",")))) {
      double end = ends[results.size()];
      List<CurvePoint> curve = new ArrayList<>();
      for (long people = 0; people <= 28_155; people += 95) {
        double left = Math.exp(-people / 5000.0);
        curve.add(
            new CurvePoint(
                people, end + (nothing.loss() - end) * left, 0.735 - 0.2346 * left * left));
      }
      results.add(new Result(entrant, new Score(end, 0.735), new Score(end + 0.1, 0.73), curve, 8));
    }
    return new Comparison(data, new Terms(8, 0.25, 1, 28_155, 1), nothing, optimum, results, 56);
  }
}
