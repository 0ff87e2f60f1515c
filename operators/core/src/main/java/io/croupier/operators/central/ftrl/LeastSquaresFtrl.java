package io.croupier.operators.central.ftrl;

import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.MagnitudeLearner;
import io.croupier.operators.math.Vectors;

/**
 * Follow the regularised leader for the squared loss, without linearisation: with W_t and s_t the
 * noisy sums of x x' and y x over all examples,
 *
 * <pre>
 *   theta_(t+1) = argmin over ||theta|| &lt;= radius of
 *                 theta' W_t theta - 2 &lt;s_t, theta&gt; + lambda/2 ||theta - theta_0||^2
 * </pre>
 *
 * <p>Source: [K21, Algorithm 2], FTRL-LS, whose theta_0 is 0. Noise can make W_t + lambda/2 I
 * indefinite, so that the argmin exists in the ball only; {@link BallQuadratic} solves that case,
 * too. theta_1 is theta_0, scaled into the ball.
 *
 * <p>The prefix sum is one of {@link ExampleMoments}, with noise. lambda is in the units of that
 * sum: where each round's sum is divided by its goal, lambda must be, too.
 *
 * <p>Overflow: entries of W and s beyond 1e300 saturate there, and rounds in which that happened
 * are counted; so do initial weights beyond {@link MagnitudeLearner#LIMIT}. Never NaN. A step costs
 * O(d^3), see lab/proofs/dp-ftrl.md; the state is two vectors.
 */
public final class LeastSquaresFtrl implements PrefixLearner<LeastSquaresFtrl.State> {
  private static final double LARGEST = 1e300;

  private final ExampleMoments moments;
  private final LeastSquaresParameters parameters;
  private final Averaging averaging;

  /** theta_0. */
  private final double[] centre;

  /** Creates a learner with as many coordinates as initial weights and coordinates of x. */
  public LeastSquaresFtrl(
      ExampleMoments moments,
      LeastSquaresParameters parameters,
      Averaging averaging,
      InitialWeights initialWeights) {
    if (moments.dimension() != initialWeights.dimension()) {
      throw new IllegalArgumentException(
          "initial_weights have %d coordinates; they have to have as many as x, %d"
              .formatted(initialWeights.dimension(), moments.dimension()));
    }
    this.moments = moments;
    this.parameters = parameters;
    this.averaging = averaging;
    this.centre = new double[moments.dimension()];
    initialWeights.addTo(centre);
    saturate(centre, MagnitudeLearner.LIMIT);
  }

  @Override
  public int dimension() {
    return moments.dimension();
  }

  @Override
  public int sumDimension() {
    return moments.size();
  }

  @Override
  public State initial() {
    State state = new State(dimension());
    double largest = 0;
    for (double weight : centre) {
      largest = Math.max(largest, Math.abs(weight));
    }
    if (largest > 0) {
      Vectors.scale(1 / largest, centre, state.weights);
      double norm = Math.sqrt(Vectors.squaredNorm(state.weights));
      boolean inside = norm <= parameters.radius() / largest;
      Vectors.scale(
          inside ? 1 : parameters.radius() / norm, inside ? centre : state.weights, state.weights);
    }
    return state;
  }

  @Override
  public void step(State state, double[] prefixSum, double noiseVariance) {
    state.history.next(averaging);
    double[] mean = state.history.average.recent;
    double gain = state.history.average.gain();
    for (int i = 0; i < mean.length; i++) {
      mean[i] += gain * (state.weights[i] - mean[i]);
    }
    double[][] matrix = new double[dimension()][dimension()];
    moments.covariance(prefixSum, matrix);
    moments.bias(prefixSum, state.weights);
    boolean saturated = saturate(state.weights, LARGEST);
    double half = parameters.lambda() / 2;
    for (int i = 0; i < centre.length; i++) {
      matrix[i][i] += half;
      state.weights[i] += half * centre[i];
    }
    for (double[] row : matrix) {
      saturated |= saturate(row, LARGEST);
    }
    state.history.count(saturated);
    BallQuadratic.solve(matrix, state.weights, parameters.radius());
  }

  private static boolean saturate(double[] values, double bound) {
    boolean saturated = false;
    for (int i = 0; i < values.length; i++) {
      double cut = Math.max(-bound, Math.min(bound, values[i]));
      saturated |= cut != values[i];
      values[i] = cut;
    }
    return saturated;
  }

  @Override
  public void publish(State state, Iterate out) {
    System.arraycopy(state.weights, 0, out.weights, 0, state.weights.length);
    state.history.publish(out);
  }

  /**
   * Invariant: the weights are in the ball. They are stored although they follow from the prefix
   * sum: computing them costs a decomposition, and d numbers are few compared with a sum of d (d +
   * 3) / 2.
   */
  public static final class State implements LearnerState {
    private final double[] weights;
    private final RoundHistory history;

    private State(int dimension) {
      weights = new double[dimension];
      history = new RoundHistory(dimension);
    }

    @Override
    public long round() {
      return history.round;
    }

    @Override
    public void visit(Visitor visitor) {
      visitor.vector("weights", weights);
      history.visit(visitor);
    }
  }
}
