package io.croupier.cli.account;

import static io.croupier.cli.JsonFields.assertHas;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.TextFormat;
import com.google.protobuf.util.JsonFormat;
import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.cli.CommandRun;
import io.croupier.cli.replay.ReplayCommand;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.operators.report.VectorContent;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComposeCommandTest {
  private static final double PERCENT = 1e-7;

  /** Maps the reference's names of bounds to ours. */
  private static final Map<String, String> BOUNDS =
      Map.of(
          "rdp_on_grid", "RENYI",
          "zcdp_tight", "ZERO_CONCENTRATED",
          "gdp", "GAUSSIAN",
          "basic", "BASIC",
          "exact", "EXACT");

  /** Two models, one of which has limits. */
  private static final String MODELS =
      """
      - {modelId: free, dimension: 2, gradientBound: 1, blackBox: {}}
      - {modelId: kept, dimension: 2, gradientBound: 1, blackBox: {}, limits: {epsilon: 1}}
      """;

  private static final String REPORTS =
      """
      {"modelId":"kept","round":"0","userId":"ada","deviceId":"d","sequence":"1","dense":{"values":[0,0]},"l2Laplace":{"epsilon":0.5}}
      {"modelId":"kept","round":"0","userId":"ada","deviceId":"d","sequence":"1","dense":{"values":[0,0]},"l2Laplace":{"epsilon":0.5}}
      {"modelId":"kept","round":"0","userId":"ada","deviceId":"d","sequence":"2","dense":{"values":[0,0]},"coordinateLaplace":{"taus":[0.3,0.4],"clip":"L2"}}
      {"modelId":"kept","round":"0","userId":"ada","deviceId":"d","sequence":"3","dense":{"values":[0,0]},"l2Laplace":{"epsilon":0.1}}
      {"modelId":"free","round":"0","userId":"ada","deviceId":"d","sequence":"4","dense":{"values":[0,0]},"gaussian":{"mu":0.5}}
      {"modelId":"none","round":"0","userId":"ada","deviceId":"d","sequence":"5","dense":{"values":[0,0]},"gaussian":{"mu":1.2}}
      {"modelId":"free","round":"0","userId":"bob","deviceId":"d","sequence":"1","dense":{"values":[0,0]},"undisclosed":{}}
      {"modelId":"free","round":"0","userId":"bob","deviceId":"d","sequence":"2","dense":{"values":[0,0]},"coordinateLaplace":{"taus":[0.1,"Infinity"],"clip":"COORDINATES"}}
      """;

  @TempDir private Path directory;

  private static CommandRun compose(String arguments) {
    return CommandRun.of(new ComposeCommand(), arguments);
  }

  private static JsonObject json(String arguments) {
    return CommandRun.json(new ComposeCommand(), arguments);
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  private static JsonArray golden() throws IOException {
    try (InputStream in = ComposeCommandTest.class.getResourceAsStream("/golden/ledger.json")) {
      return JsonParser.parseReader(new InputStreamReader(in, StandardCharsets.UTF_8))
          .getAsJsonArray();
    }
  }

  private static String declaration(String user, JsonObject event) {
    String declaration =
        switch (event.get("kind").getAsString()) {
          case "pure" -> "\"l2Laplace\":{\"epsilon\":%s}".formatted(event.get("eps"));
          case "gdp" -> "\"gaussian\":{\"mu\":%s}".formatted(event.get("mu"));
          case "zcdp" -> "\"zeroConcentrated\":{\"rho\":%s}".formatted(event.get("rho"));
          default -> throw new AssertionError(event);
        };
    return "{\"userId\":\"%s\",\"modelId\":\"m\",%s}%n".formatted(user, declaration);
  }

  /** Sums that no account, and no double, can contain. */
  @Test
  void composesTheLargestLevels() throws IOException {
    String file =
        file(
                "largest.jsonl",
                """
                {"userId":"ada","l2Laplace":{"epsilon":1e8},"count":100}
                {"userId":"bob","gaussian":{"mu":1e200},"count":2}
                {"userId":"cy","zeroConcentrated":{"rho":1.7e308},"count":2}
                {"userId":"di","l2Laplace":{"epsilon":1.7e308},"count":2}
                {"userId":"eve","coordinateLaplace":{"taus":[1e308,1e308],"clip":"L2"}}
                {"userId":"flo","l2Laplace":{"epsilon":0.5}}
                """)
            .toString();
    String text = compose(file).out();
    assertThat(text)
        .containsPattern("ada +\\| +100 \\| +more than 9223370000 ")
        .containsPattern("bob +\\| +2 \\| +0 \\| +more than 3037 \\| +more than 9223370 ")
        .containsPattern("cy +\\| +2 \\| +0 \\| +0 \\| +more than 9223370 ")
        .containsPattern("flo +\\| +1 \\| +0\\.5 ");
    for (JsonElement user : json(file).getAsJsonArray("byUser")) {
      assertThat(user.toString()).doesNotContain("NaN").doesNotContain(":Infinity");
    }
  }

  @Test
  void everyBoundIsThatOfTheReference() throws IOException {
    int compared = 0;
    for (JsonObject given : objects(golden())) {
      List<JsonObject> users = objects(given.getAsJsonArray("users"));
      StringBuilder lines = new StringBuilder();
      for (JsonObject user : users) {
        String name = user.get("user").getAsString();
        objects(user.getAsJsonArray("events"))
            .forEach(event -> lines.append(declaration(name, event)));
      }
      JsonObject composed =
          json(file("declared.jsonl", lines.toString()) + " --delta " + given.get("delta"));
      for (JsonObject user : users) {
        JsonObject ofUser = ofUser(composed, user.get("user").getAsString());
        JsonObject bounds = ofUser.getAsJsonObject("bounds");
        JsonObject expectedBounds = user.getAsJsonObject("eps");
        double least = Double.POSITIVE_INFINITY;
        for (Map.Entry<String, JsonElement> bound : expectedBounds.entrySet()) {
          String ours = BOUNDS.get(bound.getKey());
          if (ours != null) {
            double expected = bound.getValue().getAsDouble();
            double found = bounds.get(ours).getAsDouble();
            if (ours.equals("RENYI")) {
              // Our bound includes the order infinity.
              double ofAllOrders = expectedBounds.get("rdp_continuum").getAsDouble();
              assertThat(found).isBetween(ofAllOrders * (1 - 1e-9), expected * (1 + 1e-9));
            } else {
              assertThat(found)
                  .as("%s of %s", ours, given.get("name"))
                  .isCloseTo(expected, withinPercentage(PERCENT));
            }
            least = Math.min(least, found);
            compared++;
          }
        }
        assertThat(ofUser.get("epsilon").getAsDouble()).isEqualTo(least);
      }
      assertThat(composed.get("epsilon"))
          .isEqualTo(composed.getAsJsonArray("byUser").get(0).getAsJsonObject().get("epsilon"));
    }
    assertThat(compared).isGreaterThan(20);
  }

  private static JsonObject ofUser(JsonObject found, String user) {
    return objects(found.getAsJsonArray("byUser")).stream()
        .filter(line -> line.get("userId").getAsString().equals(user))
        .findFirst()
        .orElseThrow();
  }

  private static List<JsonObject> objects(JsonArray array) {
    return array.asList().stream().map(JsonElement::getAsJsonObject).toList();
  }

  @Test
  void linesWithACountAndOneListAreTheSame() throws IOException {
    Path lines =
        file(
            "lines.jsonl",
            """
            {"l2Laplace": {"epsilon": 0.1}, "count": 10}

            {"gaussian": {"mu": 0.5}}
            {"undisclosed": {}}
            """);
    Path list =
        file(
            "list.json",
            """
            [
              {"l2Laplace": {"epsilon": 0.1}}, {"hashedResponse": {"epsilon": 0.1, "groups": 2}},
              {"randomisedResponse": {"epsilon": 0.1}, "count": 8},
              {"gaussian": {"mu": 0.5}}, {"undisclosed": {}}
            ]
            """);

    JsonObject found = json(lines.toString());
    assertThat(json(list.toString())).isEqualTo(found);
    assertThat(found.keySet()).contains("zeta", "mu", "epsilon", "epsilonRenyi", "delta");
    assertHas(found, "{pureEpsilon: 1, relation: replace-one}");
    assertThat(compose(lines.toString()).out())
        .contains("don't declare their noise (1), coordinates without noise (in 0 reports)")
        .contains("1 person, relation replace-one: at delta 1e-6, the largest epsilon spent is");
  }

  /** Noise that leaks less than its epsilon allows costs less, once its dimension is known. */
  @Test
  void laplaceNoiseCostsItsOwnLoss() throws IOException {
    JsonObject unknown = json(file("a.jsonl", "{\"l2Laplace\": {\"epsilon\": 0.5}}").toString());
    for (String line :
        new String[] {
          "{\"l2Laplace\": {\"epsilon\": 0.5}, \"dimension\": 4}",
          "{\"coordinateLaplace\": {\"taus\": [0.25, 0.25, 0.25, 0.25], \"clip\": \"L2\"}}",
          "{\"coordinateLaplace\": {\"taus\": [0.125, 0.125, 0.125, 0.125]}}"
        }) {
      JsonObject found = json(file("b.jsonl", line).toString());
      assertThat(found.get("pureEpsilon").getAsBigDecimal()).isEqualByComparingTo("0.5");
      assertThat(unknown.get("rho").getAsDouble() / found.get("rho").getAsDouble())
          .isBetween(3.9, 4.1);
    }
  }

  /** Of many different mechanisms, all by the distributions of their losses. */
  @Tag("ci")
  @Test
  void tenThousandMixedReportsCompose() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < 2000; n++) {
      double level = 0.05 + n % 50 * 0.01;
      lines
          .append("{\"l2Laplace\": {\"epsilon\": %s}, \"dimension\": 20}\n".formatted(level))
          .append("{\"randomisedResponse\": {\"epsilon\": %s}}\n".formatted(level / 8))
          .append("{\"gaussian\": {\"mu\": %s}}\n".formatted(level / 8))
          .append(
              "{\"privUnit\": {\"epsilon\": %s, \"candidates\": 256, \"top\": 110}}\n"
                  .formatted(level / 4))
          .append("{\"l2Laplace\": {\"epsilon\": %s}, \"dimension\": 8}\n".formatted(level / 2));
    }
    Path file = file("mixed.jsonl", lines.toString());
    JsonObject found = json(file.toString());
    assertThat(found.get("reports").getAsInt()).isEqualTo(10_000);
    assertThat(found.get("bound").getAsString()).isEqualTo("EXACT");
    JsonObject bounds = found.getAsJsonObject("bounds");
    double exact = bounds.get("EXACT").getAsDouble();
    assertThat(bounds.get("RENYI").getAsDouble() / exact).isBetween(1.01, 1.1);
    // So many small losses are nearly Gaussian, with mu^2 = 2 rho.
    double limit =
        GaussianDp.epsilon(Math.sqrt(2 * found.get("rho").getAsDouble()), Math.log(1e-6));
    assertThat(exact / limit).isBetween(0.995, 1.01);
  }

  /** The documented way from reports to an audit of their charges. */
  @Test
  void eventsAreRecomputedByTheLedgersRules() throws IOException {
    Path events = judged();
    JsonObject found = json(events + " --by-model");

    // Two admitted to kept and one refused, all with noise; the duplicate is free.
    assertHas(ofUser(found, "ada"), "{reports: 5, pureEpsilon: 1.1, mu: 1.3}");
    assertHas(ofUser(found, "bob"), "{undisclosed: 1, unbounded: 1, pureEpsilon: 0.1}");
    assertThat(found.getAsJsonArray("byModel")).hasSize(3);
    assertHas(found, "{events: 8, mismatches: 0}");
    CommandRun run =
        compose(events + " --top 1")
            .printed("The costs and totals of all 8 events match their declarations.");
    assertThat(run.out())
        .contains("... and 1 more, with at most the same epsilon")
        .containsPattern("ada +\\| +5 \\| +1\\.1 \\| +1\\.3 \\|");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void centralReportsWithoutACostHaveNoEpsilon() throws IOException {
    String event =
        "{\"userId\":\"cy\",\"modelId\":\"c\",\"outcome\":\"%s\",\"central\":{},"
            + "\"modelTotals\":{\"reports\":\"1\",\"lastRound\":\"4\"},"
            + "\"spent\":{\"reports\":\"%d\"},\"userTotals\":{\"reports\":\"1\"}}\n";
    String events = event.formatted("ADMITTED", 1) + event.formatted("REFUSED_SEPARATION", 0);
    compose(file("central.jsonl", events).toString())
        .printed("and central reports whose events don't contain their cost (1).");
    JsonObject found = json(directory.resolve("central.jsonl").toString());
    assertHas(found, "{reports: 1, central: 1, epsilon: 0}");

    String mute = events.replaceAll("\"userTotals\":\\{[^}]*}", "\"sequence\":\"1\"");
    assertThat(compose(file("mute.jsonl", mute).toString()).err())
        .contains("MISMATCH: 2 of 2 events");
  }

  @Test
  void sumsBeyondAllAccountsAreInfinite() throws IOException {
    String event =
        "{\"userId\":\"%1$s\",\"modelId\":\"m\",\"outcome\":\"ADMITTED\",%2$s,"
            + "\"spent\":{\"rho\":\"Infinity\",%3$s},"
            + "\"userTotals\":{\"rho\":\"Infinity\",%3$s}}%n";
    String events =
        event.formatted("ada", "\"gaussian\":{\"mu\":10000}", "\"mu\":\"Infinity\"")
            + event.formatted(
                "bob",
                "\"coordinateLaplace\":{\"epsilon\":\"Infinity\"}",
                "\"epsilon\":\"Infinity\"");
    Path file = file("beyond.jsonl", events);

    JsonObject found = json(file.toString());
    assertHas(found, "{mismatches: 0}");
    assertHas(ofUser(found, "ada"), "{epsilon: Infinity, rho: Infinity}");
    assertHas(ofUser(found, "bob"), "{epsilon: Infinity, rho: Infinity}");
    assertThat(compose(file.toString()).out()).contains("the largest epsilon spent is infinite");
  }

  @Test
  void centralReportsThatWereChargedAreInMu() throws IOException {
    // Of trees of 8 rounds the first costs zeta 4, the next 3 + 3 + 3 + 1; sigma is 4.
    String event =
        "{\"userId\":\"cy\",\"modelId\":\"c\",\"outcome\":\"ADMITTED\",\"central\":{},"
            + "\"spent\":{\"reports\":\"1\",\"rho\":%s},"
            + "\"modelTotals\":{\"rho\":%s,\"participations\":\"%d\",\"lastRound\":\"%d\"},"
            + "\"userTotals\":{\"rho\":%s},\"centralSpend\":{\"zeta\":%d,"
            + "\"noiseMultiplier\":4,\"trees\":1,\"restartEvery\":\"8\"}}%n";
    String first = event.formatted("0.5", "0.5", 1, 0, "0.5", 4);
    String second = event.formatted("1.25", "1.75", 2, 1, "1.75", 10);

    Path events = file("central.jsonl", first + second);
    JsonObject found = json(events.toString());
    assertHas(found, "{mismatches: 0, central: 2, rho: 1.75}");
    assertThat(found.get("mu").getAsDouble()).isCloseTo(Math.sqrt(3.5), withinPercentage(PERCENT));
    assertThat(compose(events.toString()).out())
        .contains("The costs and totals of all 2 events")
        .doesNotContain("No epsilon covers");

    String cheaper = event.formatted("0.5", "1.0", 2, 1, "1.0", 4);
    assertThat(compose(file("cheaper.jsonl", first + cheaper).toString()).err())
        .contains("MISMATCH: 1 of 2 events", "cheaper.jsonl, line 2");
  }

  /** For noise of two grid steps, mu alone would give an epsilon of 4.887, which is too small. */
  @Test
  void theDistanceOfDiscreteNoiseCountsAsInTheLedger() throws IOException {
    ModelSpec spec =
        TextFormat.parse(
            "model_id: 'm' dimension: 1 gradient_bound: 1 grid_exponent: 0"
                + " limits { delta: 1e-6 } black_box {}",
            ModelSpec.class);
    Report report =
        new Report(
            new Header("m", 0, "ada", "", 0, 0, 0),
            new GaussianMechanism(1),
            VectorContent.whole(VectorForm.GRID, new byte[Integer.BYTES]),
            0,
            Source.unknown(0));
    AccountingEvent event =
        new Ledger().judge(report, new ReportIntake(spec, 0).terms(), EventReading.account());
    String line = JsonFormat.printer().omittingInsignificantWhitespace().print(event);

    JsonObject json = json(file("events.jsonl", line) + " --delta 1e-6");
    assertHas(json, "{mismatches: 0}");
    double epsilon = json.get("epsilon").getAsDouble();
    assertThat(epsilon).isBetween(4.95, event.getModelTotals().getEpsilonAtDelta());
    // The true delta of integer noise of deviation 2 between 0 and 2.
    double delta = 0;
    double total = 0;
    for (int z = -100; z <= 100; z++) {
      double here = Math.exp(-z * z / 8.0);
      delta += Math.max(0, here - Math.exp(epsilon - (z - 2) * (z - 2) / 8.0));
      total += here;
    }
    assertThat(delta / total).isLessThanOrEqualTo(1e-6);
  }

  @Test
  void wrongEventsAreDetected() throws IOException {
    List<String> events = Files.readAllLines(judged());
    String forged = String.join("\n", events).replace("\"epsilon\":1.1,", "\"epsilon\":1.0,");
    assertThat(forged).isNotEqualTo(String.join("\n", events));

    CommandRun run =
        compose(file("forged.jsonl", forged).toString())
            .failed("MISMATCH:", "of 8 events", "forged.jsonl, line 4: user ada, model kept");
    assertThat(run.err()).contains("\"epsilon\":1.1,");
    assertThat(run.out()).contains("ada").doesNotContain("match their declarations");
  }

  private Path judged() throws IOException {
    Path events = directory.resolve("accounting.jsonl");
    String files = "--models %s --reports %s --accounting %s";
    CommandRun.of(
            new ReplayCommand(),
            files.formatted(file("models.yaml", MODELS), file("reports.jsonl", REPORTS), events))
        .succeeded();
    return events;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"undisclosed":{}}#{ | line 2: the text is not JSON
          7 | line 1: it must be a JSON object
          {"userId":"ada"} | line 1: it must have exactly one of undisclosed, l2Laplace
          {"undisclosed":{},"zeroConcentrated":{"rho":1}} | line 1: it must have exactly one of
          {"noise":1} | line 1: noise is no field of a GradientReport
          {"gaussian":{"sigma":1}} | line 1: gaussian.sigma is no field of a
          {"outcome":"FINE"} | line 1: the value of outcome is invalid
          {"outcome":"ADMITTED"} | line 1: declaration of the accounting event is missing
          {"l2Laplace":{"epsilon":-1}} | line 1: l2Laplace.epsilon is -1.0: it must be a finite number above 0
          {"privUnit":{"epsilon":1,"candidates":256,"top":129}} | line 1: privUnit.top is 129: it must be from 1 to half the candidates
          {"gaussian":{}} | line 1: gaussian.mu is missing: it
          {"coordinateLaplace":{}} | line 1: coordinateLaplace.taus is empty; it must
          {"coordinateLaplace":{"taus":[1,"Infinity"],"clip":"L2"}} | line 1: coordinateLaplace: a tau is infinite, so the clip must be COORDINATES
          {"coordinateLaplace":{"taus":[1,"Infinity"]}} | line 1: coordinateLaplace: a tau is infinite, so the clip must be COORDINATES
          {"coordinateLaplace":{"taus":[1],"clip":3}} | line 1: coordinateLaplace.clip is 3: it must be L2, COORDINATES or left out
          {"undisclosed":{},"count":0.5} | line 1: count is 0.5; it must be a whole number
          {"zeroConcentrated":{"mu":1}} | line 1: zeroConcentrated is {"mu":1}; it must be {"rho"
          {"central":{}} | line 1: the cost of a central report is known only
          {"undisclosed":{},"dense":{"values":[1]}} | line 1: contains a gradient
          [{"undisclosed":{}},#{}] | entry 2: it must have exactly one of
          {"dimension": 0} | line 1: dimension is 0; it must be a whole number from 1
          {"undisclosed": {}, "dimension": 2} | line 1: dimension is 2; it is for l2Laplace
          """)
  void invalidFilesAreReported(String lines, String message) throws IOException {
    compose(file("given", lines.replace('#', '\n')).toString()).assertRefused(message);
  }

  /** Not charged, but counted, since its totals contain a report that is missing. */
  @Test
  void anInvalidDuplicateIsReported() throws IOException {
    String event =
        "{\"outcome\":\"DUPLICATE\",\"l2Laplace\":{\"epsilon\":-1},\"userTotals\":{\"reports\":1}}";
    compose(file("given", event).toString())
        .assertRefused("line 1: l2_laplace.epsilon is -1.0: it must be");
  }

  @Test
  void invalidOptionsAreReported() {
    compose("--delta 1e-6").assertRefused("No Kafka address is given");
    compose("a.jsonl --kafka localhost:1").assertRefused("a Kafka address is given, too");
    compose("a.jsonl --top 0").assertRefused("--top is 0");
  }
}
