package io.croupier.studies;

import static io.croupier.studies.ClipStudy.EPSILONS;
import static io.croupier.studies.ClipStudy.HUNDRED;
import static io.croupier.studies.ClipStudy.MECHANISMS;
import static io.croupier.studies.ClipStudy.MOVING;
import static io.croupier.studies.ClipStudy.ONE;
import static io.croupier.studies.ClipStudy.RIGHT;
import static io.croupier.studies.ClipStudy.SLOPE_RULE;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The page of the {@link ClipStudy}.
 *
 * @param people of each problem of the suite
 * @param men of the census
 */
record ClipReport(MarkdownPage page, int people, int men) {
  /** Excess risk of the best fixed clip below which a ratio to it has no meaning. */
  private static final double SOLVED = 1e-9;

  private static final int WORST = 6;

  /** A problem of the suite. */
  record OnProblem(ClipProblem problem, ClipOutcomes outcomes) {}

  /**
   * Writes the page.
   *
   * @param ofCensus by mechanism, then by epsilon
   */
  void write(List<OnProblem> suite, List<ClipOutcomes> ofCensus, String census) throws IOException {
    List<OnProblem> unsolved =
        suite.stream().filter(on -> on.outcomes.oracle().mean() >= SOLVED).toList();
    List<OnProblem> learnable = unsolved.stream().filter(on -> on.outcomes.isLearnable()).toList();
    introduction();
    suite(suite, unsolved);
    groups(learnable);
    page.picture("ratios", picture(learnable));
    slopeRule(unsolved);
    worst(unsolved);
    census(ofCensus, census);
  }

  private void introduction() {
    page.title("A clip that finds itself");
    page.paragraph(
        "This study measures what the black box loses where the scale of the gradients is unknown."
            + " A clip that follows the 20 % quantile of sizes, which it learns from the randomised"
            + " answers of some of the people, is compared with the best fixed clip in hindsight."
            + " People take part once each, in one pass; each report is a round and a publication.");
    page.list(
        "A moving clip is the product's tracker, with 2 % of the people answering after scouting. Its"
            + " first clip is right up to the spread of the sizes, or 100 times too large or too small."
            + " Answers have the epsilon of the reports. The size is the norm of the features for"
            + " logistic and hinge losses, and else the norm of the gradient.",
        "Fixed clips are the unit of the gradients times 2^-9 to 2^3: 13 doublings, of which the one"
            + " that turns out best on these same runs is the reference. They bound the norm of"
            + " gradients, as `gradient_bound` does, and all people report.",
        "*%s* and *%s* are the same clip in all problems, whose units are 0.01 to 100."
            .formatted(ONE, HUNDRED),
        "With the slope rule, rounds announce a smaller slope bound while the weights are small, or"
            + " reports are mostly noise.");
  }

  private static String counted(int number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private void suite(List<OnProblem> suite, List<OnProblem> unsolved) {
    page.heading("Different problems");
    page.paragraph(
        "%s people, %d problems, %d replications: every combination of"
            .formatted(counted(people), suite.size(), suite.get(0).outcomes.runs().size()));
    page.list(
        "losses: %s;"
            .formatted(String.join(", ", Arrays.stream(Loss.values()).map(l -> l.label).toList())),
        "||w*|| times the unit of the gradients: 0.1, 1, 10;",
        "epsilon: 0.7, 2, 8, with `l2_laplace` and with `priv_unit`.");
    page.paragraph("Within each combination, at random:");
    page.list(
        "the unit of the gradients, from 0.01 to 100, its logarithm uniform;",
        "d: 2, 5 or 20; features on the sphere, with scales 1/j, or with an intercept;",
        "norms of features multiplied by a lognormal factor of deviation 0, 0.5 or 1;",
        "w* with equal coordinates, of a random direction, or sparse.");
    long learnable = unsolved.stream().filter(on -> on.outcomes.isLearnable()).count();
    long hopeless = unsolved.stream().filter(on -> on.outcomes.isHopeless()).count();
    page.paragraph(
        "Entries are ratios of mean excess risks to that of the best fixed clip. %d problems are"
                .formatted(learnable)
            + " learnable: never moving costs at least twice that. %d are noise-dominated: it costs"
                .formatted(hopeless)
            + " less than 1.2 times that. %d are marginal, between the two. Problems that the best"
                .formatted(unsolved.size() - learnable - hopeless)
            + " fixed clip solves exactly are left out: %d. The best"
                .formatted(suite.size() - unsolved.size())
            + " of 13 clips on the same runs profits from chance, most"
            + " where noise dominates.");
    List<List<String>> rows = new ArrayList<>();
    for (String way : MOVING) {
      rows.add(row(way, unsolved, o -> o.ratio(way)));
    }
    rows.add(row(ONE, unsolved, o -> o.ratio(ONE)));
    rows.add(row(HUNDRED, unsolved, o -> o.ratio(HUNDRED)));
    rows.add(row("never moving", unsolved, ClipOutcomes::ratioOfZero));
    page.table(
        List.of(
            "clip",
            "learnable: geo. mean",
            "median",
            "90 %",
            "worst",
            "<= 2",
            "marginal: geo. mean",
            "noise-dominated: worst / zero"),
        rows);
  }

  private static List<String> row(
      String label, List<OnProblem> problems, ToDoubleFunction<ClipOutcomes> ratio) {
    Ratios learnable = new Ratios();
    Ratios marginal = new Ratios();
    Ratios hopeless = new Ratios();
    for (OnProblem on : problems) {
      double value = ratio.applyAsDouble(on.outcomes);
      if (on.outcomes.isLearnable()) {
        learnable.add(value);
      } else if (on.outcomes.isHopeless()) {
        hopeless.add(value / on.outcomes.ratioOfZero());
      } else {
        marginal.add(value);
      }
    }
    return List.of(
        label,
        NumberLabels.fixed(learnable.geometricMean(), 2),
        NumberLabels.fixed(learnable.quantile(0.5), 2),
        NumberLabels.short3(learnable.quantile(0.9)),
        NumberLabels.short3(learnable.quantile(1)),
        NumberLabels.percent(learnable.shareUpTo(2)),
        NumberLabels.fixed(marginal.geometricMean(), 2),
        NumberLabels.short3(hopeless.quantile(1)));
  }

  private void groups(List<OnProblem> learnable) {
    page.paragraph("Learnable problems by what distinguishes them:");
    List<List<String>> rows = new ArrayList<>();
    for (Loss loss : Loss.values()) {
      rows.add(group(loss.label, learnable, problem -> problem.loss() == loss));
    }
    for (StudiedMechanism mechanism : MECHANISMS) {
      rows.add(group(mechanism.label, learnable, problem -> problem.mechanism() == mechanism));
    }
    for (double epsilon : ClipProblem.EPSILONS) {
      String label = "eps = " + NumberLabels.short3(epsilon);
      rows.add(group(label, learnable, problem -> problem.epsilon() == epsilon));
    }
    page.table(
        List.of(
            "problems",
            "number",
            "three moving clips: geo. mean",
            "median",
            "worst",
            "<= 2",
            ONE + ": geo. mean"),
        rows);
  }

  private static List<String> group(
      String label, List<OnProblem> learnable, Predicate<ClipProblem> which) {
    Ratios moving = new Ratios();
    Ratios one = new Ratios();
    for (OnProblem on : learnable) {
      if (which.test(on.problem)) {
        MOVING.forEach(way -> moving.add(on.outcomes.ratio(way)));
        one.add(on.outcomes.ratio(ONE));
      }
    }
    return List.of(
        label,
        Integer.toString(one.count()),
        NumberLabels.fixed(moving.geometricMean(), 2),
        NumberLabels.fixed(moving.quantile(0.5), 2),
        NumberLabels.short3(moving.quantile(1)),
        NumberLabels.percent(moving.shareUpTo(2)),
        NumberLabels.fixed(one.geometricMean(), 2));
  }

  private static Plot picture(List<OnProblem> learnable) {
    Plot plot =
        new Plot(
                "Learnable problems of an unknown scale",
                "excess risk / that of the best fixed clip",
                "share of the problems with at most this ratio")
            .shares();
    double[] shares = IntStream.rangeClosed(0, 20).mapToDouble(i -> i / 20.0).toArray();
    List<String> ways = new ArrayList<>(MOVING);
    ways.add(ONE);
    ways.add(HUNDRED);
    for (int w = 0; w < ways.size(); w++) {
      Ratios ratios = new Ratios();
      String way = ways.get(w);
      learnable.forEach(on -> ratios.add(on.outcomes.ratio(way)));
      double[] x = Arrays.stream(shares).map(ratios::quantile).toArray();
      plot.line(way, x, shares, ChartStyle.colour(w));
    }
    return plot.line(
        "best fixed clip", new double[] {1, 1}, new double[] {0, 1}, ChartStyle.colour("other"));
  }

  private void slopeRule(List<OnProblem> unsolved) {
    List<OnProblem> logistic =
        unsolved.stream().filter(on -> on.problem.loss() == Loss.LOGISTIC).toList();
    page.heading("The slope rule on logistic problems");
    List<List<String>> rows = new ArrayList<>();
    for (String way : List.of(RIGHT, SLOPE_RULE)) {
      rows.add(row(way, logistic, o -> o.ratio(way)));
    }
    page.table(
        List.of(
            "clip",
            "learnable: geo. mean",
            "median",
            "90 %",
            "worst",
            "<= 2",
            "marginal: geo. mean",
            "noise-dominated: worst / zero"),
        rows);
  }

  private void worst(List<OnProblem> unsolved) {
    page.heading("Where a moving clip is worst");
    page.paragraph(
        "Learnable problems with the largest ratios to the best fixed clip, *%s*; the clips are in units"
                .formatted(RIGHT)
            + " of the gradients.");
    worst(unsolved, ClipOutcomes::isLearnable, o -> o.ratio(RIGHT), "excess / best fixed clip");
    page.paragraph("The other problems with the largest ratios to never moving.");
    worst(
        unsolved,
        o -> !o.isLearnable(),
        o -> o.ratio(RIGHT) / o.ratioOfZero(),
        "excess / never moving");
  }

  private void worst(
      List<OnProblem> problems,
      Predicate<ClipOutcomes> which,
      ToDoubleFunction<ClipOutcomes> badness,
      String column) {
    page.table(
        List.of(
            "problem",
            column,
            "excess",
            "best fixed clip",
            "never moving",
            "the best fixed clip",
            "the last moving clip"),
        problems.stream()
            .filter(on -> which.test(on.outcomes))
            .sorted(Comparator.comparingDouble(on -> -badness.applyAsDouble(on.outcomes)))
            .limit(WORST)
            .map(
                on ->
                    List.of(
                        on.problem.label(),
                        NumberLabels.short3(badness.applyAsDouble(on.outcomes)),
                        on.outcomes.excess(RIGHT).toString(),
                        on.outcomes.oracle().toString(),
                        NumberLabels.short3(on.outcomes.zero()),
                        NumberLabels.short3(on.outcomes.bestClip()),
                        NumberLabels.short3(on.outcomes.lastClip(RIGHT))))
            .toList());
  }

  private void census(List<ClipOutcomes> cells, String census) throws IOException {
    page.heading("Census");
    page.paragraph(
        "%s %s reports in a random order, %d replications; mean excess loss of the published average"
                .formatted(census, counted(men), cells.get(0).runs().size())
            + " (standard error). Doing nothing costs %s. The initial clip is 1, 100 or 0.01; no"
                .formatted(NumberLabels.short3(cells.get(0).zero()))
            + " features are longer than 1.");
    List<String> ways = new ArrayList<>(MOVING);
    ways.add(SLOPE_RULE);
    for (StudiedMechanism mechanism : MECHANISMS) {
      List<ClipOutcomes> own = ofMechanism(cells, mechanism);
      List<String> columns = new ArrayList<>(List.of(mechanism.label));
      for (double epsilon : EPSILONS) {
        columns.add("eps = " + NumberLabels.short3(epsilon));
      }
      List<List<String>> rows = new ArrayList<>();
      rows.add(censusRow("best fixed clip", own, o -> o.oracle().toString()));
      for (String way : ways) {
        rows.add(censusRow(way, own, o -> o.excess(way).toString()));
      }
      rows.add(censusRow("the best fixed clip", own, o -> NumberLabels.short3(o.bestClip())));
      rows.add(censusRow("the last moving clip", own, o -> NumberLabels.short3(o.lastClip(RIGHT))));
      page.table(columns, rows);
      page.picture("census-" + mechanism.label.replace('_', '-'), censusPicture(mechanism, own));
    }
  }

  private static List<ClipOutcomes> ofMechanism(
      List<ClipOutcomes> cells, StudiedMechanism mechanism) {
    int first = MECHANISMS.indexOf(mechanism) * EPSILONS.length;
    return cells.subList(first, first + EPSILONS.length);
  }

  private static List<String> censusRow(
      String label, List<ClipOutcomes> cells, Function<ClipOutcomes, String> entry) {
    List<String> row = new ArrayList<>(List.of(label));
    cells.forEach(cell -> row.add(entry.apply(cell)));
    return row;
  }

  private static Plot censusPicture(StudiedMechanism mechanism, List<ClipOutcomes> cells) {
    Plot plot =
        new Plot(
            "Census, " + mechanism.label,
            "epsilon of every report (1, 2, 4, 8)",
            "excess loss of the average");
    List<String> ways = new ArrayList<>(MOVING);
    ways.add(SLOPE_RULE);
    for (int w = 0; w < ways.size(); w++) {
      String way = ways.get(w);
      double[] excess = cells.stream().mapToDouble(c -> c.excess(way).mean()).toArray();
      plot.curve(way, EPSILONS, excess, ChartStyle.colour(w), 0);
    }
    double[] best = cells.stream().mapToDouble(c -> c.oracle().mean()).toArray();
    double[] zero = cells.stream().mapToDouble(ClipOutcomes::zero).toArray();
    return plot.curve("best fixed clip", EPSILONS, best, ChartStyle.colour("other"), 1)
        .zero(EPSILONS, zero);
  }
}
