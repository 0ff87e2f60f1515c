package io.croupier.bench.study;

import io.croupier.operators.central.ftrl.ParameterFreeFtrl;
import io.croupier.operators.central.ftrl.PrefixLearner;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.math.Vectors;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Central learners over the same people and the same noise, each at its own scale. A round's input
 * is the mean of its clipped gradients.
 */
final class CentralTrial {

  /**
   * A learner in a trial.
   *
   * @param noise which of the trial's
   * @param scale deviation of one draw of it, in units of the mean gradient; 0: none
   */
  record Entry(PrefixLearner<?> learner, int noise, double scale) {}

  /**
   * What came of a learner.
   *
   * @param regret sum of the inner products of mean gradients and weights: against never moving
   */
  record Outcome(Crowd.Merit average, Crowd.Merit weights, double regret) {}

  private CentralTrial() {}

  /** Plays all rounds. */
  static List<Outcome> run(
      Crowd crowd,
      List<Entry> entries,
      List<SumNoise> noises,
      int rounds,
      int perRound,
      double clip,
      Dice dice,
      LongConsumer progress) {
    int d = crowd.dimension();
    List<? extends Seat<?>> seats = entries.stream().map(e -> new Seat<>(e.learner, e)).toList();
    List<SumNoise.Path> paths = noises.stream().map(noise -> noise.start(d, dice)).toList();
    double[][] drawn = new double[paths.size()][d];
    double[] variances = new double[paths.size()];
    for (int t = 1; t <= rounds; t++) {
      for (int i = 0; i < perRound; i++) {
        crowd.next();
        for (Seat<?> seat : seats) {
          seat.take(crowd, clip, 1.0 / perRound);
        }
      }
      for (int n = 0; n < drawn.length; n++) {
        paths.get(n).next(drawn[n]);
        variances[n] = noises.get(n).variance(t);
      }
      for (Seat<?> seat : seats) {
        int noise = seat.entry.noise;
        seat.step(drawn[noise], variances[noise]);
      }
      progress.accept((long) perRound * seats.size());
    }
    return seats.stream().map(seat -> seat.outcome(crowd)).toList();
  }

  private static final class Seat<S extends LearnerState> {
    private final PrefixLearner<S> learner;
    private final Entry entry;
    private final S state;
    private final Iterate iterate;
    private final double[] sum;
    private final double[] gradient;
    private final double[] noisy;
    private final Bet bet = new Bet();
    private double regret;

    Seat(PrefixLearner<S> learner, Entry entry) {
      this.learner = learner;
      this.entry = entry;
      state = learner.initial();
      iterate = new Iterate(learner.dimension());
      sum = new double[learner.dimension()];
      gradient = new double[learner.dimension()];
      noisy = new double[learner.dimension()];
      learner.publish(state, iterate);
    }

    void take(Crowd crowd, double clip, double share) {
      crowd.gradient(iterate.weights, gradient);
      double norm = Math.sqrt(Vectors.squaredNorm(gradient));
      double factor = share * (norm > clip ? clip / norm : 1);
      regret += factor * Vectors.dot(gradient, iterate.weights);
      Vectors.addScaled(factor, gradient, sum);
    }

    void step(double[] drawn, double variance) {
      Vectors.scale(1, sum, noisy);
      Vectors.addScaled(entry.scale, drawn, noisy);
      learner.step(state, noisy, entry.scale * entry.scale * variance);
      if (learner instanceof ParameterFreeFtrl) {
        state.visit(bet);
        double factor = bet.norm > 0 ? -bet.distance / bet.norm : 0;
        Vectors.scale(factor, noisy, iterate.weights);
      } else {
        learner.publish(state, iterate);
      }
    }

    Outcome outcome(Crowd crowd) {
      learner.publish(state, iterate);
      return new Outcome(crowd.merit(iterate.average), crowd.merit(iterate.weights), regret);
    }
  }

  /**
   * How far a learner without a learning rate goes against the sum, without its diagnostics; from
   * weights 0.
   */
  private static final class Bet implements LearnerState.Visitor {
    private double norm;
    private double distance;

    @Override
    public double scalar(String name, double shown) {
      switch (name) {
        case "norm" -> norm = shown;
        case "distance" -> distance = shown;
        default -> {}
      }
      return shown;
    }

    @Override
    public long count(String name, long shown) {
      return shown;
    }

    @Override
    public void vector(String name, double[] shown) {}

    @Override
    public void counts(String name, long[] shown) {}
  }
}
