package io.croupier.studies;

import com.google.protobuf.ByteString;
import io.croupier.accounting.ResponseLaw;
import io.croupier.cli.data.Problem;
import io.croupier.operators.math.ExactSums;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.LocalModel;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.ReportWeight;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Question;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One run of the demo with one model, through the job's own model: people come one by one, name the
 * newest visible publication, and send what it asks of them, a gradient or an answer. While the
 * model scouts, people whom it doesn't ask come once more, after all others.
 */
final class DemoTrial {
  private final Problem problem;
  private final ModelSpec spec;
  private final Release release;
  private final int weightExponent;
  private final double strength;
  private final PublicationPace pace;
  private final SeededRandom random;
  private final LocalModel model;
  private final double[] weights;
  private final double[] average;
  private final double[] gradient;
  private final double[] released;
  private final Deque<Integer> postponed = new ArrayDeque<>();
  private ModelUpdateView visible;

  /** Null if the newest publication is visible. */
  private ModelUpdateView pending;

  /** People who have come since the last publication, and how many it waits for. */
  private int come;

  private int awaited;
  private int intervals;
  private long gradients;

  /**
   * Creates a model that has published its first round.
   *
   * @param spec a valid spec of a local model
   * @param mechanism of gradients
   * @param epsilon of gradients and answers
   * @param random the randomness of devices
   */
  DemoTrial(
      Problem problem,
      ModelSpec spec,
      StudiedMechanism mechanism,
      double epsilon,
      PublicationPace pace,
      SeededRandom random) {
    this.problem = problem;
    this.spec = spec;
    this.pace = pace;
    this.random = random;
    int d = problem.dimension();
    release = mechanism.release(d, 1, epsilon);
    weightExponent = mechanism.weightExponent(d, epsilon);
    strength = ResponseLaw.ofEpsilon(epsilon).strength();
    weights = new double[d];
    average = new double[d];
    gradient = new double[d];
    released = new double[d];
    model = new LocalModel(spec, 0);
    awaited = pace.people(0);
    pending = model.publish(true, 0).orElseThrow();
    show();
  }

  /** Lets people come in this order, and publishes once more after the last one. */
  void play(int[] order) {
    for (int person : order) {
      arrive();
      if (isChosen() || !isScouting()) {
        report(person);
      } else {
        postponed.add(person);
      }
    }
    while (!postponed.isEmpty()) {
      arrive();
      if (isChosen()) {
        report(postponed.removeFirst());
      } else {
        postponed.removeFirst();
      }
    }
    if (pending != null) {
      show();
    }
    pending = model.publish(true, 0).orElseThrow();
    show();
  }

  private void arrive() {
    if (come == awaited) {
      come = 0;
      awaited = pace.people(++intervals);
      if (model.hasNews()) {
        pending = model.publish(model.isConfirmed() && model.isAnswered(), 0).orElseThrow();
      }
    }
    if (come++ == pace.late(awaited) && pending != null) {
      show();
    }
  }

  private void show() {
    visible = pending;
    pending = null;
    model.confirm();
    read(visible.getWeights(0), weights);
    read(visible.getAverage(0), average);
  }

  private static void read(ByteString bytes, double[] into) {
    byte[] values = bytes.toByteArray();
    for (int j = 0; j < into.length; j++) {
      into[j] = PackedVectors.doubleAt(values, j);
    }
  }

  private boolean isScouting() {
    return spec.hasAdaptiveClip() && visible.getQuestionProbability() >= 1;
  }

  private boolean isChosen() {
    return random.uniform() < visible.getAnswerProbability();
  }

  private void report(int person) {
    RoundSum report = new RoundSum();
    report.modelId = spec.getModelId();
    report.namedRound = visible.getRound();
    report.count = 1;
    if (random.uniform() < visible.getQuestionProbability()) {
      answer(person, report);
    } else {
      gradient(person, report);
    }
    BundleOutcome outcome = model.add(report);
    boolean isUsable = outcome != BundleOutcome.DROPPED_STALE || spec.hasAdaptiveClip();
    if (!isUsable || outcome == BundleOutcome.DROPPED_UNPUBLISHED) {
      throw new IllegalStateException("a report of round " + report.namedRound + ": " + outcome);
    }
  }

  private void answer(int person, RoundSum report) {
    int questions = spec.getQuestionsCount();
    int chosen =
        isScouting() ? questions : random.below(questions + (spec.hasAdaptiveClip() ? 1 : 0));
    boolean truth;
    if (chosen == questions) {
      report.question = AdaptiveClips.QUESTION;
      truth = size(person) > visible.getGradientBound();
    } else {
      Question question = spec.getQuestions(chosen);
      report.question = question.getName();
      truth = problem.answer(question, person, average);
    }
    boolean isTrue = random.uniform() < (1 + strength) / 2;
    report.form = VectorForm.ANSWER;
    report.response = truth == isTrue ? strength : -strength;
  }

  /** As the clip of classes bounds it. */
  private double size(int person) {
    return visible.getSlopeBound() * problem.featureNorm(person);
  }

  private void gradient(int person, RoundSum report) {
    double clip = visible.getGradientBound();
    problem.gradient(person, weights, gradient);
    double scale = spec.hasAdaptiveClip() ? Math.min(1, clip / size(person)) : 1;
    double norm = scale * Math.sqrt(Vectors.squaredNorm(gradient));
    // In units of the clip, then clipped in any case.
    Vectors.scale(scale * Math.min(1, clip / norm) / clip, gradient, gradient);
    release.draw(gradient, random, released);
    Vectors.scale(clip, released, released);
    report.dimension = released.length;
    report.form = VectorForm.GRID_SUM;
    report.weightExponent = weightExponent;
    report.exponent = ReportWeight.gridExponent(clip, weightExponent);
    report.values = ExactSums.of(PackedVectors.encode(released), report.exponent);
    report.gradientBound = spec.hasAdaptiveClip() ? clip : 0;
    gradients++;
  }

  /** Returns the published average, not to be changed. */
  double[] average() {
    return average;
  }

  /** Returns the clip of the last publication. */
  double clip() {
    return visible.getGradientBound();
  }

  /** Returns how many people have sent a gradient. */
  long gradients() {
    return gradients;
  }
}
