package io.croupier.cli.data;

import io.croupier.cli.InputException;
import java.nio.file.Path;
import java.util.List;

/**
 * One person's rows, taken as they are: the label, and every other column, a number, a coordinate
 * in the order of the header. Nothing is scaled, since that needs everybody's data.
 */
public final class CsvRows {

  private CsvRows() {}

  /**
   * Reads a file.
   *
   * @param label the column that is to be predicted
   * @param dimension of the model: so many other columns there must be
   * @param gradientBound the model's G
   * @param scale of the residuals, for {@link NamedLoss#HUBER_MALLOWS}
   * @throws InputException if it can't be read, or something in it is not as it must be
   */
  public static Problem load(
      Path file, String label, NamedLoss loss, int dimension, double gradientBound, double scale) {
    CsvTable table = CsvTable.read(file);
    double[] targets = loss.hasBinaryTargets() ? table.binaries(label) : table.numbers(label);
    List<String> columns = table.columns().stream().filter(name -> !name.equals(label)).toList();
    if (columns.size() != dimension) {
      throw new InputException(
          "%s: %d columns beside '%s'; the model has %d coordinates"
              .formatted(table.name(), columns.size(), label, dimension));
    }
    double[] features = new double[Math.multiplyExact(targets.length, dimension)];
    for (int j = 0; j < dimension; j++) {
      double[] column = table.numbers(columns.get(j));
      for (int i = 0; i < column.length; i++) {
        features[i * dimension + j] = column[i];
      }
    }
    return loss.problem(features, targets, gradientBound, scale);
  }
}
