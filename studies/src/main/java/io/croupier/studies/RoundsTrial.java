package io.croupier.studies;

import com.google.protobuf.ByteString;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Round;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.LocalModel;
import io.croupier.operators.model.Publication;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.model.Trim;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;

/**
 * A model that receives the same number of reports between any two publications. Each report was
 * evaluated at the weights of the publication that it names.
 */
final class RoundsTrial {

  /**
   * Number of reports in a bundle from which on the sum of their noise is drawn from a Gaussian
   * law, for learners of reports that aren't trimmed.
   */
  static final int GAUSSIAN_FROM = 64;

  /** Number of publications before the newest one that late reports name, unless fewer exist. */
  private static final int DELAY = 3;

  /** How reports become steps of the learner. */
  enum ReportGrouping {
    /** The job's own model: growing rounds, and a last round once they agree. */
    RULE("the rule"),
    /** Growing rounds, however much they agree. */
    GROWING("growing rounds alone"),
    /** Each report is a round. */
    SINGLE("a step a report"),
    /** The job's own model, but all reports name the publication three before the newest one. */
    LATE("the rule, 3 late"),
    /** Likewise, but half of the reports name the newest publication. */
    HALF_LATE("the rule, half 3 late");

    final String label;

    ReportGrouping(String label) {
      this.label = label;
    }

    /** Whether the model is the job's own. */
    private boolean isOfTheJob() {
      return this == RULE || this == LATE || this == HALF_LATE;
    }

    /** Reports of an interval that name the publication three before the newest one. */
    private int late(int reports) {
      return switch (this) {
        case LATE -> reports;
        case HALF_LATE -> reports / 2;
        case RULE, GROWING, SINGLE -> 0;
      };
    }

    /** Reports that arrive as one sum, after {@code seen} reports that named the publication. */
    long bundle(long seen) {
      return this == SINGLE ? 1 : Math.max(1, Publication.share(seen));
    }
  }

  /** What learns. */
  private interface TrialModel {

    /** Takes the sum of reports that name a round; may change {@code sum}. */
    void add(long namedRound, double[] sum, int reports);

    /** Writes what is published, and returns the number of its round. */
    long publish(double[] weights, double[] average);
  }

  /** A publication that reports name. */
  private static final class NamedPublication {
    private final double[] weights;
    private long round;
    private long reports;

    private NamedPublication(int dimension) {
      weights = new double[dimension];
    }
  }

  private final Participants participants;
  private final double clip;
  private final double epsilon;
  private final ReportGrouping grouping;
  private final SeededRandom random;
  private final TrialModel trialModel;
  private final Noise law = Noise.l2Laplace();
  private final Optional<Trim> trim;
  private final double[] gradient;
  private final double[] noise;
  private final double[] average;

  /** Oldest first. */
  private final Deque<NamedPublication> publications = new ArrayDeque<>();

  /**
   * Publishes the initial model.
   *
   * @param spec a valid spec of a local model with rounds of one report and no radius; gradients
   *     are clipped at its bound
   * @param epsilon of the l2_laplace noise of each report; infinite: none
   */
  RoundsTrial(
      Participants participants,
      ModelSpec spec,
      double epsilon,
      ReportGrouping grouping,
      SeededRandom random) {
    this.participants = participants;
    this.clip = spec.getGradientBound();
    this.epsilon = epsilon;
    this.grouping = grouping;
    this.random = random;
    gradient = new double[participants.dimension()];
    noise = new double[participants.dimension()];
    trim = spec.hasAdaptiveRadius() ? Optional.of(new Trim(clip, 0)) : Optional.empty();
    average = new double[participants.dimension()];
    LabelledLearner candidate = LabelledLearner.of("study", spec);
    trialModel =
        grouping.isOfTheJob()
            ? new JobModel(spec, candidate.directionalVariance())
            : new Steps(candidate, trim.isPresent() ? clip : 1);
    publish();
  }

  /** Adds {@code reports} reports, and publishes. */
  void interval(int reports) {
    int late = grouping.late(reports);
    int timely = reports - late;
    double[] sum = new double[participants.dimension()];
    while (late + timely > 0) {
      boolean isLate = late > timely;
      NamedPublication named = isLate ? publications.getFirst() : publications.getLast();
      int size = (int) Math.min(isLate ? late : timely, grouping.bundle(named.reports));
      Arrays.fill(sum, 0);
      boolean sumOfNoise = size >= GAUSSIAN_FROM && trim.isEmpty();
      for (int i = 0; i < size; i++) {
        addReport(named.weights, sumOfNoise ? Double.POSITIVE_INFINITY : epsilon, sum);
      }
      if (sumOfNoise) {
        addNoise(size, sum);
      }
      trialModel.add(named.round, sum, size);
      named.reports += size;
      late -= isLate ? size : 0;
      timely -= isLate ? 0 : size;
    }
    publish();
  }

  /** Excess loss of the published average. */
  double excess() {
    return participants.quality(average).excess();
  }

  private void publish() {
    NamedPublication named = new NamedPublication(participants.dimension());
    named.round = trialModel.publish(named.weights, average);
    publications.addLast(named);
    if (publications.size() > DELAY + 1) {
      publications.removeFirst();
    }
  }

  private void addReport(double[] weights, double level, double[] sum) {
    participants.next();
    participants.gradient(weights, gradient);
    double norm = Math.sqrt(Vectors.squaredNorm(gradient));
    Vectors.scale(norm > clip ? clip / norm : 1, gradient, gradient);
    if (level < Double.POSITIVE_INFINITY) {
      law.draw(level / clip, random, noise);
      Vectors.add(noise, gradient);
    }
    double factor =
        trim.map(trimmed -> trimmed.factor(Math.sqrt(Vectors.squaredNorm(gradient)))).orElse(1.0);
    Vectors.addScaled(factor, gradient, sum);
  }

  /** The covariance of one report's noise is (2 G / epsilon)^2 (d + 1) times the identity. */
  private void addNoise(int reports, double[] sum) {
    if (epsilon == Double.POSITIVE_INFINITY) {
      return;
    }
    double deviation = 2 * clip / epsilon * Math.sqrt((sum.length + 1.0) * reports);
    for (int j = 0; j < sum.length; j++) {
      sum[j] += deviation * random.normal();
    }
  }

  /** The model of the job. */
  private static final class JobModel implements TrialModel {
    private final LocalModel model;
    private final double directionalVariance;

    private JobModel(ModelSpec spec, double directionalVariance) {
      model = new LocalModel(spec, 0);
      this.directionalVariance = directionalVariance;
    }

    @Override
    public void add(long namedRound, double[] sum, int reports) {
      RoundSum bundle = new RoundSum();
      bundle.namedRound = namedRound;
      bundle.count = reports;
      bundle.reportsPerRound = 1;
      bundle.directionalVariance = reports * directionalVariance;
      bundle.dimension = sum.length;
      bundle.values = PackedVectors.encode(sum);
      BundleOutcome outcome = model.add(bundle);
      if (outcome != BundleOutcome.OPEN && outcome != BundleOutcome.STEPPED) {
        throw new IllegalStateException("reports of round " + namedRound + ": " + outcome);
      }
    }

    @Override
    public long publish(double[] weights, double[] average) {
      ModelUpdateView update = model.publish(true, 0).orElseThrow();
      model.confirm();
      read(update.getWeights(0), weights);
      read(update.getAverage(0), average);
      return update.getRound();
    }

    private static void read(ByteString bytes, double[] into) {
      byte[] values = bytes.toByteArray();
      for (int j = 0; j < into.length; j++) {
        into[j] = PackedVectors.doubleAt(values, j);
      }
    }
  }

  /** A learner that takes a step on each bundle; reports name the newest publication. */
  private static final class Steps implements TrialModel {
    private final Learner<LearnerState> learner;
    private final double directionalVariance;
    private final LearnerState state;
    private final Round round;
    private final Iterate iterate;
    private final double[] direction;
    private final double unit;

    /** Creates the steps of a learner that takes gradients in units of {@code unit}. */
    private Steps(LabelledLearner candidate, double unit) {
      this.unit = unit;
      learner = candidate.learner();
      directionalVariance = candidate.directionalVariance();
      state = learner.initial();
      round = new Round(learner.dimension());
      round.gradientBound = candidate.gradientBound();
      iterate = new Iterate(learner.dimension());
      direction = new double[learner.dimension()];
    }

    @Override
    public void add(long namedRound, double[] sum, int reports) {
      Vectors.scale(1.0 / reports / unit, sum, round.subgradient);
      round.reports = reports;
      round.squaredNorm = Vectors.squaredNorm(round.subgradient);
      round.directionalVariance = directionalVariance / reports;
      round.coin = learner.bets() ? Vectors.dot(direction, round.subgradient) : 0;
      learner.step(state, round);
    }

    @Override
    public long publish(double[] weights, double[] average) {
      learner.publish(state, iterate);
      if (learner.bets()) {
        learner.direction(state, direction);
      }
      System.arraycopy(iterate.weights, 0, weights, 0, weights.length);
      System.arraycopy(iterate.average, 0, average, 0, average.length);
      return state.round();
    }
  }
}
