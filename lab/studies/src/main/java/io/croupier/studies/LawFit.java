package io.croupier.studies;

import io.croupier.cli.plan.LearningLaw;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The fit of a {@link LearningLaw}. Its half is the geometric mean of those that the runs imply,
 * where a run misses a share that the law distinguishes. Its factor is the least with which {@value
 * #WITHIN} of the runs are within the limits of the law of all other problems.
 */
final class LawFit {
  /** Above 0.9, which the runs of a problem that the fit never saw would then miss. */
  private static final double WITHIN = 0.92;

  private LawFit() {}

  /**
   * One run.
   *
   * @param problem by whose label runs are left out
   * @param signal of all its reports
   * @param missed share of the gain
   */
  record FittedRun(String problem, double signal, double missed) {
    private boolean isTelling() {
      return missed > LearningLaw.LEAST && missed < LearningLaw.MOST;
    }

    /** The half with which the law is exact. */
    private double half() {
      return signal / (1 / missed - 1);
    }

    /** The least factor with which a law of this half contains the run. */
    private double factor(double half) {
      if (missed >= LearningLaw.MOST) {
        return Math.max(1, signal / half / (1 / LearningLaw.MOST - 1));
      }
      if (missed <= LearningLaw.LEAST) {
        return Math.max(1, half / signal * (1 / LearningLaw.LEAST - 1));
      }
      return Math.max(half / half(), half() / half);
    }
  }

  /** The law of runs of at least two problems. */
  static LearningLaw of(List<FittedRun> points) {
    List<Double> factors = new ArrayList<>();
    for (String problem : problems(points)) {
      double ofOthers = half(where(points, point -> !point.problem.equals(problem)));
      where(points, point -> point.problem.equals(problem))
          .forEach(point -> factors.add(point.factor(ofOthers)));
    }
    factors.sort(null);
    int within = (int) Math.ceil(WITHIN * factors.size());
    return new LearningLaw(half(points), factors.get(within - 1));
  }

  private static double half(List<FittedRun> points) {
    return Math.exp(
        points.stream()
            .filter(FittedRun::isTelling)
            .mapToDouble(point -> Math.log(point.half()))
            .average()
            .orElseThrow());
  }

  static List<String> problems(List<FittedRun> points) {
    return points.stream().map(FittedRun::problem).distinct().toList();
  }

  static List<FittedRun> where(List<FittedRun> points, Predicate<FittedRun> wanted) {
    return points.stream().filter(wanted).toList();
  }

  /** How many runs are within the limits of a law. */
  static long within(LearningLaw law, List<FittedRun> points) {
    return points.stream().filter(point -> law.missed(point.signal).contains(point.missed)).count();
  }

  /** How many runs of a problem are within the limits of the law of all other problems. */
  static long withinOthers(String problem, List<FittedRun> points) {
    LearningLaw law = of(where(points, point -> !point.problem.equals(problem)));
    return within(law, where(points, point -> point.problem.equals(problem)));
  }
}
