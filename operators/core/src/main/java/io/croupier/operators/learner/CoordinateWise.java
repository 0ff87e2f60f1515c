package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;

/**
 * A coin bettor in every coordinate, without a direction: the coin of coordinate i is the negated
 * i-th coordinate of the round's weighted mean, and w_i = w0_i + e W0 times the prediction of a
 * {@link Potential}; see {@link MagnitudeLearner} for S, V, h and the two sides. Of a coordinate,
 * only the reports that touch it count, dense reports touch all: with T_i the sum of their weights,
 * its coin is at most u_i = lambda G T_i / Omega before noise. G bounds each coordinate of a
 * gradient. What a {@link MagnitudeLearner} loses at most against doing nothing, in expectation and
 * under the same hypotheses, this learner loses for each coordinate, with the same W0. The noise of
 * every coordinate must satisfy E exp(x - x^2) &lt;= 1 + E x for coins x with |E x| &lt;= 1/5:
 * symmetric noise does, priv_unit provably in rounds of one report (docs/reference/priv-unit.md).
 *
 * <p>A step costs O(non-zeros) for a sparse round, but for the average; one that doubles the unit
 * of the wealth (see {@link RoundWeighting}) costs what all coordinates with a coin cost. Weights
 * are evaluated when they are published, in the coordinates touched since the last publication.
 *
 * <p>With a radius, weights stay in the box |w_j - w0_j| &lt;= radius by [CO18, Algorithm 3] in
 * every coordinate, see {@link BallConstraint}: a report that touches a coordinate adds (g~_j + G
 * n_j) / 2, where n_j is the sign of z_j if |z_j| exceeds the radius, and otherwise 0; z_j is the
 * unclipped weight of the publication that the report names.
 *
 * <p>With a {@link Memory}, a coordinate is discounted by the product of the betas since its last
 * coin, after its next one: coordinates that no report touches cost nothing, and keep their weight
 * but for the unit.
 *
 * <p>Source: [vdH19, Algorithm 3], whose condition on the mean is on |E g~_j|, where each round is
 * one report that names the newest publication. Sums are compensated (two doubles each); a weight
 * beyond {@link MagnitudeLearner#LIMIT} saturates there and is counted at every evaluation. A step
 * allocates what it records of the coordinates that it changes, for late reports.
 */
public final class CoordinateWise implements Bettor<CoordinateWise.State> {
  private static final BettingRule RULE = new BettingRule.SquaredCoin();

  private final Prior prior;
  private final Potential potential;
  private final double initialWealth;
  private final BallConstraint constraint;
  private final Averaging averaging;
  private final Memory memory;
  private final InitialWeights initialWeights;

  /**
   * Creates a coordinate-wise learner that forgets nothing.
   *
   * @param initialWealth W0 of every coordinate, positive and finite
   */
  CoordinateWise(
      Prior prior,
      double initialWealth,
      BallConstraint constraint,
      Averaging averaging,
      InitialWeights initialWeights) {
    this(prior, initialWealth, constraint, averaging, Memory.INFINITE, initialWeights);
  }

  /**
   * Creates a coordinate-wise learner.
   *
   * @param initialWealth W0 of every coordinate, positive and finite
   */
  CoordinateWise(
      Prior prior,
      double initialWealth,
      BallConstraint constraint,
      Averaging averaging,
      Memory memory,
      InitialWeights initialWeights) {
    this.prior = prior;
    potential = new Potential(prior, 0.5);
    this.initialWealth = MagnitudeLearner.requireWealth(initialWealth);
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
    return new State(dimension(), constraint, memory);
  }

  @Override
  public void step(State state, Round round) {
    if (!state.history.mayStep()) {
      throw new IllegalStateException("Nothing was published since the last step");
    }
    double unit = state.weighting.unit();
    double lambda = state.weighting.next(round.weight());
    state.round++;
    state.reports = round.reports;
    average(state, round);
    CoordinateRound common = state.common;
    common.begin(state.history, round, lambda, unit, state.chunks.share());
    if (round.isSparse()) {
      int count = common.unite(round);
      if (state.weighting.isUnitNew()) {
        // The wealth is in the new unit, and with it every bet.
        common.touched = state.chunks.withBets(common.touched, count);
        count = common.touched.length;
      }
      state.history.keep(common.touched, count);
      for (int i = 0; i < count; i++) {
        observe(state, round, common.touched[i], i);
        state.chunks.touch(common.touched[i]);
      }
    } else {
      state.history.keep(null, dimension());
      for (int j = 0; j < dimension(); j++) {
        observe(state, round, j, j);
      }
      state.chunks.touchAll();
    }
    state.total += round.reports;
  }

  /** Adds the weights at which the reports were evaluated to the average. */
  private void average(State state, Round round) {
    CoordinateChunks chunks = state.chunks;
    chunks.advance(state.weighting.decay(averaging) * memory.remainder((double) round.reports));
    chunks.averagePlayed();
    double weight = round.weight();
    for (int i = 0; i < round.size(); i++) {
      Round.Part part = round.part(i);
      int named = state.history.find(part.publication);
      if (named >= 0 && state.history.isLate(named)) {
        state.history.forEachChanged(
            named,
            CoordinateHistory.WEIGHT,
            (j, played) -> chunks.averageOther(j, played, part.weight / weight));
      }
    }
  }

  private void observe(State state, Round round, int j, int position) {
    CoordinateChunks chunks = state.chunks;
    CoordinateRound common = state.common;
    boolean hasBets = chunks.bound[j] > 0;
    double coins = chunks.coins(j);
    double upper = chunks.upper(j);
    double lower = chunks.lower(j);
    state.history.keep(position, coins, upper, lower, chunks.unprojected[j]);
    double discounted = 0;
    if (memory.isFinite()) {
      // Without a coin so far, there was nothing to discount.
      discounted = hasBets ? chunks.discounted[j] : state.total;
      state.history.keepDiscounted(position, discounted);
    }
    RoundCoins roundCoins = common.coins;
    roundCoins.clear();
    double touching = 0;
    double squares = 0;
    for (int i = 0; i < round.size(); i++) {
      Round.Part part = round.part(i);
      int at = common.position(part, i, j);
      double touch = part.denseWeight;
      double squared = part.denseSquaredWeight;
      if (part.touching != null && at >= 0) {
        touch += part.touching[at];
        squared += part.touchingSquared[at];
      }
      touching += touch;
      squares += squared;
      if (common.named[i] < 0) {
        continue;
      }
      CoordinateHistory history = state.history;
      int named = common.named[i];
      double value = at >= 0 ? common.factor * part.sum[at] : 0;
      if (constraint.isActive()) {
        double weight = history.at(named, j, CoordinateHistory.WEIGHT, chunks.unprojected[j]);
        value += common.factor * touch * part.gradientBound * constraint.pull(weight, 1);
      }
      if (history.isLate(named)) {
        double remainder =
            memory.isFinite()
                ? memory.remainder(
                    discounted - history.at(named, j, CoordinateHistory.DISCOUNTED, discounted))
                : 1;
        roundCoins.add(
            -value * remainder * common.remainders[i],
            coins - remainder * history.at(named, j, CoordinateHistory.COINS, coins),
            upper - remainder * remainder * history.at(named, j, CoordinateHistory.UPPER, upper),
            lower - remainder * remainder * history.at(named, j, CoordinateHistory.LOWER, lower),
            common.shares[i]);
      } else {
        roundCoins.add(-value, 0, 0, 0, common.shares[i]);
      }
    }
    if (touching > 0 && !roundCoins.isEmpty()) {
      bet(state, j, common.boundPerWeight * touching, Math.max(1, touching * touching / squares));
      if (memory.isFinite()) {
        double reports = (double) state.total + round.reports;
        chunks.discount(j, memory.remainder(reports - discounted), reports);
      }
    }
    if (state.weighting.isUnitNew() && hasBets) {
      replenish(chunks, j);
    }
  }

  /** Adds to the wealth of a proper prior, as {@link MagnitudeLearner} does. */
  private void replenish(CoordinateChunks chunks, int j) {
    double coins = chunks.coins(j);
    double quadratic = Math.min(chunks.upper(j), chunks.lower(j)) + prior.addedVariance();
    double bound = Math.min(chunks.bound[j], chunks.lowerBound(j));
    double range = Potential.within(RULE.rho() / bound);
    chunks.mass[j] = potential.replenished(coins, quadratic, range, chunks.mass[j]);
  }

  /**
   * Settles the coins of a coordinate.
   *
   * @param meanBound u
   * @param reports the effective number of reports that touch the coordinate
   */
  private void bet(State state, int j, double meanBound, double reports) {
    CoordinateChunks chunks = state.chunks;
    RoundCoins coins = state.common.coins;
    double coin = coins.total();
    double hint =
        Math.max(RULE.hint(coin, meanBound, reports, 0), prior.leastBound(state.common.bound))
            + coins.outstanding();
    boolean isFirst = chunks.bound[j] == 0;
    double cap = BettingRule.SquaredCoin.KAPPA * meanBound;
    double lowerBound = coins.bound(-1, Math.max(chunks.lowerBound(j), hint), cap, RULE.rho());
    double lowerPenalty = coins.penalty();
    double bound = coins.bound(1, Math.max(chunks.bound[j], hint), cap, RULE.rho());
    double penalty = coins.penalty();
    if (chunks.isSymmetric() && (bound != lowerBound || penalty != lowerPenalty)) {
      chunks.separate();
    }
    chunks.bound[j] = bound;
    if (!chunks.isSymmetric()) {
      chunks.setLower(j, lowerPenalty - penalty, lowerBound);
    }
    add(coin, chunks.coins, chunks.coinsLow, j);
    add(Math.min(coin * coin + penalty, Double.MAX_VALUE), chunks.squares, chunks.squaresLow, j);
    if (isFirst) {
      chunks.mass[j] = Potential.mass(prior, Potential.within(RULE.rho() / bound));
    }
  }

  /** Adds by a two-sum as in {@link RunningSum}, on arrays; a sum of squares saturates, too. */
  private static void add(double x, double[] high, double[] low, int j) {
    double before = high[j];
    double sum = Math.min(before + x, Double.MAX_VALUE);
    double z = sum - before;
    low[j] += (before - (sum - z)) + (x - z);
    high[j] = sum;
  }

  @Override
  public double loss(State state, Round.Part part) {
    int named = state.history.find(part.publication);
    if (named < 0) {
      return 0;
    }
    double loss = 0;
    int count = part.isSparse() ? part.count : dimension();
    for (int i = 0; i < count; i++) {
      int j = part.isSparse() ? part.coordinates[i] : i;
      double present = state.chunks.unprojected[j];
      double weight = state.history.at(named, j, CoordinateHistory.WEIGHT, present);
      loss += part.sum[i] * constraint.project(weight, 1);
    }
    return loss;
  }

  @Override
  public void publish(State state, long publication, Iterate out) {
    state.chunks.evaluateTouched(j -> evaluate(state, j));
    state.history.add(publication, state.weighting.unit());
    copyPublished(state, out.weights);
    describe(state, out);
  }

  @Override
  public boolean remembersPublished() {
    return true;
  }

  @Override
  public void copyPublished(State state, double[] into) {
    state.chunks.copyWeights(into);
    Vectors.add(state.centre, into);
    initialWeights.addTo(into);
  }

  @Override
  public void describe(State state, Iterate out) {
    out.round = state.round;
    state.chunks.average.copy(out.average);
    Vectors.add(state.centre, out.average);
    initialWeights.addTo(out.average);
    out.diagnostics.clear();
    out.diagnostics.put("largest-magnitude", state.chunks.largest());
    out.diagnostics.put("saturations", (double) state.saturations);
    out.diagnostics.put("round-weight", state.weighting.relative());
    out.diagnostics.put("round-reports", (double) state.reports);
    memory.diagnose(out.diagnostics);
  }

  @Override
  public void forget(State state, long oldest) {
    state.history.forget(oldest);
  }

  @Override
  public void beginAt(State state, double[] average, long rounds) {
    double[] moved = new double[dimension()];
    initialWeights.addTo(moved);
    for (int j = 0; j < moved.length; j++) {
      moved[j] = average[j] - moved[j];
    }
    state.centre = moved;
    state.round = rounds;
    state.history.add(CoordinateHistory.UNKNOWN, 1);
  }

  @Override
  public boolean isObsolete(State state, String part) {
    return state.history.isObsolete(part);
  }

  private void evaluate(State state, int j) {
    CoordinateChunks chunks = state.chunks;
    if (chunks.bound[j] == 0) {
      return; // no coin
    }
    double added = prior.addedVariance();
    double coins = chunks.coins(j);
    double upper = chunks.upper(j) + added;
    double range = Potential.within(RULE.rho() / chunks.bound[j]);
    double mass = chunks.mass[j];
    double prediction;
    if (chunks.isSymmetric()
        || (chunks.lowerBound(j) == chunks.bound[j] && chunks.lower(j) == chunks.upper(j))) {
      prediction = potential.prediction(coins, upper, range, mass);
    } else {
      double lowerRange = Potential.within(RULE.rho() / chunks.lowerBound(j));
      prediction =
          potential.side(coins, upper, range, mass)
              - potential.side(-coins, chunks.lower(j) + added, lowerRange, mass);
    }
    double z = state.weighting.unit() * prediction * initialWealth; // as MagnitudeLearner does
    if (Math.abs(z) > MagnitudeLearner.LIMIT) {
      z = Math.copySign(MagnitudeLearner.LIMIT, z);
      state.saturations++;
    }
    chunks.unprojected[j] = z;
  }

  /** The coordinates, in chunks, and the numbers of the whole model. */
  public static final class State implements LearnerState {
    private final CoordinateChunks chunks;
    private final CoordinateHistory history;
    private final Memory memory;
    private final RoundWeighting weighting = new RoundWeighting();
    private final CoordinateRound common = new CoordinateRound();

    /** The point that weights are distances from, minus the initial weights; empty: zero. */
    private double[] centre = {};

    private long round;
    private long reports;

    /** With a memory: reports of all rounds so far. */
    private long total;

    private long saturations;

    private State(int dimension, BallConstraint constraint, Memory memory) {
      chunks = new CoordinateChunks(dimension, constraint, memory);
      history = new CoordinateHistory(memory);
      this.memory = memory;
    }

    /** Returns the coordinates, not a copy. */
    CoordinateChunks coordinates() {
      return chunks;
    }

    @Override
    public long round() {
      return round;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      reports = visitor.count("newest-reports", reports);
      saturations = visitor.count("saturations", saturations);
      if (memory.isFinite()) {
        total = visitor.count("remembered-reports", total);
      }
      weighting.visit(visitor);
      if (visitor.count("has-centre", centre.length > 0 ? 1 : 0) != 0) {
        centre = centre.length > 0 ? centre : new double[chunks.coins.length];
        visitor.vector("centre", centre);
      }
      chunks.visit(visitor);
      history.visit(visitor);
    }
  }
}
