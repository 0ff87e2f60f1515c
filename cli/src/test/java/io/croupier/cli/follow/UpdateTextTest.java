package io.croupier.cli.follow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.ModelUpdate;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class UpdateTextTest {
  private static final String UPDATE =
      """
      model_id: 'm' round: 1200 weights: 1 average: 0.5 used: 9876 answers: 321
      dropped_stale: 1 dropped_unpublished: 2 dropped_bound: 3 open: 4
      grid_exponent: -18 gradient_bound: 0.25
      """;

  /** An update that asks some devices. */
  private static final String ASKING = UPDATE + "question_probability: 0.02 ";

  private static List<String> lines(String update) throws TextFormat.ParseException {
    return lines(update, OptionalDouble.empty());
  }

  private static List<String> lines(String text, OptionalDouble bound)
      throws TextFormat.ParseException {
    ModelUpdate update = TextFormat.parse(text, ModelUpdate.class);
    return UpdateText.lines(ModelSnapshot.parse(update.toByteArray()), bound);
  }

  @Test
  void printsTheReportsAndTheFixedClip() throws Exception {
    assertThat(lines(UPDATE))
        .containsExactly(
            "m, round 1,200: 9,876 reports used, 321 answers, 4 open; dropped: 1 stale, 2 at an"
                + " unpublished round, 3 with another clip",
            "  clip: 0.2500, fixed");
  }

  @Test
  void printsTheMovingClip() throws Exception {
    String features = UPDATE + "size: FEATURES slope_bound: 0.5 question_probability: ";
    assertThat(lines(features + 0.02))
        .contains("  clip: 0.2500 of the size FEATURES, slope bound 0.5000");
    assertThat(lines(features + 1))
        .contains(
            "  clip: 0.2500 of the size FEATURES, slope bound 0.5000; scouting: devices are asked"
                + " for their sizes, and for no gradient");
    assertThat(lines(UPDATE + "size: GRADIENT question_probability: 0.5"))
        .contains("  clip: 0.2500 of the size GRADIENT");
  }

  @Test
  void printsEstimatesAndTheMeanLoss() throws Exception {
    String update =
        ASKING
            + lossAbove("low", 0.5, 0.8)
            + lossAbove("high", 1.5, 0.2)
            + "estimates { question { name: 'right' accuracy {} } }";
    assertThat(lines(update).subList(2, 6))
        .containsExactly(
            "  low: 0.800, from 0.700 to 0.900 (95 %), worth 60 answers of equal age",
            "  high: 0.200, from 0.100 to 0.300 (95 %), worth 60 answers of equal age",
            "  right: no answers",
            // 0.25 + 0.75 (0.8 + 0.2), and 1.96 * 0.05 * 0.75 * sqrt(2).
            "  mean loss, each cut off at 2.000: 1.000 +- 0.104 (95 %), and up to 0.5000 due to the"
                + " distance of the thresholds");
    assertThat(lines(update, OptionalDouble.of(3)).get(5))
        .startsWith("  mean loss, each cut off at 3.000: 1.100 +- ");
  }

  private static String lossAbove(String name, double threshold, double fraction) {
    return """
        estimates { question { name: '%s' loss_above { threshold: %s } }
          fraction: %s standard_error: 0.05 low: %s high: %s answers: 60 }
        """
        .formatted(name, threshold, fraction, fraction - 0.1, fraction + 0.1);
  }

  @Test
  void printsRecentEstimatesAndClipsThem() throws Exception {
    String update =
        ASKING
            + """
            estimates { question { name: 'low' loss_above { threshold: 0.5 } }
              fraction: 0.8 standard_error: 0.05 low: 0.7 high: 0.9 answers: 60
              recent { fraction: 1.25 standard_error: 0.4 low: 0.65 high: 1 answers: 11 } %s }
            """;
    assertThat(lines(update.formatted("")))
        .contains(
            "  low: 0.800, from 0.700 to 0.900 (95 %), worth 60 answers of equal age; recently"
                + " 1.000 (clipped), from 0.650 to 1.000 (95 %), worth 11 answers of equal age");
    String always = "always { fraction: 1.25 standard_error: 0.4 low: 0.65 high: 1 answers: 11 }";
    assertThat(lines(update.formatted(always)).get(2))
        .endsWith(
            "; at every look 1.000 (clipped), from 0.650 to 1.000 (95 %), worth 11 answers of equal"
                + " age");
  }

  @Test
  void printsStatisticsByCategory() throws Exception {
    String fractions =
        """
        { fractions: [1.02, -0.02] standard_errors: [0.05, 0.05] low: [0.92, 0] high: [1, 0.08]
          projected: [1, 0] votes: 1200 }
        """;
    String update =
        ASKING
            + "statistics { statistic { name: 'screen' choice { categories: ['home', 'other'] } }"
            + " lasting %s %s } statistics { statistic { name: 'day' choice {} } }";
    assertThat(lines(update.formatted(fractions, "")).subList(2, 6))
        .containsExactly(
            "  screen: worth 1,200 votes of equal age",
            "    home: 1.000 (clipped), from 0.920 to 1.000 (95 %), projected 1.000",
            "    other: 0.000 (clipped), from 0.000 to 0.080 (95 %), projected 0.000",
            "  day: no votes");
    String recent = "recent " + fractions;
    assertThat(lines(update.formatted(fractions, recent)).get(3))
        .endsWith("; recently 1.000 (clipped), from 0.920 to 1.000 (95 %)");
    assertThat(lines(update.formatted(fractions, recent + "always " + fractions)).get(4))
        .endsWith("; at every look 0.000 (clipped), from 0.000 to 0.080 (95 %)");
  }

  @Test
  void printsQuantilesByLevel() throws Exception {
    String update =
        ASKING
            + "statistics { threshold: 31.25 statistic { name: 'minutes' quantiles { levels: 0.5 } }"
            + " %s }";
    assertThat(lines(update.formatted("")).get(2))
        .isEqualTo("  minutes: no answers; asks whether a value is above 31.25");
    String answered = "quantiles { values: 30 low: 28.5 high: 32 answers: 1200 }";
    assertThat(lines(update.formatted(answered)).subList(2, 4))
        .containsExactly(
            "  minutes: worth 1,200 answers of equal age; asks whether a value is above 31.25",
            "    0.5 of the people are at most at 30.00, from 28.50 to 32.00 (95 %)");
  }

  @Test
  void printsTextsByTheirFrequency() throws Exception {
    String update =
        ASKING + "statistics { statistic { name: 'words' prefixes { top: 200 } } texts { %s } }";
    assertThat(lines(update.formatted("prefixes: ''")).get(2))
        .isEqualTo("  words: worth 0 votes of equal age; texts: 0");
    String voted =
        """
        prefixes: '' votes: 12000 texts: ['sun', '', 'moon'] fractions: [0.1, 0, 0.2]
        standard_errors: [0.025, 0.025, 0.025] low: [0.05, -0.05, 0.15] high: [0.15, 0.05, 0.25]
        """;
    assertThat(lines(update.formatted(voted)).subList(2, 5))
        .containsExactly(
            "  words: worth 12,000 votes of equal age; texts: 2",
            "    moon: 0.200, from 0.150 to 0.250 (95 %)",
            "    sun: 0.100, from 0.050 to 0.150 (95 %)");
  }

  @Test
  void printsMoreDigitsOfANarrowRange() throws Exception {
    String update =
        ASKING
            + """
            statistics { threshold: 1000000.5
              statistic { name: 'time' quantiles { levels: 0.5 from: 1e6 to: 1000001 } }
              quantiles { values: 1000000.25 low: 1e6 high: 1000000.75 answers: 9 } }
            """;
    assertThat(lines(update).subList(2, 4))
        .containsExactly(
            "  time: worth 9 answers of equal age; asks whether a value is above 1000000.500",
            "    0.5 of the people are at most at 1000000.250, from 1000000.000 to 1000000.750 (95"
                + " %)");
  }

  @Test
  void printsNoClipOfAModelWithoutALearner() throws Exception {
    List<String> lines =
        lines(
            "model_id: 'm' round: 1200 used: 9 answers: 11 open: 2 question_probability: 1"
                + " statistics { statistic { name: 'day' choice {} } }");
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).contains(": 11 answers, 2 of them open; dropped: ");
    assertThat(lines.get(1)).isEqualTo("  day: no votes");
  }
}
