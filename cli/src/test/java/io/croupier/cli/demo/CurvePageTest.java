package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CurvePageTest {

  @TempDir Path directory;

  @Test
  void containsItsDataAndLibraryAndLoadsNothing() throws Exception {
    Path file = directory.resolve("page.html");
    CurvePage.write(Comparisons.ofTheUsualLearners(), file);
    String page = Files.readString(file);

    assertThat(page)
        .contains("Chart.js v", "Epsilon spent by this comparison: 8 per learner, 64 per person")
        .doesNotContain("/*data*/", "/*chart.js*/", "sourceMappingURL")
        .doesNotContainPattern("<script[^>]+src|<link|@import|url\\(");
    JsonObject data = data(page);
    assertThat(data.getAsJsonArray("curves")).hasSize(8);
    assertThat(data.getAsJsonArray("sentences").toString())
        .contains("Accuracy, as estimated: from people who answer");
    assertThat(data.getAsJsonArray("rows")).hasSize(10);
    assertThat(data.getAsJsonArray("rows").toString()).contains("\"0.73 +- 0.03\"");
    JsonObject first = data.getAsJsonArray("curves").get(0).getAsJsonObject();
    assertThat(first.get("label").getAsString()).isEqualTo("black box");
    assertThat(first.getAsJsonArray("points").size()).isEqualTo(297);
  }

  @Test
  void containsRefusals() {
    JsonObject data = data(CurvePage.render(Comparisons.withUndisclosedReports()));

    assertThat(data.getAsJsonArray("sentences").toString())
        .contains("BANCO refused 5,631 undisclosed reports (DECLARATION).");
    assertThat(data.get("price").getAsString()).contains("45,048 reports");
  }

  @Test
  void aNameFromTheUsersFileStaysText() {
    DataSet census = Census.load();
    DataSet hostile =
        new DataSet(
            "x",
            "</script><script>alert(1)</script>",
            census.features(),
            census.problem(),
            1,
            1,
            List.of());

    String page = CurvePage.render(Comparisons.of(hostile));

    assertThat(page).doesNotContain("<script>alert");
    assertThat(data(page).get("description").getAsString()).contains("<script>alert(1)");
  }

  private static JsonObject data(String page) {
    String line = page.lines().filter(text -> text.startsWith("const data = ")).findFirst().get();
    return JsonParser.parseString(line.substring("const data = ".length(), line.length() - 1))
        .getAsJsonObject();
  }
}
