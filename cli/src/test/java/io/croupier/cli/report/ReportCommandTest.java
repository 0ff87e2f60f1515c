package io.croupier.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReport.DeclarationCase;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.PrivUnit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Printing reports, which needs no Kafka. The noise is not seeded; the assertions don't depend on
 * it.
 */
class ReportCommandTest extends ReportCommandRuns {
  @Test
  void everyLineIsAReportInItsOrder() throws IOException {
    Run run =
        run("[0.5, 0]\n\n{\"gradient\": [0, -8], \"round\": \"7\"}\n", FORGET + CLEAR)
            .succeeded("2 printed", "2 reports");
    List<GradientReport> reports = run.reports();
    assertThat(reports).extracting(GradientReport::getRound).containsExactly(0L, 7L);
    assertThat(reports).extracting(GradientReport::getSequence).containsExactly(0L, 1L);
    assertThat(reports).extracting(GradientReport::getUserId).containsOnly("ada");
    assertThat(reports).extracting(GradientReport::getModelId).containsOnly("taps");
    assertThat(reports).extracting(GradientReport::getDeviceId).doesNotContain("");
    assertThat(reports)
        .extracting(GradientReport::getDeclarationCase)
        .containsOnly(DeclarationCase.L2_LAPLACE);
    assertThat(reports.get(0).getGrid().getValuesList()).containsExactly(1 << 15, 0);
    assertThat(reports.get(1).getGrid().getValuesList()).containsExactly(0, -(1 << 16));
  }

  @ParameterizedTest
  @CsvSource({
    "taps, --epsilon 1, PRIV_UNIT, epsilon 1",
    "taps, --mechanism priv-unit --epsilon 2 --share 4, PRIV_UNIT, epsilon 0.5",
    "taps, --mechanism gaussian --mu 0.5, GAUSSIAN, mu 0.5",
    "taps, --mechanism GAUSSIAN --mu 0.5 --undisclosed, UNDISCLOSED, 1 of them undisclosed",
    "taps, --mechanism gaussian --mu 1 --share 4, GAUSSIAN, mu 0.5",
    "taps, --mechanism gaussian --epsilon 1 --delta 1e-6, GAUSSIAN, mu 0.2367",
    "taps, --mechanism l2-laplace --epsilon 1 --share 3, L2_LAPLACE, epsilon 0.333333333",
    "words, --mechanism coordinate-laplace --epsilon 1 --clip COORDINATES, COORDINATE_LAPLACE,"
        + " epsilon 0.999999999",
    "words, --mechanism coordinate-laplace --epsilon 1, COORDINATE_LAPLACE, epsilon 1.",
    "words, '--mechanism coordinate-laplace --taus 2,1,2', COORDINATE_LAPLACE, epsilon 3",
    "words, '--mechanism coordinate-laplace --taus 1,0.5,0.25 --clip coordinates',"
        + " COORDINATE_LAPLACE, epsilon 1.75",
    "taps, '--mechanism coordinate-laplace --taus 1,Infinity --clip COORDINATES',"
        + " COORDINATE_LAPLACE,"
        + " '1 report, 1 of them without a bound (a coordinate is not private'"
  })
  void everyMechanismDeclaresAndCharges(
      String model, String noise, DeclarationCase declaration, String spent) throws IOException {
    String zeros = model.equals("taps") ? "[0, 0]" : "[0, 0, 0]";
    Run run = run(zeros, FORGET + "--model " + model + " " + noise).succeeded();
    assertThat(run.reports().get(0).getDeclarationCase()).isEqualTo(declaration);
    assertThat(run.err()).contains(spent);
  }

  /** The default is priv_unit: a seed and an index, in JSON and in the bytes of a record. */
  @Test
  void theDefaultMechanismSendsACandidate() throws IOException {
    GradientReport report = run("[0.5, 0]", FORGET + "--epsilon 1").reports().get(0);
    assertThat(report.getCandidate().getDimension()).isEqualTo(2);
    assertThat(report.getCandidate().hasSeed()).isTrue();
    assertThat(report.getPrivUnit())
        .isEqualTo(PrivUnit.newBuilder().setEpsilon(1).setCandidates(256).setTop(97).build());
    assertThat(GradientReports.violations(report)).isEmpty();

    Run record =
        run("{\"gradient\": [0.5, 0], \"round\": 0}", FORGET + "--epsilon 1 --format record");
    GradientReport sent = GradientReport.parseFrom(record.out());
    assertThat(sent.getPrivUnit()).isEqualTo(report.getPrivUnit());
    assertThat(GradientReports.violations(sent)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "--gateway http://localhost:1 --models x, Give either a Kafka address",
    "--gateway http://localhost:1 --kafka localhost:1, --gateway takes the place of Kafka",
    "--gateway http://localhost:1 --prefix p, --gateway takes the place of Kafka",
    "--kafka localhost:1 --models x, Give either a Kafka address",
    "--gateway http://localhost:1, --gateway and --token FILE belong together",
    "--kafka localhost:1 --token t, --gateway and --token FILE belong together",
    "--models x --token t, --gateway and --token FILE belong together",
    "--gateway http://gateway.example --token t, must begin with https",
    "--gateway https://gateway.example?a=b --token t, must consist of scheme",
    "--gateway https://gateway.example/v1/ --token t, it must be the address without /v1"
  })
  void thereIsOneDestination(String options, String message) {
    run("[0.5, 0]", LEDGER + "--epsilon 1 " + options).failed(message);
  }

  /** Nothing is spent before it is known that there is a token. */
  @Test
  void aTokenIsRequiredBeforeAnythingIsSpent() throws Exception {
    try (ServerSocket gateway = new ServerSocket(0, 3, InetAddress.getLoopbackAddress())) {
      String options =
          LEDGER
              + "--epsilon 1 --gateway http://127.0.0.1:"
              + gateway.getLocalPort()
              + " --token "
              + path("token");
      assertThat(run("[0.5, 0]", options).err())
          .startsWith("--token: the token's file can't be read: " + path("token"));
      Files.writeString(directory.resolve("token"), "Bearer x");
      assertThat(run("[0.5, 0]", options).err()).startsWith("--token: the token has a wrong form");
      assertThat(run("[0.5, 0]", options.replace(path("token"), directory.toString())).err())
          .startsWith("--token: " + directory + " is a directory; it must be a file");
    }
    assertThat(directory.resolve("ada.ledger")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 6, 7, 11, 49, 53})
  void splitEpsilonsDoNotExceedTheTotal(int d) {
    splitEpsilonDoesNotExceedTheTotal(d, "");
    splitEpsilonDoesNotExceedTheTotal(d, " --clip COORDINATES");
  }

  private void splitEpsilonDoesNotExceedTheTotal(int d, String clip) {
    String gradient = "[0" + ", 0".repeat(d - 1) + "]";
    write(
        "split.yaml",
        "- {modelId: m, dimension: %d, gradientBound: 1, coordinateWise: {}}".formatted(d));
    String noise = "--mechanism coordinate-laplace --epsilon 0.7 --limit-epsilon 0.7" + clip;
    run(gradient, FORGET + "--model m " + noise + " --models " + path("split.yaml")).succeeded();
  }

  @Test
  void aLimitHoldsAcrossRunsAndNoNoiseIsDrawnBeyondIt() throws IOException {
    String options = LEDGER + NOISE + "--limit-epsilon 3.5";
    run("[1, 0]\n[1, 0]\n", options)
        .succeeded("2 printed. In the ledger: 2 reports, epsilon 2 of 3.5.");
    Run second =
        run("[2, 0]\n[0.111, 0]\n[2, 0]\n[2, 0]\n", options)
            .failed(
                "epsilon would add up to 4; the limit is 3.5",
                "Not reported: line 2 and at least 2 more",
                "1 printed. In the ledger: 3 reports, epsilon 3 of 3.5.");
    assertThat(second.reports()).hasSize(1);
    assertThat(second.err()).doesNotContain("0.111");
  }

  @ParameterizedTest
  @CsvSource({
    "--limit-reports 1, 1 report of 1",
    "--mechanism gaussian --mu 1 --limit-mu 1.2, mu 1 of 1.2"
  })
  void otherLimitsHoldToo(String options, String spent) throws IOException {
    String noise = options.contains("--mechanism") ? "" : NOISE;
    Run run = run("[1, 0]\n[1, 0]\n[1, 0]\n", FORGET + noise + options);

    assertThat(run.failed("line 2 and at least 1 more", spent).reports()).hasSize(1);
  }

  @Test
  void limitsOnBothKindsOfNoiseAllowBoth() {
    run("[1, 0]", FORGET + NOISE + "--limit-mu 9 --limit-epsilon 1").succeeded();
  }

  /** A missing report or charge would disclose that the gradient overflowed. */
  @Test
  void aGradientThatIsNotFiniteIsReportedAsZeroAndCharged() throws IOException {
    String input = "[NaN, 0.5]\n{\"gradient\": [0.5, -Infinity], \"round\": 0}\n[1e999, 0.5]\n";
    assertThat(
            run(input, LEDGER + CLEAR).succeeded("3 printed", "In the ledger: 3 reports").reports())
        .hasSize(3)
        .allSatisfy(report -> assertThat(report.getGrid().getValuesList()).containsExactly(0, 0));
  }

  @Test
  void aBadLineEndsTheRunAndIsNotCharged() throws IOException {
    Run run =
        run("[0, 0]\n\n[0.111, \"0.222\"]\n[0, 0]\n", LEDGER + NOISE)
            .failed(
                "Standard input, line 3: 'gradient[1]' is not a number",
                "In the ledger: 1 report, epsilon 1.");
    assertThat(run.reports()).hasSize(1);
    assertThat(run.err()).doesNotContain("0.111", "0.222");
    try (LocalLedger ledger = ledger()) {
      assertThat(ledger.spent().reports()).isEqualTo(1);
      assertThat(ledger.pending()).isEmpty();
    }
  }

  @Test
  void theNextRunPrintsTheSameBytesOfUnprintedReports() throws IOException {
    OutputStream broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    Run failed = run("[1, 0]\n[1, 0]\n", LEDGER + NOISE, broken, new ByteArrayOutputStream());
    byte[] stored;
    try (LocalLedger ledger = ledger()) {
      stored = ledger.pending().get(0).bytes();
    }
    Run next = run("", LEDGER + NOISE);

    failed.failed("Broken pipe", "0 printed", "Not acknowledged: 1");
    assertThat(next.succeeded().reports()).containsExactly(GradientReport.parseFrom(stored));
    assertThat(run("", LEDGER + NOISE).out()).isEmpty();
  }

  /** Such as one whose disk is full. */
  @Test
  void aLedgerThatCannotBeWrittenEndsTheRunWithTheSummary() throws IOException {
    Path ledger = directory.toRealPath().resolve("ada.ledger");
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    OutputStream deletes =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            Files.deleteIfExists(ledger);
            printed.write(b);
          }
        };

    Run run = run("[1, 0]\n[1, 0]\n", LEDGER + NOISE, deletes, printed);

    run.failed(
        "--ledger: %s: the ledger was deleted".formatted(ledger),
        ". The next run resends the last report, if the file has it",
        "0 printed. In the ledger: 1 report, epsilon 1.",
        "Not acknowledged: 1");
    assertThat(run.reports()).hasSize(1);
  }

  @Test
  void aLedgerThatCannotBeOpenedIsNamed() {
    run("[1, 0]", NOISE + "--ledger " + path("none/ada.ledger"))
        .failed("--ledger: there is no directory " + path("none"));
    run("[1, 0]", NOISE + "--ledger " + directory)
        .failed("--ledger: %s: the ledger is a directory; it must be".formatted(directory));
    assertThat(Path.of(directory + ".lock")).doesNotExist();
  }

  private LocalLedger ledger() throws IOException {
    return LocalLedger.open(directory.resolve("ada.ledger"), "ada", Limit.NONE);
  }

  @Test
  void binaryReportsArePrecededByTheirLengths() throws IOException {
    Run run = run("[1, 0]\n[0, 1]\n", FORGET + NOISE + "--format protobuf");

    InputStream in = run.out().newInput();
    assertThat(GradientReport.parseDelimitedFrom(in).getSequence()).isZero();
    assertThat(GradientReport.parseDelimitedFrom(in).getSequence()).isEqualTo(1);
    assertThat(in.read()).isEqualTo(-1);
  }

  @Test
  void aRecordIsOneReportAlone() throws IOException {
    Run one = run("[1, 0]\n", FORGET + NOISE + "--format record");
    Run two = run("[1, 0]\n[1, 0]\n", LEDGER + NOISE + "--format record");

    assertThat(GradientReport.parseFrom(one.out()).getUserId()).isEqualTo("ada");
    two.failed("--format record prints a single report", "In the ledger: 1 report");
    assertThat(GradientReport.parseFrom(two.out()).getUserId()).isEqualTo("ada");
  }

  @Test
  void chosenRoundsNeverChange() throws IOException {
    String lines =
        IntStream.range(0, 40)
            .mapToObj("{\"gradient\": [0, 0], \"round\": %d}"::formatted)
            .collect(Collectors.joining("\n"));
    String options = "--model halves " + LEDGER + NOISE;

    Run first = run(lines, options);
    Run second = run(lines, options + " --times 2");
    Run third = run(lines, options + " --times 2");

    // All 40 decisions are equal with probability 2e-12.
    int chosen = first.reports().size();
    assertThat(chosen).isBetween(1, 39);
    first.succeeded(
        "%d printed, %d not chosen. In the ledger: ".formatted(chosen, 40 - chosen),
        "%d reports, epsilon %1$d.".formatted(chosen));
    assertThat(second.reports())
        .extracting(GradientReport::getRound)
        .isEqualTo(first.reports().stream().map(GradientReport::getRound).toList());
    third.succeeded(
        "0 printed, %d not chosen, %d already reported.".formatted(40 - chosen, chosen),
        "--times N allows more");
  }

  @Test
  void aLineOrTheOptionNamesTheData() throws IOException {
    assertThat(run("[1, 0]\n[0, 1]\n", LEDGER + NOISE + "--key day").err())
        .contains("1 printed, 1 already reported. In the ledger: 1 report");
    assertThat(run("{\"gradient\": [1, 0], \"key\": \"day\"}\n[1, 0]\n", LEDGER + NOISE).err())
        .contains("1 printed, 1 already reported. In the ledger: 2 reports");
    run("{\"gradient\": [1, 0], \"key\": 7}", LEDGER + NOISE)
        .failed("'key' is not a string", "0 printed");
    run("{\"gradient\": [1, 0], \"key\": \"\"}", LEDGER + NOISE)
        .failed("the key has 0 bytes of UTF-8", "0 printed");
    assertThat(run("[1, 1]", LEDGER + NOISE + "--times 0").err())
        .startsWith("--times is 0; it must be at least 1");
    assertThat(run("[1, 1]", LEDGER + NOISE + "--key " + "k".repeat(2000)).err())
        .startsWith("--key: the key has 2000 bytes");
    write("rows.csv", "a,b,y\n1,1,1\n");
    String rows = "--key day --label y --loss logistic --each-row --data " + path("rows.csv");
    run("", LEDGER + NOISE + rows).failed("--key is not for --each-row");
  }

  @Tag("ci")
  @Test
  void dataAnswersOnlyChosenRounds() throws IOException {
    write("rows.csv", "a,b,y\n1,1,1\n1,0,0\n");
    String data = "--label y --loss logistic --each-row --data " + path("rows.csv");
    // None or all of 24 ledgers choose round 0 with probability 2e-7.
    List<Integer> printed = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      String ledger = path("device-" + i);
      int reports;
      try (LocalLedger device = LocalLedger.open(Path.of(ledger), "ada", Limit.NONE)) {
        reports = device.answers("halves", 0, 0.5) ? 2 : 0;
      }
      String options = "--model halves --ledger " + ledger + " " + NOISE + data;
      Run run = run("", options).succeeded();
      assertThat(run.reports()).hasSize(reports);
      assertThat(run.err()).contains(reports == 0 ? "0 printed, 2 not chosen" : "2 printed. In");
      assertThat(run("", options).reports()).isEmpty();
      assertThat(run("", options + " --times 2").reports()).hasSize(reports);
      printed.add(reports);
    }
    assertThat(printed).contains(0, 2);
  }

  @Test
  void dataIsOneReportOfTheMeanOrOneForEachRow() throws IOException {
    // Residuals at (1, 2): 3 - 2.75 and 1 - 1.5.
    write("rows.csv", "a,b,y\n1,1,2.75\n1,0,1.5\n");
    String data = "--data " + path("rows.csv") + " --label y --loss squared ";

    Run mean = run("", FORGET + CLEAR + data).succeeded();
    Run each = run("", FORGET + CLEAR + data + "--each-row");

    assertThat(mean.reports()).hasSize(1);
    assertThat(mean.reports().get(0).getGrid().getValuesList())
        .containsExactly(-(1 << 13), 1 << 13);
    assertThat(each.reports())
        .extracting(report -> report.getGrid().getValuesList())
        .containsExactly(List.of(1 << 14, 1 << 14), List.of(-(1 << 15), 0));
  }

  @Test
  void rowsBeyondTheLimitAreCounted() {
    write("rows.csv", "a,b,y\n1,1,1\n1,0,0\n0,0,1\n0,1,1\n");
    String rows = "--each-row --label y --loss logistic --data " + path("rows.csv");
    run("", FORGET + NOISE + "--limit-reports 1 " + rows).failed("Not reported: row 2 and 2 more");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          NOISE --kafka localhost:1 --models x | Give either a Kafka address
          NOISE --kafka localhost:1 | --without-ledger works only with --models
          --epsilon 1 --undisclosed | --mechanism priv-unit takes no --undisclosed
          --epsilon 16.5 | epsilon is 16.5
          '' | --epsilon is missing: the privacy level of a report by --mechanism priv-unit
          --mu 1 | --mechanism priv-unit takes --epsilon, and no other level
          --mechanism gaussian --epsilon 1 | takes either --mu, or
          NOISE --delta 0.1 | takes --epsilon, and no other level
          NOISE --clip L2 | takes no --clip
          --mechanism coordinate-laplace --taus 1,1 --share 2 | takes no --share with --taus
          --mechanism coordinate-laplace --taus 1,Infinity | taus[1] is Infinity; it must be finite with the clip L2
          NOISE --share 0 | --share is 0; it must be at least 1
          NOISE --limit-answers 2 | --limit-answers is 2.0; it must be from 0 to 1
          --mechanism l2-laplace --epsilon -1 | -1
          NOISE --model tips | the file contains: taps, halves, asks, counts, finds, norms, words
          NOISE --model raw | central
          NOISE --limit-epsilon -2 | --limit-epsilon is -2.0
          NOISE --limit-mu 9 | --limit-mu allows Gaussian noise only; add --limit-epsilon
          --mechanism gaussian --mu 1 --limit-epsilon 9 | --limit-epsilon allows no Gaussian noise; add --limit-mu
          """)
  void contradictoryOptionsAreReported(String options, String message) {
    run("[0, 0]", FORGET + options.replace("NOISE ", NOISE)).failed(message);
  }

  @Test
  void rowsAnswerOneRound() {
    assertThat(run("", NOISE).code()).isEqualTo(2);
    write("rows.csv", "a,b,y\n1,1,1\n");
    String data = "--label y --loss logistic --data " + path("rows.csv");
    run("", FORGET + NOISE + "--rounds 2 " + data).failed("--rounds is 2");
  }

  @Test
  void anotherUsersLedgerIsRefused() throws IOException {
    LocalLedger.open(directory.resolve("ada.ledger"), "bob", Limit.NONE).close();

    Run run = run("[1, 0]", LEDGER + NOISE).failed("ada.ledger");

    assertThat(run.out()).isEmpty();
    assertThat(run.err()).doesNotContain("bob");
  }
}
