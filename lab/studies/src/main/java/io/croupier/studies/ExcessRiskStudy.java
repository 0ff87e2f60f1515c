package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Excess risk of every learner under l2_laplace noise, on dense and isotropic problems. */
final class ExcessRiskStudy implements Study {
  private static final double[] NORMS = {0.1, 1, 10};
  private static final double[] EPSILONS = {1, 4};
  private static final double[] MORE_EPSILONS = {0.5, 2, 8};
  private static final int[] DIMENSIONS = {5, 20};
  private static final Loss[] LOSSES = {Loss.ABSOLUTE, Loss.LOGISTIC};

  private static final String PRINTED = "BANCO printed";
  private static final String QUOTED = "BANCO quoted";
  private static final List<String> POTENTIALS =
      List.of(
          PRINTED,
          QUOTED,
          CandidateLearners.BANCO,
          CandidateLearners.CONJUGATE,
          CandidateLearners.IMPROPER,
          CandidateLearners.COORDINATE_WISE);
  private static final String UNTUNED = CandidateLearners.sgdLabel(1);

  /** The learners in the pictures; curves of all of them would be indistinguishable. */
  private static final List<String> DRAWN =
      List.of(
          CandidateLearners.BANCO,
          CandidateLearners.CONJUGATE,
          CandidateLearners.IMPROPER,
          CandidateLearners.ADA_GRAD,
          UNTUNED);

  private record RiskProblem(int dimension, Loss loss, double norm, double epsilon) {
    String label() {
      return "%s, d = %d, ||w*|| = %s, eps = %s"
          .formatted(
              loss.label, dimension, NumberLabels.short3(norm), NumberLabels.short3(epsilon));
    }

    /** What the papers' bounds are made of. */
    double scale(int people) {
      return 2 * dimension * norm / (epsilon * Math.sqrt((double) people));
    }
  }

  private final StudyScale studyScale;
  private final List<RiskProblem> problems = new ArrayList<>();
  private final List<Integer> checkpoints;

  ExcessRiskStudy(StudyScale studyScale) {
    this.studyScale = studyScale;
    this.checkpoints = studyScale.checkpoints(1_000, 3_000, 10_000, 30_000, 100_000);
    for (int dimension : DIMENSIONS) {
      for (Loss loss : LOSSES) {
        for (double norm : NORMS) {
          for (double epsilon : EPSILONS) {
            problems.add(new RiskProblem(dimension, loss, norm, epsilon));
          }
        }
      }
    }
    for (double epsilon : MORE_EPSILONS) {
      problems.add(new RiskProblem(DIMENSIONS[0], Loss.ABSOLUTE, 1, epsilon));
    }
  }

  @Override
  public String name() {
    return "excess-risk";
  }

  @Override
  public long work() {
    return cells().stream().mapToLong(Cell::work).sum();
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    report(runner.run(cells(), seed), page);
  }

  private List<Cell> cells() {
    List<Design> designs = new ArrayList<>();
    for (int dimension : DIMENSIONS) {
      designs.add(new Design(FeatureLaw.SPHERE, dimension, studyScale.designPoints()));
    }
    return problems.stream()
        .map(problem -> cell(problem, designs.get(problem.dimension == DIMENSIONS[0] ? 0 : 1)))
        .toList();
  }

  private Cell cell(RiskProblem problem, Design design) {
    return new Cell(
        problem.label(),
        new PredictionProblem(
            design, problem.loss, PredictionProblem.dense(problem.dimension, problem.norm)),
        problem.epsilon,
        candidates(new CandidateLearners(problem.dimension), problem.epsilon),
        1,
        checkpoints,
        studyScale.replications(problem.dimension == DIMENSIONS[0] ? 10 : 6));
  }

  private static List<LabelledLearner> candidates(
      CandidateLearners candidateLearners, double epsilon) {
    double d = candidateLearners.dimension();
    double square = epsilon * epsilon;
    List<LabelledLearner> candidates = new ArrayList<>(candidateLearners.sgdGrid());
    candidates.add(candidateLearners.banco(PRINTED, 4 * d * (d + 1) / square, epsilon / 4));
    candidates.add(candidateLearners.banco(QUOTED, 18 * d * d / square, epsilon / 4));
    candidates.add(candidateLearners.banco(epsilon));
    candidates.add(
        candidateLearners.blackBox(CandidateLearners.CONJUGATE, CandidateLearners.conjugate(1)));
    candidates.add(
        candidateLearners.blackBox(CandidateLearners.IMPROPER, CandidateLearners.IMPROPER_PRIOR));
    candidates.add(candidateLearners.coordinateWise());
    candidates.add(candidateLearners.adaGradNorm());
    return candidates;
  }

  private void report(List<CellResult> results, MarkdownPage page) throws IOException {
    page.title("Excess risk under pure local privacy");
    page.paragraph(
        "This study measures how close the learners come to the optimum. People's features are"
            + " uniform on the unit sphere of R^d, w* has equal coordinates, noise is l2_laplace of"
            + " the stated eps, G = 1, one report a round.");
    page.list(
        "`abs`: y = <w*, x> + Laplace(0.1), loss abs(<w, x> - y), excess risk by quadrature.",
        "`logistic`: P(y = 1) = sigma(<w*, x>), excess risk is the divergence on a fixed design of "
            + studyScale.designPoints()
            + " points.");
    page.paragraph(
        "Entries: mean excess risk of the published average (standard error). All learners of a row"
            + " see the same people and the same noise, and a row of fewer people is the beginning"
            + " of the same runs. Columns:");
    page.list(
        "`zero`: never moving.",
        "`BANCO`: with the tight variance of l2_laplace of eps; `printed`: with variance"
            + " 4d(d+1)/eps^2; `quoted`: with 18 d^2/eps^2.",
        "`ASGD`, `SGD`: average and last weights of LDP-SGD with step size eta t^-1/2. `*`: with"
            + " the best eta out of 1e-3 to 1e2, two a decade, chosen in hindsight on these same"
            + " runs, in brackets; `1`: with eta = 1.");
    for (int dimension : DIMENSIONS) {
      for (int people : new int[] {10_000, 100_000}) {
        int at = indexOf(studyScale.people(people));
        page.heading(
            "d = %d, T = %d, %d replications"
                .formatted(
                    dimension,
                    checkpoints.get(at),
                    results.get(dimension == DIMENSIONS[0] ? 0 : 12).cell().replications()));
        table(results, dimension, at, page);
      }
    }
    lastWeights(results, page);
    summary(results, page);
    pictures(results, page);
  }

  private int indexOf(int people) {
    return checkpoints.indexOf(people);
  }

  private void table(List<CellResult> results, int dimension, int at, MarkdownPage page) {
    List<String> columns = new ArrayList<>(List.of("problem", "norm w*", "eps", "zero"));
    columns.addAll(POTENTIALS);
    columns.addAll(List.of("AdaGrad-norm", "ASGD * (eta)", "ASGD 1", "SGD * (eta)"));
    columns.add("SGD 1");
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < gridSize(); i++) {
      RiskProblem problem = problems.get(i);
      if (problem.dimension == dimension) {
        rows.add(row(problem, results.get(i), at));
      }
    }
    page.table(columns, rows);
  }

  private static List<String> row(RiskProblem problem, CellResult result, int at) {
    List<String> row = start(problem);
    row.add(NumberLabels.short3(result.zero()));
    for (String label : POTENTIALS) {
      row.add(result.average(label, at).toString());
    }
    row.add(result.average(CandidateLearners.ADA_GRAD, at).toString());
    row.add(result.oracle(at, Trial.Risk::average).toString());
    row.add(result.average(UNTUNED, at).toString());
    row.add(result.oracle(at, Trial.Risk::weights).toString());
    row.add(result.weights(UNTUNED, at).toString());
    return row;
  }

  private static List<String> start(RiskProblem problem) {
    return new ArrayList<>(
        List.of(
            problem.loss.label,
            NumberLabels.short3(problem.norm),
            NumberLabels.short3(problem.epsilon)));
  }

  private void lastWeights(List<CellResult> results, MarkdownPage page) {
    page.heading("Last weights instead of the average, abs, at the end");
    List<String> labels =
        List.of(
            CandidateLearners.BANCO,
            CandidateLearners.CONJUGATE,
            CandidateLearners.IMPROPER,
            CandidateLearners.COORDINATE_WISE);
    List<String> columns = new ArrayList<>(List.of("d", "norm w*", "eps"));
    columns.addAll(labels);
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < gridSize(); i++) {
      RiskProblem problem = problems.get(i);
      if (problem.loss == Loss.ABSOLUTE) {
        List<String> row = start(problem);
        row.set(0, Integer.toString(problem.dimension));
        for (String label : labels) {
          row.add(results.get(i).weights(label, checkpoints.size() - 1).toString());
        }
        rows.add(row);
      }
    }
    page.table(columns, rows);
  }

  private int gridSize() {
    return problems.size() - MORE_EPSILONS.length;
  }

  private void summary(List<CellResult> results, MarkdownPage page) {
    int end = checkpoints.size() - 1;
    page.heading("In one table");
    page.paragraph(
        "Learnable: the best tuned ASGD at least halves the risk of doing nothing. Bound: 2 d"
            + " ||w*|| / (eps sqrt T), worst over all problems from T = "
            + studyScale.people(10_000)
            + " on, as is the worst ratio to zero.");
    List<String> columns =
        List.of(
            "learner",
            "learnable: geometric mean of risk / ASGD *",
            "least",
            "most",
            "worst risk / zero",
            "worst risk / bound",
            "worst risk / min(1.02 zero, 4 bound)");
    List<String> labels = new ArrayList<>(POTENTIALS);
    labels.addAll(List.of(CandidateLearners.ADA_GRAD, UNTUNED));
    List<List<String>> rows = new ArrayList<>();
    for (String label : labels) {
      Ratios toOracle = new Ratios();
      Ratios toZero = new Ratios();
      Ratios toBound = new Ratios();
      Ratios toBoth = new Ratios();
      for (int i = 0; i < gridSize(); i++) {
        CellResult result = results.get(i);
        double oracle = result.oracle(end, Trial.Risk::average).risk().mean();
        if (oracle <= result.zero() / 2) {
          toOracle.add(result.average(label, end).mean() / oracle);
        }
        for (int at = indexOf(studyScale.people(10_000)); at <= end; at++) {
          double risk = result.average(label, at).mean();
          double bound = problems.get(i).scale(checkpoints.get(at));
          toZero.add(risk / result.zero());
          toBound.add(risk / bound);
          toBoth.add(risk / Math.min(1.02 * result.zero(), 4 * bound));
        }
      }
      rows.add(
          List.of(
              label,
              NumberLabels.short3(toOracle.geometricMean()) + " of " + toOracle.count(),
              NumberLabels.short3(toOracle.quantile(0)),
              NumberLabels.short3(toOracle.quantile(1)),
              NumberLabels.short3(toZero.quantile(1)),
              NumberLabels.short3(toBound.quantile(1)),
              NumberLabels.short3(toBoth.quantile(1))));
    }
    page.table(columns, rows);
  }

  private void pictures(List<CellResult> results, MarkdownPage page) throws IOException {
    page.heading("Pictures");
    people(results, new RiskProblem(5, Loss.ABSOLUTE, 1, 4), page);
    people(results, new RiskProblem(5, Loss.LOGISTIC, 10, 4), page);
    people(results, new RiskProblem(20, Loss.ABSOLUTE, 1, 4), page);
    people(results, new RiskProblem(20, Loss.ABSOLUTE, 0.1, 1), page);
    privacy(results, page);
  }

  private void people(List<CellResult> results, RiskProblem problem, MarkdownPage page)
      throws IOException {
    CellResult result = results.get(problems.indexOf(problem));
    Plot plot = new Plot(problem.label(), "people T", "excess risk of the average (loss)");
    double[] x = new double[checkpoints.size()];
    for (int i = 0; i < x.length; i++) {
      x[i] = checkpoints.get(i);
    }
    for (String label : DRAWN) {
      double[] y = new double[x.length];
      for (int i = 0; i < x.length; i++) {
        y[i] = result.average(label, i).mean();
      }
      plot.learner(label, x, y);
    }
    double[] oracle = new double[x.length];
    double[] zero = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      oracle[i] = result.oracle(i, Trial.Risk::average).risk().mean();
      zero[i] = result.zero();
    }
    plot.oracle(x, oracle).zero(x, zero);
    page.picture(
        "people-d%d-%s-%s-eps%s"
            .formatted(
                problem.dimension,
                problem.loss.label,
                NumberLabels.short3(problem.norm),
                NumberLabels.short3(problem.epsilon)),
        plot);
  }

  private void privacy(List<CellResult> results, MarkdownPage page) throws IOException {
    int end = checkpoints.size() - 1;
    List<CellResult> row = new ArrayList<>();
    double[] x = {0.5, 1, 2, 4, 8};
    for (double epsilon : x) {
      row.add(results.get(problems.indexOf(new RiskProblem(5, Loss.ABSOLUTE, 1, epsilon))));
    }
    Plot plot =
        new Plot(
            "abs, d = 5, ||w*|| = 1, T = " + checkpoints.get(end),
            "epsilon of every report (0.5, 1, 2, 4, 8)",
            "excess risk of the average (loss)");
    for (String label : DRAWN) {
      plot.learner(label, x, map(row, result -> result.average(label, end).mean()));
    }
    plot.oracle(x, map(row, result -> result.oracle(end, Trial.Risk::average).risk().mean()));
    plot.zero(x, map(row, CellResult::zero));
    page.picture("epsilon", plot);
  }

  private static double[] map(List<CellResult> results, ToDoubleFunction<CellResult> of) {
    return results.stream().mapToDouble(of).toArray();
  }
}
