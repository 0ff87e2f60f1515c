package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.cli.data.CsvRows;
import io.croupier.cli.data.NamedLoss;
import io.croupier.cli.data.Problem;
import io.croupier.client.ModelSnapshot;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options that say whose gradients are evaluated here, instead of read. */
final class DataOptions {

  @Option(
      names = "--data",
      paramLabel = "FILE",
      required = true,
      description = {
        "The person's rows, CSV with a header: numbers, taken as they are. Every column but the"
            + " label is a coordinate, in the order of the header; an intercept is a column of ones."
            + " What ends in .gz is unpacked."
      })
  private Path file;

  @Option(
      names = "--label",
      paramLabel = "COLUMN",
      required = true,
      description = "The column that is to be predicted.")
  private String label;

  @Option(
      names = "--loss",
      paramLabel = "NAME",
      required = true,
      description = {
        "What the gradient is of: ${COMPLETION-CANDIDATES}. logistic wants labels of 0 and 1."
            + " huber-mallows is Huber's loss, linear beyond 1.345 --scale, each row x weighted by"
            + " min(1, k / ||x||), k = G / 1.345: no gradient is longer than the model's bound G."
      })
  private NamedLoss loss;

  @Option(
      names = "--scale",
      paramLabel = "S",
      defaultValue = "1",
      description = "The residuals' scale, for huber-mallows (default: ${DEFAULT-VALUE}).")
  private double scale;

  @Option(
      names = "--each-row",
      description = {
        "Each row is a report of its own, and each spends; how many they are shows. Without it a"
            + " report is of all rows: the gradient of their mean loss, for the price of one."
      })
  private boolean eachRow;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "How many published rounds to look at, the newest first and then those that come (default:"
            + " ${DEFAULT-VALUE}). One that the ledger doesn't choose is not answered. With"
            + " --each-row: how often to go through the rows, each at the newest round."
      })
  private long rounds;

  /**
   * The gradients that they mean.
   *
   * @param isLive whether new rounds may come
   * @throws InputException if the data doesn't fit the model
   */
  RowGradients gradients(PublishedModel model, boolean isLive) {
    if (!(scale > 0 && scale <= Double.MAX_VALUE)) {
      throw new InputException("--scale is %s; it must be positive and finite".formatted(scale));
    }
    if (rounds < 1 || (rounds > 1 && !isLive)) {
      throw new InputException(
          "--rounds is %d; it must be at least 1, and 1 without Kafka, where no round follows"
              .formatted(rounds));
    }
    ModelSnapshot newest = model.newest();
    Problem problem =
        CsvRows.load(file, label, loss, newest.dimension(), newest.gradientBound(), scale);
    return new RowGradients(problem, model, eachRow, rounds);
  }
}
