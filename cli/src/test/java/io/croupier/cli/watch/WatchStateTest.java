package io.croupier.cli.watch;

import static io.croupier.cli.JsonFields.assertHas;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.TextFormat;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.StatisticEstimate;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class WatchStateTest {
  private static final Clock CLOCK = Clock.fixed(Instant.ofEpochMilli(1_000_250), ZoneOffset.UTC);

  private final WatchState state = new WatchState(CLOCK);

  private static JsonObject model(JsonObject json, int i) {
    return json.getAsJsonArray("models").get(i).getAsJsonObject();
  }

  /** The first model. */
  private JsonObject model() {
    return model(state.json(true), 0);
  }

  private void update(ModelUpdate.Builder update, boolean isNew) {
    state.update(Records.record(update), isNew);
  }

  @Test
  void showsTheNewestUpdateWithLatencyAndCurves() {
    state.spec(Records.spec("adaptive"));
    update(Records.update("adaptive", 3, 300), false);
    update(Records.update("adaptive", 4, 400), true);
    update(Records.update("adaptive", 4, 400), true);

    JsonObject model = model();

    assertHas(
        model,
        """
        {learner: black-box, round: 4, used: 400, open: 2, stale: 4, unpublished: 1, bound: 3,
         publications: 3, repeated: 1, latencyMs: 250, scouting: false,
         estimates: [
           {question: accuracy, fraction: 0.71, low: 0.65, high: 0.77, answers: 220,
            recent: {fraction: 1.02, low: 0.75, high: 1, answers: 31},
            always: {fraction: 0.7, low: 0.6, high: 0.8, answers: 900}},
           {question: loss, fraction: 0.4, low: 0.1, high: 0.75, answers: 4}]}
        """);
    assertThat(model.getAsJsonObject("curves").keySet())
        .containsExactlyInAnyOrder(
            "clip",
            "coin-bound",
            "estimated accuracy",
            "evidence",
            "magnitude",
            "norm",
            "saturations");
    assertThat(model.getAsJsonObject("curves").get("norm").toString())
        .isEqualTo("[[300,5],[400,5]]");
    assertThat(model(state.json(false), 0).getAsJsonObject("points").get("norm").toString())
        .isEqualTo("[400,5]");
  }

  @Test
  void showsTheMemoryInForce() {
    ModelUpdate.Builder update = Records.update("m", 3, 300);
    update(update, false);
    assertThat(model().has("halfLife")).isFalse();
    update(update.putDiagnostics("half-life", 8192), false);
    assertHas(model(), "{halfLife: 8192, drifting: false}");
    update(update.putDiagnostics("drifting", 1), false);
    assertHas(model(), "{drifting: true}");
  }

  /** At most 64 categories, with the number of those that are left out. */
  @Test
  void showsStatisticsByCategory() {
    ModelUpdate.Builder update = Records.update("m", 3, 300);
    StatisticEstimate.Builder screen = update.addStatisticsBuilder();
    screen.getStatisticBuilder().setName("screen").getChoiceBuilder().addCategories("home");
    screen.getStatisticBuilder().getChoiceBuilder().addCategories("other");
    screen
        .getLastingBuilder()
        .addAllFractions(List.of(1.02, -0.02))
        .addAllStandardErrors(List.of(0.05, 0.05))
        .addAllLow(List.of(0.92, 0.0))
        .addAllHigh(List.of(1.0, 0.08))
        .addAllProjected(List.of(1.0, 0.0))
        .setVotes(1200);
    StatisticEstimate.Builder many = update.addStatisticsBuilder();
    for (int i = 0; i < 70; i++) {
      many.getStatisticBuilder().getChoiceBuilder().addCategories("c" + i);
    }
    update(update, false);

    JsonArray statistics = model().getAsJsonArray("statistics");

    assertThat(statistics.get(0))
        .isEqualTo(
            JsonParser.parseString(
                """
                {statistic: screen, votes: 1200, levels: [], more: 0, categories: [
                  {category: home, fraction: 1.02, low: 0.92, high: 1, projected: 1},
                  {category: other, fraction: -0.02, low: 0, high: 0.08, projected: 0}]}
                """));
    assertLeavesOutSix(statistics.get(1));
  }

  /** The most frequent one first, without free places, and at most 64. */
  @Test
  void showsTextsAsCategories() {
    ModelUpdate.Builder update = Records.update("m", 3, 300);
    StatisticEstimate.Builder words = update.addStatisticsBuilder();
    words.getStatisticBuilder().setName("words").getPrefixesBuilder().setTop(200);
    words
        .getTextsBuilder()
        .addAllTexts(List.of("sun", "", "moon"))
        .addAllFractions(List.of(0.1, 0.0, 0.2))
        .addAllLow(List.of(0.05, 0.0, 0.15))
        .addAllHigh(List.of(0.15, 0.0, 0.25))
        .setVotes(1200);
    StatisticEstimate.Builder many = update.addStatisticsBuilder();
    many.getStatisticBuilder().getPrefixesBuilder().setTop(200);
    for (int i = 0; i < 70; i++) {
      many.getTextsBuilder().addTexts("t" + i).addFractions(0.01).addLow(0).addHigh(0.1);
    }
    update(update, false);

    JsonArray statistics = model().getAsJsonArray("statistics");

    assertThat(statistics.get(0))
        .isEqualTo(
            JsonParser.parseString(
                """
                {statistic: words, votes: 1200, more: 0, categories: [
                  {category: moon, fraction: 0.2, low: 0.15, high: 0.25},
                  {category: sun, fraction: 0.1, low: 0.05, high: 0.15}]}
                """));
    assertLeavesOutSix(statistics.get(1));
  }

  private static void assertLeavesOutSix(JsonElement statistic) {
    assertHas(statistic.getAsJsonObject(), "{more: 6}");
    assertThat(statistic.getAsJsonObject().getAsJsonArray("categories")).hasSize(64);
  }

  @Test
  void aDeprecatedNameOfALearnerIsReplaced() {
    ModelSpec spec =
        ModelSpec.newBuilder()
            .setModelId("m")
            .setAdaptiveRadius(AdaptiveRadius.getDefaultInstance())
            .build();
    state.spec(Records.of("models", "m", spec.toByteArray()));

    assertHas(model(), "{learner: black-box}");
  }

  @Test
  void anUpdateOfThePastHasNoLatency() {
    update(Records.update("adaptive", 3, 300), false);

    assertThat(model().has("latencyMs")).isFalse();
  }

  @Test
  void countsVerdictsByModelAndReportsOfUnknownModelsApart() {
    state.spec(Records.spec("adaptive"));
    state.event(Records.event("ada", "adaptive", Outcome.ADMITTED, 2, 8), true);
    state.event(Records.event("bea", "adaptive", Outcome.REFUSED_BUDGET, 10, 0), true);
    state.event(Records.event("bea", "invented", Outcome.REFUSED_UNKNOWN_MODEL, 10, 0), true);
    state.event(Records.event("bea", "invented", Outcome.DUPLICATE, 10, 0), true);

    JsonObject json = state.json(false);

    assertThat(json.getAsJsonArray("models")).hasSize(1);
    assertHas(
        model(json, 0),
        "{outcomes: [{name: ADMITTED, count: 1}, {name: REFUSED_BUDGET, count: 1}]}");
    assertThat(json.get("unknown").toString()).contains("REFUSED_UNKNOWN_MODEL", "DUPLICATE");
    assertHas(json, "{events: 4}");
    assertHas(json.getAsJsonObject("spending").getAsJsonObject(""), "{people: 2, near: 1}");
  }

  /** A level without answers has no value; one of a narrow range has digits that show it. */
  @Test
  void showsQuantilesWithAndWithoutAnswers() {
    ModelUpdate.Builder update = Records.update("adaptive", 1, 100);
    StatisticEstimate.Builder time = update.addStatisticsBuilder();
    time.getStatisticBuilder().setName("time").getQuantilesBuilder().setFrom(1e6).setTo(1e6 + 1);
    time.getStatisticBuilder().getQuantilesBuilder().addLevels(0.5).addLevels(0.95);
    update(update, true);
    assertThat(levels())
        .isEqualTo(
            "[{'level':0.5,'from':1000000,'to':1000001,'answers':0},"
                + "{'level':0.95,'from':1000000,'to':1000001,'answers':0}]");
    time.getQuantilesBuilder()
        .addValues(1e6 + 0.123456)
        .addLow(1e6 + 0.1)
        .addHigh(1e6 + 0.25)
        .setAnswers(1200);
    update(update, true);
    assertThat(levels())
        .isEqualTo(
            "[{'level':0.5,'from':1000000,'to':1000001,'answers':1200,'value':1000000.123,"
                + "'low':1000000.1,'high':1000000.25},"
                + "{'level':0.95,'from':1000000,'to':1000001,'answers':1200}]");
  }

  private String levels() {
    JsonObject statistic = model().getAsJsonArray("statistics").get(0).getAsJsonObject();
    assertThat(statistic.getAsJsonArray("categories")).isEmpty();
    return statistic.get("levels").toString().replace('"', '\'');
  }

  /** Its answers are those of its rounds, and it has no weights. */
  @Test
  void showsAModelWithoutALearner() throws Exception {
    String day = "{ name: 'day' choice { categories: ['a', 'b'] } }";
    ModelSpec spec = TextFormat.parse("model_id: 'alone' statistics " + day, ModelSpec.class);
    state.spec(Records.of("models", "alone", spec.toByteArray()));
    ModelUpdate update =
        TextFormat.parse(
            "model_id: 'alone' round: 3 used: 9 open: 2 answers: 11 dropped_stale: 1"
                + " question_probability: 1 statistics { statistic %s }".formatted(day),
            ModelUpdate.class);
    update(update.toBuilder(), true);
    assertHas(model(), "{learner: none, dimension: 0, curves: {}}");
    assertThat(state.contains(0, Map.of("alone", 12L))).isTrue();
    assertThat(state.contains(0, Map.of("alone", 13L))).isFalse();
  }

  @Test
  void aRetiredModelDisappears() {
    state.spec(Records.spec("adaptive"));
    update(Records.update("adaptive", 3, 300), true);
    state.spec(Records.of("models", "adaptive", null));

    assertThat(state.json(true).getAsJsonArray("models")).isEmpty();
  }

  /** The job's record that ends the updates comes when the new spec may have been read. */
  @Test
  void aModelThatIsAppliedAgainKeepsItsNewSpec() {
    state.spec(Records.spec("adaptive"));
    update(Records.update("adaptive", 3, 300), true);
    state.spec(Records.of("models", "adaptive", null));
    state.spec(Records.spec("adaptive"));
    state.event(Records.event("ada", "adaptive", Outcome.ADMITTED, 2, 8), true);
    state.update(Records.of("updates", "adaptive", null), true);

    assertHas(model(), "{learner: black-box, curves: {}}");
    assertThat(model().has("round")).isFalse();
    assertThat(model().get("outcomes").toString()).contains("ADMITTED");
    update(Records.update("adaptive", 0, 0), true);
    assertHas(model(), "{learner: black-box, publications: 1}");
  }

  /** At a start, all specs may be read before the first update is. */
  @Test
  void updatesOfAnEarlierModelAreForgotten() {
    state.spec(Records.spec("adaptive"));
    update(Records.update("adaptive", 7, 700), false);
    state.update(Records.of("updates", "adaptive", null), false);
    update(Records.update("adaptive", 1, 10), false);
    assertHas(model(), "{learner: black-box}");
    assertHas(model().getAsJsonObject("curves"), "{norm: [[10, 5]]}");
    state.spec(Records.of("models", "adaptive", null));
    update(Records.update("adaptive", 2, 20), true);
    state.update(Records.of("updates", "adaptive", null), true);
    assertThat(state.json(true).getAsJsonArray("models")).isEmpty();
  }

  /** A model's own limit counts, too, and each person once. */
  @Test
  void peopleNearALimitAreThoseOfAllLimits() throws Exception {
    for (String model : List.of("adaptive", "banco")) {
      state.spec(Records.spec(model));
    }
    state.event(Records.event("far", "banco", Outcome.ADMITTED, 2, 8), true);
    for (String model : List.of("adaptive", "banco")) {
      state.event(Records.event("all", model, Outcome.ADMITTED, 9.5, 0.5), true);
      byte[] event = Records.event("own", model, Outcome.ADMITTED, 9.5, 0.5).value();
      AccountingEvent own = AccountingEvent.parseFrom(event).toBuilder().clearLeftUser().build();
      state.event(Records.of("accounting", "own", own.toByteArray()), true);
    }
    assertHas(state.json(false), "{limited: 3, near: 2}");
    state.event(Records.event("own", "", Outcome.ERASED, 0, 10), true);
    assertHas(state.json(false), "{near: 1}");
  }

  @Test
  void anInventedNameMakesNoModel() {
    state.spec(Records.spec("m\n\u202e<b>"));
    update(Records.update("x".repeat(101), 1, 1), true);
    assertThat(state.json(true).getAsJsonArray("models")).isEmpty();
  }

  @Test
  void showsGuaranteesOfCentralModels() {
    state.spec(Records.spec("central"));
    state.guarantee(Records.guarantee("central"));

    assertHas(
        model(),
        """
        {guarantee: {round: 32, mechanism: tree, noiseMultiplier: 2.94, delta: 1e-5,
          zeroOut: {epsilon: 3.5, mu: 0.8}, replaceOne: {epsilon: 7.99, mu: 1.6}}}
        """);
  }

  /** A local model has no other guarantee, and keeps those of its newest window. */
  @Test
  void showsTheNewestWindow() {
    state.spec(Records.spec("adaptive"));
    state.guarantee(Records.window("adaptive", 6, 1));
    state.guarantee(Records.window("adaptive", 7, 2));
    state.guarantee(Records.window("adaptive", 7, 4));

    assertThat(model().has("guarantee")).isFalse();
    assertHas(
        model(),
        """
        {window: [
          {number: 7, reports: 1000, localEpsilon: 2, epsilon: 0.5, delta: 1e-6},
          {number: 7, reports: 1000, localEpsilon: 4, epsilon: 1, delta: 1e-6}]}
        """);
  }

  /** Neither a user id nor a weight, a reason of a verdict, or a byte of a dead letter. */
  @Test
  void disclosesNobodysRecords() {
    state.spec(Records.spec("adaptive"));
    update(Records.update("adaptive", 3, 300), true);
    state.guarantee(Records.guarantee("adaptive"));
    for (String user : List.of("ada@example.org", "Lin-77341")) {
      state.event(Records.event(user, "adaptive", Outcome.REFUSED_BUDGET, 2, 8), true);
      state.event(Records.event(user, "of-" + user, Outcome.REFUSED_UNKNOWN_MODEL, 2, 8), true);
      state.letter(Records.letter(user, "user_id is '" + user + "'; key \"" + user + "\" is not"));
    }

    for (boolean whole : new boolean[] {true, false}) {
      String text = state.json(whole).toString();
      assertThat(text)
          .contains("REFUSED_BUDGET", "user_id is ...; key ... is not")
          .doesNotContainIgnoringCase("ada@", "lin-", "77341", "device-of", "reason about", "bytes")
          .doesNotContain("0.123456");
    }
  }

  @Test
  void staysBounded() {
    for (int i = 0; i < 1000; i++) {
      state.spec(Records.spec("adaptive-" + i));
      state.letter(Records.letter("x", "reason " + (char) ('a' + i % 26) + (char) ('a' + i / 26)));
      state.event(Records.event("u" + i, "m" + i, Outcome.ADMITTED, 1, 1), true);
    }
    for (int i = 0; i < 20; i++) {
      update(Records.update("adaptive-1", i, i).putDiagnostics("name-" + i, i), true);
    }

    JsonObject json = state.json(true);
    assertThat(json.getAsJsonArray("models")).hasSize(WatchState.MOST_MODELS);
    assertHas(json, "{more: true, letters: 1000}");
    assertThat(json.getAsJsonArray("reasons")).hasSize(WatchState.MOST_REASONS + 1);
    assertThat(model(json, 1).getAsJsonObject("curves").size()).isBetween(16, 18);
  }

  @Test
  void ofReasonsThatDifferInNumbersThereIsOne() {
    assertThat(WatchState.kind("dimension is 12,345 at 1.5e-3, expected -7"))
        .isEqualTo("dimension is # at # expected #");
  }

  @Test
  void anUnreadableRecordChangesNothing() {
    ConsumerRecord<byte[], byte[]> bad = Records.of("t", "k", new byte[] {1, 2, 3});
    state.spec(bad);
    state.update(bad, true);
    state.event(bad, true);
    state.guarantee(bad);

    JsonObject json = state.json(true);
    assertThat(json.getAsJsonArray("models")).isEmpty();
    assertThat(json.get("events").getAsInt()).isZero();
  }

  @Test
  void numbersThatAreNotFiniteAreValidJson() {
    update(
        Records.update("banco", 1, 1)
            .putDiagnostics("infinite", Double.POSITIVE_INFINITY)
            .setAverage(0, Double.NaN),
        true);

    assertThat(JsonParser.parseString(state.json(true).toString()).isJsonObject()).isTrue();
    assertThat(state.json(true).toString()).doesNotContain("NaN", "Infinity");
  }
}
