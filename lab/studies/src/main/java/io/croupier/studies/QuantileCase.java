package io.croupier.studies;

import io.croupier.operators.evaluation.QuantileEstimate;
import io.croupier.operators.evaluation.QuantileTally;
import java.util.List;
import org.apache.commons.math3.distribution.NormalDistribution;

/**
 * People with a number each, and how many are asked how often about its quantiles: one bit each, at
 * epsilon 0.5, 1, 2 or 4, equally often.
 *
 * @param answers to each publication
 * @param moved how far all people move during the last {@link #MOVING} publications, as a share of
 *     the range
 * @param levels of the quantiles that are asked
 */
record QuantileCase(
    ValueLaw people, int publications, int answers, double moved, List<Double> levels) {
  private static final double[] EPSILONS = {0.5, 1, 2, 4};
  private static final int MOVING = 100;

  /** Of thresholds. */
  private static final double STEP = 1.0 / (1 << 16);

  static final List<QuantileCase> ALL =
      List.of(
          of(ValueLaw.UNIFORM, 40, 100, 0.5, 0.95),
          of(ValueLaw.UNIFORM, 300, 100, 0.5, 0.95),
          of(ValueLaw.EXPONENTIAL, 40, 100, 0.5, 0.95),
          of(ValueLaw.EXPONENTIAL, 300, 100, 0.5, 0.95),
          of(ValueLaw.LOGISTIC, 300, 100, 0.5),
          of(ValueLaw.LOGNORMAL, 300, 20, 0.5),
          of(ValueLaw.LOGNORMAL, 300, 20, 0.5, 0.95),
          of(ValueLaw.GROUPS_48, 40, 100, 0.5),
          of(ValueLaw.GROUPS_48, 100, 100, 0.5),
          of(ValueLaw.GROUPS_48, 300, 100, 0.5),
          of(ValueLaw.GROUPS_48, 300, 1000, 0.5),
          of(ValueLaw.GROUPS_45, 100, 100, 0.5),
          of(ValueLaw.GROUPS_45, 300, 100, 0.5),
          of(ValueLaw.GROUPS_45, 300, 1000, 0.5),
          of(ValueLaw.MARKS, 40, 100, 0.5),
          of(ValueLaw.MARKS, 300, 20, 0.5),
          of(ValueLaw.MARKS, 300, 20, 0.5, 0.95),
          of(ValueLaw.MARKS, 300, 100, 0.5),
          of(ValueLaw.MARKS, 300, 100, 0.5, 0.95),
          of(ValueLaw.MARKS, 300, 1000, 0.5),
          moving(100, 0),
          moving(1000, 0),
          moving(100, 0.005),
          moving(1000, 0.005),
          moving(100, 0.02),
          moving(1000, 0.02),
          moving(100, 0.1),
          moving(1000, 0.1),
          moving(100, 0.3),
          moving(1000, 0.3));

  /** Values as shares of the range, by a uniform number. */
  enum ValueLaw {
    UNIFORM("uniform") {
      @Override
      double value(double u) {
        return u;
      }
    },
    EXPONENTIAL("exponential, mean 0.1") {
      @Override
      double value(double u) {
        return -0.1 * Math.log1p(-u);
      }
    },
    LOGISTIC("logistic, scale 0.05") {
      @Override
      double value(double u) {
        return logistic(u, 0.4, 0.05);
      }
    },
    LOGNORMAL("lognormal, median 0.05") {
      @Override
      double value(double u) {
        return 0.05 * Math.exp(new NormalDistribution().inverseCumulativeProbability(u));
      }
    },
    GROUPS_48("two groups, 48 % in the lower") {
      @Override
      double value(double u) {
        return groups(u, 0.48);
      }
    },
    GROUPS_45("two groups, 45 % in the lower") {
      @Override
      double value(double u) {
        return groups(u, 0.45);
      }
    },
    MARKS("marks 1 to 5") {
      @Override
      double value(double u) {
        return u < 0.1 ? 0 : u < 0.3 ? 0.25 : u < 0.6 ? 0.5 : u < 0.85 ? 0.75 : 1;
      }
    };

    final String label;

    ValueLaw(String label) {
      this.label = label;
    }

    abstract double value(double u);

    private static double groups(double u, double lower) {
      return u < lower
          ? logistic(u / lower, 0.2, 0.02)
          : logistic((u - lower) / (1 - lower), 0.8, 0.02);
    }

    private static double logistic(double u, double median, double scale) {
      return median + scale * Math.log(u / (1 - u));
    }
  }

  private static QuantileCase of(ValueLaw people, int publications, int answers, Double... levels) {
    return new QuantileCase(people, publications, answers, 0, List.of(levels));
  }

  private static QuantileCase moving(int answers, double moved) {
    return new QuantileCase(ValueLaw.LOGISTIC, 200, answers, moved, List.of(0.5));
  }

  /** The people, publications and answers. */
  String label() {
    return moved == 0 ? people.label : people.label + ", moved by " + NumberLabels.short3(moved);
  }

  /**
   * Returns whether the interval of each level contains the newest quantile, but for a step of
   * thresholds, and its width.
   */
  double[][] run(SeededRandom random) {
    QuantileTally tally = new QuantileTally(levels.stream().mapToDouble(p -> p).toArray());
    for (int i = 1; i <= publications; i++) {
      double shift = moved * Math.max(0, i + MOVING - publications) / MOVING;
      for (int j = 0; j < answers; j++) {
        double h = Math.tanh(EPSILONS[random.below(EPSILONS.length)] / 2);
        boolean isAbove = value(random.uniform(), shift) > tally.threshold();
        boolean isKept = random.uniform() < (1 + h) / 2;
        tally.add(isAbove == isKept ? h : -h, 0);
      }
      tally.age();
    }
    double[][] results = new double[levels.size()][];
    for (int l = 0; l < levels.size(); l++) {
      QuantileEstimate estimate = tally.estimates().get(l);
      double truth = value(levels.get(l), moved);
      boolean isContained = estimate.low() - STEP <= truth && truth <= estimate.high() + STEP;
      results[l] = new double[] {isContained ? 1 : 0, estimate.high() - estimate.low()};
    }
    return results;
  }

  private double value(double u, double shift) {
    return Math.max(0, Math.min(people.value(u) + shift, 1));
  }
}
