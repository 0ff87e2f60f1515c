package io.croupier.operators.model;

import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.Arrays;
import java.util.function.Function;

/**
 * The state of a local model in releases up to 0.2.0, where a round was one of many steps between
 * two publications. A bettor begins anew at the last average; LDP-SGD continues. Reports that
 * waited in an open round enter the next one.
 */
final class FormerState {
  private static final int HAS_GRID = 1;
  private static final int HAS_DOUBLES = 2;
  private static final int IS_DENSE = 4;
  private static final int IS_LISTED = 8;

  private final ModelSpec spec;
  private final Function<String, byte[]> chunks;
  private final LearnerState.Visitor reader;

  FormerState(ModelSpec spec, Function<String, byte[]> chunks) {
    this.spec = spec;
    this.chunks = chunks;
    reader = StateChunks.reader(chunks);
  }

  /**
   * Returns whether a bundle waited for its spec in the state of such a release, which had no
   * weights and no grids but the model's.
   *
   * @param gridExponent of the model's grid for this bundle
   */
  static boolean isFormer(RoundSum bundle, int gridExponent) {
    return switch (bundle.form) {
      case DENSE, SPARSE -> true;
      case GRID, GRID_SUM -> bundle.exponent == 0 && gridExponent != 0;
      default -> false;
    };
  }

  /** Returns the summed vector of such a bundle, shape [d]. */
  static double[] values(RoundSum bundle, int gridExponent) {
    double[] values = new double[bundle.dimension];
    PackedVectors.decode(bundle.form, bundle.values, bundle.indices, gridExponent, 1, values);
    return values;
  }

  /**
   * Restores a learner and the reports of the open rounds.
   *
   * @param clip the present gradient bound
   */
  void restore(Learner<LearnerState> learner, LearnerState state, OpenRound open, double clip) {
    if (spec.hasLdpSgd()) {
      state.visit(reader);
    } else {
      double[] average = Learners.formerAverage(spec, chunks);
      learner.beginAt(state, average, reader.count("round", 0));
    }
    double[] sum = new double[spec.getDimension()];
    // With a clip that moves, sums were in units of each report's clip.
    double unit = spec.hasAdaptiveClip() ? clip : 1;
    long reports = addTo(sum, "open", unit) + addTo(sum, "last", unit);
    if (reports > 0) {
      open.addFormer(reports, sum);
    }
  }

  /** Adds the sum of an open round; returns the number of its reports. */
  private long addTo(double[] sum, String name, double unit) {
    long reports = reader.count(name, 0);
    if (reports == 0) {
      return 0;
    }
    int parts = (int) reader.count(name + "-parts", HAS_GRID | HAS_DOUBLES | IS_DENSE);
    if ((parts & IS_LISTED) != 0) {
      long[] coordinates = new long[(int) reader.count(name + "-touched-count", 0)];
      reader.counts(name + "-touched", coordinates);
      double[] values = new double[coordinates.length];
      reader.vector(name + "-touched-sum", values);
      for (int i = 0; i < values.length; i++) {
        sum[Math.toIntExact(coordinates[i])] += unit * values[i];
      }
      return reports;
    }
    if ((parts & HAS_GRID) != 0) {
      long[] steps = new long[sum.length];
      reader.counts(name + "-grid-sum", steps);
      double step = Math.scalb(1.0, ModelSpecs.gridExponent(spec));
      Vectors.addScaled(step, Arrays.stream(steps).asDoubleStream().toArray(), sum);
    }
    if ((parts & HAS_DOUBLES) != 0) {
      double[] values = new double[sum.length];
      reader.vector(name + "-sum", values);
      Vectors.addScaled(unit, values, sum);
    }
    return reports;
  }
}
