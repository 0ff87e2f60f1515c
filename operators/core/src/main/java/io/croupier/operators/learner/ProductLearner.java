package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;
import java.util.Arrays;

/**
 * Magnitude times direction, [CO18]: w = w0 + m q. With the squared coin for a variance this is the
 * black box of [vdH19, Algorithm 2]; with the declared variance and the uniform prior it is BANCO,
 * [JO19, Algorithm 1].
 *
 * <p>A round is one step, on the weighted mean of its reports. With lambda the weight of the round
 * (see {@link RoundWeighting}), s_j and Omega_j as in {@link Round}, and q_j the direction of
 * publication j:
 *
 * <pre>
 *   g_j = lambda s_j / Omega;  coin c_j = -&lt;g_j, q_j&gt;;  g = sum of g_j
 * </pre>
 *
 * <p>With a radius, the weights are kept in a ball around the initial ones, see {@link
 * BallConstraint}. With a {@link Memory}, the sums are discounted after every round, and a late
 * report counts as much as is left of the round that it names. So it does where the unit of the
 * wealth has grown since.
 *
 * <p>The average is over the weights that the reports were evaluated at. A step costs O(d) for each
 * part, and one evaluation of the potential; it allocates nothing but, sometimes, a copy of the
 * direction.
 */
public final class ProductLearner implements Bettor<ProductLearner.State> {
  private final MagnitudeLearner magnitude;
  private final DirectionLearner direction = new DirectionLearner();
  private final BallConstraint constraint;
  private final Averaging averaging;
  private final Memory memory;
  private final InitialWeights initialWeights;

  /** Creates a learner that forgets nothing, with as many coordinates as initial weights. */
  ProductLearner(
      MagnitudeLearner magnitude,
      BallConstraint constraint,
      Averaging averaging,
      InitialWeights initialWeights) {
    this(magnitude, constraint, averaging, Memory.INFINITE, initialWeights);
  }

  /** Creates a learner with as many coordinates as initial weights. */
  ProductLearner(
      MagnitudeLearner magnitude,
      BallConstraint constraint,
      Averaging averaging,
      Memory memory,
      InitialWeights initialWeights) {
    this.magnitude = magnitude;
    this.constraint = constraint;
    this.averaging = averaging;
    this.memory = memory;
    this.initialWeights = initialWeights;
  }

  @Override
  public int dimension() {
    return initialWeights.dimension();
  }

  @Override
  public State initial() {
    return new State(dimension());
  }

  @Override
  public void step(State state, Round round) {
    double lambda = state.weighting.next(round.weight());
    state.round++;
    observe(state, round, lambda, memory.remainder((double) round.reports));
    state.reports = round.reports;
  }

  private void observe(State state, Round round, double lambda, double beta) {
    state.average.advance(state.weighting.decay(averaging) * beta);
    state.bets.keep(state.direction.direction);
    double weight = round.weight();
    double share = constraint.share();
    double factor = share * lambda / weight;
    double[] q = state.direction.direction;
    double[] gradient = state.gradient;
    Arrays.fill(gradient, 0);
    double[] mean = state.average.recent;
    double gain = state.average.gain();
    Vectors.scale(1 - gain, mean, mean);
    state.addCentre(gain, mean);
    state.coins.clear();
    boolean hasDirection = false;
    double late = 0;
    for (int i = 0; i < round.size(); i++) {
      Round.Part part = round.part(i);
      double partShare = part.weight / weight;
      PlayedBets.PlayedBet bet = state.bets.find(part.publication);
      double remainder = bet == null ? 1 : bet.remainder();
      part.addTo(gradient, factor * remainder);
      if (bet == null) {
        continue;
      }
      double[] played = bet.direction(q);
      double pull = remainder * share * lambda * partShare * part.gradientBound * bet.pull();
      double coin = -factor * remainder * part.dot(played) - pull * bet.norm() * bet.norm();
      if (bet.magnitude() != 0) {
        Vectors.addScaled(gain * partShare * bet.magnitude(), played, mean);
      }
      if (pull != 0) {
        Vectors.addScaled(pull, played, gradient);
      }
      hasDirection |= bet.norm() > 0;
      add(state, coin, bet, partShare);
      if (state.bets.isLate(bet)) {
        late -=
            coin
                + factor * remainder * part.dot(q)
                + (pull == 0 ? 0 : pull * Vectors.dot(played, q));
      }
    }
    boolean settles = !state.coins.isEmpty() && (hasDirection || magnitude.betsWithoutDirection());
    boolean hasBets = state.magnitude.upperBound() > 0;
    if (settles) {
      magnitude.observe(state.magnitude, state.coins, round, lambda, share);
    }
    direction.step(state.direction, gradient, Math.max(0, late));
    if (memory.isFinite()) {
      magnitude.discount(state.magnitude, beta);
      direction.discount(state.direction, beta);
      state.bets.discount(beta);
    }
    if (state.weighting.isUnitNew()) {
      state.bets.halve();
      if (hasBets) {
        magnitude.replenish(state.magnitude);
      }
    }
    if (settles || memory.isFinite() || state.weighting.isUnitNew()) {
      magnitude.bet(state.magnitude, state.weighting.unit());
    }
  }

  private static void add(State state, double coin, PlayedBets.PlayedBet bet, double share) {
    MagnitudeLearner.State bettor = state.magnitude;
    state.coins.add(
        coin,
        bettor.coins() - bet.coins(),
        bettor.upperVariance() - bet.upperVariance(),
        bettor.lowerVariance() - bet.lowerVariance(),
        share);
  }

  @Override
  public double loss(State state, Round.Part part) {
    PlayedBets.PlayedBet bet = state.bets.find(part.publication);
    return bet == null ? 0 : bet.magnitude() * part.dot(bet.direction(state.direction.direction));
  }

  @Override
  public void publish(State state, long publication, Iterate out) {
    double norm = state.direction.norm();
    double bet = state.magnitude.magnitude();
    double played = constraint.project(bet, norm);
    state.bets.add(
        publication, played, constraint.pull(bet, norm), state.direction, state.magnitude);
    Vectors.scale(played, state.direction.direction, out.weights);
    Vectors.add(state.centre, out.weights);
    initialWeights.addTo(out.weights);
    describe(state, out);
  }

  @Override
  public void describe(State state, Iterate out) {
    out.round = state.round;
    state.average.copy(out.average);
    initialWeights.addTo(out.average);
    out.diagnostics.clear();
    magnitude.diagnose(state.magnitude, state.weighting.unit(), out.diagnostics);
    out.diagnostics.put("round-weight", state.weighting.relative());
    out.diagnostics.put("round-reports", (double) state.reports);
    memory.diagnose(out.diagnostics);
  }

  @Override
  public void forget(State state, long oldest) {
    state.bets.forget(oldest);
  }

  @Override
  public void beginAt(State state, double[] average, long rounds) {
    double[] moved = new double[dimension()];
    initialWeights.addTo(moved);
    for (int i = 0; i < moved.length; i++) {
      moved[i] = average[i] - moved[i];
    }
    state.round = rounds;
    System.arraycopy(moved, 0, state.average.recent, 0, moved.length);
    state.centre = moved;
    state.bets.begin();
  }

  @Override
  public boolean isObsolete(State state, String part) {
    return state.bets.isObsolete(part);
  }

  /** Magnitude, direction, the average of w - w0, and the bets that reports may still name. */
  public static final class State implements LearnerState {
    private final RoundWeighting weighting = new RoundWeighting();
    private final MagnitudeLearner.State magnitude = new MagnitudeLearner.State();
    private final DirectionLearner.State direction;
    private final RunningAverage average;
    private final PlayedBets bets;
    private long round;
    private long reports;

    /** The point that bets are distances from, minus the initial weights; empty: zero. */
    private double[] centre = {};

    private final RoundCoins coins = new RoundCoins();
    private final double[] gradient;

    private State(int dimension) {
      direction = new DirectionLearner.State(dimension);
      average = new RunningAverage(dimension);
      bets = new PlayedBets(dimension);
      gradient = new double[dimension];
    }

    private void addCentre(double factor, double[] into) {
      if (centre.length > 0) {
        Vectors.addScaled(factor, centre, into);
      }
    }

    MagnitudeLearner.State magnitude() {
      return magnitude;
    }

    DirectionLearner.State direction() {
      return direction;
    }

    @Override
    public long round() {
      return round;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      reports = visitor.count("newest-reports", reports);
      weighting.visit(visitor);
      magnitude.visit(visitor);
      direction.visit(visitor);
      average.visit(visitor);
      bets.visit(visitor);
      if (visitor.count("has-centre", centre.length > 0 ? 1 : 0) != 0) {
        centre = centre.length > 0 ? centre : new double[gradient.length];
        visitor.vector("centre", centre);
      }
    }
  }
}
