package io.croupier.cli.data;

import io.croupier.cli.InputException;
import java.nio.file.Path;
import java.util.List;

/**
 * One person's rows. Every column except the label is a coordinate, in the order of the header. The
 * values are not scaled, since scaling would require the data of all people.
 */
public final class CsvRows {

  private CsvRows() {}

  /**
   * Reads a file.
   *
   * @param label the column to predict
   * @param dimension of the model, and required number of other columns
   * @param gradientBound the model's G; infinite if it moves
   * @param scale of the residuals, for {@link NamedLoss#HUBER_MALLOWS}
   * @throws InputException if the file can't be read, or its contents are invalid
   */
  public static Problem load(
      Path file, String label, NamedLoss loss, int dimension, double gradientBound, double scale) {
    CsvTable table = CsvTable.read(file);
    List<String> columns = table.columns().stream().filter(name -> !name.equals(label)).toList();
    table.requireColumn(label);
    int classes = classes(table, columns.size(), label, loss, dimension);
    double[] targets =
        switch (loss) {
          case LOGISTIC -> table.classes(label, 2);
          case SOFTMAX -> table.classes(label, classes);
          case SQUARED, ABSOLUTE, HUBER_MALLOWS -> table.numbers(label);
        };
    int width = columns.size();
    double[] features = new double[Math.multiplyExact(targets.length, width)];
    for (int j = 0; j < width; j++) {
      double[] column = table.numbers(columns.get(j));
      for (int i = 0; i < column.length; i++) {
        features[i * width + j] = column[i];
      }
    }
    return loss.problem(features, targets, classes, gradientBound, scale);
  }

  /**
   * The number of classes, for which a model has as many coordinates each as there are features.
   */
  private static int classes(
      CsvTable table, int columns, String label, NamedLoss loss, int dimension) {
    boolean fits =
        loss == NamedLoss.SOFTMAX
            ? columns > 0 && dimension % columns == 0 && dimension > columns
            : columns == dimension;
    if (!fits) {
      throw new InputException(
          "%s: the file has %d columns besides '%s'; the model has %d coordinates%s"
              .formatted(
                  table.name(),
                  columns,
                  label,
                  dimension,
                  loss == NamedLoss.SOFTMAX
                      ? ", which must be as many for each of at least two classes"
                      : ""));
    }
    return columns == 0 ? 1 : dimension / columns;
  }
}
