package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.cli.data.CsvRows;
import io.croupier.cli.data.NamedLoss;
import io.croupier.cli.data.Problem;
import io.croupier.cli.follow.PublishedModel;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ledger.DataKey;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Prediction;
import io.croupier.schemas.PredictionRules;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import picocli.CommandLine.Option;

/** Options that evaluate gradients on a file of data instead of reading them. */
final class DataOptions {

  @Option(
      names = "--data",
      paramLabel = "FILE",
      required = true,
      description = {
        "Evaluates the gradients on this person's rows, a CSV file with a header. If the model"
            + " describes its features, the columns that it names are scaled as it describes."
            + " Otherwise all values are"
            + " numbers, used without scaling: every column except the label is a coordinate, in"
            + " the order of the header; for an intercept, add a column of ones. A file that"
            + " ends in .gz is decompressed."
      })
  private Path file;

  @Option(
      names = "--label",
      paramLabel = "COLUMN",
      description = {
        "The column to predict. May be left out, like --loss, if the model's predicts names both."
      })
  private String label;

  @Option(
      names = "--loss",
      paramLabel = "NAME",
      description = {
        "The loss: ${COMPLETION-CANDIDATES}. logistic requires labels of yes and no, true and"
            + " false, or 1 and 0, and softmax of 0 to k - 1, for a model of as many weights for"
            + " each of k classes as there are features. huber-mallows is Huber's loss, linear for"
            + " residuals beyond 1.345 times --scale, with weight min(1, k / ||x||) for row x, k ="
            + " G / 1.345, so no gradient is longer than the model's bound G. If the model's clip"
            + " moves, its size must be FEATURES, and the clip takes the place of these weights."
            + " squared has no bounded slope: it is not for the size FEATURES."
      })
  private NamedLoss loss;

  @Option(
      names = "--scale",
      paramLabel = "S",
      description = "Scale of the residuals, for huber-mallows (default: 1).")
  private Double scale;

  @Option(
      names = "--each-row",
      description = {
        "Sends one report for each row. Each report spends privacy, and the number of rows becomes"
            + " visible. By default one report has the gradient of the mean loss of all rows."
      })
  private boolean eachRow;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Number of published rounds to process: the newest one, then those published later"
            + " (default: ${DEFAULT-VALUE}). A round that the ledger doesn't choose is not"
            + " answered, and the command ends when the data are reported as often as --times"
            + " allows. With --each-row: number of passes over the rows, each row at the"
            + " newest round."
      })
  private long rounds;

  boolean isEachRow() {
    return eachRow;
  }

  /**
   * Loads the data and returns its gradients.
   *
   * @param model whose weights the gradients are evaluated at
   * @param isLive whether new rounds may be published
   * @param keys name the data
   * @param isReported whether data were reported as often as their key allows
   * @param warnings receives what is no error, in words
   * @throws InputException if the data doesn't fit the model
   */
  RowGradients gradients(
      PublishedModel model,
      boolean isLive,
      KeyOptions keys,
      Predicate<DataKey> isReported,
      Consumer<String> warnings) {
    if (eachRow && keys.hasText()) {
      throw new InputException(
          "--key is not for --each-row: each row is named by its values. Leave out one of them");
    }
    if (scale != null && !(scale > 0 && scale <= Double.MAX_VALUE)) {
      throw new InputException("--scale is %s; it must be positive and finite".formatted(scale));
    }
    if (rounds < 1 || (rounds > 1 && !isLive)) {
      throw new InputException(
          ("--rounds is %d; it must be at least 1, and without Kafka exactly 1, since no further"
                  + " rounds are published")
              .formatted(rounds));
    }
    ModelSnapshot newest = model.newest();
    Problem problem = problem(newest);
    newest.size().ifPresent(size -> requireUsable(size, problem));
    warnOfSteepLoss(newest, problem, warnings);
    return new RowGradients(problem.rows(), eachRow, model, rounds, keys, isReported);
  }

  private Problem problem(ModelSnapshot model) {
    if (model.predicts().isEmpty()) {
      requireGiven("--label", label);
      requireGiven("--loss", loss);
      return CsvRows.load(file, label, loss, model, scale == null ? 1 : scale);
    }
    Prediction predicts = model.predicts().get();
    if (scale != null) {
      throw new InputException(
          "--scale is only for --loss huber-mallows; leave it out, since the model's spec names its loss");
    }
    requireSame("--label", label, predicts.getLabel(), model);
    requireSame("--loss", loss, predicts.getLossCase().name().toLowerCase(Locale.ROOT), model);
    return CsvRows.load(file, model, predicts);
  }

  private static void requireGiven(String option, Object value) {
    if (value == null) {
      throw new InputException(
          option + " is missing; it must be given for a model without predicts");
    }
  }

  private static void requireSame(
      String option, Object value, String predicted, ModelSnapshot model) {
    if (value != null && !value.toString().equals(predicted)) {
      throw new InputException(
          "%s is %s, but model '%s' predicts %s; leave the option out"
              .formatted(
                  option,
                  value,
                  model.modelId(),
                  PredictionRules.inWords(model.predicts().orElseThrow())));
    }
  }

  /** The slope rule lowers the bound on purpose, for the logistic loss only. */
  private void warnOfSteepLoss(ModelSnapshot model, Problem problem, Consumer<String> warnings) {
    if (model.size().equals(Optional.of(AdaptiveClip.Size.FEATURES))
        && !isLogistic(model)
        && problem.steepest() > model.slopeBound()) {
      warnings.accept(
          ("Warning: the slope of %s is up to %s, above the model's slopeBound, %s: the"
                  + " longest gradients are clipped more than others, which may bias the model."
                  + " Reports are as private as before")
              .formatted(lossInWords(), problem.steepest(), model.slopeBound()));
    }
  }

  private boolean isLogistic(ModelSnapshot model) {
    return loss == NamedLoss.LOGISTIC
        || model.predicts().filter(Prediction::hasLogistic).isPresent();
  }

  private String lossInWords() {
    return loss == null ? "the model's loss" : "--loss " + loss;
  }

  /** A loss whose gradients the clip can bound. */
  private void requireUsable(AdaptiveClip.Size size, Problem problem) {
    if (size == AdaptiveClip.Size.FEATURES && !problem.hasBoundedSlope()) {
      throw new InputException(
          ("%s: the model's clip bounds the size FEATURES, which requires a loss of bounded"
                  + " slope; use another loss, or a model with the size GRADIENT")
              .formatted(lossInWords()));
    }
    if (size == AdaptiveClip.Size.GRADIENT && loss == NamedLoss.HUBER_MALLOWS) {
      throw new InputException(
          "--loss huber-mallows: the model's clip moves, so it must bound the size FEATURES, which"
              + " weights rows likewise; use another loss, or a model with the size FEATURES");
    }
  }
}
