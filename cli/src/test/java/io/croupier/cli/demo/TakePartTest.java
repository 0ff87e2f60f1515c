package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.cli.NoiseMechanism;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Simulation;
import io.croupier.cli.watch.PageSection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TakePartTest {
  private static final DataSet CENSUS = Census.load();

  private static PageSection section(DataSet data, double epsilon, String... learners) {
    return TakePart.section(
        data,
        ComparedLearner.parse(List.of(learners)),
        new DemoParameters(NoiseMechanism.PRIV_UNIT, epsilon, 0, 0.25, 1, 100, 1));
  }

  private static JsonObject settings(PageSection section) {
    return JsonParser.parseString(section.files().get("take-part.json")).getAsJsonObject();
  }

  @Test
  void reportsToTheModelThatFindsItsClip() {
    JsonObject settings = settings(section(CENSUS.times(100), 2, ComparedLearner.ALL.split(",")));

    assertThat(settings.get("model").getAsString()).isEqualTo("combined");
    assertThat(settings.get("epsilon").getAsDouble()).isEqualTo(2);
    assertThat(settings.get("length").getAsDouble())
        .isEqualTo(new PrivUnitLaws().near(8, 2, 256).scale());
    assertThat(settings.get("limit").getAsDouble()).isEqualTo(10);
    assertThat(settings.get("scale").getAsDouble()).isEqualTo(100);
    assertThat(settings.getAsJsonArray("features")).hasSize(8);
  }

  /** BANCO accepts only the noise that it was set up for. */
  @Test
  void reportsElseToAModelThatTakesAnyNoise() {
    assertThat(settings(section(CENSUS, 2, "banco", "ldp-sgd:1")).get("model").getAsString())
        .isEqualTo("ldp-sgd-1");
    assertThat(section(CENSUS, 2, "banco", "dp-ftrl-tree:1")).isEqualTo(PageSection.NONE);
  }

  @Test
  void isOnlyForTheCensus() {
    assertThat(section(Simulation.logistic(100, 1), 2, "black-box")).isEqualTo(PageSection.NONE);
  }

  @Test
  void spendsAtMostWhatTheMechanismCan() {
    assertThat(settings(section(CENSUS, 20, "black-box")).get("epsilon").getAsDouble())
        .isEqualTo(16);
  }

  @Test
  void theFormHasALabelForEachFieldAndTheMedianOfTheData() {
    String html = section(CENSUS, 2, "black-box").html();

    Matcher field = Pattern.compile("<(?:input|select) id=\"([^\"]+)\"").matcher(html);
    int fields = 0;
    while (field.find()) {
      assertThat(html).contains("<label for=\"" + field.group(1) + "\">");
      fields++;
    }
    assertThat(fields).isEqualTo(8);
    assertThat(CENSUS.description()).contains("$522.32 a week");
    assertThat(html).contains("$522.32 a week");
  }
}
