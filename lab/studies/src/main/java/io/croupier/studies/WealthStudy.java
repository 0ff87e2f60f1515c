package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The effect of initial wealth and of the other constants that cost no privacy. */
final class WealthStudy implements CellStudy {
  /** In a round. */
  private static final int REPORTS = 100;

  private static final int[] WEALTHS = {1, 10, 100, 1000};
  private static final double[] NORMS = {0.1, 1, 10};
  private static final double[] PRIOR_WIDTHS = {25, 1000, 100_000};
  private static final List<String> LEARNERS =
      List.of(CandidateLearners.BANCO, CandidateLearners.CONJUGATE, CandidateLearners.IMPROPER);
  private static final String SMALL_RANGE = "BANCO, shorter betting range";

  private record PrivacySetting(int dimension, double epsilon) {}

  private static final List<PrivacySetting> PRIVACIES =
      List.of(new PrivacySetting(5, 1), new PrivacySetting(20, 4));

  private final StudyScale scale;

  WealthStudy(StudyScale scale) {
    this.scale = scale;
  }

  @Override
  public String name() {
    return "wealth";
  }

  @Override
  public List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    for (PrivacySetting privacy : PRIVACIES) {
      Design design = new Design(FeatureLaw.SPHERE, privacy.dimension, 0);
      for (double norm : NORMS) {
        cells.add(
            new Cell(
                "d = %d, eps = %s, ||w*|| = %s"
                    .formatted(
                        privacy.dimension,
                        NumberLabels.short3(privacy.epsilon),
                        NumberLabels.short3(norm)),
                new PredictionProblem(
                    design, Loss.ABSOLUTE, PredictionProblem.dense(privacy.dimension, norm)),
                privacy.epsilon,
                candidates(privacy),
                REPORTS,
                scale.checkpoints(300),
                scale.replications(24)));
      }
    }
    return cells;
  }

  private static List<LabelledLearner> candidates(PrivacySetting privacy) {
    List<LabelledLearner> candidates = new ArrayList<>();
    for (int wealth : WEALTHS) {
      CandidateLearners candidateLearners = new CandidateLearners(privacy.dimension, wealth);
      candidates.add(
          candidateLearners.banco(privacy.epsilon).as(label(CandidateLearners.BANCO, wealth)));
      candidates.add(
          candidateLearners.blackBox(
              label(CandidateLearners.CONJUGATE, wealth), CandidateLearners.conjugate(1)));
      candidates.add(
          candidateLearners.blackBox(
              label(CandidateLearners.IMPROPER, wealth), CandidateLearners.IMPROPER_PRIOR));
    }
    CandidateLearners candidateLearners = new CandidateLearners(privacy.dimension);
    candidates.add(shortRange(candidateLearners, privacy.epsilon));
    for (double b : PRIOR_WIDTHS) {
      candidates.add(candidateLearners.blackBox(width(b), CandidateLearners.conjugate(b)));
    }
    return candidates;
  }

  /** Betting fractions up to 2 / (sigma1^2 + 2 G^2), the best in heavy noise, instead of k1 / G. */
  private static LabelledLearner shortRange(CandidateLearners candidateLearners, double epsilon) {
    double variance = 4 * (candidateLearners.dimension() + 1) / (epsilon * epsilon);
    double growth = 4 * Math.log(4.0 / 3);
    double range = 2 / (variance * growth + 2);
    double k = 2 * range / epsilon;
    return candidateLearners.banco(SMALL_RANGE, variance * -Math.log1p(-k * k) / (k * k), range);
  }

  private static String label(String learner, int wealth) {
    return learner + ", W0 = " + wealth;
  }

  private static String width(double b) {
    return "conjugate, b = " + Math.round(b);
  }

  @Override
  public void report(List<CellResult> results, MarkdownPage page) throws IOException {
    page.title("Initial wealth");
    page.paragraph(
        ("This study measures how the initial wealth W0 changes the risk. With one round a"
                + " publication, a convex loss, symmetric noise, and a bound on coins that is known (from"
                + " G) or measured (the largest so far), a bettor loses in expectation at most W0 times a"
                + " logarithm against doing nothing, plus what coins above twice that bound cost: the sum"
                + " over K rounds. Larger values learn sooner. Absolute loss,"
                + " l2_laplace noise, K = %d rounds of %d reports, %d replications; the problems of [excess-risk.md](excess-risk.md). Entries:"
                + " mean excess risk of the average (standard error).")
            .formatted(
                results.get(0).cell().rounds(), REPORTS, results.get(0).cell().replications()));
    List<String> columns = new ArrayList<>(List.of("d", "eps", "learner", "norm w*", "zero"));
    Arrays.stream(WEALTHS).forEach(wealth -> columns.add("W0 = " + wealth));
    List<List<String>> rows = new ArrayList<>();
    for (int p = 0; p < PRIVACIES.size(); p++) {
      for (String learner : LEARNERS) {
        for (int n = 0; n < NORMS.length; n++) {
          CellResult result = results.get(p * NORMS.length + n);
          List<String> row = start(PRIVACIES.get(p));
          row.addAll(
              List.of(learner, NumberLabels.short3(NORMS[n]), NumberLabels.short3(result.zero())));
          for (int wealth : WEALTHS) {
            row.add(result.average(label(learner, wealth), 0).toString());
          }
          rows.add(row);
        }
      }
    }
    page.table(columns, rows);
    otherConstants(results, page);
    for (int p = 0; p < PRIVACIES.size(); p++) {
      picture(results.subList(p * NORMS.length, (p + 1) * NORMS.length), PRIVACIES.get(p), page);
    }
  }

  private static List<String> start(PrivacySetting privacy) {
    return new ArrayList<>(
        List.of(Integer.toString(privacy.dimension), NumberLabels.short3(privacy.epsilon)));
  }

  private static void otherConstants(List<CellResult> results, MarkdownPage page) {
    page.heading("Other constants, W0 = 1");
    page.list(
        "Shorter betting range: up to 2 / (sigma1^2 + 2 G^2) instead of min(0.6838 / G, eps / (4 G)), with"
            + " the variance that is tight there.",
        "b: the parameter of the conjugate prior exp(-b v^2).");
    List<String> columns = new ArrayList<>(List.of("d", "eps", "learner"));
    Arrays.stream(NORMS).forEach(norm -> columns.add("norm w* = " + NumberLabels.short3(norm)));
    List<String> labels =
        new ArrayList<>(
            List.of(
                label(CandidateLearners.BANCO, 1),
                SMALL_RANGE,
                label(CandidateLearners.CONJUGATE, 1)));
    Arrays.stream(PRIOR_WIDTHS).forEach(b -> labels.add(width(b)));
    List<List<String>> rows = new ArrayList<>();
    for (int p = 0; p < PRIVACIES.size(); p++) {
      for (String label : labels) {
        List<String> row = start(PRIVACIES.get(p));
        row.add(label);
        for (int n = 0; n < NORMS.length; n++) {
          row.add(results.get(p * NORMS.length + n).average(label, 0).toString());
        }
        rows.add(row);
      }
    }
    page.table(columns, rows);
  }

  private static void picture(List<CellResult> results, PrivacySetting privacy, MarkdownPage page)
      throws IOException {
    Plot plot =
        new Plot(
            "abs, d = %d, eps = %s, K = %d"
                .formatted(
                    privacy.dimension,
                    NumberLabels.short3(privacy.epsilon),
                    results.get(0).cell().rounds()),
            "initial wealth W0 (loss)",
            "excess risk / that of never moving");
    double[] x = Arrays.stream(WEALTHS).asDoubleStream().toArray();
    for (String learner : LEARNERS) {
      for (int n = 0; n < NORMS.length; n++) {
        CellResult result = results.get(n);
        double[] y =
            Arrays.stream(WEALTHS)
                .mapToDouble(w -> result.average(label(learner, w), 0).mean() / result.zero())
                .toArray();
        plot.curve(
            learner + ", ||w*|| " + NumberLabels.short3(NORMS[n]),
            x,
            y,
            ChartStyle.colour(learner),
            n);
      }
    }
    plot.zero(x, new double[] {1, 1, 1, 1});
    page.picture(
        "d%d-eps%s".formatted(privacy.dimension, NumberLabels.short3(privacy.epsilon)), plot);
  }
}
