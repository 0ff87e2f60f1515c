package io.croupier.operators.learner;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * A learner without parameters: it needs neither the noise nor the distance of the optimum.
 *
 * <p>It plays w = w0 + r z, where z moves by projected gradient steps in the ball of radius {@value
 * #BALL} and the radius r never falls. It grows when a mixture of constant bets on z has won (its
 * wealth is F, see {@link Evidence}), and when a step leads z out of the ball while F is at least
 * e. With g the mean of a round's trimmed reports in units of the gradient bound G, lambda the
 * round's weight (see {@link RoundWeights}; 1 if all rounds have equally many reports), a the mean
 * of ||lambda g||^2 with weights 1, 2, .., and p the radius at the last publication:
 *
 * <pre>
 *   z -= lambda g / sqrt(t a);  n = ||z||;  if n > B: z *= B/n, and if ln F >= 1: r *= (n/B)^2
 *   e = min(omega sqrt(F) / f, r (1 + 1/sqrt t)), omega = 0.01 / G;  if e > 2 p: f *= e / (2 p), e = 2 p
 *   r = max(r, e), at most 2 p
 *   the average includes w with weight t r^2
 * </pre>
 *
 * <p>All reports between two publications were evaluated at the same weights, so the evidence of
 * their rounds confirms itself: without the limit of 2 p, one publication with many reports could
 * multiply the radius by thousands. The divisor f, at first 1, makes up for growth that the limit
 * prevented, so that the radius doesn't make it up later.
 *
 * <p>Source: our own. Each report is trimmed to a norm of at most 2 G before it enters the mean, so
 * F exceeds K with probability at most 0.915/K unless the direction is worth following, whatever
 * the law of the noise (docs/adaptive-radius.md).
 *
 * <p>Overflow: r saturates at {@link MagnitudeLearner#LIMIT} / B, counted; never NaN. A step costs
 * O(d) (with a second, read-only pass where z may leave the ball) and {@value Evidence#LEVELS}
 * exponentials; it allocates nothing.
 */
public final class AdaptiveRadius implements Learner<AdaptiveRadius.State> {
  static final double BALL = 2;

  /** The first radius, in units of 1 / G: the one arbitrary scale. */
  private static final double FIRST_RADIUS = 0.01;

  /** The least ln F at which a step out of the ball may increase the radius. */
  private static final double GATE = 1;

  /** The largest factor by which the radius grows from one publication to the next. */
  private static final double GROWTH = 2;

  /** The largest squared norm of a trimmed report, in units of G. */
  private static final double LARGEST_SQUARED_NORM = 4;

  /** The mean squared norm of the smallest rounds, in units of G, beyond which they are noise. */
  private static final double NOISE_DOMINATES = 2.5;

  private static final String SQUARED_NORM = "trimmed-mean-squared-norm";

  /** Parts of a state that an earlier release stored, of reports that were not trimmed. */
  private static final Pattern UNTRIMMED =
      Pattern.compile("(coins|squared-coins|mean-squared-norm|squared-norms-by-size|agreement).*");

  private static final double LARGEST_RADIUS = MagnitudeLearner.LIMIT / BALL;

  private final double gradientBound;
  private final InitialWeights initialWeights;

  /**
   * Creates an adaptive-radius learner.
   *
   * @param gradientBound G, positive and finite; where it moves, that of the first publication
   */
  AdaptiveRadius(double gradientBound, InitialWeights initialWeights) {
    if (!(gradientBound > 0) || Double.isInfinite(FIRST_RADIUS / gradientBound)) {
      throw new IllegalArgumentException(
          "gradient_bound is " + gradientBound + "; it has to be positive and finite");
    }
    this.gradientBound = gradientBound;
    this.initialWeights = initialWeights;
  }

  @Override
  public int dimension() {
    return initialWeights.dimension();
  }

  @Override
  public State initial() {
    return new State(dimension(), FIRST_RADIUS / gradientBound);
  }

  /**
   * A late gradient counts as evidence for the direction in which the weights have gone since.
   * Where the noise of single reports dominates, this does less harm at a delay of one publication
   * than large rounds do. The mean of two reports or more has too little noise for that.
   */
  @Override
  public int harmlessDelay(State state) {
    return state.weights.leastRounds() > NOISE_DOMINATES ? 1 : 0;
  }

  @Override
  public boolean bets() {
    return true;
  }

  @Override
  public boolean countsInUnitsOfTheBound() {
    return true;
  }

  @Override
  public void restore(State state, LearnerState.Visitor reader) {
    state.visit(reader);
    if (Double.isNaN(reader.scalar(SQUARED_NORM, Double.NaN))) {
      state.restoreUntrimmed(reader, gradientBound);
    }
  }

  @Override
  public boolean isObsolete(String part) {
    return UNTRIMMED.matcher(part).matches();
  }

  @Override
  public double direction(State state, double[] into) {
    state.point.copy(1, into);
    return 0;
  }

  @Override
  public void step(State state, Round round) {
    if (!(round.gradientBound > 0)) {
      throw new IllegalArgumentException(
          "gradient_bound of the round is " + round.gradientBound + "; it has to be positive");
    }
    if (state.round == 0) {
      state.begin(FIRST_RADIUS / round.gradientBound);
    }
    double t = ++state.round;
    int exponent = state.weights.exponent(round.reports);
    double weight = Math.scalb(1.0, exponent);
    state.weights.observe(round.reports, Math.min(round.squaredNorm, Double.MAX_VALUE));
    state.evidence.observe(round.coin, exponent);
    double meanSquaredNorm = state.meanSquaredNorm.value();
    double squaredNorm = Math.min(weight * weight * round.squaredNorm, Double.MAX_VALUE);
    state.meanSquaredNorm.add(2 / (t + 1) * (squaredNorm - meanSquaredNorm));
    meanSquaredNorm = state.meanSquaredNorm.value();
    double step = meanSquaredNorm > 0 ? weight / (Math.sqrt(t) * Math.sqrt(meanSquaredNorm)) : 0;

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
    double logEvidence = state.evidence.log();
    double firstRadius = FIRST_RADIUS / round.gradientBound;
    double radius = Math.max(state.radius, firstRadius);
    // The norm costs a pass of its own, so it is computed only where it can exceed the ball.
    if (logEvidence >= GATE
        && state.point.length() + step * Math.sqrt(round.squaredNorm) > 0.999 * BALL) {
      double excess = state.point.normAfter(round.subgradient, step) / BALL;
      if (excess > 1) {
        radius = Math.min(radius * excess * excess, LARGEST_RADIUS);
      }
    }
    double limit = GROWTH * state.publishedRadius;
    double earned = earned(state, logEvidence, radius, firstRadius);
    if (earned > limit) {
      state.logForfeited += StrictMath.log(earned / limit);
      earned = limit;
    }
    return Math.max(state.radius, Math.min(Math.max(radius, earned), limit));
  }

  private static double earned(State state, double logEvidence, double radius, double firstRadius) {
    double fastest = radius * (1 + 1 / Math.sqrt((double) state.round));
    double logGrowth = logEvidence / 2 - state.logForfeited;
    return StrictMath.log(firstRadius) + logGrowth < StrictMath.log(fastest)
        ? firstRadius * StrictMath.exp(logGrowth)
        : fastest;
  }

  @Override
  public void publish(State state, Iterate out) {
    state.publishedRadius = state.radius;
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
    diagnostics.put("log-evidence", state.evidence.log());
    diagnostics.put("radius", state.radius);
    diagnostics.put("mean-squared-norm", state.meanSquaredNorm.value());
    diagnostics.put("saturations", (double) state.saturations);
  }

  /**
   * Invariants: from the first step on, which fits it to the clip of its round, the radius never
   * falls; the point is in the ball; everything is finite.
   */
  public static final class State implements LearnerState {
    private final BallPoint point;
    private final RunningAverage average;
    private long round;
    private final Evidence evidence = new Evidence();
    private final RoundWeights weights = new RoundWeights();
    private final RunningSum meanSquaredNorm = new RunningSum();
    private double radius;

    /**
     * The radius at the last publication; infinite before the first one, and in a state of a
     * release that didn't store it, until the next one.
     */
    private double publishedRadius = Double.POSITIVE_INFINITY;

    /** The logarithm of f. */
    private double logForfeited;

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

    /** Takes the scale of the first round; before, the weights don't depend on the radius. */
    private void begin(double firstRadius) {
      radius = firstRadius;
      publishedRadius = publishedRadius < Double.POSITIVE_INFINITY ? firstRadius : publishedRadius;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      evidence.visit(visitor);
      weights.visit(visitor);
      meanSquaredNorm.visit(visitor, SQUARED_NORM);
      radius = visitor.scalar("radius", radius);
      publishedRadius = visitor.scalar("published-radius", publishedRadius);
      logForfeited = visitor.scalar("log-forfeited", logForfeited);
      saturations = visitor.count("saturations", saturations);
      point.visit(visitor);
      average.visit(visitor);
    }

    /**
     * Restores the sums of a release that took gradients as they are. The mean squared norm of
     * noise that was not trimmed would make steps on trimmed reports too short.
     */
    private void restoreUntrimmed(Visitor reader, double gradientBound) {
      evidence.restoreUntrimmed(reader, gradientBound);
      weights.restoreUntrimmed(reader, gradientBound, LARGEST_SQUARED_NORM);
      meanSquaredNorm.visit(reader, "mean-squared-norm");
      meanSquaredNorm.divide(gradientBound);
      meanSquaredNorm.divide(gradientBound);
      meanSquaredNorm.limit(LARGEST_SQUARED_NORM);
    }
  }
}
