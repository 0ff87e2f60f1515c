package io.croupier.studies;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.SpecGradients;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.ModelSpec;
import java.util.Arrays;
import java.util.List;

/**
 * Models that receive reports of the same people between any two publications, each with its own
 * releases. Each report was evaluated at the weights of the publication that it names.
 */
final class RoundsTrial {

  /** Number of reports from which on the sum of their noise is drawn from a Gaussian law. */
  static final int GAUSSIAN_FROM = 64;

  /** How many reports arrive between two publications, and which publications they name. */
  enum Arrival {
    TIMELY("timely"),
    ONE_LATE("one late"),
    HALF_THREE_LATE("half three late"),
    SPREAD("0 to 8 late"),
    THREE_LATE("all three late"),
    EIGHT_LATE("all eight late"),
    DAY_AND_NIGHT("day and night"),
    BACKLOG("one backlog"),
    FEW_FIRST("six single reports first");

    /** The greatest delay, in publications. */
    static final int MOST_LATE = 8;

    private static final int DAY = 24;
    private static final int BACKLOG_ROUND = 5;
    private static final int BACKLOG_ROUNDS = 30;
    private static final int SINGLES = 6;

    final String label;

    Arrival(String label) {
      this.label = label;
    }

    /** Returns whether every round has as many reports. */
    boolean isConstant() {
      return switch (this) {
        case DAY_AND_NIGHT, BACKLOG, FEW_FIRST -> false;
        default -> true;
      };
    }

    /** Returns the number of reports of a round, N on average but for the backlog and the first. */
    private int reports(int rate, int round) {
      return switch (this) {
        case DAY_AND_NIGHT ->
            (int) Math.max(1, Math.round(rate * (1 + 0.9 * Math.sin(2 * Math.PI * round / DAY))));
        case FEW_FIRST -> round <= SINGLES ? 1 : rate;
        case BACKLOG -> round == BACKLOG_ROUND ? BACKLOG_ROUNDS * rate : rate;
        default -> rate;
      };
    }

    /** Returns how many reports of a round have each delay. */
    private int[] delays(int reports, SeededRandom random) {
      int[] delays = new int[MOST_LATE + 1];
      switch (this) {
        case TIMELY, DAY_AND_NIGHT, BACKLOG, FEW_FIRST -> delays[0] = reports;
        case ONE_LATE -> delays[1] = reports;
        case HALF_THREE_LATE -> {
          delays[3] = reports / 2;
          delays[0] = reports - delays[3];
        }
        case SPREAD -> {
          Arrays.fill(delays, reports / delays.length);
          for (int i = 0; i < reports % delays.length; i++) {
            delays[random.below(delays.length)]++;
          }
        }
        case THREE_LATE -> delays[3] = reports;
        case EIGHT_LATE -> delays[MOST_LATE] = reports;
      }
      return delays;
    }
  }

  /**
   * The noise of every report.
   *
   * @param mechanism any if there is no noise
   * @param epsilon infinite: no noise
   */
  record ReportNoise(StudiedMechanism mechanism, double epsilon) {
    static final ReportNoise NONE =
        new ReportNoise(StudiedMechanism.PRIV_UNIT, Double.POSITIVE_INFINITY);

    boolean isNone() {
      return epsilon == Double.POSITIVE_INFINITY;
    }

    String label() {
      return isNone() ? "no noise" : mechanism.label + " " + NumberLabels.short3(epsilon);
    }

    /** What reports declare. */
    Mechanism declared(int dimension, double gradientBound) {
      return isNone()
          ? UndisclosedNoise.UNDISCLOSED
          : Declarations.of(
              Declarations.declared(mechanism.declared(dimension, gradientBound, epsilon)), 0);
    }
  }

  private final Participants participants;
  private final Arrival arrival;
  private final SeededRandom random;
  private final List<ModelRun> runs;
  private final double clip;
  private final Mechanism declared;
  private final ReportNoise noise;

  /** Null if there is no noise. */
  private final Release release;

  /** Of the noise of one report in each coordinate. */
  private final double deviation;

  private final double[] gradient;
  private final double[] released;
  private final double[][] sums;
  private int round;

  /**
   * Publishes the initial models.
   *
   * @param specs valid specs of local models of one dimension and gradient bound; gradients are
   *     clipped at it
   */
  RoundsTrial(
      Participants participants,
      List<ModelSpec> specs,
      ReportNoise noise,
      Arrival arrival,
      SeededRandom random) {
    this.participants = participants;
    this.arrival = arrival;
    this.random = random;
    this.noise = noise;
    int d = participants.dimension();
    clip = specs.get(0).getGradientBound();
    declared = noise.declared(d, clip);
    PrivUnitLaws laws = new PrivUnitLaws();
    runs = specs.stream().map(spec -> new ModelRun(spec, laws)).toList();
    GradientSpace space = new SpecGradients(specs.get(0), laws).all();
    deviation = noise.isNone() ? 0 : clip * Math.sqrt(declared.squaredError(space) / d);
    release = noise.isNone() ? null : noise.mechanism.release(d, clip, noise.epsilon);
    gradient = new double[d];
    released = new double[d];
    sums = new double[specs.size()][d];
  }

  /** Adds the reports of a round at this rate, and publishes. */
  void round(int rate) {
    round++;
    int[] delays = arrival.delays(arrival.reports(rate, round), random);
    for (int ago = 0; ago < delays.length; ago++) {
      if (delays[ago] > 0) {
        add(ago, delays[ago]);
      }
    }
    runs.forEach(ModelRun::publish);
  }

  private void add(int ago, int reports) {
    int models = runs.size();
    double[][] weights = new double[models][];
    for (int m = 0; m < models; m++) {
      weights[m] = runs.get(m).weights(ago);
      Arrays.fill(sums[m], 0);
    }
    boolean isEach = !noise.isNone() && reports < GAUSSIAN_FROM;
    for (int i = 0; i < reports; i++) {
      participants.next();
      for (int m = 0; m < models; m++) {
        participants.gradient(weights[m], gradient);
        double square = Vectors.squaredNorm(gradient);
        double scale = square > clip * clip ? clip / Math.sqrt(square) : 1;
        if (isEach) {
          Vectors.scale(scale, gradient, gradient);
          release.draw(gradient, random, released);
          Vectors.add(released, sums[m]);
        } else {
          Vectors.addScaled(scale, gradient, sums[m]);
        }
      }
    }
    double spread = isEach ? 0 : deviation * Math.sqrt(reports);
    for (int m = 0; m < models; m++) {
      for (int j = 0; j < gradient.length && spread > 0; j++) {
        sums[m][j] += spread * random.normal();
      }
      runs.get(m).add(ago, sums[m], reports, declared);
    }
  }

  /** Excess loss of the published average of a model. */
  double excess(int model) {
    return participants.excess(runs.get(model).average());
  }

  /** Excess loss of the newest published weights of a model. */
  double excessOfWeights(int model) {
    return participants.excess(runs.get(model).weights(0));
  }
}
