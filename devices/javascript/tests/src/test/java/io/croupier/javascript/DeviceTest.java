package io.croupier.javascript;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.schemas.GradientReport;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one device reports, and in which rounds. */
class DeviceTest extends DeviceFixture {
  /** Words that a device draws at once. */
  private static final int BLOCK = 64;

  @Test
  void aReportIsWhatTheJobExpandsToItsVector() {
    Value device = visits.open(visits.page(), "{epsilon: 2}");
    Value sent = visits.await(report(device, 4));
    GradientReport report = visits.reports().get(0);
    assertThat(visits.received()).hasSize(1);
    assertThat(Browser.bytes(sent.getMember("bytes"))).isEqualTo(visits.received().get(0));
    assertThat(report.getModelId()).isEqualTo("m");
    assertThat(report.getRound()).isEqualTo(4);
    assertThat(report.hasUserId()).isFalse();
    assertThat(report.getDeviceId()).isEqualTo(device.getMember("deviceId").asString()).hasSize(22);
    assertThat(report.getSequence()).isZero();
    assertThat(report.getCreatedAtMs() % 3_600_000).isZero();
    assertThat(report.hasGradientBound()).isFalse();
    assertThat(report.getPrivUnit().getEpsilon()).isEqualTo(2);
    assertThat(report.getPrivUnit().getCandidates()).isEqualTo(256);
    assertThat(report.getPrivUnit().getTop()).isEqualTo(new PrivUnitLaws().near(1, 2, 256).top());
    Value choice = sent.getMember("choice");
    assertThat(choice.getMember("index").asInt()).isEqualTo(report.getCandidate().getIndex());
    assertThat(choice.getMember("seed").asBigInteger().longValue())
        .isEqualTo(report.getCandidate().getSeed());
    assertThat(urls()).containsExactly("https://gateway.example/v1/reports");
    assertThat(header(0, "Content-Type")).isEqualTo("application/x-protobuf");
    assertThat(header(0, "Authorization")).isEqualTo("Bearer bearer");
    assertThat(header(0, "Croupier-Client"))
        .isEqualTo("javascript/" + browser.export("VERSION").asString());
    assertThat(spent(device)).isEqualTo("2");
  }

  @Test
  void aRoundIsReportedOnce() {
    Value device = visits.open(visits.page(), "{}");
    visits.await(report(device, 5));
    assertThat(error(report(device, 5))).isEqualTo("NotChosenError");
    // Reports that are made at the same time are made one after the other.
    Value one = report(device, 6);
    Value other = report(device, 6);
    visits.await(one);
    assertThat(error(other)).isEqualTo("NotChosenError");
    // An earlier one that wasn't reported may still be.
    visits.await(report(device, 3));
    assertThat(visits.received()).hasSize(3);
  }

  @Test
  void aMovingClipNeedsTheSizeAndStatesItsBound() {
    String clip =
        "{size: 'FEATURES', slopeBound: 1, gradientBound: 0.5, gridExponent: -17,"
            + " questionProbability: 0}";
    Value device = visits.open(visits.page(), "{}");
    Value snapshot = visits.snapshot(0, clip);
    assertThat(message(device.invokeMember("report", snapshot, browser.array(0.1))))
        .contains("size is missing");
    visits.await(device.invokeMember("report", snapshot, browser.array(0.1), 0.2));
    assertThat(visits.reports().get(0).getGradientBound()).isEqualTo(0.5);
    Value unknown = visits.snapshot(1, "{size: 9, questionProbability: 0}");
    assertThat(message(device.invokeMember("report", unknown, browser.array(0.1))))
        .contains("FEATURES or GRADIENT");
    assertThat(spent(device)).isEqualTo("1");
  }

  private Value rows(String loss) {
    return browser.call(
        "(module) => new module.Rows({features: [[1], [2]], targets: [0, 1], loss: module.%s})"
            .formatted(loss));
  }

  /** Takes part with rows, and these values of statistics, in any number of rounds. */
  private Value takePart(Value device, Value snapshot, String categories) {
    Value own = browser.eval("({times: Infinity, categories: " + categories + "})");
    return device.invokeMember("takePart", snapshot, rows("logistic"), own);
  }

  /** A report in hexadecimal, with the name that devices have in golden files. */
  private String hex(int report, Value device) {
    String bytes =
        new String(visits.received().get(report), ISO_8859_1)
            .replace(device.getMember("deviceId").asString(), "abcdefghijklmnopqrstuv");
    return HexFormat.of().formatHex(bytes.getBytes(ISO_8859_1));
  }

  /** As often as the round asks for it: ReportedOnceTest has what a device refuses. */
  private static Value takePart(Value device, Value snapshot, Value rows) {
    return device.invokeMember("takePart", snapshot, rows, browser.eval("({times: Infinity})"));
  }

  private void assertSilent(Value promise) {
    assertThat(visits.await(promise).isNull()).isTrue();
  }

  private static final String ACCURACY =
      "estimates: [{question: {name: 'right', accuracy: {}}}], questionProbability: ";

  /** Which of the three a round asks for is decided before data is read; here it is certain. */
  @Test
  void takesPartByWhatTheRoundAsksFor() {
    Value device = visits.open(visits.page(), "{}");
    Value logistic = rows("logistic");
    Value gradient = visits.snapshot(0, "{}");
    Value question = visits.snapshot(1, "{" + ACCURACY + "1}");
    Value size = visits.snapshot(2, "{size: 'GRADIENT', questionProbability: 1}");
    Value nothing = visits.snapshot(3, "{answerProbability: 0}");
    visits.await(takePart(device, gradient, logistic));
    visits.await(takePart(device, question, logistic));
    visits.await(takePart(device, size, logistic));
    assertSilent(takePart(device, nothing, logistic));
    assertSilent(takePart(device, gradient, logistic));
    List<GradientReport> reports = visits.reports();
    assertThat(reports).hasSize(3);
    assertThat(reports.get(0).hasCandidate()).isTrue();
    assertThat(reports.get(1).getAnswer().getQuestion()).isEqualTo("right");
    assertThat(reports.get(1).getRandomisedResponse().getEpsilon()).isEqualTo(1);
    assertThat(reports.get(2).getAnswer().getQuestion()).isEqualTo("clip");
    assertThat(spent(device)).isEqualTo("3");
  }

  /** A value that is none of the categories counts as the last one; the report is never missing. */
  @Test
  void votesForTheCategoryOfAStatistic() {
    Value device = visits.open(visits.page(), "{epsilon: 16}");
    String counting =
        "{statistics: [{statistic: {name: 'screen', choice: {categories: ['cart', 'home', 'other']}}}],"
            + " questionProbability: 1}";
    String[] categories = {"{screen: 'home'}", "{screen: 'elsewhere'}", "{screen: null}"};
    for (int round = 0; round < categories.length; round++) {
      visits.await(takePart(device, visits.snapshot(round, counting), categories[round]));
    }
    List<GradientReport> reports = visits.reports();
    assertThat(reports).hasSize(3);
    // Another group than that of the category is released with probability 2.3e-7.
    assertThat(reports).extracting(r -> r.getVote().getIndex()).containsExactly(1, 2, 2);
    assertThat(reports).extracting(r -> r.getVote().getStatistic()).containsOnly("screen");
    assertThat(reports).noneMatch(r -> r.getVote().hasSeed());
    assertSilent(device.invokeMember("takePart", visits.snapshot(5, counting), rows("logistic")));
    assertThat(spent(device)).isEqualTo("48");
  }

  /** Its people have no rows. */
  @Test
  void takesPartInAModelWithoutALearner() {
    Value device = visits.open(visits.page(), "{epsilon: 16}");
    String alone =
        "{weights: undefined, average: undefined, gradientBound: undefined, gridExponent: undefined,"
            + " statistics: [{statistic: {name: 'day', choice: {categories: ['a', 'b']}}}],"
            + " questionProbability: 1}";
    Value own = browser.eval("({categories: {day: 'b'}, times: 2})");
    Value snapshot = visits.snapshot(3, alone);
    visits.await(device.invokeMember("takePart", snapshot, null, own));
    GradientReport report = visits.reports().get(0);
    assertThat(report.getRound()).isEqualTo(3);
    // Another group is released with probability 1.1e-7.
    assertThat(report.getVote().getIndex()).isOne();
    assertSilent(device.invokeMember("takePart", snapshot, null, own));
    assertThat(message(device.invokeMember("takePart", snapshot, rows("logistic"), own)))
        .contains("dimension of the rows is 1");
    assertThat(spent(device)).isEqualTo("16");
  }

  /** What is no number counts as the lower end of the range; the report is never missing. */
  @Test
  void answersWhetherANumberIsAboveTheThreshold() {
    Value device = visits.open(visits.page(), "{epsilon: 16, limit: {epsilon: 200}}");
    String measuring =
        "{statistics: [{statistic: {name: 'minutes', quantiles: {levels: [0.5], from: 0, to: 1440}},"
            + " threshold: 30}], questionProbability: 1}";
    String[] values = {"31", "30", "1e9", "-1", "NaN", "Infinity", "null", "'31'"};
    for (int round = 0; round < values.length; round++) {
      Value snapshot = visits.snapshot(round, measuring);
      visits.await(takePart(device, snapshot, "{minutes: " + values[round] + "}"));
    }
    List<GradientReport> reports = visits.reports();
    // The other bit is released with probability 1.1e-7.
    assertThat(reports)
        .extracting(r -> r.getAnswer().getBit())
        .containsExactly(true, false, true, false, false, true, false, false);
    assertThat(reports).extracting(r -> r.getAnswer().getQuestion()).containsOnly("minutes");
    assertThat(reports).extracting(r -> r.getRandomisedResponse().getEpsilon()).containsOnly(16.0);
    assertSilent(device.invokeMember("takePart", visits.snapshot(10, measuring), rows("logistic")));
    assertThat(spent(device)).isEqualTo("128");
  }

  /** From the same random word, but for the name of the device. */
  @Tag("ci")
  @Test
  void answersAboutAThresholdAreThoseOfJava() throws Exception {
    Value device = visits.open(visits.page(), "{epsilon: 0.5}");
    int round = 0;
    for (JsonNode one : Browser.golden("quantiles")) {
      String measuring =
          "{statistics: [{statistic: {name: 'minutes', quantiles: {levels: [0.5], from: -1440,"
              + " to: 1440}}, threshold: %s}], questionProbability: 1}";
      Value snapshot = visits.snapshot(round, measuring.formatted(one.get("threshold")));
      long word = Long.parseUnsignedLong(one.get("word").asText());
      browser.words(() -> word);
      visits.await(takePart(device, snapshot, "{minutes: " + one.get("value").asText() + "}"));
      assertThat(hex(round, device))
          .as("%s about %s", one.get("value"), one.get("threshold"))
          .isEqualTo(one.get("report").asText());
      round++;
    }
    assertThat(round).isEqualTo(22);
  }

  /** From the same random words, but for the name of the device. */
  @Tag("ci")
  @Test
  void votesForTextsAreThoseOfJava() throws Exception {
    Value device = visits.open(visits.page(), "{epsilon: 0.5}");
    String counting =
        "{statistics: [{statistic: {name: 'words', prefixes: {alphabet: 'a-e\u00e9-', length: 4,"
            + " top: 3}}, texts: {prefixes: ['', 'a', '', 'ab', 'd'], texts: ['ab', '', 'cad']}}],"
            + " questionProbability: 1}";
    Value candidateOf =
        browser.callInternals(
            "(i) => (terms, value) => i.candidateOf(terms.statistics[0].texts, value)");
    int round = 0;
    for (JsonNode one : Browser.golden("texts")) {
      Value snapshot = visits.snapshot(round, counting);
      String text = one.get("value").asText();
      Value value = browser.eval("(" + text + ")");
      assertThat(candidateOf.execute(snapshot.getMember("terms"), value).asInt())
          .as(text)
          .isEqualTo(one.get("candidate").asInt());
      // The seed is the first word of a block of its own.
      AtomicInteger drawn = new AtomicInteger();
      browser.words(
          () -> {
            int at = drawn.getAndIncrement();
            JsonNode word = at < BLOCK ? one.get("seed") : one.get("words").get((at - BLOCK) % 24);
            return Long.parseUnsignedLong(word.asText());
          });
      visits.await(takePart(device, snapshot, "{words: " + text + "}"));
      assertThat(hex(round, device)).as(text).isEqualTo(one.get("report").asText());
      round++;
    }
    assertThat(round).isEqualTo(25);
  }

  /** No spec has such an alphabet; it would take megabytes, and minutes for each text. */
  @Test
  void anAlphabetOfTooManyLettersIsRefused() {
    String letters =
        "{statistics: [{statistic: {name: 'words', prefixes: {alphabet: '%s', length: 4, top: 3}},"
            + " texts: {prefixes: ['']}}], questionProbability: 1}";
    assertThat(visits.snapshot(0, letters.formatted("\\u0001-\\u0080")).isNull()).isFalse();
    assertThatThrownBy(() -> visits.snapshot(0, letters.formatted("\\u0001-\\uffff".repeat(9))))
        .hasMessageContaining("an alphabet has more than 128 letters");
  }

  /**
   * Without classes there is no accuracy: such a device stays silent, whatever its rows contain.
   */
  @Test
  void dataThatCanNotAnswerStaySilent() {
    Value device = visits.open(visits.page(), "{}");
    Value question = visits.snapshot(1, "{" + ACCURACY + "1}");
    assertSilent(device.invokeMember("takePart", question, rows("absolute")));
    assertThat(error(device.invokeMember("report", question, browser.array(0.1))))
        .isEqualTo("NotChosenError");
    assertThat(visits.received()).isEmpty();
    assertThat(spent(device)).isEqualTo("0");
  }

  /**
   * Answers and gradients count alike until the share is spent; then only gradients are reported.
   */
  @Test
  void answersTakeNoMoreThanTheirShareOfTheLimit() {
    Value device = visits.open(visits.page(), "{limit: {epsilon: 5, answers: 0.5}}");
    Value logistic = rows("logistic");
    String asked = "{" + ACCURACY + "1}";
    for (int round = 0; round < 2; round++) {
      visits.await(takePart(device, visits.snapshot(round, asked), logistic));
    }
    assertThat(visits.received()).hasSize(2);
    assertSilent(takePart(device, visits.snapshot(2, asked), logistic));
    Value size = visits.snapshot(3, "{size: 'GRADIENT', questionProbability: 1}");
    assertSilent(takePart(device, size, logistic));
    for (int round = 4; round < 7; round++) {
      visits.await(takePart(device, visits.snapshot(round, "{}"), logistic));
    }
    assertThat(visits.received()).hasSize(5);
    assertThat(error(report(device, 7))).isEqualTo("LimitReachedError");
    assertThat(error(visits.opening(visits.page(), "{limit: {epsilon: 5, answers: 1.5}}")))
        .isEqualTo("CroupierError");
  }

  /** In doubles, 0.57 times 100 is below 57. */
  @Test
  void aShareOfReportsIsOneOfItsDecimals() {
    Value device =
        visits.open(visits.page(), "{limit: {epsilon: Infinity, reports: 100, answers: 0.57}}");
    Value logistic = rows("logistic");
    for (int round = 0; round < 57; round++) {
      visits.await(takePart(device, visits.snapshot(round, "{" + ACCURACY + "1}"), logistic));
    }
    assertThat(visits.received()).hasSize(57);
    assertSilent(takePart(device, visits.snapshot(57, "{" + ACCURACY + "1}"), logistic));
  }

  @Test
  void answersTakeAShareOfTheLargestLimit() {
    Value device = visits.open(visits.page(), "{limit: {epsilon: 1.7e308, answers: 0.5}}");
    Value asked = visits.snapshot(0, "{" + ACCURACY + "1}");
    visits.await(device.invokeMember("takePart", asked, rows("logistic")));
    assertThat(visits.received()).hasSize(1);
  }

  /** An error, or a missing report, would disclose it. */
  @Test
  void aGradientThatIsNotFiniteIsReported() {
    Value device = visits.open(visits.page(), "{}");
    visits.await(
        device.invokeMember("report", visits.snapshot(0, "{}"), browser.array(Double.NaN)));
    visits.await(
        device.invokeMember(
            "report",
            visits.snapshot(1, "{size: 'GRADIENT', questionProbability: 0}"),
            browser.array(1),
            Double.NaN));
    assertThat(visits.received()).hasSize(2);
  }

  /**
   * The clock moves by a step whenever it is read: twice from the beginning of a draw to its end.
   */
  @ParameterizedTest
  @CsvSource({"0, 100", "1, 98", "50, 0", "51, 98", "175, 50", "-1000, 100"})
  void aReportIsSentAtAWholeMultipleOfTheDelay(int step, int wait) {
    Value slept =
        browser
            .eval(
                "(world, step) => Object.assign("
                    + "globalThis, { world, step, time: 1800000000000, slept: [] }).slept")
            .execute(visits.world(), step);
    Value device =
        visits.open(
            visits.page(),
            "{releaseDelayMs: 100, now: () => { time += step; return time; },"
                + " sleep: async (ms) => { slept.push(ms, world.requests.length); }}");
    visits.await(report(device, 4));
    assertThat(Browser.doubles(slept)).as("a wait, before any request").containsExactly(wait, 0);
    assertThat(visits.received()).hasSize(1);
  }

  @Test
  void aDelayOfAReleaseIsANumberOfAtLeastZero() {
    assertThat(message(visits.opening(visits.page(), "{releaseDelayMs: -1}")))
        .isEqualTo("releaseDelayMs is -1; it must be a number of at least 0");
  }
}
