package io.croupier.accounting;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The composition of pure mechanisms of different losses with one mu-GDP mechanism: their losses on
 * a common grid ({@link LossGrid}), added up by Fourier transforms [KJPH21]. The parameters must be
 * fixed in advance, though queries may depend on earlier answers.
 *
 * <p>Every loss is first tilted: its probabilities are multiplied by exp(t loss) and divided by
 * their sum, with the t for which the sum of the losses is near the epsilon that is looked for.
 * Errors of the transforms, which are relative to the largest probability of the sum, are then
 * relative to the delta that is looked for, however small.
 *
 * <p>Never too low: a loss on the grid is worse than that before; a bound on the errors of the
 * transforms is added to every probability of the sum; a Chernoff bound on the losses beyond the
 * grid, and the tail of the Gaussian, are added to delta; and losses below the grid appear at its
 * upper end. Too high by less than 0.2 % where the sum has the law of many small losses: the step
 * adds at most {@link #COARSENESS}^2 / 4 of the variance. Losses without a grid ({@link
 * LossGrid#knows}) enter as Gaussian ones of their mu.
 *
 * <p>O(n log n) for each different loss and n points, n at least 2^13, and some 250 times the root
 * of the number of reports; where most of the spectrum has vanished, less. Immutable.
 *
 * @param sums tilted probabilities of the sum, up to {@link #top}
 * @param beyond bound on the tilted probability of losses above the grid
 */
@SuppressWarnings("ArrayRecordComponent") // no two are compared
record GridComposition(
    double step,
    double top,
    double tilt,
    double logScale,
    double[] sums,
    double beyond,
    double margin) {
  /** Losses of which no part and no multiple leaves the range of doubles. */
  private static final double LEAST_LOSS = 1e-200;

  private static final double MOST_LOSS = 1e305;
  private static final int LEAST_POINTS = 1 << 13;
  private static final int MOST_POINTS = 1 << 20;

  /** Up to this number of points, the grid contains the whole sum. */
  private static final int MOST_POINTS_OF_ALL = 1 << 14;

  /** The grid contains the whole sum of as many reports. */
  private static final int FEW = 16;

  /** The step, in deviations of the sum over the root of the number of reports. */
  private static final double COARSENESS = 0.08;

  /** Half of the grid, in deviations of the sum. */
  private static final double REACH = 10;

  /** The most that a Chernoff bound on the losses beyond the grid may be, under the tilted law. */
  private static final double BEYOND = 1e-13;

  /** Each with twice the points of the one before. */
  private static final int ATTEMPTS = 3;

  private static final int PILOT_POINTS = 64;
  private static final double MOST_TILT = 0x1p16;

  /** The most that a tilt may add to the logarithm of the probability of one loss. */
  private static final double MOST_GROWTH = 0x1p15;

  /** The same between neighbours on the grid: beyond, the bounds on errors exceed every delta. */
  private static final double MOST_GROWTH_OF_STEP = 64;

  /** The most steps from 0 to a loss: they are whole numbers of 32 bits. */
  private static final double MOST_STEPS = 0x1p30;

  /** Of a Gaussian loss: its tilted law, of so many deviations and REACH, is above 1e-308. */
  private static final double MOST_DEVIATIONS = 28;

  /** The least ln delta, which probabilities below the range of doubles don't change. */
  private static final double LEAST_LOG_DELTA = -600;

  /** More than the relative errors of the probabilities of a loss. */
  private static final double GRID_ERROR = 1e-12;

  /** More than the relative errors of the exponents of all tilts. */
  private static final double EXPONENT_ERROR = 0x1p-48;

  /** Reports of equal loss. */
  private record EqualLosses(PureLoss loss, long reports) {}

  /**
   * Creates the composition, for a delta of about that one; empty if the list is too long, the sum
   * so near to its largest value that the sum of epsilons is a tight bound, a loss below 1e-200 or
   * above 1e305, delta below exp(-600), or the sum too large for its deviation: more than 2^30
   * steps, or a step that a tilt multiplies by more than exp(64).
   *
   * @param mu at least 0, finite
   * @param losses number of reports by loss
   * @param logDelta natural logarithm of delta, negative and finite
   */
  static Optional<GridComposition> of(double mu, Map<PureLoss, Long> losses, double logDelta) {
    if (logDelta < LEAST_LOG_DELTA) {
      return Optional.empty();
    }
    List<EqualLosses> groups = new ArrayList<>();
    double allMu = mu > 0 ? Math.max(mu, LEAST_LOSS) : 0;
    double count = 0;
    double largest = 0;
    RenyiCurve curve = RenyiCurve.ZERO;
    for (Map.Entry<PureLoss, Long> entry : losses.entrySet()) {
      PureLoss loss = entry.getKey();
      long reports = entry.getValue();
      boolean isOnGrid = loss.epsilon() >= LEAST_LOSS && loss.epsilon() * reports <= MOST_LOSS;
      if (loss.epsilon() > 0 && !isOnGrid) {
        return Optional.empty();
      }
      if (loss.epsilon() > 0 && reports > 0) {
        if (LossGrid.knows(loss)) {
          groups.add(new EqualLosses(loss, reports));
          count += reports;
          largest = Math.max(largest, loss.epsilon());
          curve = curve.plus(RenyiCurve.ofPure(loss, reports));
        } else {
          double root = Math.nextUp(StrictMath.sqrt((double) reports));
          allMu = GaussianDp.compose(allMu, loss.mu() * root);
        }
      }
    }
    if (groups.isEmpty()) {
      return Optional.empty();
    }
    curve = curve.plus(RenyiCurve.ofRho(allMu * allMu / 2));
    double deviations = Math.min(MOST_DEVIATIONS, StrictMath.sqrt(-2 * logDelta));
    double most = Math.min(Math.min(MOST_TILT, deviations / allMu), MOST_GROWTH / largest);
    double tilt = Math.min(most, curve.bestOrder(logDelta) - 1);
    return of(allMu, groups, count + (allMu > 0 ? 1 : 0), largest, tilt);
  }

  private static Optional<GridComposition> of(
      double mu, List<EqualLosses> groups, double count, double largest, double tilt) {
    double mean = mu * mu * (0.5 + tilt);
    double variance = mu * mu;
    double reach = mean + REACH * mu;
    for (EqualLosses group : groups) {
      double epsilon = group.loss.epsilon();
      LossGrid pilot = LossGrid.of(group.loss, 2 * epsilon / PILOT_POINTS).tilted(tilt);
      mean += pilot.mean() * group.reports;
      variance += pilot.variance() * group.reports;
      reach += epsilon * group.reports;
    }
    double deviation = StrictMath.sqrt(variance);
    double half = REACH * deviation + largest / PILOT_POINTS;
    double step = COARSENESS * deviation / StrictMath.sqrt(count);
    if (reach <= half || count <= FEW || 2 * reach <= MOST_POINTS_OF_ALL * step) {
      // All losses are on the grid.
      half = reach;
      mean = 0;
      step = Math.max(step, 2 * half / MOST_POINTS_OF_ALL);
    }
    step = Math.min(step + largest / MOST_POINTS, 2 * half / LEAST_POINTS);
    // Losses on the grid are larger by up to a step each.
    double points = Math.ceil(2 * half / step) + 4 + 2 * Math.min(count, LEAST_POINTS);
    if (!(points <= MOST_POINTS
        && mean <= MOST_STEPS * step
        && tilt * step <= MOST_GROWTH_OF_STEP)) {
      return Optional.empty();
    }
    int size = Integer.highestOneBit((int) points) * 2;
    Optional<GridComposition> composition = Optional.empty();
    for (int i = 0; i < ATTEMPTS && composition.isEmpty() && size <= 2 * MOST_POINTS; i++) {
      composition = of(mu, groups, count, tilt, mean, step, size);
      size *= 2;
    }
    return composition;
  }

  /** Empty if too much is beyond the grid. */
  private static Optional<GridComposition> of(
      double mu,
      List<EqualLosses> groups,
      double count,
      double tilt,
      double mean,
      double step,
      int size) {
    double logScale = 0;
    double above = 0;
    int from = (int) Math.rint(mean / step) - size / 2;
    double top = (from + size - 1.0) * step;
    double[] tails = new double[5];
    for (int j = 0; j < tails.length; j++) {
      tails[j] = (20 << j) / (size * step);
    }
    double[] beyond = new double[tails.length];
    List<LossGrid> grids = new ArrayList<>();
    List<Double> counts = new ArrayList<>();
    if (mu > 0) {
      LossGrid gaussian = gaussian(mu, tilt, step);
      grids.add(gaussian);
      counts.add(1.0);
      above = StrictMath.exp(-REACH * REACH / 2);
    }
    for (EqualLosses group : groups) {
      grids.add(LossGrid.of(group.loss, step));
      counts.add((double) group.reports);
    }
    LossSpectrum spectrum = new LossSpectrum(size);
    List<LossGrid> tilted = new ArrayList<>();
    for (int i = 0; i < grids.size(); i++) {
      double log = grids.get(i).logMoment(tilt);
      logScale += counts.get(i) * log;
      for (int j = 0; j < tails.length; j++) {
        beyond[j] += counts.get(i) * (grids.get(i).logMoment(tilt + tails[j]) - log);
      }
      tilted.add(grids.get(i).tilted(tilt));
    }
    if (!(Math.abs(logScale) <= Double.MAX_VALUE)) {
      return Optional.empty(); // no tilted probability is within the range of doubles
    }
    double least = 0;
    for (int j = 0; j < tails.length; j++) {
      least = Math.min(least, beyond[j] - tails[j] * top);
    }
    double reach = reach(grids, counts);
    boolean isWhole = reach <= top;
    if (!isWhole && !(least <= StrictMath.log(BEYOND))) {
      return Optional.empty();
    }
    if (!isWhole) {
      above += StrictMath.exp(least);
    }
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < tilted.size(); i++) {
      order.add(i);
    }
    order.sort(Comparator.comparingDouble(i -> -tilted.get(i).variance() * counts.get(i)));
    for (int i : order) {
      spectrum.multiply(tilted.get(i), counts.get(i));
    }
    double[] sums = spectrum.invert(from);
    double margin = 1 + count * GRID_ERROR + 1e-9 + tilt * reach * EXPONENT_ERROR;
    return Optional.of(new GridComposition(step, top, tilt, logScale, sums, above, margin));
  }

  private static double reach(List<LossGrid> grids, List<Double> counts) {
    double reach = 0;
    for (int i = 0; i < grids.size(); i++) {
      reach += grids.get(i).loss(grids.get(i).probabilities.length - 1) * counts.get(i);
    }
    return reach;
  }

  /** The loss of mu-GDP, within the reach of its own and its tilted law. */
  private static LossGrid gaussian(double mu, double tilt, double step) {
    double mean = mu * mu / 2;
    double least = mean - REACH * mu;
    double most = mean + (REACH + tilt * mu) * mu;
    LossGrid grid = new LossGrid(step, least, most + step);
    grid.add(
        new LossGrid.Density() {
          @Override
          public double of(double loss) {
            double z = (loss - mean) / mu;
            return StrictMath.exp(-z * z / 2);
          }
        },
        grid.lossesBetween(least, most),
        0.2 * mu);
    return grid.normalised();
  }

  /**
   * The least epsilon of at least 0 at delta, rounded up.
   *
   * @param logDelta natural logarithm of delta, at most 0
   */
  double epsilon(double logDelta) {
    double log = logDelta - StrictMath.log(margin);
    double lost = beyond * StrictMath.exp(tilt * step);
    double fall = StrictMath.exp(-tilt * step);
    double steeperFall = StrictMath.exp(-(tilt + 1) * step);
    double lift = StrictMath.exp(-step);
    double likely = 0;
    double unlikely = 0;
    for (int i = sums.length - 1; i >= 0; i--) {
      double loss = top - (sums.length - 1 - i) * step;
      likely = sums[i] + likely * fall;
      unlikely = sums[i] + unlikely * steeperFall;
      // delta at an epsilon between loss - step and loss is likely - exp(epsilon - loss) unlikely,
      // times exp(logScale - tilt loss).
      double target = StrictMath.exp(log - logScale + tilt * loss);
      double rounding = likely * 0x1p-46 + lost;
      if (likely - lift * unlikely + rounding > target) {
        double ratio = (likely + rounding - target) / unlikely;
        if (i == sums.length - 1 && ratio > 1) {
          return Double.POSITIVE_INFINITY; // errors and what is beyond the grid exceed delta
        }
        double epsilon = loss + StrictMath.log(Math.max(lift, ratio));
        return Math.max(0, epsilon + 1e-12 * Math.abs(epsilon));
      }
      if (loss < 0) {
        return 0;
      }
    }
    return Double.POSITIVE_INFINITY;
  }
}
