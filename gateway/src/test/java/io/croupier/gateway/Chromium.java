package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** The Chromium that is installed on this machine. */
public final class Chromium {
  /** For its start, and for each script; by default, 20 and 30 s. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private Chromium() {}

  /**
   * Starts it without a window. Without Chromium and its driver the test is skipped; with the
   * environment variable CI=true it fails.
   *
   * @param profile directory for its files
   */
  public static ChromeDriver start(Path profile) {
    Optional<Path> browser = executable("chromium", "chromium-browser", "google-chrome");
    Optional<Path> driver = executable("chromedriver");
    if (browser.isEmpty() || driver.isEmpty()) {
      String missing =
          "The pages are not tested: there is no chromium with chromedriver on the PATH (Debian:"
              + " apt-get install chromium chromium-driver).";
      if ("true".equals(System.getenv("CI"))) {
        fail(missing);
      }
      System.err.println(missing);
      assumeTrue(false, missing);
    }
    ChromeOptions options = new ChromeOptions();
    options.setBinary(browser.orElseThrow().toString());
    // Containers often have neither user namespaces nor a large /dev/shm. A tab in the background
    // may have the ledger; without its usual priority it hardly runs on a busy machine.
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-renderer-backgrounding",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--force-device-scale-factor=1",
        "--user-data-dir=" + profile);
    options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL", "performance", "ALL"));
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(driver.orElseThrow().toFile())
            .usingAnyFreePort()
            .withTimeout(PATIENCE)
            .build();
    ChromeDriver chromium = new ChromeDriver(service, options);
    chromium.manage().timeouts().scriptTimeout(PATIENCE);
    return chromium;
  }

  /** The title that a page gives itself when it has done its work; until then it is "waiting". */
  public static String result(ChromeDriver browser) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (browser.getTitle().equals("waiting")) {
      assertThat(System.nanoTime()).as("the page still waits").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    return browser.getTitle();
  }

  private static Optional<Path> executable(String... names) {
    String path = System.getenv("PATH");
    return Stream.of(names)
        .flatMap(
            name ->
                Stream.of(path == null ? new String[0] : path.split(File.pathSeparator, -1))
                    .map(directory -> Path.of(directory, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
