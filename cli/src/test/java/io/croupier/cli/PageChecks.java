package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Level;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogEntry;

/** What every page must be, in any width and scheme. */
public final class PageChecks {

  private PageChecks() {}

  /**
   * Shows the page as on a screen of this width.
   *
   * @param scheme light or dark
   */
  public static void emulate(ChromeDriver browser, int width, String scheme) {
    resize(browser, width, 900);
    browser.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  private static void resize(ChromeDriver browser, int width, long height) {
    browser.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
  }

  /**
   * Fails if axe finds a violation.
   *
   * @param name of a picture of the page, which is kept
   */
  public static void assertAccessible(ChromeDriver browser, int width, String name)
      throws IOException {
    Files.write(Path.of("target", name + ".png"), screenshot(browser, width));
    assertThat(violations(browser)).as(name).isEmpty();
  }

  /** Fails if the page itself scrolls sideways. */
  public static void assertFits(ChromeDriver browser, int width) {
    assertThat(browser.executeScript("return document.documentElement.scrollWidth"))
        .isEqualTo((long) width);
  }

  /** What the browser reports as an error: of scripts, of requests and of the policy. */
  public static List<String> errors(ChromeDriver browser) {
    return browser.manage().logs().get("browser").getAll().stream()
        .filter(entry -> entry.getLevel().equals(Level.SEVERE))
        .map(LogEntry::getMessage)
        .toList();
  }

  private static byte[] screenshot(ChromeDriver browser, int width) {
    long height =
        ((Number) browser.executeScript("return document.documentElement.scrollHeight"))
            .longValue();
    resize(browser, width, height);
    return browser.getScreenshotAs(OutputType.BYTES);
  }

  /** What axe finds, in words. */
  private static List<?> violations(ChromeDriver browser) throws IOException {
    browser.executeScript(axe());
    return (List<?>)
        browser.executeAsyncScript(
            """
            const done = arguments[arguments.length - 1];
            axe.run({ resultTypes: ["violations"] }).then(
              result => done(result.violations.map(each => each.id + ": " + each.help + " "
                + each.nodes.map(node => node.target + " " + node.failureSummary).join("; "))),
              error => done(["" + error]));
            """);
  }

  private static String axe() throws IOException {
    Properties properties = new Properties();
    try (InputStream in =
        PageChecks.class.getResourceAsStream(
            "/META-INF/maven/org.webjars.npm/axe-core/pom.properties")) {
      properties.load(in);
    }
    try (InputStream in =
        PageChecks.class.getResourceAsStream(
            "/META-INF/resources/webjars/axe-core/%s/axe.min.js"
                .formatted(properties.getProperty("version")))) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}
