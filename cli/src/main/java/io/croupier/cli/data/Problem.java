package io.croupier.cli.data;

import io.croupier.client.RoundTerms;
import io.croupier.client.Rows;
import io.croupier.client.Sizes;
import io.croupier.client.loss.LogisticLoss;
import io.croupier.client.loss.PredictionLoss;
import io.croupier.client.loss.SoftmaxLoss;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Question;
import java.util.Arrays;
import java.util.Optional;

/**
 * A convex prediction problem with predictions {@code <x, w>}, or with k of them, {@code <x, w_c>},
 * where w consists of the w_c, one after the other. The loss is the mean over people i of {@code
 * u_i loss(<x_i, w>, y_i)}, divided by the mean of the u_i.
 *
 * <p>Immutable and thread-safe. Losses are finite for weights of norm up to 1e150.
 */
public final class Problem {

  private final int width;
  private final double[] features;
  private final double[] targets;
  private final double[] importance;
  private final PredictionLoss loss;
  private final Rows rows;
  private final double meanImportance;
  private final double totalVariation;

  /**
   * Makes a problem; the arrays are not copied.
   *
   * @param features the x_i, concatenated
   * @param targets the y_i; 0 or 1 for a {@link LogisticLoss}, 0 to k - 1 for a {@link SoftmaxLoss}
   * @param importance the u_i, not negative
   * @see Rows#Rows(double[], double[], double[], PredictionLoss)
   */
  public Problem(double[] features, double[] targets, double[] importance, PredictionLoss loss) {
    this.rows = new Rows(features, targets, importance, loss);
    this.width = features.length / targets.length;
    this.features = features;
    this.targets = targets;
    this.importance = importance;
    this.loss = loss;
    this.meanImportance = mean(importance);
    this.totalVariation = sumOfSquaredDeviations(targets);
  }

  /** Number of weights: that of the features, for each prediction. */
  public int dimension() {
    return rows.dimension();
  }

  /** The people's rows. */
  public Rows rows() {
    return rows;
  }

  /** Number of people. */
  public int size() {
    return targets.length;
  }

  /** The name of the fit of a {@link Score}. */
  public String fitName() {
    return hasClasses() ? "accuracy" : "R²";
  }

  /** Whether the targets are classes, so that predictions are right or wrong. */
  public boolean hasClasses() {
    return classes() > 0;
  }

  /** The number of classes that the targets are of; 0 if they are numbers. */
  public int classes() {
    return loss.classes();
  }

  /** The same problem, restricted to the first people. */
  public Problem first(int people) {
    if (people >= size()) {
      return this;
    }
    return new Problem(
        Arrays.copyOf(features, people * width),
        Arrays.copyOf(targets, people),
        Arrays.copyOf(importance, people),
        loss);
  }

  /** An upper bound on the norm of one person's gradient. */
  public double gradientBound() {
    double bound = 0;
    for (int i = 0; i < size(); i++) {
      bound = Math.max(bound, featureNorm(i));
    }
    return bound * loss.steepest();
  }

  /**
   * What a clip that the job finds bounds best: features for the logistic loss, with the slope
   * rule; the gradient for the others.
   */
  public AdaptiveClip adaptiveClip() {
    AdaptiveClip.Builder clip = AdaptiveClip.newBuilder();
    return loss instanceof LogisticLoss
        ? clip.setSize(AdaptiveClip.Size.FEATURES).setSlopeRule(true).build()
        : clip.setSize(AdaptiveClip.Size.GRADIENT).build();
  }

  /**
   * The size of one person's gradient, as the clip of a round bounds it.
   *
   * @param weights of the round, shape [d]
   */
  public double size(RoundTerms terms, int person, double[] weights) {
    if (terms.clip().size().equals(Optional.of(AdaptiveClip.Size.FEATURES))) {
      return terms.clip().slopeBound() * featureNorm(person);
    }
    double[] gradient = new double[dimension()];
    gradient(person, weights, gradient);
    return Sizes.norm(gradient);
  }

  /** The same problem in other units: all features are multiplied by a factor. */
  public Problem times(double factor) {
    return new Problem(
        Arrays.stream(features).map(value -> factor * value).toArray(), targets, importance, loss);
  }

  /** The same problem with the labels turned over: classes in reverse order, numbers negated. */
  public Problem turned() {
    double last = hasClasses() ? classes() - 1 : 0;
    return new Problem(
        features, Arrays.stream(targets).map(target -> last - target).toArray(), importance, loss);
  }

  /** Whether the slope of the loss is bounded. */
  public boolean hasBoundedSlope() {
    return steepest() <= Double.MAX_VALUE;
  }

  /** The least bound on the slope of the loss; infinite if it has none. */
  public double steepest() {
    return loss.steepest();
  }

  /**
   * The gradient of one person's loss.
   *
   * @param weights shape [d]
   * @param out shape [d], overwritten
   */
  public void gradient(int person, double[] weights, double[] out) {
    rows.gradient(person, weights, out);
  }

  /**
   * Whether this data can answer a question: only classes have an accuracy, and a newer version may
   * have questions of other kinds.
   */
  public boolean canAnswer(Question question) {
    return rows.canAnswer(question);
  }

  /**
   * The true answer of one person to a question about {@code weights}.
   *
   * @throws IllegalArgumentException if this data {@linkplain #canAnswer can't answer} it
   */
  public boolean answer(Question question, int person, double[] weights) {
    return rows.answer(question, person, weights);
  }

  /** Loss and fit of {@code weights} on all data; takes O(size d) time. */
  public Score score(double[] weights) {
    double sum = 0;
    double right = 0;
    double residuals = 0;
    for (int i = 0; i < targets.length; i++) {
      double[] predictions = rows.predictions(i, weights);
      sum += importance[i] * loss.value(predictions, targets[i]);
      if (hasClasses()) {
        right += loss.isRight(predictions, targets[i]) ? 1 : 0;
      } else {
        residuals += (predictions[0] - targets[i]) * (predictions[0] - targets[i]);
      }
    }
    double fit = hasClasses() ? right / size() : 1 - residuals / totalVariation;
    return new Score(sum / size() / meanImportance, fit);
  }

  /**
   * The score of doing nothing: the loss of zero weights, and the share of people that a guess gets
   * right, which is that of the largest class.
   */
  public Score untrained() {
    Score zero = score(new double[dimension()]);
    if (!hasClasses()) {
      return zero;
    }
    int[] counts = new int[classes()];
    for (double target : targets) {
      counts[(int) target]++;
    }
    return new Score(zero.loss(), (double) Arrays.stream(counts).max().orElseThrow() / size());
  }

  /** The weights of least loss, computed from all data without privacy. */
  public double[] optimum() {
    return new Newton(this).minimum();
  }

  /** The mean loss, whose derivatives {@link #derivatives} computes. */
  double loss(double[] weights) {
    return score(weights).loss();
  }

  /**
   * Computes the first and second derivatives of the mean loss.
   *
   * @param gradient shape [d], overwritten
   * @param hessian shape [d][d], overwritten
   */
  void derivatives(double[] weights, double[] gradient, double[][] hessian) {
    Arrays.fill(gradient, 0);
    for (double[] row : hessian) {
      Arrays.fill(row, 0);
    }
    double scale = 1 / (size() * meanImportance);
    for (int i = 0; i < targets.length; i++) {
      double[] predictions = rows.predictions(i, weights);
      double[] slopes = loss.slopes(predictions, targets[i]);
      for (int c = 0; c < slopes.length; c++) {
        addScaled(scale * importance[i] * slopes[c], i, gradient, c * width, width);
        for (int e = 0; e <= c; e++) {
          double curvature = scale * importance[i] * loss.curvature(predictions, targets[i], c, e);
          for (int j = 0; j < width; j++) {
            double factor = curvature * features[i * width + j];
            addScaled(factor, i, hessian[c * width + j], e * width, e == c ? j + 1 : width);
          }
        }
      }
    }
    for (int j = 0; j < dimension(); j++) {
      for (int k = 0; k < j; k++) {
        hessian[k][j] = hessian[j][k];
      }
    }
  }

  /** Adds a multiple of a person's first features to a part of a vector. */
  private void addScaled(double factor, int person, double[] to, int from, int count) {
    for (int j = 0; j < count; j++) {
      to[from + j] += factor * features[person * width + j];
    }
  }

  /**
   * The norm of one person's features times their importance: an upper bound on the norm of their
   * gradient per unit of slope, independent of the target.
   */
  public double featureNorm(int person) {
    return rows.featureNorm(person);
  }

  private static double mean(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.length;
  }

  private static double sumOfSquaredDeviations(double[] values) {
    double mean = mean(values);
    double sum = 0;
    for (double value : values) {
      sum += (value - mean) * (value - mean);
    }
    return sum;
  }
}
