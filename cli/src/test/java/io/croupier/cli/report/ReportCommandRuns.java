package io.croupier.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.cli.InputException;
import io.croupier.cli.JsonMessages;
import io.croupier.schemas.GradientReport;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs of the command without Kafka, for several models. The noise is not seeded. */
abstract class ReportCommandRuns {

  /** Noise so small that the release equals the clipped gradient. */
  static final String CLEAR = "--mechanism l2-laplace --epsilon 1e12 ";

  static final String NOISE = "--mechanism l2-laplace --epsilon 1 ";
  static final String FORGET = "--without-ledger ";
  static final String LEDGER = "--ledger %s ";

  @TempDir Path directory;

  @BeforeEach
  void writeModels() throws IOException {
    Files.writeString(
        directory.resolve("models.yaml"),
        """
        - {modelId: taps, dimension: 2, gradientBound: 1, initialWeights: [1, 2], blackBox: {}}
        - {modelId: halves, dimension: 2, gradientBound: 1, answerProbability: 0.5, blackBox: {}}
        - {modelId: asks, dimension: 2, gradientBound: 1, questionProbability: 0.9999999,
           questions: [{name: right, accuracy: {}}], initialWeights: [1, 2], blackBox: {}}
        - {modelId: counts, dimension: 2, gradientBound: 1, questionProbability: 0.9999999,
           statistics: [{name: region, choice: {categories: [north, south, other]}}],
           blackBox: {}}
        - {modelId: finds, dimension: 2, adaptiveClip: {size: FEATURES, initial: 3},
           initialWeights: [1, 2], blackBox: {}}
        - {modelId: norms, dimension: 2, adaptiveClip: {size: GRADIENT}, blackBox: {}}
        - {modelId: words, dimension: 3, gradientBound: 1, coordinateWise: {}}
        - {modelId: alone, statistics: [{name: region, choice: {categories: [north, south, other]}}]}
        - {modelId: minutes, statistics: [{name: minutes, quantiles: {levels: [0.5], from: 7, to: 9}}]}
        - {modelId: raw, dimension: 2, gradientBound: 1, reportsPerRound: 2, dpFtrl:
           {clipNorm: 1, noiseMultiplier: 1, learningRate: 1, noise: {tree: {}}}}
        - {modelId: fit, dimension: 2, features: [{name: one, intercept: {}}, {name: walked,
           range: {from: 0, to: 10}}], predicts: {label: fit, hinge: {}}, gradientBound: 2, blackBox: {}}
        """);
  }

  record Run(int code, ByteString out, String err) {
    /** The same run, which must have succeeded, and printed these parts beside the reports. */
    Run succeeded(String... parts) {
      assertThat(code).as(err).isZero();
      assertThat(parts).allSatisfy(part -> assertThat(err).contains(part));
      return this;
    }

    /** The same run, which must have failed with an error that has these parts. */
    Run failed(String... parts) {
      assertThat(code).as(err).isEqualTo(1);
      assertThat(err).contains(parts);
      return this;
    }

    List<GradientReport> reports() throws IOException {
      return JsonMessages.parse(
          out.toStringUtf8().lines().toList(), GradientReport.getDefaultInstance());
    }
  }

  Run run(String input, String options) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    return run(input, options, out, out);
  }

  Run run(String input, String options, OutputStream out, ByteArrayOutputStream seen) {
    StringWriter err = new StringWriter();
    boolean named = Stream.of("--models", "--kafka", "--gateway").anyMatch(options::contains);
    String models = named ? "" : "--models " + path("models.yaml") + " ";
    String model = options.contains("--model ") ? "" : "--model taps ";
    int code =
        new CommandLine(new ReportCommand(new ByteArrayInputStream(input.getBytes(UTF_8)), out))
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setErr(new PrintWriter(err))
            .setExecutionExceptionHandler(
                (exception, line, parsed) -> {
                  assertThat(exception).isInstanceOf(InputException.class);
                  line.getErr().println(exception.getMessage());
                  return 1;
                })
            .execute(
                (models + model + "--user ada " + options.formatted(path("ada.ledger")))
                    .strip()
                    .split(" +"));
    return new Run(code, ByteString.copyFrom(seen.toByteArray()), err.toString());
  }

  String path(String name) {
    return directory.resolve(name).toString();
  }

  void write(String name, String text) {
    try {
      Files.writeString(directory.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
