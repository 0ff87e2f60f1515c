package io.croupier.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.PageChecks;
import io.croupier.gateway.Chromium;
import io.croupier.gateway.Condition;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.StatisticEstimate;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogEntry;

/** The page in Chromium. */
@Tag("ci")
class WatchPageITCase {
  private static final Pattern REQUESTED =
      Pattern.compile("\"request\":\\{.*?\"url\":\"([^\"]+)\"");

  @TempDir private Path directory;
  private volatile long aheadMs;
  private final InstantSource now = () -> Instant.now().plusMillis(aheadMs);
  private final WatchFeed feed =
      new WatchFeed("Croupier: a test", "People report ...", now.withZone(ZoneOffset.UTC));
  private final WatchState state = feed.state();
  private ChromeDriver browser;
  private WatchServer server;
  private volatile long used = 6000;

  @BeforeEach
  void open() {
    browser = Chromium.start(directory.resolve("profile"));
    fillState();
    server = new WatchServer(feed, 0);
  }

  @AfterEach
  void close() {
    if (browser != null) {
      browser.quit();
    }
    if (server != null) {
      server.close();
    }
    feed.close();
  }

  /** Three models in training, 500 people, refusals, dead letters, a guarantee and scores. */
  private void fillState() {
    for (String id : List.of("adaptive", "banco", "central")) {
      state.spec(Records.spec(id));
      for (int round = 0; round <= 60; round++) {
        state.update(Records.record(Records.update(id, round, 100L * round)), true);
      }
    }
    for (int person = 0; person < 500; person++) {
      state.event(
          Records.event(
              "person-" + person,
              person % 2 == 0 ? "adaptive" : "banco",
              person % 10 == 0 ? Outcome.REFUSED_BUDGET : Outcome.ADMITTED,
              1 + person % 8,
              7 - person % 8),
          true);
    }
    state.guarantee(Records.guarantee("central"));
    state.guarantee(Records.window("banco", 7, 2));
    state.letter(Records.letter("person-1", "key must be the report's user_id"));
    feed.show(this::scores);
  }

  private Scores scores() {
    List<Scores.ScoredModel> models = new ArrayList<>();
    double end = 0.53;
    for (String id : List.of("central", "adaptive", "banco")) {
      List<Scores.Point> points = new ArrayList<>();
      for (long x = 0; x <= used; x += 100) {
        double left = Math.exp(-x / 2500.0);
        points.add(new Scores.Point(x, end + (0.693 - end) * left, 0.74 - 0.24 * left));
      }
      models.add(new Scores.ScoredModel(id, "model " + id, points));
      end += 0.03;
    }
    return new Scores(
        "accuracy",
        new Scores.Point(0, 0.693, 0.5),
        new Scores.Point(0, 0.518, 0.741),
        "adaptive",
        models,
        Map.of());
  }

  private void visit(int width, String scheme) throws Exception {
    PageChecks.emulate(browser, width, scheme);
    browser.get(server.address().toString());
    awaitText("status", "Live");
  }

  private String text(String id) {
    return browser.findElement(By.id(id)).getText();
  }

  private void awaitText(String id, String part) throws Exception {
    Condition.await(id + " contains " + part, () -> text(id).contains(part));
  }

  private List<String> messages() {
    return PageChecks.errors(browser);
  }

  /** The value of a cell in the table's row of a model, by the title of its column. */
  private String cell(String table, String row, String column) {
    return (String)
        browser.executeScript(
            """
            const table = document.getElementById(arguments[0]);
            const column = [...table.tHead.rows[0].cells].findIndex(cell => cell.textContent === arguments[2]);
            const row = [...table.tBodies[0].rows].find(row => row.cells[0].textContent === arguments[1]);
            return row ? row.cells[column].textContent : null;
            """,
            table,
            row,
            column);
  }

  @Test
  void showsTheNumbersAndFollowsThem() throws Exception {
    visit(1280, "light");

    assertThat(text("title")).isEqualTo("Croupier: a test");
    assertThat(text("note")).isEqualTo("People report ...");
    assertThat(cell("models-table", "model banco", "learner")).isEqualTo("banco");
    assertThat(cell("models-table", "model banco", "used")).isEqualTo("6,000");
    assertThat(cell("models-table", "model banco", "other clip")).isEqualTo("3");
    assertThat(cell("estimates-table", "model banco", "95 % interval")).isEqualTo("0.65 to 0.77");
    assertThat(cell("estimates-table", "model banco", "recently")).isEqualTo("1.00 (clipped)");
    assertThat(cell("estimates-table", "model banco", "recent interval")).isEqualTo("0.75 to 1.00");
    assertThat(cell("estimates-table", "model banco", "interval at every look"))
        .isEqualTo("0.60 to 0.80");
    assertThat(text("estimates-table")).contains("too few answers").doesNotContain("0.10 to 0.75");
    assertThat(cell("verdicts-table", "model adaptive", "refused: budget")).isEqualTo("50");
    assertThat(cell("letters-table", "key must be the report's user_id", "records")).isEqualTo("1");
    assertThat(cell("guarantees-table", "model central", "epsilon, two gradients"))
        .isEqualTo("7.99");
    assertThat(cell("windows-table", "model banco", "central epsilon")).isEqualTo("0.5");
    assertThat(cell("scores-table", "without privacy", "loss")).isEqualTo("0.518");
    // One person in eight has spent 8 of 8, and none 7.2 to 8 of 8.
    assertThat(text("spending-summary"))
        .isEqualTo("500 people. 62 of 500 with a limit have spent at least 90 % of it (12.4 %).");
    int loss = points("loss");

    used = 9000;
    assertThat(cell("models-table", "model banco", "memory")).isEqualTo("-");
    state.update(
        Records.record(
            Records.update("banco", 90, 9000)
                .putDiagnostics("half-life", 8192)
                .putDiagnostics("drifting", 1)),
        true);

    awaitText("models-table", "9,000");
    assertThat(cell("models-table", "model banco", "round")).isEqualTo("90");
    assertThat(cell("models-table", "model banco", "memory"))
        .isEqualTo("half-life 8,192, drifting");
    assertThat(points("loss")).isGreaterThan(loss);
    assertThat(points("quantity")).isPositive();
    feed.end("The end.");
    awaitText("status", "Ended");
    assertThat(messages()).isEmpty();
  }

  /** The rows of a level without answers, and of one with a value in a narrow range. */
  @Tag("thorough")
  @Test
  void quantilesWithoutAnswersHaveNoValue() throws Exception {
    ModelUpdate.Builder update = Records.update("banco", 90, 9000);
    StatisticEstimate.Builder time = update.addStatisticsBuilder();
    time.getStatisticBuilder().setName("time").getQuantilesBuilder().setFrom(1e6).setTo(1e6 + 1);
    time.getStatisticBuilder().getQuantilesBuilder().addLevels(0.5);
    state.update(Records.record(update), true);
    visit(1280, "light");
    awaitText("quantiles-table", "1000001");
    assertThat(cell("quantiles-table", "model banco", "value")).isEqualTo("-");
    assertThat(cell("quantiles-table", "model banco", "95 % interval")).isEqualTo("-");
    assertThat(cell("quantiles-table", "model banco", "in the range")).isEmpty();
    assertThat(cell("quantiles-table", "model banco", "worth answers")).isEqualTo("0");

    time.getQuantilesBuilder().addValues(1e6 + 0.123456).addLow(1e6).addHigh(1e6 + 0.25);
    state.update(Records.record(update), true);
    awaitText("quantiles-table", "1000000.123");
    assertThat(cell("quantiles-table", "model banco", "95 % interval"))
        .isEqualTo("1000000 to 1000000.25");
    assertThat(messages()).isEmpty();
  }

  private int points(String chart) {
    return ((Number)
            browser.executeScript(
                "return charts[arguments[0]].data.datasets[0].data.length;", chart))
        .intValue();
  }

  /** The page of one file has the numbers of the live page, without a server. */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"390,dark", "1200,light", "1600,dark"})
  void theKeptPageShowsTheSame(int width, String scheme) throws Exception {
    checkKeptPage(width, scheme);
  }

  @Tag("thorough")
  @Test
  void aNarrowLightKeptPageShowsTheSame() throws Exception {
    checkKeptPage(390, "light");
  }

  private void checkKeptPage(int width, String scheme) throws Exception {
    feed.conclude(
        new Result(
            "</script>500 people: loss 0.56.",
            List.of("learner", "right", "loss", "chosen by hand", "epsilon spent"),
            List.of(
                new Result.Row("", List.of("doing nothing", "50.8 %", "0.693", "-", "0")),
                new Result.Row(
                    "adaptive", List.of("model adaptive", "72.1 %", "0.560", "nothing", "8"))),
            List.of("What a note says.")));
    Path kept = Files.writeString(directory.resolve("kept.html"), feed.page());
    server.close();
    PageChecks.emulate(browser, width, scheme);
    browser.get(kept.toUri().toString());
    awaitText("status", "Ended");

    assertThat(text("headline")).isEqualTo("</script>500 people: loss 0.56.");
    assertThat(cell("result-table", "model adaptive", "epsilon spent")).isEqualTo("8");
    assertThat(cell("models-table", "model banco", "used")).isEqualTo("6,000");
    assertThat(points("loss")).isGreaterThan(10);
    assertThat(names("fit"))
        .isEqualTo(
            List.of(
                "model central", "model adaptive", "model banco", "guessing", "without privacy"));
    assertThat(
            browser.executeScript(
                "return document.getElementById('result-table').getBoundingClientRect().right"
                    + " <= innerWidth"))
        .as("the whole table is in sight")
        .isEqualTo(true);
    PageChecks.assertAccessible(browser, width, "kept-%d-%s".formatted(width, scheme));
    assertThat(messages()).isEmpty();
  }

  /** The texts beside the ends of a chart's curves. */
  private List<?> names(String chart) {
    return (List<?>)
        browser.executeScript(
            "const chart = charts[arguments[0]];"
                + " return chart.data.datasets.map(line => endText(line, chart.scales.y));",
            chart);
  }

  @Test
  void asksNoOtherHostAndDisclosesNoUser() throws Exception {
    // The browser's own first page is no concern of this test.
    browser.get("about:blank");
    browser.manage().logs().get("performance");
    visit(1280, "light");
    browser.findElement(By.id("quantity")).sendKeys("norm");

    List<String> requested = new ArrayList<>();
    for (LogEntry entry : browser.manage().logs().get("performance")) {
      if (entry.getMessage().contains("\"Network.requestWillBeSent\"")) {
        REQUESTED.matcher(entry.getMessage()).results().forEach(url -> requested.add(url.group(1)));
      }
    }
    String here = server.address().toString();
    assertThat(requested)
        .contains(here + "watch.js", here + "chart.js", here + "snapshot", here + "events")
        .allMatch(url -> url.startsWith(here) || url.startsWith("data:"));
    assertThat(browser.getPageSource()).doesNotContain("person-", "0.123456");
    assertThat(messages()).isEmpty();
  }

  /** The policy is in force: neither an inline script nor one of another host runs. */
  @Test
  void runsNoForeignScript() throws Exception {
    visit(1280, "light");
    browser.executeScript(
        """
        const inline = document.createElement("script");
        inline.textContent = "window.foreign = true";
        document.body.append(inline);
        const image = document.createElement("img");
        image.src = "http://127.0.0.2:9/x.png";
        document.body.append(image);
        """);

    assertThat(browser.executeScript("return window.foreign === undefined")).isEqualTo(true);
    List<String> refused = new ArrayList<>();
    Condition.await(
        "the browser reports both",
        () -> {
          messages().stream()
              .filter(message -> message.contains("Content Security Policy"))
              .forEach(refused::add);
          return refused.stream().anyMatch(message -> message.contains("inline"))
              && refused.stream().anyMatch(message -> message.contains("127.0.0.2"));
        });
  }

  @Tag("thorough")
  @Test
  void saysThatItsDataAreStaleAndRecovers() throws Exception {
    visit(1280, "light");
    URI address = server.address();
    server.close();

    awaitText("status", "Stale: no numbers since");
    server = new WatchServer(feed, address.getPort());
    used = 7000;
    state.update(Records.record(Records.update("banco", 70, 7000)), true);

    awaitText("status", "Live");
    awaitText("models-table", "7,000");
  }

  @Tag("thorough")
  @Test
  void pollsWhereStreamsBreak() throws Exception {
    browser.executeCdpCommand("Network.enable", Map.of());
    browser.executeCdpCommand("Network.setBlockedURLs", Map.of("urls", List.of("*/events")));
    visit(1280, "light");
    awaitText("status", "by polling");
    state.update(Records.record(Records.update("banco", 70, 7000)), true);

    awaitText("models-table", "7,000");
  }

  /** Reports arrive, and the job is dead. */
  @Tag("thorough")
  @Test
  void showsThatTheJobJudgesNothing() throws Exception {
    TopicPartition partition = new TopicPartition("gradients", 0);
    state.ends(Map.of(partition, 100L));
    visit(1280, "light");
    state.ends(Map.of(partition, 150L));
    awaitText("figures", "waiting for a verdict\n50");
    assertThat(text("status")).startsWith("Live");
    aheadMs = 120_000;
    awaitText("status", "The job judges nothing: 50 reports wait, for");
    assertThat(browser.findElement(By.id("status")).getAttribute("class")).isEqualTo("stuck");
    state.ends(Map.of(partition, 100L));
    awaitText("status", "Live");
  }

  /** One number that can't be shown hides neither the other parts nor their news. */
  @Tag("thorough")
  @Test
  void aPartThatFailsLeavesTheOthers() throws Exception {
    visit(1280, "light");
    browser.executeScript("document.getElementById('models-table').remove();");
    used = 7000;
    state.update(Records.record(Records.update("banco", 70, 7000)), true);
    awaitText("figures", "used in rounds");
    Condition.await(
        "the verdicts follow",
        () -> {
          state.event(Records.event("late", "banco", Outcome.DUPLICATE, 1, 7), true);
          return text("verdicts-table").contains("duplicate");
        });
    assertThat(text("status")).isEqualTo("Live");
  }

  @Test
  void worksByKeyboard() throws Exception {
    visit(1280, "light");
    WebElement body = browser.findElement(By.tagName("body"));
    body.sendKeys(Keys.TAB);
    assertThat(browser.switchTo().activeElement().getText()).isEqualTo("Skip to the models");
    List<String> reached = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      WebElement active = browser.switchTo().activeElement();
      reached.add(active.getTagName() + " " + active.getAttribute("id"));
      assertThat(active.getCssValue("outline-style")).as("focus of %s", active).isEqualTo("solid");
      active.sendKeys(Keys.TAB);
      if (browser.switchTo().activeElement().getTagName().equals("body")) {
        break;
      }
    }
    assertThat(reached).contains("select quantity", "select spending-model", "select cost");

    WebElement quantity = browser.findElement(By.id("quantity"));
    quantity.sendKeys("norm");
    assertThat(quantity.getAttribute("value")).isEqualTo("norm");
    awaitText("quantity-legend", "model central");
  }

  @ParameterizedTest
  @CsvSource({"1280,light", "390,dark"})
  void isAccessibleAndFits(int width, String scheme) throws Exception {
    checkAccess(width, scheme);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"1280,dark", "390,light"})
  void isAccessibleAndFitsInTheOtherScheme(int width, String scheme) throws Exception {
    checkAccess(width, scheme);
  }

  private void checkAccess(int width, String scheme) throws Exception {
    visit(width, scheme);
    browser
        .findElements(By.tagName("summary"))
        .forEach(summary -> browser.executeScript("arguments[0].click()", summary));
    PageChecks.assertAccessible(browser, width, "watch-%d-%s".formatted(width, scheme));
    PageChecks.assertFits(browser, width);
    assertThat(messages()).isEmpty();
  }
}
