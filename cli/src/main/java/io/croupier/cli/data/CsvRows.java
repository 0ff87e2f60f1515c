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
    double[] targets = loss.hasBinaryTargets() ? table.binaries(label) : table.numbers(label);
    List<String> columns = table.columns().stream().filter(name -> !name.equals(label)).toList();
    if (columns.size() != dimension) {
      throw new InputException(
          "%s: the file has %d columns besides '%s'; the model has %d coordinates"
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
