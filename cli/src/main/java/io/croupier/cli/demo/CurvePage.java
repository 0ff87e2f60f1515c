package io.croupier.cli.demo;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * The page with the curves: one HTML file that contains its data, its style and its chart library,
 * and loads nothing from elsewhere.
 */
final class CurvePage {

  private static final String CHART_JS = "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";

  private CurvePage() {}

  /** The data for the page's script. */
  private record PageData(
      String description,
      List<String> sentences,
      String price,
      String fitName,
      CurvePoint nothing,
      CurvePoint optimum,
      List<LabelledCurve> curves,
      List<String> header,
      List<ResultTable.LearnerRow> rows) {}

  private record LabelledCurve(String label, boolean tuned, List<CurvePoint> points) {}

  /** Writes the page to {@code file}. */
  static void write(Comparison comparison, Path file) throws IOException {
    Files.writeString(file, render(comparison));
  }

  /** The HTML text of the page. */
  static String render(Comparison comparison) {
    // Gson escapes <, > and &, so no text from the user can end the script element.
    return resource("page.html")
        .replace("/*chart.js*/", chartLibrary())
        .replace("/*data*/", new Gson().toJson(content(comparison)));
  }

  private static PageData content(Comparison comparison) {
    ResultTable table = new ResultTable(comparison);
    long people = comparison.terms().people();
    List<LabelledCurve> curves =
        Stream.concat(comparison.local().stream(), comparison.central().stream())
            .map(
                result ->
                    new LabelledCurve(
                        result.comparedLearner().label(),
                        result.comparedLearner().reportsLastIterate(),
                        result.curve()))
            .toList();
    return new PageData(
        comparison.data().description(),
        comparison.notes(),
        comparison.local().isEmpty() ? "" : comparison.price(),
        comparison.data().problem().fitName(),
        new CurvePoint(people, comparison.nothing().loss(), comparison.nothing().fit()),
        new CurvePoint(people, comparison.optimum().loss(), comparison.optimum().fit()),
        curves,
        table.header(),
        table.rows());
  }

  private static String chartLibrary() {
    Properties properties = new Properties();
    try (InputStream in = CurvePage.class.getResourceAsStream(CHART_JS)) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String library =
        resource(
            "/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.js"
                .formatted(properties.getProperty("version")));
    return library.replaceAll("(?m)^//# sourceMappingURL=.*$", "");
  }

  private static String resource(String name) {
    try (InputStream in = CurvePage.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
