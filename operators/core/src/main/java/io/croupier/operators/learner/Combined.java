package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;

/**
 * The sum of a black box and a coordinate-wise learner, [Cut19]: w = u + v, u of a {@link
 * ProductLearner}, v of a {@link CoordinateWise} learner without initial weights. Both take the
 * same steps, on gradients at w. For every decomposition u* + v* of a point, the sum of the
 * linearised losses of w less that of the point is at most the black box's regret against u* plus
 * the coordinate-wise learner's against v*. With v* or u* zero it is that of the better learner,
 * plus what the other one loses at most against doing nothing.
 *
 * <p>The initial wealth W0 is half the black box's, the other half is shared equally among the
 * coordinates, so all of it is lost at most as that of a single bettor.
 *
 * <p>A weight beyond twice {@link MagnitudeLearner#LIMIT} saturates there.
 *
 * <p>A step costs what both cost, and allocates what both allocate.
 */
public final class Combined implements Bettor<Combined.State> {
  private static final String PRODUCT = "product-";
  private static final String COORDINATES = "coordinate-";
  private static final String SATURATIONS = "saturations";

  private final ProductLearner product;
  private final CoordinateWise coordinates;

  /**
   * Creates the sum of two learners without a radius and with the same averaging.
   *
   * @param product begins at the initial weights
   * @param coordinates begins at zero
   */
  Combined(ProductLearner product, CoordinateWise coordinates) {
    this.product = product;
    this.coordinates = coordinates;
  }

  @Override
  public int dimension() {
    return product.dimension();
  }

  @Override
  public State initial() {
    return new State(product.initial(), coordinates.initial(), new Iterate(dimension()));
  }

  @Override
  public void step(State state, Round round) {
    product.step(state.product, round);
    coordinates.step(state.coordinates, round);
  }

  @Override
  public double loss(State state, Round.Part part) {
    return product.loss(state.product, part) + coordinates.loss(state.coordinates, part);
  }

  @Override
  public void publish(State state, long publication, Iterate out) {
    product.publish(state.product, publication, out);
    coordinates.publish(state.coordinates, publication, state.summand);
    Vectors.add(state.summand.weights, out.weights);
    add(state.summand, out);
  }

  @Override
  public void describe(State state, Iterate out) {
    product.describe(state.product, out);
    coordinates.describe(state.coordinates, state.summand);
    add(state.summand, out);
  }

  private static void add(Iterate summand, Iterate out) {
    Vectors.add(summand.average, out.average);
    out.diagnostics.merge(SATURATIONS, summand.diagnostics.get(SATURATIONS), Double::sum);
    summand.diagnostics.forEach(out.diagnostics::putIfAbsent);
  }

  @Override
  public void forget(State state, long oldest) {
    product.forget(state.product, oldest);
    coordinates.forget(state.coordinates, oldest);
  }

  @Override
  public void beginAt(State state, double[] average, long rounds) {
    product.beginAt(state.product, average, rounds);
    coordinates.beginAt(state.coordinates, new double[dimension()], rounds);
  }

  @Override
  public boolean isObsolete(State state, String part) {
    return part.startsWith(PRODUCT)
        ? product.isObsolete(state.product, part.substring(PRODUCT.length()))
        : part.startsWith(COORDINATES)
            && coordinates.isObsolete(state.coordinates, part.substring(COORDINATES.length()));
  }

  /** The states of both learners. */
  public static final class State implements LearnerState {
    private final ProductLearner.State product;
    private final CoordinateWise.State coordinates;

    /** The last publication of the coordinate-wise learner; not part of the state. */
    private final Iterate summand;

    private State(ProductLearner.State product, CoordinateWise.State coordinates, Iterate summand) {
      this.product = product;
      this.coordinates = coordinates;
      this.summand = summand;
    }

    @Override
    public long round() {
      return product.round();
    }

    @Override
    public void visit(Visitor visitor) {
      // The name by which an owner recognises a state of this release.
      visitor.count("round", round());
      product.visit(new PrefixedVisitor(PRODUCT, visitor));
      coordinates.visit(new PrefixedVisitor(COORDINATES, visitor));
    }
  }
}
