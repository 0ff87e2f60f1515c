package io.croupier.cli.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.StatisticEstimate;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class UpdateTextTest {

  private static ModelUpdate.Builder update() {
    return ModelUpdate.newBuilder()
        .setModelId("m")
        .setRound(1200)
        .addWeights(1)
        .addAverage(0.5)
        .setUsed(9876)
        .setAnswers(321)
        .setDroppedStale(1)
        .setDroppedUnpublished(2)
        .setDroppedBound(3)
        .setOpen(4)
        .setGridExponent(-18)
        .setGradientBound(0.25);
  }

  private static List<String> lines(ModelUpdate.Builder update, OptionalDouble bound) {
    return UpdateText.lines(ModelSnapshot.parse(update.build().toByteArray()), bound);
  }

  @Test
  void printsTheReportsAndTheFixedClip() {
    assertThat(lines(update(), OptionalDouble.empty()))
        .containsExactly(
            "m, round 1,200: 9,876 reports used, 321 answers, 4 open; dropped: 1 stale, 2 at an"
                + " unpublished round, 3 with another clip",
            "  clip: 0.2500, fixed");
  }

  @Test
  void printsTheMovingClip() {
    ModelUpdate.Builder update =
        update()
            .setSize(AdaptiveClip.Size.FEATURES)
            .setSlopeBound(0.5)
            .setQuestionProbability(0.02);
    assertThat(lines(update, OptionalDouble.empty()))
        .contains("  clip: 0.2500 of the size FEATURES, slope bound 0.5000");
    update.setQuestionProbability(1);
    assertThat(lines(update, OptionalDouble.empty()))
        .contains(
            "  clip: 0.2500 of the size FEATURES, slope bound 0.5000; scouting: devices are asked"
                + " for their sizes, and for no gradient");
    update.setSize(AdaptiveClip.Size.GRADIENT).clearSlopeBound().setQuestionProbability(0.5);
    assertThat(lines(update, OptionalDouble.empty()))
        .contains("  clip: 0.2500 of the size GRADIENT");
  }

  @Test
  void printsEstimatesAndTheMeanLoss() {
    ModelUpdate.Builder update = update().setQuestionProbability(0.02);
    addLossAbove(update, "low", 0.5, 0.8);
    addLossAbove(update, "high", 1.5, 0.2);
    update.addEstimatesBuilder().getQuestionBuilder().setName("right").getAccuracyBuilder();
    assertThat(lines(update, OptionalDouble.empty()).subList(2, 6))
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

  @Test
  void printsRecentEstimatesAndClipsThem() {
    ModelUpdate.Builder update = update().setQuestionProbability(0.02);
    addLossAbove(update, "low", 0.5, 0.8);
    update
        .getEstimatesBuilder(0)
        .getRecentBuilder()
        .setFraction(1.25)
        .setStandardError(0.4)
        .setLow(0.65)
        .setHigh(1)
        .setAnswers(11);
    assertThat(lines(update, OptionalDouble.empty()))
        .contains(
            "  low: 0.800, from 0.700 to 0.900 (95 %), worth 60 answers of equal age; recently"
                + " 1.000 (clipped), from 0.650 to 1.000 (95 %), worth 11 answers of equal age");
    update.getEstimatesBuilder(0).setAlways(update.getEstimates(0).getRecent());
    assertThat(lines(update, OptionalDouble.empty()).get(2))
        .endsWith(
            "; at every look 1.000 (clipped), from 0.650 to 1.000 (95 %), worth 11 answers of equal"
                + " age");
  }

  @Test
  void printsStatisticsByCategory() {
    ModelUpdate.Builder update = update().setQuestionProbability(0.02);
    StatisticEstimate.Builder screen = update.addStatisticsBuilder();
    screen.getStatisticBuilder().setName("screen").getChoiceBuilder().addCategories("home");
    screen.getStatisticBuilder().getChoiceBuilder().addCategories("other");
    screen
        .getLastingBuilder()
        .addFractions(1.02)
        .addFractions(-0.02)
        .addStandardErrors(0.05)
        .addStandardErrors(0.05)
        .addLow(0.92)
        .addLow(0)
        .addHigh(1)
        .addHigh(0.08)
        .addProjected(1)
        .addProjected(0)
        .setVotes(1200);
    update.addStatisticsBuilder().getStatisticBuilder().setName("day").getChoiceBuilder();
    assertThat(lines(update, OptionalDouble.empty()).subList(2, 6))
        .containsExactly(
            "  screen: worth 1,200 votes of equal age",
            "    home: 1.000 (clipped), from 0.920 to 1.000 (95 %), projected 1.000",
            "    other: 0.000 (clipped), from 0.000 to 0.080 (95 %), projected 0.000",
            "  day: no votes");
    screen.setRecent(screen.getLasting());
    assertThat(lines(update, OptionalDouble.empty()).get(3))
        .endsWith("; recently 1.000 (clipped), from 0.920 to 1.000 (95 %)");
    screen.setAlways(screen.getLasting());
    assertThat(lines(update, OptionalDouble.empty()).get(4))
        .endsWith("; at every look 0.000 (clipped), from 0.000 to 0.080 (95 %)");
  }

  @Test
  void printsQuantilesByLevel() {
    ModelUpdate.Builder update = update().setQuestionProbability(0.02);
    StatisticEstimate.Builder minutes = update.addStatisticsBuilder().setThreshold(31.25);
    minutes.getStatisticBuilder().setName("minutes").getQuantilesBuilder().addLevels(0.5);
    assertThat(lines(update, OptionalDouble.empty()).get(2))
        .isEqualTo("  minutes: no answers; asks whether a value is above 31.25");
    minutes.getQuantilesBuilder().addValues(30).addLow(28.5).addHigh(32).setAnswers(1200);
    assertThat(lines(update, OptionalDouble.empty()).subList(2, 4))
        .containsExactly(
            "  minutes: worth 1,200 answers of equal age; asks whether a value is above 31.25",
            "    0.5 of the people are at most at 30.00, from 28.50 to 32.00 (95 %)");
  }

  @Test
  void printsTextsByTheirFrequency() {
    ModelUpdate.Builder update = update().setQuestionProbability(0.02);
    StatisticEstimate.Builder words = update.addStatisticsBuilder();
    words.getStatisticBuilder().setName("words").getPrefixesBuilder().setTop(200);
    words.getTextsBuilder().addPrefixes("");
    assertThat(lines(update, OptionalDouble.empty()).get(2))
        .isEqualTo("  words: worth 0 votes of equal age; texts: 0");
    words.getTextsBuilder().setVotes(12_000);
    addText(words, "sun", 0.1);
    addText(words, "", 0);
    addText(words, "moon", 0.2);
    assertThat(lines(update, OptionalDouble.empty()).subList(2, 5))
        .containsExactly(
            "  words: worth 12,000 votes of equal age; texts: 2",
            "    moon: 0.200, from 0.150 to 0.250 (95 %)",
            "    sun: 0.100, from 0.050 to 0.150 (95 %)");
  }

  private static void addText(StatisticEstimate.Builder words, String text, double fraction) {
    words
        .getTextsBuilder()
        .addTexts(text)
        .addFractions(fraction)
        .addStandardErrors(0.025)
        .addLow(fraction - 0.05)
        .addHigh(fraction + 0.05);
  }

  @Test
  void printsMoreDigitsOfANarrowRange() {
    ModelUpdate.Builder update = update().setQuestionProbability(0.02);
    StatisticEstimate.Builder time = update.addStatisticsBuilder().setThreshold(1e6 + 0.5);
    time.getStatisticBuilder().setName("time").getQuantilesBuilder().addLevels(0.5);
    time.getStatisticBuilder().getQuantilesBuilder().setFrom(1e6).setTo(1e6 + 1);
    time.getQuantilesBuilder().addValues(1e6 + 0.25).addLow(1e6).addHigh(1e6 + 0.75).setAnswers(9);
    assertThat(lines(update, OptionalDouble.empty()).subList(2, 4))
        .containsExactly(
            "  time: worth 9 answers of equal age; asks whether a value is above 1000000.500",
            "    0.5 of the people are at most at 1000000.250, from 1000000.000 to 1000000.750 (95"
                + " %)");
  }

  @Test
  void printsNoClipOfAModelWithoutALearner() {
    ModelUpdate.Builder update =
        update()
            .clearWeights()
            .clearAverage()
            .clearGradientBound()
            .clearGridExponent()
            .setUsed(9)
            .setAnswers(11)
            .setOpen(2)
            .setQuestionProbability(1);
    update.addStatisticsBuilder().getStatisticBuilder().setName("day").getChoiceBuilder();
    List<String> lines = lines(update, OptionalDouble.empty());
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).contains(": 11 answers, 2 of them open; dropped: ");
    assertThat(lines.get(1)).isEqualTo("  day: no votes");
  }

  private static void addLossAbove(
      ModelUpdate.Builder update, String name, double threshold, double fraction) {
    Estimate.Builder estimate =
        update
            .addEstimatesBuilder()
            .setFraction(fraction)
            .setStandardError(0.05)
            .setLow(fraction - 0.1)
            .setHigh(fraction + 0.1)
            .setAnswers(60);
    estimate.getQuestionBuilder().setName(name).getLossAboveBuilder().setThreshold(threshold);
  }
}
