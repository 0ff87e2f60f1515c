package io.croupier.schemas;

import static io.croupier.schemas.Texts.assertEqual;
import static io.croupier.schemas.Texts.changed;
import static io.croupier.schemas.Texts.spec;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatisticsTest {
  private static final String MODEL = Texts.COMMON + "combined {} ";
  private static final String GOOD =
      "statistics { name: 'screen' choice { categories: ['home', 'other'] } } ";

  private static String violations(String text) {
    return String.join("; ", ModelSpecs.violations(spec(text)));
  }

  @Test
  void aStatisticIsValidBesideALearner() {
    assertThat(violations(MODEL + GOOD)).isEmpty();
    assertThat(violations(MODEL + GOOD + "question_probability: 0.5")).isEmpty();
    assertThat(Questions.probability(spec(MODEL + GOOD))).isEqualTo(0.02);
  }

  @Test
  void aModelMayHaveStatisticsAlone() {
    ModelSpec alone = spec("model_id: 'm' " + GOOD);
    assertThat(ModelSpecs.violations(alone)).isEmpty();
    assertThat(
            violations(
                "model_id: 'm' reports_per_round: 9 round_timeout_ms: 9 max_staleness: 2"
                    + " answer_probability: 0.5 limits { epsilon: 4 per_days: 7 } "
                    + GOOD))
        .isEmpty();
    assertThat(Questions.probability(alone)).isOne();
    assertThat(ModelSpecs.learner(alone)).isEqualTo("none");
    assertThat(violations("model_id: 'm'"))
        .contains("learner is missing: it must be one of banco", "unless the model has statistics");
    assertThat(violations(GOOD)).startsWith("model_id");

    ModelSpec learning = spec(MODEL + GOOD);
    assertThat(ModelSpecs.changeViolations(alone, learning))
        .containsExactly(
            "learner of a running model is fixed: it is none and can't become combined");
    assertThat(ModelSpecs.changeViolations(learning, alone)).hasSize(1);
    ModelSpec other =
        spec("model_id: 'm' reports_per_round: 2 " + GOOD.replace("screen", "day") + GOOD);
    assertThat(ModelSpecs.changeViolations(alone, other)).isEmpty();
    assertThat(ModelSpecs.changeViolations(other, alone))
        .hasSize(1)
        .first()
        .asString()
        .contains("reports_per_round");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dimension: 20 | dimension is 20: it must be left out, since the model has statistics and no",
        "gradient_bound: 0.5 | gradient_bound is 0.5: it must be left out",
        "grid_exponent: -20 | grid_exponent is -20: it must be left out",
        "initial_weights: [1, 2] | initial_weights is set: it must be left out",
        "initial_wealth: 2 | initial_wealth is 2.0: it must be left out",
        "averaging { uniform {} } | averaging is set: it must be left out",
        "report_bound: 2 | report_bound is 2.0: it must be left out",
        "questions { name: 'q' accuracy {} } | questions is set: it must be left out",
        "question_probability: 0.5 | question_probability is 0.5: it must be left out",
        "adaptive_clip { size: GRADIENT } | adaptive_clip is set: it must be left out",
        "memory { automatic {} } | memory is set: it must be left out",
        "features { name: 'one' intercept {} } | features is set: it must be left out",
        "anonymous { publications: 9 } | anonymous is set: it must be left out",
      })
  void statisticsAloneHaveNothingOfALearner(String field, String reason) {
    assertThat(ModelSpecs.violations(spec("model_id: 'm' " + field + ' ' + GOOD)))
        .singleElement()
        .asString()
        .startsWith(reason)
        .contains("learner; otherwise learner must be one of banco, black_box");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        MODEL + GOOD,
        "model_id: 'm' " + GOOD,
        MODEL + "questions { name: 'accuracy' accuracy {} } "
      })
  void anExperimentNeedsChoicesOrQuestions(String model) {
    assertThat(violations(model + "experiment: 'colour-2'")).isEmpty();
    assertThat(violations(model + "experiment: ''"))
        .contains("experiment is \"\": it must be 1 to");
    assertThat(violations(model + "experiment: 'a b'")).contains("experiment is \"a b\"");
    ModelSpec before = spec(model + "experiment: 'one'");
    assertThat(ModelSpecs.changeViolations(before, spec(model + "experiment: 'two'"))).isEmpty();
    assertThat(ModelSpecs.changeViolations(before, spec(model))).isEmpty();
    assertThat(violations(MODEL + "experiment: 'one'"))
        .contains("experiment is \"one\": it must be left out");
  }

  /** As many digits as distinguish thousandths of the range. */
  @ParameterizedTest
  @CsvSource({
    "0, 1440, 4",
    "-1, 1, 4",
    "0, 1e-9, 4",
    "-50, -20, 4",
    "1000000, 1000001, 10",
    "-1000001, -1000000, 10",
    "1e6, 1.002e6, 7",
    "1e15, 1000000000000001, 17",
    "1e300, 1.0000000000000002e300, 17",
  })
  void digitsDistinguishThousandthsOfTheRange(double from, double to, int digits) {
    Quantiles range = Quantiles.newBuilder().setFrom(from).setTo(to).build();
    assertThat(Statistics.digits(range)).isEqualTo(digits);
    double step = (to - from) / 1000;
    double near = from + (to - from) / 2;
    if (digits < 17) {
      assertThat(shown(near, digits)).isNotEqualTo(shown(near + step, digits));
    }
  }

  private static String shown(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "g", value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'screen' | '' | statistics[0].name is \"\": it must be 1 to 100 letters",
        "['home', 'other'] | [] | statistics[0].choice.categories is of length 0: it must be from 2",
        "['home', 'other'] | ['home'] | of length 1: it must be from 2 to 1024",
        "['home', 'other'] | ['home', ''] | categories[1] is \"\": it must be 1 to 100 characters",
        "['home', 'other'] | ['home', ' x'] | categories[1] is \" x\": it must be 1 to 100 characters",
        "['home', 'other'] | ['home ', 'x'] | categories[0] is \"home \": it must be 1 to 100",
        "['home', 'other'] | ['a\\001b', 'x'] | categories[0] is",
        "['home', 'other'] | ['home', '\\n'] | without control characters, no blank at an end",
        "['home', 'other'] | ['a', 'a'] | categories[1] is \"a\": it must be another than those",
        "choice { categories: ['home', 'other'] } | '' | statistics[0] is empty or unknown: it must",
      })
  void saysWhatIsWrong(String good, String bad, String reason) {
    assertThat(violations(MODEL + changed(GOOD, good, bad))).contains(reason);
  }

  private static final String QUANTILES =
      "statistics { name: 'minutes' quantiles { levels: [0.5, 0.95] from: 0 to: 1440 } } ";

  @Test
  void quantilesAreValidBesideALearnerAndAChoice() {
    assertThat(violations(MODEL + GOOD + QUANTILES)).isEmpty();
    assertThat(Questions.probability(spec(MODEL + QUANTILES))).isEqualTo(0.02);
    assertThat(violations(MODEL + QUANTILES + QUANTILES)).contains("name is \"minutes\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "levels: [0.5, 0.95] | '' | statistics[0].quantiles.levels is of length 0: it must be from 1 to 16",
        "[0.5, 0.95] | [0, 0.95] | levels[0] is 0.0: it must be above 0 and below 1",
        "[0.5, 0.95] | [nan, 0.95] | levels[0] is NaN: it must be above 0 and below 1",
        "[0.5, 0.95] | [0.5, 1] | levels[1] is 1.0: it must be above the one before it, 0.5 and below 1",
        "[0.5, 0.95] | [0.5, 0.5] | levels[1] is 0.5: it must be above the one before it, 0.5",
        "from: 0 | '' | statistics[0].quantiles.from is missing",
        "to: 1440 | '' | statistics[0].quantiles.to is missing",
        "from: 0 | from: -inf | quantiles.from is -Infinity: it must be a finite number",
        "from: 0 | from: nan | quantiles.from is NaN: it must be a finite number",
        "to: 1440 | to: 0 | quantiles.to is 0.0: it must be finite and above from, 0.0",
        "to: 1440 | to: inf | quantiles.to is Infinity: it must be finite and above from",
        "to: 1440 | to: nan | quantiles.to is NaN: it must be finite and above from",
        "from: 0 to: 1440 | from: -1e308 to: 1e308 | quantiles.to is 1.0E308: it must be finite and above",
      })
  void saysWhatIsWrongWithQuantiles(String good, String bad, String reason) {
    assertThat(violations(MODEL + changed(QUANTILES, good, bad))).contains(reason);
  }

  private static final String PREFIXES =
      "statistics { name: 'words' prefixes { alphabet: 'a-z' length: 12 top: 200 } } ";

  @Test
  void prefixesAreValidBesideALearnerAndOthers() {
    assertThat(violations(MODEL + GOOD + QUANTILES + PREFIXES)).isEmpty();
    Statistic words = spec(MODEL + PREFIXES).getStatistics(0);
    assertThat(Statistics.candidates(words)).isEqualTo(200 + 144 * 27);
    assertThat(Statistics.size(words)).isEqualTo(200);
    assertThat(ModelSpecs.changeViolations(spec(MODEL + PREFIXES), spec(MODEL))).isEmpty();
    assertThat(
            ModelSpecs.changeViolations(
                spec(MODEL + PREFIXES), spec(MODEL + PREFIXES.replace("200", "100"))))
        .singleElement()
        .asString()
        .contains("statistic words of a running model is fixed while it stays");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "alphabet: 'a-z' | '' | prefixes.alphabet is \"\": it must be 2 to 128 different letters",
        "'a-z' | 'a' | prefixes.alphabet is \"a\": it must be 2 to 128 different letters",
        "'a-z' | 'z-a' | prefixes.alphabet is \"z-a\": it must be 2 to 128 different letters",
        "'a-z' | '0-9z-a' | is \"0-9z-a\": it must be 2 to 128 different letters, or ranges of them upwards",
        "'a-z' | 'a-zm' | prefixes.alphabet is \"a-zm\": it must be 2 to 128 different letters",
        "'a-z' | '\\001-z' | it must be 2 to 128 different letters, or ranges of them upwards such as a-z",
        "'a-z' | 'a\\tb' | it must be 2 to 128 different letters, or ranges of them upwards such as a-z",
        "'a-z' | '\u0100-\u0200' | it must be 2 to 128 different letters, or ranges of them",
        "'a-z' | 'a\ud83d\ude00' | it must be 2 to 128 different letters, or ranges of them",
        "length: 12 | '' | statistics[0].prefixes.length is 0: it must be from 1 to 32",
        "length: 12 | length: 33 | statistics[0].prefixes.length is 33: it must be from 1 to 32",
        "top: 200 | '' | statistics[0].prefixes.top is 0: it must be from 1 to 1000",
        "top: 200 | top: 1001 | statistics[0].prefixes.top is 1001: it must be from 1 to 1000",
      })
  void saysWhatIsWrongWithPrefixes(String good, String bad, String reason) {
    assertThat(violations(MODEL + changed(PREFIXES, good, bad))).contains(reason);
  }

  /** So no alphabet fills the memory of who checks it. */
  @Test
  void expandsNoMoreLettersThanTheLimit() {
    assertThat(TextCandidates.letters("\u0100-\uffff".repeat(9)).length()).isEqualTo(129);
  }

  /** Full lists, of three bytes for each character. */
  @ParameterizedTest
  @CsvSource({"\u4e00-\u4e01, 32, 1000", "\u4e00-\u4e7f, 32, 1", "a-z, 1, 1"})
  void theBytesOfAnUpdateIncludeTheList(String alphabet, int length, int top) {
    ModelSpec.Builder spec = spec(MODEL + PREFIXES).toBuilder();
    Prefixes.Builder kind = spec.getStatisticsBuilder(0).getPrefixesBuilder();
    kind.setAlphabet(alphabet).setLength(length).setTop(top);
    assertThat(ModelSpecs.violations(spec.build())).isEmpty();
    int places = TextCandidates.places(TextCandidates.letters(alphabet).length(), top);
    StatisticEstimate.TextValues.Builder values =
        StatisticEstimate.TextValues.newBuilder().setVotes(Long.MAX_VALUE);
    String text = alphabet.substring(0, 1).repeat(length);
    for (int i = 0; i < top; i++) {
      values.addTexts(text).addFractions(1).addStandardErrors(1).addLow(1).addHigh(1);
    }
    for (int i = 0; i < places; i++) {
      values.addPrefixes(text);
    }
    ModelUpdate.Builder update = ModelUpdate.newBuilder();
    update.addStatisticsBuilder().setStatistic(spec.getStatistics(0)).setTexts(values);
    assertThat(ModelSpecs.updateBytes(spec.build()) - ModelSpecs.updateBytes(spec(MODEL)))
        .isGreaterThanOrEqualTo(update.build().getSerializedSize());
  }

  @Test
  void everyTextIsOneCandidate() {
    Prefixes kind =
        spec(MODEL + PREFIXES.replace("a-z", "a-c-x").replace("12", "3").replace("200", "2"))
            .getStatistics(0)
            .getPrefixes();
    assertThat(TextCandidates.letters("a-c-x")).isEqualTo("abc-x");
    assertThat(TextCandidates.letters("-a-c")).isEqualTo("-abc");
    assertThat(TextCandidates.letters("ac-")).isEqualTo("ac-");
    assertThat(TextCandidates.letters("a-a")).isEqualTo("a");
    TextCandidates list = new TextCandidates(kind, List.of("", "", "a", "ab"), List.of("", "abc"));
    assertThat(TextCandidates.count(kind)).isEqualTo(2 + 682 * 6);
    assertThat(list.of("abc")).isEqualTo(1);
    assertThat(list.of("ab")).isEqualTo(2 + 3 * 6 + 5);
    assertThat(list.of("abx")).isEqualTo(2 + 3 * 6 + 4);
    assertThat(list.of("a")).isEqualTo(2 + 2 * 6 + 5);
    assertThat(list.of("acb")).isEqualTo(2 + 2 * 6 + 2);
    assertThat(list.of("-a")).isEqualTo(2 + 3);
    int empty = 2 + 5;
    assertThat(list.of("")).isEqualTo(empty);
    for (String none : new String[] {null, "abcc", "A", "a b", " ", "ab\ud83d\ude00"}) {
      assertThat(list.of(none)).as("%s", none).isEqualTo(empty);
    }
  }

  /** The fallback is the same for every device, so no report is missing. */
  @Test
  void whatIsNoNumberOrBeyondTheRangeCountsAsAnEnd() {
    for (double threshold : new double[] {0, 1e-9, 720, 1439}) {
      assertThat(Statistics.isAbove(Double.NaN, threshold)).isFalse();
      assertThat(Statistics.isAbove(Double.NEGATIVE_INFINITY, threshold)).isFalse();
      assertThat(Statistics.isAbove(-5, threshold)).isFalse();
      assertThat(Statistics.isAbove(1e9, threshold)).isTrue();
      assertThat(Statistics.isAbove(Double.POSITIVE_INFINITY, threshold)).isTrue();
      assertThat(Statistics.isAbove(threshold, threshold)).isFalse();
    }
  }

  @Test
  void namesAreNotThoseOfOthers() {
    assertThat(violations(MODEL + GOOD + GOOD)).contains("statistics[1].name is \"screen\"");
    assertThat(violations(MODEL + GOOD + "questions { name: 'screen' accuracy {} }"))
        .contains("another than those of the questions");
    String moving = MODEL.replace("gradient_bound: 1", "adaptive_clip { size: GRADIENT }");
    assertThat(violations(moving + GOOD.replace("screen", "clip")))
        .contains("the model asks a question of its own by this name");
    assertThat(violations(moving + GOOD)).isEmpty();
  }

  @Test
  void listsHaveAnEnd() {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 17; i++) {
      many.append(GOOD.replace("screen", "screen" + i));
    }
    assertThat(violations(MODEL + many))
        .contains("statistics is of length 17: it must be at most 16");
    ModelSpec.Builder spec = spec(MODEL + GOOD).toBuilder();
    for (int i = 0; i < 1022; i++) {
      spec.getStatisticsBuilder(0).getChoiceBuilder().addCategories("c" + i);
    }
    assertThat(ModelSpecs.violations(spec.build())).isEmpty();
    spec.getStatisticsBuilder(0).getChoiceBuilder().addCategories("one more");
    assertThat(ModelSpecs.violations(spec.build())).singleElement().asString().contains("1025");
  }

  /** Full estimates, as long as they get. */
  @ParameterizedTest
  @CsvSource({
    "12, 1024, 1, ''",
    "1, 2, 0, ''",
    "16, 1024, 96, ''",
    "12, 1024, 1, experiment: 'e'",
    "1, 2, 0, experiment: 'e'"
  })
  void theBytesOfAnUpdateIncludeThem(
      int statistics, int categories, int characters, String experiment) {
    ModelSpec.Builder spec = spec(MODEL + experiment).toBuilder();
    ModelUpdate.Builder update = ModelUpdate.newBuilder();
    for (int i = 0; i < statistics; i++) {
      Statistic.Builder statistic = spec.addStatisticsBuilder().setName("s".repeat(84) + i);
      StatisticEstimate.Fractions.Builder fractions =
          StatisticEstimate.Fractions.newBuilder().setVotes(Long.MAX_VALUE);
      for (int j = 0; j < categories; j++) {
        statistic.getChoiceBuilder().addCategories("%04d".formatted(j) + "c".repeat(characters));
        fractions
            .addFractions(-0.1)
            .addStandardErrors(0.1)
            .addLow(0.1)
            .addHigh(0.1)
            .addProjected(1);
      }
      StatisticEstimate.Builder estimate = update.addStatisticsBuilder().setStatistic(statistic);
      estimate.setLasting(fractions).setRecent(fractions);
      if (spec.hasExperiment()) {
        estimate.setAlways(fractions);
      }
    }
    long more = ModelSpecs.updateBytes(spec.build()) - ModelSpecs.updateBytes(spec(MODEL));
    long needed = update.build().getSerializedSize();
    assertThat(more).isBetween(needed, needed + 36L * statistics);
  }

  @Test
  void aCentralModelHasNone() {
    String central =
        Texts.COMMON + Texts.CENTRAL_LIMITS + "dp_ftrl { " + Texts.TREE + "learning_rate: 1 } ";
    assertThat(violations(central)).isEmpty();
    assertThat(violations(central + GOOD)).contains("statistics is of length 1: it must be empty");
  }

  @Test
  void aStatisticThatStaysKeepsItsCategories() {
    ModelSpec before = spec(MODEL + GOOD);
    assertEqual(before, spec(MODEL));
    assertThat(ModelSpecs.changeViolations(before, spec(MODEL + GOOD.replace("home", "shop"))))
        .singleElement()
        .asString()
        .contains("statistic screen of a running model is fixed while it stays");
  }

  @Test
  void aValueThatIsNoCategoryCountsAsTheLastOne() {
    Choice choice = spec(MODEL + GOOD).getStatistics(0).getChoice();
    assertThat(Statistics.category(choice, "home")).isZero();
    assertThat(Statistics.category(choice, "other")).isOne();
    assertThat(Statistics.category(choice, "Home")).isOne();
    assertThat(Statistics.category(choice, null)).isOne();
  }
}
