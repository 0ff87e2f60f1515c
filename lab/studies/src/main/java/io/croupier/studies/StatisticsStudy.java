package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * How many people it takes to know the share of each category, by ways to release one; and how near
 * the quantiles of a number are, by a threshold that moves and by a histogram.
 */
final class StatisticsStudy implements Study {
  private static final double[] EPSILONS = {0.5, 1, 2, 4};

  /** Half of the length of a 95 % interval. */
  private static final double WITHIN = 0.01;

  private static final double Z = 1.959963984540054;

  private static final int CLASSES = 32;
  private static final int SHOWN_EPSILON = 2;
  private final List<CategoryCase> cases;
  private final QuantileTrial delays;
  private final QuantileCoverage coverage;
  private final int simulated;
  private final List<Integer> people;
  private final int runsOfCategories;
  private final int runsOfQuantiles;

  /** People of whom any may be drawn, each by their category from 0 to k - 1. */
  private static final class CategoryCase {
    private final String label;
    private final int k;
    private final int[] categories;

    CategoryCase(String label, int k, int[] categories) {
      this.label = label;
      this.k = k;
      this.categories = categories;
    }

    double[] fractions() {
      double[] fractions = new double[k];
      for (int category : categories) {
        fractions[category] += 1.0 / categories.length;
      }
      return fractions;
    }

    int[] draw(int people, SeededRandom random) {
      return IntStream.range(0, people)
          .map(i -> categories[random.below(categories.length)])
          .toArray();
    }
  }

  StatisticsStudy(StudyScale scale) {
    List<String[]> census = rows("census-counts.csv");
    List<String[]> flights = rows("flight-delays.csv");
    List<String> regions = census.stream().map(row -> row[0]).distinct().toList();
    List<String> ethnicities = census.stream().map(row -> row[1]).distinct().toList();
    int[] minutes = counted(flights, row -> Integer.parseInt(row[0]));
    delays = new QuantileTrial(minutes);
    cases =
        List.of(
            new CategoryCase("ethnicity", 2, counted(census, row -> ethnicities.indexOf(row[1]))),
            new CategoryCase("region", 4, counted(census, row -> regions.indexOf(row[0]))),
            new CategoryCase("region and ethnicity", 8, counted(census, census::indexOf)),
            new CategoryCase(
                "delay",
                CLASSES,
                Arrays.stream(minutes).map(StatisticsStudy::delayClass).toArray()));
    simulated = Math.max(1000, scale.people(2000));
    people = scale.checkpoints(1000, 3000, 10_000, 30_000);
    runsOfCategories = scale.replications(400);
    runsOfQuantiles = scale.replications(60);
    coverage = new QuantileCoverage(scale);
  }

  /** Five minutes each, the first one up to -25, the last one from 125. */
  private static int delayClass(int minutes) {
    return Math.max(0, Math.min(Math.floorDiv(minutes + 30, 5), CLASSES - 1));
  }

  static List<String[]> rows(String file) {
    try (InputStream in = StatisticsStudy.class.getResourceAsStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .skip(1)
          .map(line -> line.split(",", -1))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A value for each person: of each row as often as its last number states. */
  private static int[] counted(List<String[]> rows, ToIntFunction<String[]> value) {
    return rows.stream()
        .flatMap(
            row ->
                Collections.nCopies(Integer.parseInt(row[row.length - 1]), value.applyAsInt(row))
                    .stream())
        .mapToInt(Integer::intValue)
        .toArray();
  }

  @Override
  public String name() {
    return "statistics";
  }

  @Override
  public long work() {
    long categories = (long) cases.size() * CategoryWay.values().length * runsOfCategories;
    long quantiles =
        people.stream().mapToLong(n -> n).sum() * (1 + QuantileTrial.HISTOGRAMS.length);
    return EPSILONS.length * (categories * simulated + quantiles * runsOfQuantiles)
        + coverage.work();
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    page.title("How many people a count takes");
    categories(page);
    simulations(runner, seed, page);
    quantiles(runner, seed, page);
    coverage.write(runner, seed - 1, page);
  }

  /** The people of whom each fraction's interval is short, in every category. */
  private static double needed(CategoryWay way, double epsilon, CategoryCase of) {
    double most =
        Arrays.stream(of.fractions()).map(f -> way.variance(epsilon, of.k, f)).max().orElseThrow();
    return Math.ceil(Z * Z * most / WITHIN / WITHIN);
  }

  private void categories(MarkdownPage page) throws IOException {
    page.paragraph(
        "People until the 95 %% interval of every category is at most +- %s: by the published variance of each estimate, and that of the sample, since people are drawn from the data with replacement."
            .formatted(NumberLabels.short3(WITHIN)));
    page.list(
        "Ethnicity, region, and both: 28,155 men of the census of 1988. Delay: 200,000 flights of US airlines, in 32 classes of five minutes.",
        "Hashed response, which the [job](../../../docs/build/statistics.md) uses: k-ary randomised response, or local hashing where categories are many. It and optimised unary encoding are of Wang et al. (USENIX Security 2017).",
        "Subset selection of Ye and Barg (IEEE Trans. Inf. Theory 2018), the best of these where all fractions are equal. Basic RAPPOR, one release of Erlingsson et al. (CCS 2014).",
        "Yes-or-no questions with randomised response (Warner 1965): a person answers one, about a category at random. A model has at most 16.");
    List<String> columns = new ArrayList<>(List.of("categories", "epsilon"));
    Arrays.stream(CategoryWay.values()).forEach(way -> columns.add(way.label));
    columns.add("questions / hashed response");
    List<List<String>> rows = new ArrayList<>();
    for (CategoryCase each : cases) {
      for (double epsilon : EPSILONS) {
        List<String> row =
            new ArrayList<>(
                List.of("%s, %d".formatted(each.label, each.k), NumberLabels.short3(epsilon)));
        for (CategoryWay way : CategoryWay.values()) {
          row.add(String.format(Locale.ROOT, "%,.0f", needed(way, epsilon, each)));
        }
        double ratio =
            needed(CategoryWay.QUESTIONS, epsilon, each)
                / needed(CategoryWay.HASHED, epsilon, each);
        row.add(NumberLabels.short3(ratio));
        rows.add(row);
      }
    }
    page.table(columns, rows);
    CategoryCase shown = cases.get(cases.size() - 1);
    Plot plot = new Plot("delays in 32 classes, +- 0.01 in every one", "epsilon", "people");
    int kind = 0;
    for (CategoryWay way : CategoryWay.values()) {
      double[] y = Arrays.stream(EPSILONS).map(e -> needed(way, e, shown)).toArray();
      plot.curve(way.label, EPSILONS, y, ChartStyle.colour(kind), kind);
      kind++;
    }
    page.picture("people", plot);
  }

  private void simulations(Runner runner, long seed, MarkdownPage page)
      throws InterruptedException {
    List<List<String>> rows = new ArrayList<>();
    int cell = 0;
    for (CategoryWay way : CategoryWay.values()) {
      List<Callable<Double>> trials = new ArrayList<>();
      for (CategoryCase each : cases) {
        for (double epsilon : EPSILONS) {
          for (int r = 0; r < runsOfCategories; r++) {
            long trialSeed = SeededRandom.seed(seed, cell, r);
            trials.add(() -> squares(way, epsilon, each, new SeededRandom(trialSeed), runner));
          }
          cell++;
        }
      }
      rows.add(row(way, runner.all(trials)));
    }
    page.heading("The formulas against simulated people");
    page.paragraph(
        "%d people are drawn and release a category each, %d times for each case and epsilon above. Entries: the mean squared error of the estimates over the variance of the formula, in the mean over categories and runs (standard error)."
            .formatted(simulated, runsOfCategories));
    page.table(List.of("way", "all cases", "least case", "largest case"), rows);
  }

  private List<String> row(CategoryWay way, List<Double> squares) {
    List<Estimate> ofCases = new ArrayList<>();
    for (int first = 0; first < squares.size(); first += runsOfCategories) {
      ofCases.add(estimate(squares.subList(first, first + runsOfCategories)));
    }
    List<String> row = new ArrayList<>(List.of(way.label, ratio(estimate(squares))));
    ofCases.sort((a, b) -> Double.compare(a.mean(), b.mean()));
    row.add(ratio(ofCases.get(0)));
    row.add(ratio(ofCases.get(ofCases.size() - 1)));
    return row;
  }

  private static Estimate estimate(List<Double> values) {
    return Estimate.of(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static String ratio(Estimate estimate) {
    return "%s (%s)"
        .formatted(NumberLabels.fixed(estimate.mean(), 3), NumberLabels.fixed(estimate.error(), 3));
  }

  /** The squared errors of one run over their variance, in the mean over categories. */
  private double squares(
      CategoryWay way, double epsilon, CategoryCase of, SeededRandom random, Runner runner) {
    double[] truth = of.fractions();
    double[] estimates = way.estimates(of.draw(simulated, random), epsilon, of.k, random);
    double sum = 0;
    for (int j = 0; j < of.k; j++) {
      double error = estimates[j] - truth[j];
      sum += error * error / (way.variance(epsilon, of.k, truth[j]) / simulated);
    }
    runner.progress().accept(simulated);
    return sum / of.k;
  }

  private void quantiles(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<Callable<double[][]>> trials = new ArrayList<>();
    for (int e = 0; e < EPSILONS.length; e++) {
      for (int n = 0; n < people.size(); n++) {
        for (int r = 0; r < runsOfQuantiles; r++) {
          double epsilon = EPSILONS[e];
          int each = people.get(n);
          long trialSeed = SeededRandom.seed(~seed, e * people.size() + n, r);
          trials.add(
              () -> {
                double[][] errors = delays.errors(epsilon, each, new SeededRandom(trialSeed));
                runner.progress().accept((long) each * errors.length);
                return errors;
              });
        }
      }
    }
    List<double[][]> errors = runner.all(trials);
    page.heading("Quantiles");
    page.paragraph(
        "The delay below which half of the flights are, %s, and 95 %% of them, %s minutes; a delay is spread evenly over its minute. The range is public: from %s to %s minutes. Both ways take as many people, in %d publications, and the job's estimators, which forget alike; %d runs. Entries: root of the mean squared error in minutes, to some %d %%."
            .formatted(
                NumberLabels.short3(delays.quantile(QuantileTrial.LEVELS[0])),
                NumberLabels.short3(delays.quantile(QuantileTrial.LEVELS[1])),
                NumberLabels.short3(QuantileTrial.FROM),
                NumberLabels.short3(QuantileTrial.TO),
                QuantileTrial.PUBLICATIONS,
                runsOfQuantiles,
                Math.round(100 / Math.sqrt(2.0 * runsOfQuantiles))));
    page.list(
        "Moving question: one bit about a threshold, both levels by turns.",
        "Histogram: a vote by hashed response for one of %s equal classes of the range, projected onto the simplex, and linear within a class. In brackets the number of classes that is the best one in hindsight."
            .formatted(Arrays.toString(QuantileTrial.HISTOGRAMS).replaceAll("[\\[\\]]", "")));
    List<String> columns = new ArrayList<>(List.of("epsilon", "people"));
    for (double level : QuantileTrial.LEVELS) {
      String suffix = ", level " + NumberLabels.short3(level);
      columns.addAll(List.of("moving question" + suffix, "histogram" + suffix, "ratio" + suffix));
    }
    List<List<String>> rows = new ArrayList<>();
    double[][][] curves = new double[QuantileTrial.LEVELS.length][2][people.size()];
    int first = 0;
    for (double epsilon : EPSILONS) {
      for (int n = 0; n < people.size(); n++) {
        List<double[][]> own = errors.subList(first, first += runsOfQuantiles);
        List<String> row =
            new ArrayList<>(
                List.of(
                    NumberLabels.short3(epsilon),
                    String.format(Locale.ROOT, "%,d", people.get(n))));
        for (int level = 0; level < QuantileTrial.LEVELS.length; level++) {
          double moving = rootMeanSquare(own, 0, level);
          int best = 1;
          for (int h = 2; h <= QuantileTrial.HISTOGRAMS.length; h++) {
            best = rootMeanSquare(own, h, level) < rootMeanSquare(own, best, level) ? h : best;
          }
          double histogram = rootMeanSquare(own, best, level);
          row.add(NumberLabels.short3(moving));
          row.add(
              "%s (%d)"
                  .formatted(NumberLabels.short3(histogram), QuantileTrial.HISTOGRAMS[best - 1]));
          row.add(NumberLabels.short3(histogram / moving));
          if (epsilon == SHOWN_EPSILON) {
            curves[level][0][n] = moving;
            curves[level][1][n] = histogram;
          }
        }
        rows.add(row);
      }
    }
    page.table(columns, rows);
    Plot plot = new Plot("delays of flights, eps = 2", "people", "error in minutes");
    double[] x = people.stream().mapToDouble(Integer::doubleValue).toArray();
    for (int level = 0; level < QuantileTrial.LEVELS.length; level++) {
      String suffix = ", level " + NumberLabels.short3(QuantileTrial.LEVELS[level]);
      plot.curve("moving question" + suffix, x, curves[level][0], ChartStyle.colour(0), level);
      plot.curve("best histogram" + suffix, x, curves[level][1], ChartStyle.colour(1), level);
    }
    page.picture("quantiles", plot);
  }

  private static double rootMeanSquare(List<double[][]> errors, int way, int level) {
    return Math.sqrt(
        errors.stream().mapToDouble(e -> e[way][level] * e[way][level]).average().orElseThrow());
  }
}
