package io.croupier.cli.demo;

import io.croupier.cli.InputException;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.CsvData;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Simulation;
import io.croupier.cli.io.FileConflicts;
import io.croupier.cli.models.ModelsFile;
import io.croupier.client.Features;
import io.croupier.schemas.ModelSpec;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that name the data of a demonstration. */
final class DemoData {
  private static final int SIMULATED = 20_000;

  @Option(
      names = "--data",
      paramLabel = "DATA",
      defaultValue = "census",
      description = {
        "Data set: census, logistic, linear, or a CSV file with a header and one row per person"
            + " (default: ${DEFAULT-VALUE}).",
        "census: whether a man earns more than the median wage; 28,155 people, March 1988.",
        "logistic, linear: simulated people, with the designs of the LDP-SGD paper.",
        "A file: numeric columns are standardised; others become one column per value; but see"
            + " --features."
      })
  private String data;

  @Option(
      names = "--label",
      paramLabel = "COLUMN",
      description =
          "Column to predict in a CSV file: two values, a number (is it above its median?), or a text"
              + " of up to 20 values.")
  private String label;

  @Option(
      names = "--features",
      paramLabel = "FILE",
      description = {
        "A models file with a model that describes its features: the columns of the CSV file that"
            + " they name are scaled as devices scale them, from public knowledge alone. Without it,"
            + " they are scaled with everybody's data."
      })
  private Path features;

  @Option(
      names = "--drop-incomplete",
      description =
          "Leaves out the rows of a CSV file in which a value is missing or can't be used, and prints"
              + " how many.")
  private boolean dropsIncomplete;

  /** Requires that a file to be written is none of those that are read. */
  void requireOther(String option, Path written) {
    new FileConflicts()
        .reads("--data", data)
        .reads("--features", features == null ? null : features.toString())
        .writes(option, written.toString());
  }

  /**
   * Loads the data.
   *
   * @param users the number of people; null if it isn't given
   * @param seed of simulated people
   * @throws InputException if options don't fit together, or a file's contents are invalid
   */
  DataSet load(Integer users, long seed) {
    boolean isFile = !List.of("census", "logistic", "linear").contains(data);
    if (isFile && label == null) {
      throw new InputException(
          "--data %s requires --label COLUMN, the column to predict".formatted(data));
    }
    if (!isFile && label != null) {
      throw new InputException(
          "--label applies only to a CSV file; --data %s has its own label".formatted(data));
    }
    if (!isFile && features != null) {
      throw new InputException(
          "--features applies only to a CSV file; --data %s has its own features".formatted(data));
    }
    if (!isFile && dropsIncomplete) {
      throw new InputException("--drop-incomplete applies only to a CSV file");
    }
    int simulated = users == null ? SIMULATED : users;
    if (simulated < 1) {
      throw new InputException("--users is %d; it must be at least 1".formatted(simulated));
    }
    return switch (data) {
      case "census" -> Census.load();
      case "logistic" -> Simulation.logistic(simulated, seed);
      case "linear" -> Simulation.linear(simulated, seed);
      default ->
          features == null
              ? CsvData.load(Path.of(data), label, dropsIncomplete)
              : CsvData.load(
                  Path.of(data),
                  label,
                  described(),
                  String.valueOf(features.getFileName()),
                  dropsIncomplete);
    };
  }

  private Features described() {
    List<ModelSpec> specs =
        ModelsFile.readValid(features).stream()
            .filter(spec -> spec.getFeaturesCount() > 0)
            .toList();
    if (specs.size() != 1) {
      throw new InputException(
          "--features %s: it must have one model with features, and has %d"
              .formatted(features, specs.size()));
    }
    return new Features(specs.get(0).getFeaturesList());
  }
}
