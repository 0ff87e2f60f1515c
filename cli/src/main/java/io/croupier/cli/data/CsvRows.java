package io.croupier.cli.data;

import io.croupier.cli.InputException;
import io.croupier.cli.data.CsvTable.Kind;
import io.croupier.client.Features;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.loss.PredictionLoss;
import io.croupier.schemas.Prediction;
import io.croupier.schemas.PredictionRules;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One person's rows. If the model describes its features, the columns that it names are turned into
 * vectors as it describes. Otherwise every column except the label is a coordinate, in the order of
 * the header, and the values are not scaled, since scaling would require the data of all people.
 */
public final class CsvRows {

  private CsvRows() {}

  /**
   * Reads a file.
   *
   * @param label the column to predict
   * @param model whose features, dimension and bound apply
   * @param scale of the residuals, for {@link NamedLoss#HUBER_MALLOWS}
   * @throws InputException if the file can't be read, its contents are invalid, or they don't fit
   *     the model
   */
  public static Problem load(
      Path file, String label, NamedLoss loss, ModelSnapshot model, double scale) {
    CsvTable read = CsvTable.read(file);
    read.requireColumn(label);
    Features described = features(model);
    List<String> columns = read.columns().stream().filter(name -> !name.equals(label)).toList();
    int width = described.list().isEmpty() ? columns.size() : described.size();
    String made =
        described.list().isEmpty()
            ? "%s: the file has %d columns besides '%s'".formatted(read.name(), width, label)
            : "the model's features make %d values".formatted(width);
    int classes = classes(made, width, loss, model.dimension());
    Kind target =
        switch (loss) {
          case LOGISTIC -> read.isNumeric(label) ? Kind.ofClasses(2) : Kind.ANSWER;
          case SOFTMAX -> Kind.ofClasses(classes);
          case SQUARED, ABSOLUTE, HUBER_MALLOWS -> Kind.NUMBER;
        };
    Map<String, Kind> kinds = new LinkedHashMap<>();
    if (described.list().isEmpty()) {
      columns.forEach(column -> kinds.put(column, Kind.NUMBER));
    } else {
      kinds.putAll(CsvFeatures.kinds(read, described));
    }
    kinds.put(label, target);
    CsvTable table = read.complete(kinds, false);
    double[] targets = target.equals(Kind.ANSWER) ? answers(table, label) : table.numbers(label);
    double[] features =
        described.list().isEmpty()
            ? asTheyAre(table, columns)
            : new CsvFeatures(table, described).vectors();
    double bound = model.size().isEmpty() ? model.gradientBound() : Double.POSITIVE_INFINITY;
    return loss.problem(features, targets, classes, bound, scale);
  }

  /**
   * Reads a file by the label and the loss that the model names.
   *
   * @throws InputException likewise, or if the loss is none that this version knows
   */
  public static Problem load(Path file, ModelSnapshot model, Prediction predicts) {
    CsvTable read = CsvTable.read(file);
    PredictionLoss loss;
    try {
      loss = PredictionLoss.of(predicts);
    } catch (IllegalArgumentException e) {
      throw new InputException(
          "model '%s' predicts %s".formatted(model.modelId(), e.getMessage()), e);
    }
    Features described = features(model);
    if (described.size() * loss.predictions() != model.dimension()) {
      throw new InputException(
          "the model's features make %d values for each of %d predictions; the model has %d coordinates"
              .formatted(described.size(), loss.predictions(), model.dimension()));
    }
    Features label = new Features(List.of(PredictionRules.label(predicts)));
    List<String> classes = predicts.getSoftmax().getClassesList();
    Map<String, Kind> kinds = CsvFeatures.kinds(read, described);
    kinds.putAll(CsvFeatures.kinds(read, label));
    if (predicts.hasSoftmax()) {
      kinds.put(predicts.getLabel(), Kind.ofNames(classes));
    }
    CsvTable table = read.complete(kinds, false);
    double[] targets =
        predicts.hasSoftmax()
            ? table.column(predicts.getLabel()).stream().mapToDouble(classes::indexOf).toArray()
            : new CsvFeatures(table, label).vectors();
    double[] features = new CsvFeatures(table, described).vectors();
    return new Problem(features, targets, Scaling.ones(table.size()), loss);
  }

  private static double[] answers(CsvTable table, String label) {
    return table.answers(label).stream().mapToDouble(answer -> answer ? 1 : 0).toArray();
  }

  private static Features features(ModelSnapshot model) {
    try {
      return model.features();
    } catch (IllegalArgumentException e) {
      throw new InputException("model '%s': %s".formatted(model.modelId(), e.getMessage()), e);
    }
  }

  private static double[] asTheyAre(CsvTable table, List<String> columns) {
    int width = columns.size();
    double[] features = new double[Math.multiplyExact(table.size(), width)];
    for (int j = 0; j < width; j++) {
      double[] column = table.numbers(columns.get(j));
      for (int i = 0; i < column.length; i++) {
        features[i * width + j] = column[i];
      }
    }
    return features;
  }

  /**
   * The number of classes, for which a model has as many coordinates each as there are features.
   */
  private static int classes(String made, int width, NamedLoss loss, int dimension) {
    boolean fits =
        loss == NamedLoss.SOFTMAX
            ? width > 0 && dimension % width == 0 && dimension > width
            : width == dimension;
    if (!fits) {
      throw new InputException(
          "%s; the model has %d coordinates%s"
              .formatted(
                  made,
                  dimension,
                  loss == NamedLoss.SOFTMAX
                      ? ", which must be as many for each of at least two classes"
                      : ""));
    }
    return width == 0 ? 1 : dimension / width;
  }
}
