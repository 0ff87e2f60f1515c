package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Learners without tuning: a suite of different problems, and the distance from the best tuned
 * LDP-ASGD.
 */
final class AdaptiveRadiusStudy implements CellStudy {
  private static final String UNTUNED = CandidateLearners.sgdLabel(1);

  /**
   * Excess risk of the oracle below which a problem is excluded, since ratios to it are
   * meaningless.
   */
  private static final double SOLVED = 1e-9;

  private static final String ZERO = "never moving";

  static final List<String> LEARNERS =
      List.of(
          CandidateLearners.BANCO,
          CandidateLearners.IMPROPER,
          CandidateLearners.ADA_GRAD,
          CandidateLearners.DOG,
          CandidateLearners.ADAPTIVE_RADIUS,
          UNTUNED,
          ZERO);

  private static final List<String> COLUMNS =
      List.of(
          "learner",
          "learnable: geo. mean",
          "median",
          "90 %",
          "worst",
          "marginal: geo. mean",
          "worst",
          "noise-dominated: worst / zero",
          "worst (risk - 1.05 zero) T",
          "all: geo. mean",
          "<= 1",
          "<= 2");

  private final StudyScale scale;
  private final List<SuiteProblem> half;
  private final List<SuiteProblem> eighth;

  /**
   * The study.
   *
   * @param seed of the choice among the suite, and of what is random in its problems
   */
  AdaptiveRadiusStudy(StudyScale scale, long seed) {
    this.scale = scale;
    Random random = new Random(seed);
    List<SuiteProblem> suite = new ArrayList<>(SuiteProblem.suite(random));
    Collections.shuffle(suite, random);
    half = suite.subList(0, suite.size() / 2);
    eighth = suite.subList(0, suite.size() / 8);
  }

  @Override
  public String name() {
    return "adaptive-radius";
  }

  @Override
  public List<Cell> cells() {
    return new SuiteCells(scale, AdaptiveRadiusStudy::learners).cells(half, eighth);
  }

  private static List<LabelledLearner> learners(
      SuiteProblem problem, CandidateLearners candidates) {
    List<LabelledLearner> learners = new ArrayList<>(candidates.sgdGrid());
    learners.add(candidates.banco(problem.privacy().worst()));
    learners.add(candidates.blackBox(CandidateLearners.IMPROPER, CandidateLearners.IMPROPER_PRIOR));
    learners.add(candidates.adaGradNorm());
    learners.add(candidates.distanceOverGradients());
    learners.add(candidates.adaptiveRadius());
    return learners;
  }

  @Override
  public void report(List<CellResult> results, MarkdownPage page) throws IOException {
    List<CellResult> single = results.subList(0, half.size());
    List<CellResult> many = results.subList(half.size(), half.size() + eighth.size());
    List<CellResult> rounds = results.subList(half.size() + eighth.size(), results.size());
    int people = single.get(0).cell().rounds();
    int few = single.get(0).cell().checkpoints().get(0);
    int manyPeople = many.get(0).cell().rounds();

    page.title("Learners with nothing to tune");
    page.paragraph(
        "This study compares learners without tuning on problems that differ as much as possible."
            + " The suite has 288 combinations of the following, of which half are taken at random:");
    page.list(
        "losses: abs, logistic, huber, smoothed hinge;",
        "d: 2, 5, 20;",
        "||w*||: 0.1, 1, 10;",
        "noise: eps 0.5, 1, 4, 16, none, mix (each person any of these), burst (the first T/200 + 12"
            + " at eps 0.4, all others at 4), half (half of the people none, half at 1).");
    page.paragraph("Within each combination, at random:");
    page.list(
        "w* with equal coordinates, of a random direction, or sparse;",
        "features on the sphere, with scales 1/j, or with an intercept;",
        "l2-ball Laplace noise (3 of 5), Gaussian, or Laplace by coordinate, all of the same variance"
            + " along a direction.");
    page.paragraph(
        "Entries are ratios of a learner's mean excess risk to that of the LDP-ASGD whose step size, of"
            + " 11 from 1e-3 to 1e2, turns out best on these same runs. Learnable: never moving costs"
            + " at least twice that; noise-dominated: less than 1.2 times. BANCO's spec states the"
            + " level of the noise, the worst one where it varies; no other learner has this information.");
    table("T = " + people, single, 1, page);
    table("T = " + few + ", the same runs", single, 0, page);
    table("T = " + manyPeople, many, 0, page);
    table(
        "T = %d in %d rounds of %d"
            .formatted(
                rounds.get(0).cell().rounds() * SuiteCells.REPORTS_PER_ROUND,
                rounds.get(0).cell().rounds(),
                SuiteCells.REPORTS_PER_ROUND),
        rounds,
        0,
        page);
    page.heading("Pictures");
    page.picture("ratios", picture(single, 1, "T = " + people));
    page.picture("ratios-many", picture(many, 0, "T = " + manyPeople));
  }

  private static void table(String heading, List<CellResult> results, int at, MarkdownPage page) {
    Map<String, LearnerRatios> standings = standings(results, at);
    LearnerRatios any = standings.get(ZERO);
    page.heading(heading);
    page.paragraph(
        "%d problems, %d replications: %d learnable, %d marginal, %d noise-dominated; %d that the best"
                .formatted(
                    results.size(),
                    results.get(0).cell().replications(),
                    any.learnable.count(),
                    any.marginal.count(),
                    any.hopeless.count(),
                    results.size() - unsolved(results, at).size())
            + " tuned LDP-ASGD solves exactly are left out.");
    page.table(
        COLUMNS, LEARNERS.stream().map(learner -> standings.get(learner).row(learner)).toList());
  }

  private static Map<String, LearnerRatios> standings(List<CellResult> results, int at) {
    Map<String, LearnerRatios> standings = new HashMap<>();
    for (String learner : LEARNERS) {
      LearnerRatios learnerRatios = new LearnerRatios();
      for (CellResult result : unsolved(results, at)) {
        double zero = result.zero();
        double risk = learner.equals(ZERO) ? zero : result.average(learner, at).mean();
        double oracle = oracle(result, at);
        int people = result.cell().checkpoints().get(at) * result.cell().reportsPerRound();
        learnerRatios.add(risk, oracle, zero, people);
      }
      standings.put(learner, learnerRatios);
    }
    return standings;
  }

  private static List<CellResult> unsolved(List<CellResult> results, int at) {
    return results.stream().filter(result -> oracle(result, at) >= SOLVED).toList();
  }

  private static double oracle(CellResult result, int at) {
    return result.oracle(at, Trial.Risk::average).risk().mean();
  }

  private static Plot picture(List<CellResult> results, int at, String title) {
    Map<String, LearnerRatios> standings = standings(results, at);
    Plot plot =
        new Plot(
                "Learnable problems, " + title,
                "excess risk / that of the best tuned LDP-ASGD",
                "share of the problems with at most this ratio")
            .shares();
    for (String learner : LEARNERS) {
      if (!learner.equals(ZERO) && standings.get(learner).learnable.count() > 0) {
        Ratios ratios = standings.get(learner).learnable;
        double[] y = IntStream.rangeClosed(0, 20).mapToDouble(i -> i / 20.0).toArray();
        double[] x = Arrays.stream(y).map(ratios::quantile).toArray();
        plot.line(learner, x, y);
      }
    }
    return plot.oracle(new double[] {1, 1}, new double[] {0, 1});
  }

  /** One learner on all problems. */
  private static final class LearnerRatios {
    private final Ratios learnable = new Ratios();
    private final Ratios marginal = new Ratios();
    private final Ratios hopeless = new Ratios();
    private final Ratios all = new Ratios();

    /** Worst loss in noise-dominated problems, as a sum over people. */
    private double worstLoss;

    void add(double risk, double oracle, double zero, int people) {
      all.add(risk / oracle);
      if (zero >= 2 * oracle) {
        learnable.add(risk / oracle);
      } else if (zero >= 1.2 * oracle) {
        marginal.add(risk / oracle);
      } else {
        hopeless.add(risk / zero);
        worstLoss = Math.max(worstLoss, (risk - 1.05 * zero) * people);
      }
    }

    List<String> row(String learner) {
      return List.of(
          learner,
          NumberLabels.fixed(learnable.geometricMean(), 2),
          NumberLabels.fixed(learnable.quantile(0.5), 2),
          NumberLabels.short3(learnable.quantile(0.9)),
          NumberLabels.short3(learnable.quantile(1)),
          NumberLabels.fixed(marginal.geometricMean(), 2),
          NumberLabels.short3(marginal.quantile(1)),
          NumberLabels.short3(hopeless.quantile(1)),
          NumberLabels.short3(worstLoss),
          NumberLabels.fixed(all.geometricMean(), 2),
          NumberLabels.percent(all.shareUpTo(1)),
          NumberLabels.percent(all.shareUpTo(2)));
    }
  }
}
