package io.croupier.operators.central.ftrl;

import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.MagnitudeLearner;

/**
 * Follow the regularised leader on noisy prefix sums, [K21, Algorithm 1], with momentum, a ball and
 * a composite L1 term:
 *
 * <pre>
 *   v_t         = gamma v_(t-1) + s_t,           v_0 = 0
 *   c_t         = gamma c_(t-1) + t lambda_1,    c_0 = 0
 *   theta_(t+1) = argmin over ||theta|| &lt;= radius of
 *                 &lt;v_t, theta&gt; + c_t ||theta||_1 + lambda/2 ||theta - theta_0||^2
 * </pre>
 *
 * <p>Solution: theta_0 - v_t / lambda is shrunk towards 0 by c_t / lambda in each coordinate, then
 * scaled into the ball. (The L1 norm and the ball are both centred at 0, so the second step
 * preserves the optimality of the first.) Without momentum v_t is the prefix sum and c_t = t
 * lambda_1, [K21, section 5.1]; momentum is [K21, section 4.1], DP-FTRLM. It is a discounted sum of
 * the objectives of all rounds, so the L1 terms are discounted with them; [K21] doesn't treat the
 * combination. theta_1 is theta_0, scaled into the ball.
 *
 * <p>Restarts of the noise don't change v_t: the sums continue from the last one.
 *
 * <p>Overflow: a coordinate of theta_0 - v_t / lambda beyond {@link MagnitudeLearner#LIMIT} /
 * sqrt(d), and one of v_t beyond the largest double, saturate there, and rounds in which that
 * happened are counted. Never NaN. A step costs O(d), one pass over four vectors, and allocates
 * nothing: the projection is a number, applied when weights are read.
 */
public final class Ftrl implements PrefixLearner<Ftrl.State> {
  private final FtrlParameters parameters;
  private final Averaging averaging;

  /** theta_0. */
  private final double[] centre;

  private final double reach;
  private final double largestCoordinate;

  /** Creates a learner with as many coordinates as initial weights. */
  public Ftrl(FtrlParameters parameters, Averaging averaging, InitialWeights initialWeights) {
    this.parameters = parameters;
    this.averaging = averaging;
    this.centre = new double[initialWeights.dimension()];
    initialWeights.addTo(centre);
    this.reach = Math.min(parameters.radius(), MagnitudeLearner.LIMIT);
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
    State state = new State(dimension());
    double squares = 0;
    for (double weight : centre) {
      double cut = within(weight, largestCoordinate);
      squares += cut * cut;
    }
    state.norm = Math.sqrt(squares);
    return state;
  }

  @Override
  public void step(State state, double[] prefixSum, double noiseVariance) {
    state.played.next(averaging);
    double momentum = parameters.momentum();
    double rate = parameters.learningRate();
    double scale = scale(state);
    double threshold = rate * state.charge;
    state.charge = momentum * state.charge + state.played.round * parameters.l1();
    double nextThreshold = rate * state.charge;
    double[] sum = state.sum;
    double[] mean = state.played.average.recent;
    double gain = state.played.average.gain();
    double squares = 0;
    boolean saturated = false;
    for (int i = 0; i < sum.length; i++) {
      double played =
          scale * shrink(within(centre[i] - rate * sum[i], largestCoordinate), threshold);
      mean[i] += gain * (played - mean[i]);
      double v = momentum * sum[i] + prefixSum[i];
      sum[i] = within(v, Double.MAX_VALUE);
      double z = centre[i] - rate * sum[i];
      double cut = within(z, largestCoordinate);
      saturated |= cut != z || sum[i] != v;
      double shrunk = shrink(cut, nextThreshold);
      squares += shrunk * shrunk;
    }
    state.norm = Math.sqrt(squares);
    state.played.count(saturated);
  }

  private double scale(State state) {
    return state.norm > reach ? reach / state.norm : 1;
  }

  private static double within(double x, double bound) {
    return Math.max(-bound, Math.min(bound, x));
  }

  /** Soft threshold: argmin over y of (y - x)^2 / 2 + threshold |y|. */
  private static double shrink(double x, double threshold) {
    return Math.abs(x) <= threshold ? 0 : x - Math.copySign(threshold, x);
  }

  @Override
  public void publish(State state, Iterate out) {
    double scale = scale(state);
    double rate = parameters.learningRate();
    double threshold = rate * state.charge;
    for (int i = 0; i < centre.length; i++) {
      double z = within(centre[i] - rate * state.sum[i], largestCoordinate);
      out.weights[i] = scale * shrink(z, threshold);
    }
    state.played.publish(out);
  }

  /**
   * The numbers that determine the weights. Invariants: every number is finite; norm is the L2 norm
   * of the weights before the projection.
   */
  public static final class State implements LearnerState {

    /** v_t: without momentum the prefix sum. */
    private final double[] sum;

    private final RoundHistory played;
    private double norm;

    /** c_t. */
    private double charge;

    private State(int dimension) {
      sum = new double[dimension];
      played = new RoundHistory(dimension);
    }

    @Override
    public long round() {
      return played.round;
    }

    @Override
    public void visit(Visitor visitor) {
      norm = visitor.scalar("norm", norm);
      charge = visitor.scalar("l1-charge", charge);
      visitor.vector("sum", sum);
      played.visit(visitor);
    }
  }
}
