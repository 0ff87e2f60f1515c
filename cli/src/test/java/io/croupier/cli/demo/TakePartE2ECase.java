package io.croupier.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.cli.PageChecks;
import io.croupier.gateway.Chromium;
import io.croupier.gateway.Condition;
import java.io.BufferedReader;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogEntry;

/** A visitor in Chromium takes part in a running demonstration, by keyboard. */
@Tag("thorough")
class TakePartE2ECase {
  private static final int MOST_REPORTS = 5;

  /** They report for 90 s. At a load of 9 on two cores, the visitor needed 34 s of them. */
  private static final int PEOPLE = 9_000;

  private static final HexFormat HEX = HexFormat.ofDelimiter(" ");

  @TempDir private Path directory;
  private ChromeDriver browser;
  private Process process;

  @AfterEach
  void close() {
    if (browser != null) {
      browser.quit();
    }
    if (process != null) {
      process.destroy();
    }
  }

  @Test
  void aVisitorIsADeviceUntilTheLimitAndIsCounted() throws Exception {
    Script script = Script.in(directory);
    browser = Chromium.start(directory.resolve("profile"));
    process =
        script.start(
            "demo --users %d --duration 90 --learners black-box,black-box:0.25 --verbose --page %s"
                .formatted(PEOPLE, directory.resolve("page.html")));
    BufferedReader output = process.inputReader(UTF_8);
    URI page = URI.create(output.readLine().replaceFirst("^Watch: ", ""));
    PageChecks.emulate(browser, 1280, "light");
    browser.get(page.toString());
    Condition.await("the section is ready", () -> !find("[data-ready=true]").isEmpty());
    Condition.await("the model has found its clip", this::hasFoundItsClip);

    fillIn();
    press(Keys.ENTER);
    Condition.await(
        "the gradient is shown", () -> text("part-status").startsWith("Nothing was sent."));
    assertThat(visible("part-vectors")).isTrue();
    assertThat(visible("part-left")).isFalse();
    assertThat(spent()).containsExactly("0", "0", "0", "10");
    List<JsonObject> requests = requests();
    assertThat(requests).noneMatch(request -> request.get("method").getAsString().equals("POST"));
    // 16 years of school are above the middle of the scale, so with the intercept's sign.
    List<Double> gradient = gradient();
    assertThat(gradient).hasSize(8);
    assertThat(Math.signum(gradient.get(0))).isNotZero().isEqualTo(Math.signum(gradient.get(1)));
    assertThat(gradient.get(4)).as("African American: no").isZero();
    assertThat(gradient.get(6)).as("south: yes").isEqualTo(gradient.get(0));

    List<String> bodies = new ArrayList<>();
    boolean sentGradient = false;
    press(Keys.TAB);
    assertThat(focused().getAttribute("id")).isEqualTo("part-send");
    for (int i = 0; i < MOST_REPORTS; i++) {
      String after = String.valueOf(2 * i + 2);
      press(Keys.ENTER);
      Condition.await("report " + i, () -> text("part-after").equals(after) && !isBusy());
      assertThat(text("part-status")).startsWith("Admitted: ");
      assertThat(spent())
          .containsExactly(String.valueOf(2 * i), "2", after, String.valueOf(8 - 2 * i));
      assertThat(text("part-account"))
          .contains(
              "epsilon %s in %s report".formatted(2 * i + 2, i + 1),
              "1 visitor has sent %s.".formatted(i + 1));
      bodies.add(whole());
      if (visible("part-vectors")) {
        assertCarries(text("part-bytes"), bodies.get(i));
        if (!sentGradient) {
          sentGradient = true;
          checkViews();
        }
      }
    }
    // Answers alone have a probability of 0.02^5.
    assertThat(sentGradient).isTrue();
    press(Keys.ENTER);
    Condition.await(
        "the limit", () -> text("part-status").startsWith("The limit of this device is reached"));

    requests.addAll(requests());
    assertThat(requests)
        .allMatch(
            request ->
                request.get("url").getAsString().startsWith(page.toString())
                    || request.get("url").getAsString().startsWith("data:"));
    assertThat(requests.stream().filter(request -> !method(request).equals("GET")).map(this::body))
        .as("nothing but the reports left the browser")
        .containsExactlyElementsOf(bodies);
    assertThat(browser.getPageSource()).doesNotContain("person-0");
    assertThat(messages()).isEmpty();

    List<String> lines = output.lines().toList();
    assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
    assertThat(lines)
        .anyMatch(line -> line.startsWith("Epsilon spent by this comparison: 2 per learner, 4 per"))
        .contains(
            "On the live page, 1 visitor sent 5 reports, and the ledger admitted 5. The models'"
                + " counts include these; the number of people doesn't.")
        .noneMatch(line -> line.contains("accounted for"));
    assertThat(admitted(lines, "black box clip 0.25")).isEqualTo(PEOPLE);
    assertThat(admitted(lines, "black box")).isEqualTo(PEOPLE + MOST_REPORTS);
    Condition.await("the page has ended", () -> text("status").startsWith("Ended"));
    assertThat(find("#part-form fieldset:disabled")).hasSize(2);
    assertThat(text("part-identity")).startsWith("The demonstration has ended");
    assertThat(find("#part-form button[aria-disabled=true]")).hasSize(2);
    script.assertNothingIsLeft();
  }

  /** Reaches all fields by the tabulator. */
  private void fillIn() {
    browser.findElement(By.tagName("body")).sendKeys(Keys.TAB);
    for (int i = 0; i < 40 && !focused().getAttribute("id").equals("part-education"); i++) {
      press(Keys.TAB);
    }
    type("part-education", Keys.chord(Keys.CONTROL, "a") + "16");
    type("part-experience", Keys.chord(Keys.CONTROL, "a") + "5");
    type("part-ethnicity", "Cauc");
    type("part-region", "South");
    type("part-smsa", " ");
    type("part-parttime", "");
    assertThat(focused().getAttribute("id")).isEqualTo("part-above");
    press(Keys.ARROW_DOWN);
    assertThat(focused().getAttribute("id")).isEqualTo("part-below");
    press(Keys.TAB);
    assertThat(focused().getAttribute("id")).isEqualTo("part-show");
    assertThat(focused().getCssValue("outline-style")).isEqualTo("solid");
  }

  private void type(String id, String keys) {
    assertThat(focused().getAttribute("id")).isEqualTo(id);
    assertThat(focused().getAccessibleName()).isNotBlank();
    if (!keys.isEmpty()) {
      press(keys);
    }
    press(Keys.TAB);
  }

  private void press(CharSequence keys) {
    focused().sendKeys(keys);
  }

  private WebElement focused() {
    return browser.switchTo().activeElement();
  }

  private List<WebElement> find(String selector) {
    return browser.findElements(By.cssSelector(selector));
  }

  private String text(String id) {
    return browser.findElement(By.id(id)).getText();
  }

  private boolean visible(String id) {
    return browser.findElement(By.id(id)).isDisplayed();
  }

  private boolean isBusy() {
    return find("#part-send[aria-disabled=false]").isEmpty();
  }

  private boolean hasFoundItsClip() {
    // In one script, since the page changes its rows meanwhile. While the model searches, it uses
    // no gradient; before its first update, the page doesn't know that it searches.
    return (boolean)
        browser.executeScript(
            """
            return [...document.querySelectorAll("#models-table tbody tr")].some(
              row => row.cells[0].textContent === "black box"
                && row.cells[1].textContent === "black-box"
                && /[1-9]/.test(row.cells[4].textContent));
            """);
  }

  private List<String> spent() {
    return List.of(
        text("part-before"), text("part-cost"), text("part-after"), text("part-remaining"));
  }

  /** The coordinates that the page shows. */
  private List<Double> gradient() {
    return find("#part-table tbody tr td:nth-child(2)").stream()
        .map(cell -> Double.parseDouble(cell.getText()))
        .toList();
  }

  private String whole() {
    return (String)
        browser.executeScript("return document.getElementById('part-whole').textContent");
  }

  /** A report has the seed that the page shows, in Protobuf's order of bytes. */
  private static void assertCarries(String shown, String report) {
    assertThat(shown).matches("seed( [0-9a-f]{2}){8} index( [0-9a-f]{2}){1,2}");
    byte[] seed = HEX.parseHex(shown.substring(5, 28));
    StringBuilder reversed = new StringBuilder();
    for (int i = seed.length - 1; i >= 0; i--) {
      reversed.append(" %02x".formatted(seed[i]));
    }
    assertThat(report).contains(reversed);
  }

  /** Screenshots and accessibility, while results are shown. */
  private void checkViews() throws Exception {
    for (String scheme : List.of("light", "dark")) {
      for (int width : new int[] {1280, 390}) {
        PageChecks.emulate(browser, width, scheme);
        PageChecks.assertAccessible(browser, width, "take-part-%d-%s".formatted(width, scheme));
        PageChecks.assertFits(browser, width);
      }
    }
    PageChecks.emulate(browser, 1280, "light");
  }

  /** The requests since the last call. */
  private List<JsonObject> requests() {
    List<JsonObject> requests = new ArrayList<>();
    for (LogEntry entry : browser.manage().logs().get("performance")) {
      JsonObject message =
          JsonParser.parseString(entry.getMessage()).getAsJsonObject().getAsJsonObject("message");
      if (message.get("method").getAsString().equals("Network.requestWillBeSent")
          && message
              .getAsJsonObject("params")
              .get("documentURL")
              .getAsString()
              .startsWith("http://127.0.0.1")) {
        requests.add(message.getAsJsonObject("params").getAsJsonObject("request"));
      }
    }
    return requests;
  }

  private static String method(JsonObject request) {
    return request.get("method").getAsString();
  }

  private String body(JsonObject request) {
    StringBuilder body = new StringBuilder();
    for (JsonElement entry : request.getAsJsonArray("postDataEntries")) {
      body.append(
          HEX.formatHex(
              Base64.getDecoder().decode(entry.getAsJsonObject().get("bytes").getAsString())));
    }
    return body.toString();
  }

  /** But for the account, which the demonstration doesn't have: a device continues without. */
  private List<String> messages() {
    return PageChecks.errors(browser).stream()
        .filter(message -> !message.contains("/v1/account"))
        .toList();
  }

  /** From the table of the admitted reports. */
  private static long admitted(List<String> lines, String learner) {
    return lines.stream()
        .map(line -> List.of(line.replace(",", "").trim().split(" +\\| +")))
        .filter(cells -> cells.size() == 6 && cells.get(0).equals(learner))
        .filter(cells -> cells.get(1).matches("\\d+"))
        .map(cells -> Long.parseLong(cells.get(1)))
        .findFirst()
        .orElseThrow();
  }
}
