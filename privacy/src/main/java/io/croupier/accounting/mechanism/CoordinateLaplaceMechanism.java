package io.croupier.accounting.mechanism;

import io.croupier.accounting.PureLoss;
import io.croupier.accounting.mechanism.InvalidMechanismException.Flaw;
import io.croupier.accounting.numerics.DecimalNorm;
import io.croupier.accounting.numerics.DecimalSum;
import io.croupier.accounting.numerics.DecimalUnits;
import java.math.BigDecimal;
import java.nio.Buffer;
import java.nio.DoubleBuffer;
import java.util.List;

/**
 * Laplace noise of scale 2G / tau_j in coordinate j. An infinite tau adds no noise: that coordinate
 * is open.
 *
 * <p>With D the difference of two clipped gradients, the privacy loss is at most the sum of tau_j
 * |D_j| / 2G. If the clip bounds the L2 norm, ||D|| &lt;= 2G, so the sum is at most ||tau||; if it
 * bounds coordinates, or is not declared, |D_j| &lt;= 2G, so the sum is at most the sum of the
 * taus. The squares of tau_j |D_j| / 2G add up to at most the square of the largest tau under the
 * former, and to the sum of their squares under the latter. Open coordinates are unbounded, and
 * counted separately.
 */
public final class CoordinateLaplaceMechanism implements Mechanism {
  private static final String NAME = "coordinate_laplace";
  private static final String RIGHT = "above 0 (Infinity: not private)";

  /** More than an account can contain; beyond it the taus need no exact sum. */
  private static final double TOO_MUCH = 1e10;

  /** Less than 1 by more than the rounding errors of a sum of 2^26 squares. */
  private static final double DOWN = 1 - 0x1p-26;

  /** Decimals of an epsilon in accounts. */
  private static final int DECIMALS = 9;

  /** ln 2^40: a Laplace variable of scale 1 is larger with probability 2^-40. */
  private static final double LAPLACE_TAIL = 40 * StrictMath.log(2);

  private final DoubleBuffer taus;
  private final DeclaredClip clip;
  private final double smallest;
  private final double largestFinite;
  private final int open;

  /** Null until it is asked for: it takes O(d). */
  private Cost cost;

  private double effectiveCoordinates;

  /**
   * Takes the taus as they are in memory: nothing is copied, and the caller must not change them.
   *
   * @param taus from the first element to the limit, in nats, above 0; infinite: no noise
   * @param unnamed number of coordinates that a sparse report doesn't name, and so doesn't hide
   * @throws InvalidMechanismException if a tau is out of range
   */
  public CoordinateLaplaceMechanism(DoubleBuffer taus, DeclaredClip clip, int unnamed) {
    this.taus = taus;
    this.clip = clip;
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    int infinite = 0;
    int count = taus.limit();
    for (int j = 0; j < count; j++) {
      double tau = taus.get(j);
      if (!(tau > 0)) {
        throw new InvalidMechanismException(NAME, List.of(new Flaw("taus[" + j + "]", tau, RIGHT)));
      }
      least = Math.min(least, tau);
      if (tau == Double.POSITIVE_INFINITY) {
        infinite++;
      } else {
        most = Math.max(most, tau);
      }
    }
    smallest = least;
    largestFinite = most;
    open = infinite + unnamed;
  }

  /** Number of taus. */
  public int count() {
    return taus.limit();
  }

  /** A tau, in nats. */
  public double tau(int coordinate) {
    return taus.get(coordinate);
  }

  /** All taus; reading moves no position of this mechanism. */
  public DoubleBuffer taus() {
    // Of Android 13, rewind is declared by Buffer alone.
    return (DoubleBuffer) ((Buffer) taus.duplicate()).rewind();
  }

  /** The set to which the gradient was clipped. */
  public DeclaredClip clip() {
    return clip;
  }

  /** The least tau, that of the strongest noise. */
  public double smallestTau() {
    return smallest;
  }

  /** Number of coordinates without noise: of infinite tau, or not named by a sparse report. */
  public int openCoordinates() {
    return open;
  }

  /**
   * The epsilon of all coordinates with noise: the norm of the taus, rounded up to 1e-9, or their
   * exact sum.
   */
  public BigDecimal exactEpsilon() {
    return isByNorm() ? norm() : sum();
  }

  private BigDecimal norm() {
    DecimalNorm norm = new DecimalNorm();
    for (int from = 0, to; from < count(); from = to) {
      to = endOfRun(from);
      norm.add(taus.get(from), to - from);
    }
    return norm.roundUp(DECIMALS);
  }

  private BigDecimal sum() {
    DecimalSum sum = new DecimalSum();
    for (int from = 0, to; from < count(); from = to) {
      to = endOfRun(from);
      if (taus.get(from) < Double.POSITIVE_INFINITY) {
        sum.add(taus.get(from), to - from);
      }
    }
    return sum.toBigDecimal();
  }

  /** Returns the end of a run of equal taus; most reports have a single run. */
  private int endOfRun(int from) {
    double tau = taus.get(from);
    int count = count();
    int to = from + 1;
    while (to < count && taus.get(to) == tau) {
      to++;
    }
    return to;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Cost cost() {
    if (cost == null) {
      cost = computedCost();
    }
    return cost;
  }

  private Cost computedCost() {
    long nanos =
        largestFinite >= TOO_MUCH
            ? DecimalUnits.SATURATED
            : DecimalUnits.roundUp(exactEpsilon(), DECIMALS);
    double epsilon = DecimalUnits.toDouble(nanos, DECIMALS);
    effectiveCoordinates = effective(epsilon);
    return Cost.ofCoordinates(PureLoss.ofCoordinates(epsilon, effectiveCoordinates), open);
  }

  /** On the model's grid the noise is discrete, see {@link PureLoss#ofCoordinates}. */
  @Override
  public Cost cost(GradientSpace space) {
    return Cost.ofCoordinates(
        PureLoss.ofCoordinates(cost().epsilon(), effectiveCoordinates, leastScale(space)), open);
  }

  /** The least scale of the noise in steps of the model's grid, which is at least a step. */
  public double leastScale(GradientSpace space) {
    return Math.max(
        1, Math.scalb(2 * space.gradientBound(), -space.gridExponent()) / largestFinite);
  }

  /**
   * The number of equal coordinates that cost at least as much: epsilon^2 over the largest sum of
   * squares, rounded down. It is at most the number of taus, which equal taus attain. 0 if no
   * coordinate has noise, or epsilon is more than an account can contain.
   */
  public double effectiveCoordinates() {
    cost();
    return effectiveCoordinates;
  }

  private double effective(double epsilon) {
    if (!(epsilon > 0 && epsilon < TOO_MUCH)) {
      return 0;
    }
    double squares = 0;
    for (int from = 0, to; from < count(); from = to) {
      to = endOfRun(from);
      double share = taus.get(from) / epsilon;
      if (share < Double.POSITIVE_INFINITY) {
        squares =
            isByNorm() ? Math.max(squares, share * share) : squares + (to - from) * share * share;
      }
    }
    return Math.max(1, Math.min(count(), DOWN / squares));
  }

  private boolean isByNorm() {
    return clip == DeclaredClip.L2 && open == 0;
  }

  /** A sparse report counts the coordinates that it doesn't name as open. */
  @Override
  public boolean hidesSparsity() {
    return true;
  }

  @Override
  public double pole(GradientSpace space) {
    return 1 / largestScale(space);
  }

  /**
   * Independent coordinates: 1 / (1 - k^2) along the axis of the largest scale, which is the worst
   * direction, k = scale beta.
   */
  @Override
  public double directionalVariance(GradientSpace space, double range) {
    double scale = largestScale(space);
    return 2 * scale * scale * LaplaceGrowth.at(scale * range);
  }

  /**
   * A length that coordinate j of an honest report exceeds with probability at most 2^-40. A
   * gradient that is clipped to L2 norm G has no coordinate beyond G either, so it holds for both
   * clips.
   *
   * @param index of a tau
   */
  public double longestCoordinate(GradientSpace space, int index) {
    double g = space.gradientBound();
    return g + 2 * g / taus.get(index) * LAPLACE_TAIL + space.gridStep();
  }

  @Override
  public double squaredError(GradientSpace space) {
    double error = 0;
    for (int j = 0; j < count(); j++) {
      error += 8 / (taus.get(j) * taus.get(j));
    }
    return error;
  }

  private double largestScale(GradientSpace space) {
    return 2 * space.gradientBound() / smallest;
  }
}
