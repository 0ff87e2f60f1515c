package io.croupier.client;

import io.croupier.client.ledger.DataKey;
import io.croupier.client.loss.PredictionLoss;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Question;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * One person's rows, each with a target that linear predictions {@code <x, w>}, or k of them, are
 * compared with. {@link #at} makes them the {@link Participant} of a round: it reports the gradient
 * of their mean loss, or answers about one of them, drawn at random.
 *
 * <p>The rows are checked when they are created: an error later would disclose something of the
 * data. Messages contain no value of them. Immutable and thread-safe.
 */
public final class Rows {
  private final int width;
  private final double[] features;
  private final double[] targets;
  private final double[] importance;
  private final PredictionLoss loss;

  /** How many equal rows come before, if this is one row of several. */
  private final int earlier;

  /**
   * Makes rows of arrays that are not copied, and must not be modified.
   *
   * @param features rows x of finite numbers, one after the other
   * @param targets one for each row: 0 or 1 for the logistic loss, 0 to k - 1 for that of k
   *     classes, otherwise finite
   * @param importance factor of each row's loss, finite and at least 0
   * @throws IllegalArgumentException if they are otherwise, or there is no row
   */
  public Rows(double[] features, double[] targets, double[] importance, PredictionLoss loss) {
    this(features, targets, importance, loss, 0);
    require(
        targets.length > 0 && importance.length == targets.length && features.length > 0,
        () ->
            String.format(
                "features, targets and importance have %d, %d and %d values; there must be a row, and as"
                    + " many of the latter as of rows",
                features.length, targets.length, importance.length));
    require(
        features.length % targets.length == 0,
        () ->
            String.format(
                "features have %d values; all of the %d rows must have as many",
                features.length, targets.length));
    require(
        Arrays.stream(features).allMatch(Double::isFinite),
        () -> "a feature is not finite; it must be a finite number");
    require(
        Arrays.stream(importance).allMatch(u -> u >= 0 && u <= Double.MAX_VALUE),
        () -> "an importance is malformed; it must be finite and at least 0");
    require(
        Arrays.stream(targets).allMatch(target -> isTarget(target, loss)),
        () ->
            String.format(
                "a target is malformed; it must be %s",
                loss.classes() == 0
                    ? "a finite number"
                    : "a whole number from 0 to " + (loss.classes() - 1)));
  }

  private Rows(
      double[] features, double[] targets, double[] importance, PredictionLoss loss, int earlier) {
    this.width = targets.length == 0 ? 0 : features.length / targets.length;
    this.features = features;
    this.targets = targets;
    this.importance = importance;
    this.loss = loss;
    this.earlier = earlier;
  }

  private static void require(boolean condition, Supplier<String> otherwise) {
    if (!condition) {
      throw new IllegalArgumentException(otherwise.get());
    }
  }

  private static boolean isTarget(double target, PredictionLoss loss) {
    return loss.classes() == 0
        ? Double.isFinite(target)
        : target == Math.rint(target) && target >= 0 && target < loss.classes();
  }

  /** One row, which is copied. */
  public static Rows of(double[] features, double target, PredictionLoss loss) {
    return of(new double[][] {features}, new double[] {target}, loss);
  }

  /**
   * Rows of as many features each, which are copied.
   *
   * @throws IllegalArgumentException as the constructor
   */
  public static Rows of(double[][] features, double[] targets, PredictionLoss loss) {
    for (double[] row : features) {
      require(
          row.length == features[0].length,
          () ->
              String.format(
                  "a row has %d features, another has %d; all must have as many",
                  row.length, features[0].length));
    }
    double[] importance = new double[features.length];
    Arrays.fill(importance, 1);
    return new Rows(
        Arrays.stream(features).flatMapToDouble(Arrays::stream).toArray(),
        targets.clone(),
        importance,
        loss);
  }

  /** Number of weights: that of the features, for each prediction. */
  public int dimension() {
    return width * loss.predictions();
  }

  /** Number of rows. */
  public int size() {
    return targets.length;
  }

  /**
   * Each row by itself. Equal rows are different data: their {@linkplain #key keys} number them.
   */
  public List<Rows> each() {
    Map<List<Double>, Integer> seen = new HashMap<>();
    List<Rows> each = new ArrayList<>();
    for (int i = 0; i < size(); i++) {
      double[] x = Arrays.copyOfRange(features, i * width, (i + 1) * width);
      double[] y = {targets[i]};
      List<Double> row =
          DoubleStream.concat(Arrays.stream(x), Arrays.stream(y))
              .boxed()
              .collect(Collectors.toList());
      int count = seen.merge(row, 1, Integer::sum);
      each.add(new Rows(x, y, new double[] {importance[i]}, loss, count - 1));
    }
    return each;
  }

  /** The digest of features and targets: the same rows in the same order have the same key. */
  public DataKey key() {
    double[] shape = {width, size(), earlier};
    return DataKey.digestOf(
        Stream.of(shape, features, targets).flatMapToDouble(Arrays::stream).toArray());
  }

  /**
   * The rows as participant of a round, under the {@linkplain #key digest} of their values.
   *
   * @throws IllegalArgumentException if the model has another dimension, or its clip bounds
   *     FEATURES, which requires a loss of bounded slope
   */
  public Participant at(ModelSnapshot model) {
    return at(model, key());
  }

  /** The same under a key of the caller. */
  public Participant at(ModelSnapshot model, DataKey key) {
    require(
        dimension() == model.dimension(),
        () ->
            String.format(
                "the rows make %d weights; model %s has %d",
                dimension(), model.modelId(), model.dimension()));
    require(
        !model.terms().clip().bounds(AdaptiveClip.Size.FEATURES)
            || loss.steepest() <= Double.MAX_VALUE,
        () ->
            String.format(
                "the slope of the loss has no bound; the clip of model %s bounds the size FEATURES, which"
                    + " requires a loss of bounded slope",
                model.modelId()));
    return new AtRound(this, model, key);
  }

  private record AtRound(Rows rows, ModelSnapshot model, DataKey key) implements Participant {
    @Override
    public double[] gradient() {
      return rows.gradient(model.weights());
    }

    @Override
    public double size() {
      return rows.size(model.terms(), model.weights());
    }

    @Override
    public boolean canAnswer(Question question) {
      return rows.canAnswer(question);
    }

    @Override
    public boolean answer(Question question) {
      int row = new SecureRandom().nextInt(rows.size());
      return rows.answer(question, row, model.average());
    }

    /** Contains nothing of the data. */
    @Override
    public String toString() {
      return "Rows at round " + model.round() + " of model " + model.modelId();
    }
  }

  /**
   * The gradient of the mean loss of all rows.
   *
   * @param weights shape [d]
   * @return shape [d]
   */
  public double[] gradient(double[] weights) {
    double[] gradient = new double[dimension()];
    double[] mean = new double[dimension()];
    for (int row = 0; row < size(); row++) {
      gradient(row, weights, gradient);
      for (int j = 0; j < mean.length; j++) {
        mean[j] += gradient[j] / size();
      }
    }
    return mean;
  }

  /**
   * The gradient of one row's loss.
   *
   * @param weights shape [d]
   * @param out shape [d], overwritten
   */
  public void gradient(int row, double[] weights, double[] out) {
    double[] slopes = loss.slopes(predictions(row, weights), targets[row]);
    for (int c = 0; c < slopes.length; c++) {
      double factor = importance[row] * slopes[c];
      for (int j = 0; j < width; j++) {
        out[c * width + j] = factor * features[row * width + j];
      }
    }
  }

  /** The loss of one row. */
  public double loss(int row, double[] weights) {
    return importance[row] * loss.value(predictions(row, weights), targets[row]);
  }

  /**
   * The size of the gradient of the mean loss, as the clip of a round bounds it; where it bounds
   * features, their mean size, which the norm of the gradient doesn't exceed.
   */
  public double size(RoundTerms terms, double[] weights) {
    if (!terms.clip().bounds(AdaptiveClip.Size.FEATURES)) {
      return Sizes.norm(gradient(weights));
    }
    double mean = 0;
    for (int row = 0; row < size(); row++) {
      mean += terms.clip().slopeBound() * featureNorm(row) / size();
    }
    return mean;
  }

  /**
   * The norm of one row's features times their importance: an upper bound on the norm of its
   * gradient per unit of slope, independent of the target.
   */
  public double featureNorm(int row) {
    double[] x = Arrays.copyOfRange(features, row * width, (row + 1) * width);
    return importance[row] * Sizes.norm(x);
  }

  /**
   * Whether rows of this loss can answer a question, whatever their values: only classes have an
   * accuracy, and a newer version may have questions of other kinds.
   */
  public boolean canAnswer(Question question) {
    return switch (question.getKindCase()) {
      case ACCURACY -> loss.classes() > 0;
      case LOSS_ABOVE -> true;
      case KIND_NOT_SET -> false;
    };
  }

  /**
   * The true answer of one row to a question about {@code weights}.
   *
   * @throws IllegalArgumentException if these rows {@linkplain #canAnswer can't answer} it
   */
  public boolean answer(Question question, int row, double[] weights) {
    require(
        canAnswer(question),
        () ->
            String.format(
                "question %s is about accuracy, which only classes have, or of an unknown kind",
                question.getName()));
    return question.hasAccuracy()
        ? loss.isRight(predictions(row, weights), targets[row])
        : loss(row, weights) > question.getLossAbove().getThreshold();
  }

  /**
   * The predictions for one row.
   *
   * @return shape [k]
   */
  public double[] predictions(int row, double[] weights) {
    double[] predictions = new double[loss.predictions()];
    for (int c = 0; c < predictions.length; c++) {
      for (int j = 0; j < width; j++) {
        predictions[c] += features[row * width + j] * weights[c * width + j];
      }
    }
    return predictions;
  }

  /** Contains nothing of the data. */
  @Override
  public String toString() {
    return "Rows[dimension=" + dimension() + "]";
  }
}
