package io.croupier.cli.data;

import io.croupier.client.loss.LogisticLoss;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * The census data in the project's jar: predict from education, experience, ethnicity, place and
 * working time whether a man earns more than the median wage. Features are divided by the largest
 * norm of a row, so no gradient is longer than 1.
 */
public final class Census {

  /**
   * Far below the bound of 1: the mean gradient at the start has norm 0.025, and parameter-free
   * learners step in proportion to the bound.
   */
  private static final double CLIP = 0.25;

  private static final List<String> FEATURES =
      List.of(
          "intercept",
          "education",
          "experience",
          "experience squared",
          "African American",
          "metropolitan",
          "south",
          "part-time");

  private Census() {}

  /** Reads the data. */
  public static DataSet load() {
    String file = "census-wages-1988.csv.gz";
    try (InputStream in = Census.class.getResourceAsStream(file)) {
      return dataSet(CsvTable.read(file, new GZIPInputStream(in)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static DataSet dataSet(CsvTable table) {
    int d = FEATURES.size();
    double[] education = table.numbers("education");
    double[] experience = table.numbers("experience");
    List<String> ethnicity = table.column("ethnicity");
    List<String> metropolitan = table.column("smsa");
    List<String> region = table.column("region");
    List<String> partTime = table.column("parttime");
    double[] features = new double[table.size() * d];
    for (int i = 0; i < table.size(); i++) {
      double years = (experience[i] - 20) / 25;
      double[] row = {
        1,
        (education[i] - 12) / 6,
        years,
        years * years,
        ethnicity.get(i).equals("afam") ? 1 : 0,
        metropolitan.get(i).equals("yes") ? 1 : 0,
        region.get(i).equals("south") ? 1 : 0,
        partTime.get(i).equals("yes") ? 1 : 0
      };
      System.arraycopy(row, 0, features, i * d, d);
    }
    Scaling.divideByLargestRow(features, d);
    double[] wages = table.numbers("wage");
    double median = Scaling.median(wages);
    double[] targets = Arrays.stream(wages).map(wage -> wage > median ? 1 : 0).toArray();
    return new DataSet(
        "census",
        String.format(
            Locale.ROOT,
            "%,d men of the US Current Population Survey, March 1988: does he earn more than the"
                + " median of $%.2f a week?",
            table.size(),
            median),
        FEATURES,
        "Features are scaled with everybody's data, by the largest norm of a row; devices of a real"
            + " model must scale by what is public.",
        new Problem(features, targets, Scaling.ones(table.size()), new LogisticLoss()),
        CLIP,
        1,
        Map.of("region", region),
        List.of());
  }
}
