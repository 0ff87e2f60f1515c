package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.apache.commons.math3.stat.regression.SimpleRegression;

/** How fast LDP-SGD and its average approach the truth: [LDP, Figures 2 and 3, Table 1]. */
final class RatesStudy implements CellStudy {
  private static final double STEP_SIZE = 0.2;
  private static final double[] DECAYS = {1.0 / 3, 0.5, 2.0 / 3, 1};
  private static final double PICTURED_MU = 1;
  private static final double[] MUS = {0.5, 1, 2, 3, Double.POSITIVE_INFINITY};

  /** Table 1 of the paper, strongly convex; NaN: no convergence claimed. */
  private static final double[] CLAIMED_SGD = {-1.0 / 3, -0.5, -2.0 / 3, Double.NaN};

  private static final double[] CLAIMED_AVERAGE = {-1, -1, -2.0 / 3, Double.NaN};

  private static final int[] CHECKPOINTS = {
    300, 1_000, 3_000, 10_000, 30_000, 42_000, 60_000, 85_000, 120_000, 170_000, 240_000, 300_000,
  };

  /** Slopes are fitted to the last decade. */
  private static final int FIRST_OF_FIT = 4;

  private final StudyScale scale;
  private final List<Integer> checkpoints;

  RatesStudy(StudyScale scale) {
    this.scale = scale;
    this.checkpoints = scale.checkpoints(CHECKPOINTS);
  }

  @Override
  public String name() {
    return "rates";
  }

  @Override
  public List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    for (RobustRegression problem : RobustRegression.values()) {
      for (double mu : MUS) {
        CandidateLearners candidateLearners = new CandidateLearners(problem.dimension());
        cells.add(
            new Cell(
                problem.name().toLowerCase(Locale.ROOT) + levelLabel(mu),
                problem,
                Noise.gaussian(2 * problem.gradientBound()),
                PrivacyLevels.all(mu),
                Arrays.stream(DECAYS)
                    .mapToObj(decay -> candidateLearners.sgd(label(decay), STEP_SIZE, decay))
                    .toList(),
                1,
                checkpoints,
                scale.replications(40)));
      }
    }
    return cells;
  }

  private static String levelLabel(double mu) {
    return mu == Double.POSITIVE_INFINITY ? ", no noise" : ", mu = " + NumberLabels.short3(mu);
  }

  private static String label(double decay) {
    return "alpha = " + NumberLabels.short3(decay);
  }

  @Override
  public void report(List<CellResult> results, MarkdownPage page) throws IOException {
    int end = checkpoints.size() - 1;
    page.title("Rates of LDP-SGD and LDP-ASGD");
    page.paragraph(
        "This study checks the rates of the non-asymptotic analysis of locally private SGD, Table 1."
            + " Five standard normal covariates and an intercept, true weights all 1,"
            + " Mallows weights, start"
            + " at 0, step sizes %s n^-alpha, Gaussian noise of standard deviation 2 C0 / mu; Huber's"
                .formatted(STEP_SIZE)
            + " loss at c = 1.345 with the scale 2 known, and the logistic loss. n = %d, %d"
                .formatted(checkpoints.get(end), results.get(0).cell().replications())
            + " replications.");
    page.list(
        "MSE: mean squared distance from the true weights (standard error).",
        "Slopes: log-log fit of the MSE over the last decade of n; in brackets the bound of Table 1 of"
            + " the paper.");
    List<List<String>> rows = new ArrayList<>();
    for (CellResult result : results) {
      for (int a = 0; a < DECAYS.length; a++) {
        rows.add(row(result, a, end));
      }
    }
    page.table(
        List.of(
            "loss, mu",
            "alpha",
            "E dist SGD",
            "E dist ASGD",
            "MSE SGD",
            "MSE ASGD",
            "slope SGD (Table 1)",
            "slope ASGD (Table 1)"),
        rows);
    for (CellResult result : results) {
      if (result.cell().label().endsWith(levelLabel(PICTURED_MU))) {
        picture(result, page);
      }
    }
  }

  private List<String> row(CellResult result, int a, int end) {
    String label = label(DECAYS[a]);
    return List.of(
        result.cell().label(),
        NumberLabels.short3(DECAYS[a]),
        NumberLabels.short3(result.estimate(label, end, risk -> Math.sqrt(risk.weights())).mean()),
        NumberLabels.short3(result.estimate(label, end, risk -> Math.sqrt(risk.average())).mean()),
        result.weights(label, end).toString(),
        result.average(label, end).toString(),
        slope(result, label, Trial.Risk::weights) + claim(CLAIMED_SGD[a]),
        slope(result, label, Trial.Risk::average) + claim(CLAIMED_AVERAGE[a]));
  }

  private String slope(CellResult result, String label, ToDoubleFunction<Trial.Risk> of) {
    SimpleRegression fit = new SimpleRegression();
    for (int i = Math.min(FIRST_OF_FIT, checkpoints.size() - 2); i < checkpoints.size(); i++) {
      fit.addData(Math.log(checkpoints.get(i)), Math.log(result.estimate(label, i, of).mean()));
    }
    return NumberLabels.fixed(fit.getSlope(), 2);
  }

  private static String claim(double slope) {
    return Double.isNaN(slope) ? " (none)" : " (" + NumberLabels.fixed(slope, 2) + ")";
  }

  private void picture(CellResult result, MarkdownPage page) throws IOException {
    Plot plot =
        new Plot(result.cell().label(), "people n", "mean squared distance from the true weights");
    double[] x = checkpoints.stream().mapToDouble(n -> n).toArray();
    for (int a = 0; a < DECAYS.length; a++) {
      String label = label(DECAYS[a]);
      ToDoubleFunction<Trial.Risk> last = Trial.Risk::weights;
      ToDoubleFunction<Trial.Risk> average = Trial.Risk::average;
      plot.curve(
          "SGD, %s (slope %s)".formatted(label, slope(result, label, last)),
          x,
          curve(result, label, last),
          ChartStyle.colour(a),
          0);
      plot.curve(
          "ASGD, %s (slope %s)".formatted(label, slope(result, label, average)),
          x,
          curve(result, label, average),
          ChartStyle.colour(a),
          2);
    }
    page.picture(result.cell().label().replaceAll(",.*", ""), plot);
  }

  private double[] curve(CellResult result, String label, ToDoubleFunction<Trial.Risk> of) {
    double[] y = new double[checkpoints.size()];
    for (int i = 0; i < y.length; i++) {
      y[i] = result.estimate(label, i, of).mean();
    }
    return y;
  }
}
