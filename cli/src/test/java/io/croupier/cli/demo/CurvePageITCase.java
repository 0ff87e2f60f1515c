package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.gateway.Chromium;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.chrome.ChromeDriver;

/** The curves as Chromium draws them. */
@Tag("thorough")
class CurvePageITCase {
  private static final int COLOURS = 8;
  private static final int WIDTH_OF_LINE = 28;

  @TempDir private Path directory;
  private ChromeDriver browser;

  @AfterEach
  void close() {
    if (browser != null) {
      browser.quit();
    }
  }

  @Test
  void theLegendDrawsTheDashesOfItsCurves() throws Exception {
    Path page = directory.resolve("page.html");
    CurvePage.write(Comparisons.ofTheUsualLearners(), page);
    browser = Chromium.start(directory.resolve("profile"));
    browser.get(page.toUri().toString());

    // The painted columns of each curve's line in the legend.
    List<?> painted =
        (List<?>)
            browser.executeScript(
                """
                const chart = Chart.getChart("loss");
                return chart.legend.legendHitBoxes.map(box => {
                  const height = Math.ceil(box.height);
                  const pixels = chart.ctx.getImageData(box.left, box.top, arguments[0], height).data;
                  let columns = 0;
                  for (let x = 0; x < arguments[0]; x++) {
                    let most = 0;
                    for (let y = 0; y < height; y++) {
                      most = Math.max(most, pixels[4 * (y * arguments[0] + x) + 3]);
                    }
                    columns += most > 64;
                  }
                  return columns;
                });
                """,
                WIDTH_OF_LINE);

    assertThat(painted).hasSize(COLOURS + 2);
    assertThat(painted.subList(0, COLOURS))
        .allSatisfy(columns -> assertThat((long) columns).isGreaterThan(WIDTH_OF_LINE - 4));
    assertThat(painted.subList(COLOURS, painted.size()))
        .allSatisfy(columns -> assertThat((long) columns).isBetween(8L, WIDTH_OF_LINE - 4L));
  }
}
