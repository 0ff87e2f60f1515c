package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.schemas.Accuracy;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The Java code of docs/model.md is that of {@link Wellbeing}, and does what the page states. */
class ModelPageTest {
  private static final Question ACCURACY =
      Question.newBuilder().setName("accuracy").setAccuracy(Accuracy.getDefaultInstance()).build();

  @Test
  void thePageShowsThisCode() throws Exception {
    String source = Files.readString(Path.of("src/test/java/io/croupier/client/Wellbeing.java"));
    String code = source.substring(source.indexOf("final class"));

    assertThat(Files.readString(Path.of("../docs/model.md"))).contains("```java\n" + code + "```");
    assertThat(Files.readString(Path.of("../examples/java/ReportWellbeing.java"))).endsWith(code);
  }

  @Test
  void gradientIsThatOfTheLogisticLoss() {
    double[] weights = {0.3, -0.2, 0.5, 0.1, 0.4, -0.6};
    Map<String, ?> day = Map.of("minutesWalked", 45, "hoursSlept", 9, "shift", "night");
    double[] x = {1, -0.5, 0.5, 0, 1, 0};
    double step = 1e-6;

    for (boolean well : new boolean[] {true, false}) {
      double[] gradient = new Wellbeing(snapshot(weights), day, well).gradient();
      for (int j = 0; j < weights.length; j++) {
        double[] up = weights.clone();
        up[j] += step;
        double[] down = weights.clone();
        down[j] -= step;
        assertThat(gradient[j])
            .isCloseTo((loss(up, x, well) - loss(down, x, well)) / (2 * step), within(1e-8));
      }
    }
  }

  /** With the features of examples/wellbeing.yaml. */
  private static ModelSnapshot snapshot(double... weights) {
    ModelUpdate.Builder update = Updates.update("wellbeing-1", 3, weights);
    update.addFeaturesBuilder().setName("one").getInterceptBuilder();
    update.addFeaturesBuilder().setName("minutesWalked").getRangeBuilder().setFrom(0).setTo(180);
    update.addFeaturesBuilder().setName("hoursSlept").getRangeBuilder().setFrom(0).setTo(12);
    update
        .addFeaturesBuilder()
        .setName("shift")
        .getOneHotBuilder()
        .addAllCategories(List.of("day", "night", "none"));
    return ModelSnapshot.parse(update.build().toByteArray());
  }

  private static double loss(double[] weights, double[] x, boolean well) {
    double prediction = 0;
    for (int j = 0; j < x.length; j++) {
      prediction += weights[j] * x[j];
    }
    return Math.log1p(Math.exp(-prediction)) + (well ? 0 : prediction);
  }

  @Test
  void answersWhetherTheAverageIsRight() {
    ModelSnapshot model = snapshot(-0.3, 0, 0, 0, 0, 0);
    Map<String, ?> x = Map.of("minutesWalked", 90, "hoursSlept", 6, "shift", "on call");

    assertThat(new Wellbeing(model, x, true).canAnswer(ACCURACY)).isTrue();
    assertThat(new Wellbeing(model, x, true).answer(ACCURACY)).isFalse();
    assertThat(new Wellbeing(model, x, false).answer(ACCURACY)).isTrue();
  }
}
