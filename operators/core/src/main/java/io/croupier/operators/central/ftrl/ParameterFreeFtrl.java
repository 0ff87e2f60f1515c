package io.croupier.operators.central.ftrl;

import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.MagnitudeLearner;
import io.croupier.operators.learner.Potential;
import io.croupier.operators.learner.Prior;

/**
 * Dual averaging on noisy prefix sums without a learning rate: the step is against the direction of
 * the sum, and its length is the bet of a one-dimensional {@link Potential} on the sum's norm,
 *
 * <pre>
 *   theta_(t+1) = theta_0 - W0 w(||s_t||, V_t) s_t / ||s_t||,
 *   V_t         = exp(1/5)/2 (t + 1) G^2 + (d + 3)/2 max over i &lt;= t of nu_i^2,
 * </pre>
 *
 * <p>where nu_i^2 is the variance of the noise in each coordinate of s_i and w the prediction of
 * the prior on betting fractions up to C = 1 / (5 G). V_t is public: it depends on no data.
 *
 * <p>docs/theory/dp-ftrl.md contains the theorem, lab/proofs/dp-ftrl.md its proof. In short: with
 * F(x, V) = E_P[exp(v x - v^2 V)], Gaussian noise whose variance never falls, correlated in any
 * way, a proper prior, and gradients g_t of norm at most G that were fixed before the noise was
 * drawn,
 *
 * <pre>
 *   E sum &lt;g_t, theta_t - u&gt; &lt;= W0 + max over x of (||u - theta_0|| x - W0 F(x, V_T)).
 * </pre>
 *
 * <p>The guarantees of betting learners hold round by round for independent symmetric noise; the
 * noise of two prefix sums is not independent, but with gradients fixed in advance only its
 * distribution within each single sum matters, and V covers its effect on the potential (d/2 of the
 * (d + 3)/2; the rest bounds the second moment of the weights in few dimensions). Gradients of
 * losses at theta_t depend on the noise, and a tree's variance falls and rises again: for these
 * cases the learner's risk is measured, not proved.
 *
 * <p>Overflow: a coordinate of the sum beyond {@link MagnitudeLearner#LIMIT} / sqrt(d), and a
 * distance from theta_0 beyond that limit, saturate there; rounds in which that happened are
 * counted. Never NaN. A step costs O(d), one pass over four vectors, and one evaluation of the
 * potential; it allocates nothing.
 */
public final class ParameterFreeFtrl implements PrefixLearner<ParameterFreeFtrl.State> {
  /** C G: the largest betting fraction, relative to the largest loss of a round. */
  private static final double LARGEST_FRACTION = 0.2;

  /**
   * exp(1/5) / 2, see lab/proofs/dp-ftrl.md: the increment of V for a gradient of norm G, over G^2.
   */
  private static final double CURVATURE = StrictMath.exp(LARGEST_FRACTION) / 2;

  private final double squaredBound;
  private final double initialWealth;
  private final Potential potential;
  private final Averaging averaging;

  /** theta_0. */
  private final double[] centre;

  private final double largestCoordinate;

  /**
   * Creates a learner with as many coordinates as initial weights.
   *
   * @param roundBound G, the largest L2 norm of a round's contribution to the sum before the noise
   * @param prior prior over betting fractions
   * @param initialWealth W0, positive and finite
   */
  public ParameterFreeFtrl(
      double roundBound,
      Prior prior,
      double initialWealth,
      Averaging averaging,
      InitialWeights initialWeights) {
    if (!(roundBound > 0) || Double.isInfinite(roundBound)) {
      throw new IllegalArgumentException(
          "dp_ftrl_parameter_free.clip_norm is "
              + roundBound
              + "; it has to be positive and finite");
    }
    if (!(initialWealth > 0) || Double.isInfinite(initialWealth)) {
      throw new IllegalArgumentException(
          "initial_wealth is " + initialWealth + "; it has to be positive and finite");
    }
    this.squaredBound = roundBound * roundBound;
    this.initialWealth = initialWealth;
    this.potential = new Potential(prior, LARGEST_FRACTION / roundBound);
    this.averaging = averaging;
    this.centre = new double[initialWeights.dimension()];
    initialWeights.addTo(centre);
    this.largestCoordinate = MagnitudeLearner.LIMIT / Math.sqrt(centre.length);
  }

  @Override
  public int dimension() {
    return centre.length;
  }

  @Override
  public int sumDimension() {
    return centre.length;
  }

  @Override
  public State initial() {
    return new State(dimension());
  }

  @Override
  public void step(State state, double[] prefixSum, double noiseVariance) {
    if (!(noiseVariance >= 0) || Double.isInfinite(noiseVariance)) {
      throw new IllegalArgumentException(
          "noise variance is " + noiseVariance + "; it has to be finite and at least 0");
    }
    state.history.next(averaging);
    double[] sum = state.sum;
    double[] mean = state.history.average.recent;
    double gain = state.history.average.gain();
    double squares = 0;
    boolean saturated = false;
    for (int i = 0; i < sum.length; i++) {
      mean[i] += gain * (weight(state, i) - mean[i]);
      double cut = Math.max(-largestCoordinate, Math.min(largestCoordinate, prefixSum[i]));
      saturated |= cut != prefixSum[i];
      sum[i] = cut;
      squares += cut * cut;
    }
    state.norm = Math.sqrt(squares);
    state.noiseVariance = Math.max(state.noiseVariance, noiseVariance);
    double distance = initialWealth * potential.prediction(state.norm, variance(state));
    state.distance = Math.min(MagnitudeLearner.LIMIT, distance);
    state.history.count(saturated || distance > MagnitudeLearner.LIMIT);
  }

  private double variance(State state) {
    return CURVATURE * squaredBound * (state.history.round + 1.0)
        + (centre.length + 3.0) / 2 * state.noiseVariance;
  }

  private double weight(State state, int i) {
    return state.norm > 0 ? centre[i] - state.distance * (state.sum[i] / state.norm) : centre[i];
  }

  @Override
  public void publish(State state, Iterate out) {
    for (int i = 0; i < centre.length; i++) {
      out.weights[i] = weight(state, i);
    }
    state.history.publish(out);
    out.diagnostics.put("log-potential", potential.logPotential(state.norm, variance(state)));
    out.diagnostics.put("magnitude", state.distance);
  }

  /**
   * Invariants: norm is that of sum; 0 &lt;= distance &lt;= LIMIT is the norm of the vector added
   * to theta_0 (if norm is not 0); the noise variance never falls.
   */
  public static final class State implements LearnerState {
    private final double[] sum;
    private final RoundHistory history;
    private double norm;
    private double distance;

    /** The largest noise variance so far. */
    private double noiseVariance;

    private State(int dimension) {
      sum = new double[dimension];
      history = new RoundHistory(dimension);
    }

    @Override
    public long round() {
      return history.round;
    }

    @Override
    public void visit(Visitor visitor) {
      norm = visitor.scalar("norm", norm);
      distance = visitor.scalar("distance", distance);
      noiseVariance = visitor.scalar("noise-variance", noiseVariance);
      visitor.vector("sum", sum);
      history.visit(visitor);
    }
  }
}
