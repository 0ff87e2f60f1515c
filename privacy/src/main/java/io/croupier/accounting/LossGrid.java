package io.croupier.accounting;

/**
 * A distribution of privacy losses on the multiples of a step. A loss between two of them is split
 * so that its probability and its mean of exp(-loss) stay: hockey-stick divergences, being convex
 * in exp(-loss), can only grow, and are the least of all such distributions' [DGKKM22].
 */
final class LossGrid {
  /** The 5-point Gauss-Legendre rule on (0, 1), for pieces on which a density changes little. */
  static final double[] NODES = {
    0.046910077030668004, 0.23076534494715845, 0.5, 0.7692346550528415, 0.953089922969332,
  };

  static final double[] WEIGHTS = {
    0.11846344252809454,
    0.23931433524968324,
    0.28444444444444444,
    0.23931433524968324,
    0.11846344252809454,
  };

  final double step;

  /** The multiple of the step that the first probability belongs to. */
  final int first;

  final double[] probabilities;

  private final double lift;

  /**
   * An empty distribution.
   *
   * @param least at most the losses
   * @param most at least the losses
   */
  LossGrid(double step, double least, double most) {
    this.step = step;
    first = (int) Math.floor(least / step);
    // Losses over the step may vanish.
    probabilities = new double[Math.max(2, (int) Math.ceil(most / step) - first + 1)];
    lift = -StrictMath.expm1(-step);
  }

  /** Whether {@link #of} knows the distribution of a loss. */
  static boolean knows(PureLoss loss) {
    return !(loss instanceof CoordinateLaplaceLoss laplace) || laplace.coordinates() == 1;
  }

  /** The distribution of a known loss on the worst pair of inputs. */
  static LossGrid of(PureLoss loss, double step) {
    double largest =
        loss instanceof CoordinateLaplaceLoss laplace ? laplace.largest() : loss.epsilon();
    LossGrid grid = new LossGrid(step, -largest, largest);
    if (loss instanceof ChoiceLoss choice) {
      choice.addTo(grid);
    } else if (loss instanceof RadialLaplaceLoss laplace) {
      laplace.addTo(grid);
    } else if (loss instanceof CoordinateLaplaceLoss laplace && laplace.coordinates() == 1) {
      laplace.addTo(grid);
    } else {
      throw new IllegalArgumentException("the distribution of " + loss + " isn't known");
    }
    return grid.normalised();
  }

  /** Adds a probability of a loss. */
  void add(double loss, double probability) {
    int cell =
        Math.max(0, Math.min(probabilities.length - 2, (int) Math.floor(loss / step) - first));
    double share = -StrictMath.expm1(loss(cell) - loss) / lift;
    double up = probability * Math.max(0, Math.min(1, share));
    probabilities[cell] += probability - up;
    probabilities[cell + 1] += up;
  }

  /** The loss that a probability belongs to. */
  double loss(int index) {
    return (first + index) * step;
  }

  /** The losses of the grid between two others, and these. */
  double[] lossesBetween(double least, double most) {
    int begin = (int) Math.floor(least / step) + 1;
    int end = (int) Math.ceil(most / step) - 1;
    double[] losses = new double[Math.max(0, end - begin + 1) + 2];
    losses[0] = least;
    for (int i = 1; i + 1 < losses.length; i++) {
      losses[i] = (begin + i - 1) * step;
    }
    losses[losses.length - 1] = most;
    return losses;
  }

  /** A density with a change of variables. */
  interface Density {
    /** The loss at a value of the variable; increasing. Without a change, the variable itself. */
    default double loss(double variable) {
      return variable;
    }

    /** The density of the variable, up to a factor. */
    double of(double variable);
  }

  /**
   * Adds a density.
   *
   * @param bounds of the variable, increasing: the loss crosses a multiple of the step only there
   * @param widest the largest width on which the density is a polynomial of degree 9, up to
   *     rounding
   */
  void add(Density density, double[] bounds, double widest) {
    for (int i = 0; i + 1 < bounds.length; i++) {
      int pieces = Math.max(1, (int) Math.ceil((bounds[i + 1] - bounds[i]) / widest));
      double width = (bounds[i + 1] - bounds[i]) / pieces;
      for (int n = 0; n < pieces * NODES.length; n++) {
        int piece = n / NODES.length;
        double at = bounds[i] + width * (piece + NODES[n % NODES.length]);
        add(density.loss(at), density.of(at) * WEIGHTS[n % NODES.length] * width);
      }
    }
  }

  /** Divides by the sum of all probabilities. */
  LossGrid normalised() {
    double sum = 0;
    for (double probability : probabilities) {
      sum += probability;
    }
    for (int i = 0; i < probabilities.length; i++) {
      probabilities[i] /= sum;
    }
    return this;
  }

  /** ln E exp(tilt loss). */
  double logMoment(double tilt) {
    double most = loss(tilt >= 0 ? probabilities.length - 1 : 0);
    double sum = 0;
    for (int i = 0; i < probabilities.length; i++) {
      sum += probabilities[i] * StrictMath.exp(tilt * (loss(i) - most));
    }
    return tilt * most + StrictMath.log(sum);
  }

  /** The distribution with a density proportional to exp(tilt loss). */
  LossGrid tilted(double tilt) {
    LossGrid tilted = new LossGrid(this);
    double most = loss(probabilities.length - 1);
    for (int i = 0; i < probabilities.length; i++) {
      tilted.probabilities[i] = probabilities[i] * StrictMath.exp(tilt * (loss(i) - most));
    }
    return tilted.normalised();
  }

  private LossGrid(LossGrid other) {
    step = other.step;
    first = other.first;
    probabilities = new double[other.probabilities.length];
    lift = other.lift;
  }

  double mean() {
    double sum = 0;
    for (int i = 0; i < probabilities.length; i++) {
      sum += probabilities[i] * loss(i);
    }
    return sum;
  }

  double variance() {
    double mean = mean();
    double sum = 0;
    for (int i = 0; i < probabilities.length; i++) {
      sum += probabilities[i] * (loss(i) - mean) * (loss(i) - mean);
    }
    return sum;
  }
}
