package io.croupier.operators.learner;

import java.util.Map;

/**
 * A learner without parameters: it needs neither the noise nor the distance of the optimum.
 *
 * <p>It plays w = w0 + r z, where z moves by projected gradient steps in the ball of radius {@value
 * #BALL} and the radius r never falls. It grows when a mixture of constant bets v_k on z has won
 * (its wealth is F, {@code log_evidence}), and when a step leads z out of the ball while F is at
 * least e. With g the mean subgradient of a round, coin the mean inner product with the direction
 * in force, and a the mean of ||g||^2 with weights 1, 2, ..:
 *
 * <pre>
 *   L -= coin;  V += coin^2;  F = sum_k p_k exp(v_k L - c_k v_k^2 V)
 *   z -= g / sqrt(t a);  n = ||z||;  if n > B: z *= B/n, and if ln F >= 1: r *= (n/B)^2
 *   r = max(r, min(omega sqrt F, r (1 + 1/sqrt t)))
 *   the average includes w with weight t r^2
 * </pre>
 *
 * <p>Source: our own. It tightens Lemma 4 of [vdH19]: for symmetric x with |E x| <= delta, E exp(x
 * - c x^2) <= 1 + E x holds with c = 1/2 + delta + 2.8 delta^2, so that F exceeds K with
 * probability at most 1/K unless the direction is worth following, whatever the (symmetric) noise.
 *
 * <p>Overflow: r saturates at {@link MagnitudeLearner#LIMIT} / B, counted; never NaN. A step costs
 * O(d) (with a second, read-only pass where z may leave the ball) and {@value #LEVELS}
 * exponentials; it allocates nothing.
 */
public final class AdaptiveRadius implements Learner<AdaptiveRadius.State> {
  private static final double BALL = 2;
  private static final int LEVELS = 32;

  /** The largest |E x| that the tightened lemma allows is 0.2836 (there c = 1). */
  private static final double LARGEST_BIAS = 0.28;

  /** The first radius, in units of 1 / G: the one arbitrary scale. */
  private static final double FIRST_RADIUS = 0.01;

  /** The least ln F at which a step out of the ball may increase the radius. */
  private static final double GATE = 1;

  private static final double LARGEST_RADIUS = MagnitudeLearner.LIMIT / BALL;

  /**
   * Bound that keeps products with the betting fractions finite; at such sums F is 0 or saturated.
   */
  private static final double LARGEST_SUM = 1e300;

  private final double gradientBound;
  private final InitialWeights initialWeights;
  private final double[] fraction = new double[LEVELS];
  private final double[] curvature = new double[LEVELS];
  private final double[] logWeight = new double[LEVELS];

  /**
   * Creates an adaptive-radius learner.
   *
   * @param gradientBound G, positive and finite
   */
  AdaptiveRadius(double gradientBound, InitialWeights initialWeights) {
    if (!(gradientBound > 0) || Double.isInfinite(FIRST_RADIUS / gradientBound)) {
      throw new IllegalArgumentException(
          "gradient_bound is " + gradientBound + "; it has to be positive and finite");
    }
    this.gradientBound = gradientBound;
    this.initialWeights = initialWeights;
    for (int k = 0; k < LEVELS; k++) {
      double delta = Math.scalb(LARGEST_BIAS, -k);
      fraction[k] = delta / BALL;
      curvature[k] = (0.5 + delta + 2.8 * delta * delta) * fraction[k] * fraction[k];
      logWeight[k] = StrictMath.log(3.0 / ((k + 3) * (k + 4)));
    }
  }

  @Override
  public int dimension() {
    return initialWeights.dimension();
  }

  @Override
  public State initial() {
    return new State(dimension(), FIRST_RADIUS / gradientBound);
  }

  /** A late gradient counts as evidence for the direction in which the weights have gone since. */
  @Override
  public boolean isMisledByDelay() {
    return true;
  }

  @Override
  public boolean bets() {
    return true;
  }

  @Override
  public double direction(State state, double[] into) {
    state.point.copy(1, into);
    return 0;
  }

  @Override
  public void step(State state, Round round) {
    double t = ++state.round;
    state.coins.add(-round.coin);
    state.squaredCoins.add(Math.min(round.coin * round.coin, Double.MAX_VALUE));
    double meanSquaredNorm = state.meanSquaredNorm.value();
    state.meanSquaredNorm.add(2 / (t + 1) * (round.squaredNorm - meanSquaredNorm));
    meanSquaredNorm = state.meanSquaredNorm.value();
    double step = meanSquaredNorm > 0 ? 1 / (Math.sqrt(t) * Math.sqrt(meanSquaredNorm)) : 0;

    double radius = state.radius;
    double next = nextRadius(state, round, step);
    if (next > LARGEST_RADIUS) {
      next = LARGEST_RADIUS;
      state.saturations++;
    }
    state.radius = next;
    double shrinkage = radius / next;
    state.average.advance((t - 1) / t * shrinkage * shrinkage);
    state.point.averageAndMove(radius, state.average, round.subgradient, step);
  }

  private double nextRadius(State state, Round round, double step) {
    double logEvidence = logEvidence(state);
    double radius = state.radius;
    // The norm costs a pass of its own, so it is computed only where it can exceed the ball.
    if (logEvidence >= GATE
        && state.point.length() + step * Math.sqrt(round.squaredNorm) > 0.999 * BALL) {
      double excess = state.point.normAfter(round.subgradient, step) / BALL;
      if (excess > 1) {
        radius *= excess * excess;
      }
    }
    double fastest = radius * (1 + 1 / Math.sqrt((double) state.round));
    double firstRadius = FIRST_RADIUS / gradientBound;
    double earned =
        StrictMath.log(firstRadius) + logEvidence / 2 < StrictMath.log(fastest)
            ? firstRadius * StrictMath.exp(logEvidence / 2)
            : fastest;
    return Math.max(radius, earned);
  }

  /** Returns ln F, with its largest term factored out. Coins are in units of G. */
  private double logEvidence(State state) {
    double coins = state.coins.value() / gradientBound;
    coins = Math.copySign(Math.min(Math.abs(coins), LARGEST_SUM), coins);
    double squares =
        Math.min(state.squaredCoins.value() / gradientBound / gradientBound, LARGEST_SUM);
    double largest = Double.NEGATIVE_INFINITY;
    for (int k = 0; k < LEVELS; k++) {
      largest = Math.max(largest, exponent(k, coins, squares));
    }
    double sum = 0;
    for (int k = 0; k < LEVELS; k++) {
      sum += StrictMath.exp(exponent(k, coins, squares) - largest);
    }
    return largest + StrictMath.log(sum);
  }

  private double exponent(int k, double coins, double squares) {
    return logWeight[k] + fraction[k] * coins - curvature[k] * squares;
  }

  @Override
  public void publish(State state, Iterate out) {
    state.point.copy(state.radius, out.weights);
    initialWeights.addTo(out.weights);
    describe(state, out);
  }

  @Override
  public void describe(State state, Iterate out) {
    out.round = state.round;
    state.average.copy(out.average);
    initialWeights.addTo(out.average);
    Map<String, Double> diagnostics = out.diagnostics;
    diagnostics.clear();
    diagnostics.put("log-evidence", logEvidence(state));
    diagnostics.put("radius", state.radius);
    diagnostics.put("mean-squared-norm", state.meanSquaredNorm.value());
    diagnostics.put("saturations", (double) state.saturations);
  }

  /** Invariants: the radius never falls; the point is in the ball; everything is finite. */
  public static final class State implements LearnerState {
    private final BallPoint point;
    private final RunningAverage average;
    private long round;
    private final RunningSum coins = new RunningSum();
    private final RunningSum squaredCoins = new RunningSum();
    private final RunningSum meanSquaredNorm = new RunningSum();
    private double radius;
    private long saturations;

    private State(int dimension, double radius) {
      this.point = new BallPoint(dimension, BALL);
      this.average = new RunningAverage(dimension);
      this.radius = radius;
    }

    @Override
    public long round() {
      return round;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      coins.visit(visitor, "coins");
      squaredCoins.visit(visitor, "squared-coins");
      meanSquaredNorm.visit(visitor, "mean-squared-norm");
      radius = visitor.scalar("radius", radius);
      saturations = visitor.count("saturations", saturations);
      point.visit(visitor);
      average.visit(visitor);
    }
  }
}
