package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.noise.CandidateVectors;
import io.croupier.schemas.GradientReport;
import java.util.List;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One device and its ledger, with storage, locks and network that are mocks. */
class DeviceTest {
  private static Browser browser;
  private static Value scenarios;

  private Visits visits;

  @BeforeAll
  static void open() {
    browser = new Browser();
    scenarios = browser.test("scenarios.js");
  }

  @AfterAll
  static void close() {
    browser.close();
  }

  @BeforeEach
  void begin() {
    visits = new Visits(browser, scenarios);
  }

  private Value report(Value device, int round) {
    return device.invokeMember("report", visits.snapshot(round, "{}"), browser.array(0.1));
  }

  private static String name(Value failure) {
    return failure.getMember("name").asString();
  }

  private String spent(Value device) {
    return visits.await(device.invokeMember("spent")).getMember("epsilon").asString();
  }

  private List<String> urls() {
    Value requests = visits.world().getMember("requests");
    return java.util.stream.LongStream.range(0, requests.getArraySize())
        .mapToObj(i -> requests.getArrayElement(i).getMember("url").asString())
        .toList();
  }

  @Test
  void aReportIsWhatTheJobExpandsToItsVector() {
    Value device = visits.open(visits.page(), "{epsilon: 2}");
    Value sent = visits.await(report(device, 4));
    GradientReport report = Visits.report(visits.received().get(0));
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
    assertThat(report.getPrivUnit().getTop()).isEqualTo(new PrivUnitLaws().best(1, 2, 256).top());
    double[] vector = new double[1];
    double length = new PrivUnitLaws().best(1, 2, 256).scale();
    CandidateVectors.expand(
        report.getCandidate().getSeed(), report.getCandidate().getIndex(), length, vector);
    Value shown = sent.getMember("randomiser").invokeMember("expand", sent.getMember("choice"), 1);
    assertThat(shown.getArrayElement(0).asDouble()).isCloseTo(vector[0], within(1e-11));
    assertThat(urls()).containsExactly("https://gateway.example/v1/reports");
    Value headers = visits.world().getMember("requests").getArrayElement(0).getMember("headers");
    assertThat(headers.getMember("Content-Type").asString()).isEqualTo("application/x-protobuf");
    assertThat(headers.hasMember("Authorization")).isFalse();
    assertThat(spent(device)).isEqualTo("2");
  }

  @Test
  void theLimitRefusesBeforeADraw() {
    Value page = visits.page();
    Value device = visits.open(page, "{epsilon: 0.3, limit: {epsilon: 0.7}}");
    visits.await(report(device, 0));
    visits.await(report(device, 1));
    // Every draw begins with new words.
    browser.words(
        () -> {
          throw new AssertionError("noise is drawn above the limit");
        });
    Value failure = visits.failure(report(device, 2));
    assertThat(name(failure)).isEqualTo("LimitReachedError");
    assertThat(failure.getMember("message").asString())
        .isEqualTo("epsilon would add up to 0.9; the limit is 0.7");
    assertThat(visits.received()).hasSize(2);
    assertThat(spent(device)).isEqualTo("0.6");
  }

  /** Ten times 0.1 is 1, as people write it. */
  @Test
  void sumsAreOfDecimals() {
    Value device = visits.open(visits.page(), "{epsilon: 0.1, limit: {epsilon: 1}}");
    for (int round = 0; round < 10; round++) {
      visits.await(report(device, round));
    }
    assertThat(spent(device)).isEqualTo("1");
    assertThat(name(visits.failure(report(device, 10)))).isEqualTo("LimitReachedError");
  }

  @Test
  void theLimitOfReportsHolds() {
    Value device = visits.open(visits.page(), "{limit: {epsilon: Infinity, reports: 1}}");
    visits.await(report(device, 0));
    assertThat(name(visits.failure(report(device, 1)))).isEqualTo("LimitReachedError");
  }

  @Test
  void aRoundIsReportedOnce() {
    Value device = visits.open(visits.page(), "{}");
    visits.await(report(device, 5));
    assertThat(name(visits.failure(report(device, 5)))).isEqualTo("NotChosenError");
    // Reports that are made at the same time are made one after the other.
    Value one = report(device, 6);
    Value other = report(device, 6);
    visits.await(one);
    assertThat(name(visits.failure(other))).isEqualTo("NotChosenError");
    // An earlier one that wasn't reported may still be.
    visits.await(report(device, 3));
    assertThat(visits.received()).hasSize(3);
  }

  @Test
  void aRefusalIsFinalAndStaysSpent() {
    Value device = visits.open(visits.page(), "{}");
    visits.answerNext("problem(422, 'round is 0: it must be at least 9')");
    Value failure = visits.failure(report(device, 0));
    assertThat(name(failure)).isEqualTo("GatewayError");
    assertThat(failure.getMember("status").asInt()).isEqualTo(422);
    assertThat(failure.getMember("detail").asString())
        .isEqualTo("round is 0: it must be at least 9");
    assertThat(failure.getMember("isFinal").asBoolean()).isTrue();
    assertThat(spent(device)).isEqualTo("1");
    visits.await(report(device, 1));
    assertThat(visits.received()).hasSize(1);
    assertThat(Visits.report(visits.received().get(0)).getSequence()).isEqualTo(1);
  }

  private byte[] body(int request) {
    return Browser.bytes(
        visits.world().getMember("requests").getArrayElement(request).getMember("body"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "problem(503, 'Kafka is away', {'Retry-After': '7'}) | 7000",
        "problem(429, 'too many', {'Retry-After': '3'}) | 3000",
        "problem(429, 'too many', {'Retry-After': new Date(world.now + 9000).toUTCString()}) | 8000",
        "problem(409, 'round is 5: it must be a published one, at most 4', {'Retry-After': '1'}) | 1000",
        "problem(408, 'late') | 500",
        "answer(502) | 500",
        "(() => { throw new Error('no network'); })() | 500",
      })
  void triesAgainWithTheSameBytes(String trouble, double leastWait) {
    Value device = visits.open(visits.page(), "{}");
    visits.answerNext(trouble);
    visits.answerNext(trouble);
    visits.await(report(device, 0));
    assertThat(visits.received()).hasSize(1);
    assertThat(body(0)).isEqualTo(visits.received().get(0));
    assertThat(body(1)).isEqualTo(visits.received().get(0));
    Value waits = visits.world().getMember("waits");
    assertThat(waits.getArraySize()).isEqualTo(2);
    assertThat(waits.getArrayElement(0).asDouble()).isBetween(leastWait, 10_000.0);
    assertThat(spent(device)).isEqualTo("1");
  }

  private static final String UNKNOWN =
      "answer(404, {body: {detail: 'model_id is m', errors: [{field: 'model_id', detail: 'model_id"
          + " is m'}]}, headers: {'Content-Type': 'application/problem+json'}})";

  /** The page may know the model from a gateway that has read more than this one. */
  @Test
  void anUnknownModelIsAwaited() {
    Value device = visits.open(visits.page(), "{}");
    for (int i = 0; i < 5; i++) {
      visits.answerNext(UNKNOWN);
    }
    visits.await(report(device, 0));
    assertThat(visits.received()).hasSize(1);
    for (int i = 0; i < 6; i++) {
      assertThat(body(i)).isEqualTo(visits.received().get(0));
    }
    Value waits = visits.world().getMember("waits");
    assertThat(waits.getArraySize()).isEqualTo(5);
    for (int i = 0; i < 5; i++) {
      assertThat(waits.getArrayElement(i).asDouble())
          .isBetween(500.0 * (1 << i), 1000.0 * (1 << i));
    }
  }

  @Test
  void aModelThatStaysUnknownIsARefusal() {
    Value device = visits.open(visits.page(), "{attempts: 1}");
    for (int i = 0; i < 6; i++) {
      visits.answerNext(UNKNOWN);
    }
    Value failure = visits.failure(report(device, 0));
    assertThat(failure.getMember("status").asInt()).isEqualTo(404);
    assertThat(failure.getMember("isFinal").asBoolean()).isTrue();
    // Nothing is pending.
    visits.await(report(device, 1));
    assertThat(visits.received()).hasSize(1);
    assertThat(spent(device)).isEqualTo("2");
  }

  @Test
  void aReportThatIsTooLargeForAProxyIsRefused() {
    Value device = visits.open(visits.page(), "{}");
    visits.answerNext("answer(413)");
    Value failure = visits.failure(report(device, 0));
    assertThat(failure.getMember("isFinal").asBoolean()).isTrue();
    assertThat(failure.getMember("message").asString())
        .contains("a server in front of the gateway takes no request of this size");
    visits.await(report(device, 1));
    assertThat(visits.received()).hasSize(1);
  }

  /** An answer that isn't the gateway's, and one about the sender, concern no report: it waits. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "answer(404)",
        "problem(404, 'no such path')",
        "problem(403, 'no right')",
        "problem(503, 'x', {'Retry-After': '9999'})"
      })
  void whatConcernsNoReportLeavesItPending(String trouble) {
    Value device = visits.open(visits.page(), "{}");
    visits.answerNext(trouble);
    Value failure = visits.failure(report(device, 0));
    assertThat(failure.getMember("isFinal").asBoolean()).isFalse();
    // Before another one is drawn.
    visits.answerNext(trouble);
    assertThat(name(visits.failure(report(device, 1)))).isEqualTo("GatewayError");
    assertThat(spent(device)).isEqualTo("1");
    visits.await(report(device, 1));
    assertThat(visits.received()).hasSize(2);
    assertThat(visits.received().get(0)).isEqualTo(body(0)).isEqualTo(body(1));
  }

  @Test
  void givesUpAfterTheAttemptsAndSendsTheSameBytesInTheNextVisit() {
    Value page = visits.page();
    Value device = visits.open(page, "{attempts: 2}");
    visits.answerNext("answer(503)");
    visits.answerNext("answer(503)");
    assertThat(visits.failure(report(device, 0)).getMember("status").asInt()).isEqualTo(503);
    page.invokeMember("kill");
    Value later = visits.open(visits.page(), "{}");
    visits.await(later.getMember("resent"));
    assertThat(visits.received()).hasSize(1);
    assertThat(visits.received().get(0)).isEqualTo(body(0)).isEqualTo(body(1));
    assertThat(spent(later)).isEqualTo("1");
    assertThat(later.getMember("deviceId").asString())
        .isEqualTo(device.getMember("deviceId").asString());
  }

  @Test
  void aRefusalOfAnEarlierVisitIsReported() {
    Value page = visits.page();
    Value device = visits.open(page, "{attempts: 1}");
    visits.answerNext("answer(503)");
    visits.failure(report(device, 0));
    page.invokeMember("kill");
    visits.answerNext("problem(409, 'too old')");
    Value refused = browser.eval("globalThis.refused = []; globalThis.refused");
    Value later =
        visits.open(
            visits.page(),
            "{onRefused: (report, error) => globalThis.refused.push(report.round, error.detail)}");
    visits.await(later.getMember("resent"));
    assertThat(refused.getArrayElement(0).asInt()).isZero();
    assertThat(refused.getArrayElement(1).asString()).isEqualTo("too old");
    visits.await(report(later, 1));
  }

  @Test
  void aTokenIsRenewedOnce() {
    String token = "token: ({refresh}) => Promise.resolve(refresh ? 'new' : 'old')";
    Value device = visits.open(visits.page(), "{" + token + "}");
    visits.answerNext("problem(401, 'expired')");
    visits.await(report(device, 0));
    Value requests = visits.world().getMember("requests");
    assertThat(authorization(requests, 0)).isEqualTo("Bearer old");
    assertThat(authorization(requests, 1)).isEqualTo("Bearer new");
    visits.answerNext("problem(401, 'expired')");
    visits.answerNext("problem(401, 'expired')");
    Value failure = visits.failure(report(device, 1));
    assertThat(failure.getMember("status").asInt()).isEqualTo(401);
    assertThat(failure.getMember("isFinal").asBoolean()).isFalse();
    assertThat(failure.toString()).doesNotContain("old").doesNotContain("new");
  }

  private static String authorization(Value requests, int request) {
    return requests
        .getArrayElement(request)
        .getMember("headers")
        .getMember("Authorization")
        .asString();
  }

  @Test
  void oneTabHasTheLedger() {
    Value first = visits.open(visits.page(), "{}");
    assertThat(name(visits.failure(visits.opening(visits.page(), "{}"))))
        .isEqualTo("LedgerBusyError");
    first.invokeMember("close");
    Value second = visits.open(visits.page(), "{}");
    visits.await(report(second, 0));
    assertThat(name(visits.failure(report(first, 1)))).isEqualTo("LedgerError");
  }

  /** A page that is reloaded finds the lock of the page before, for a moment. */
  @Test
  void waitsForALockThatIsReleasedSoon() {
    Value before = visits.page();
    visits.open(before, "{}");
    Value promise = visits.opening(visits.page(), "{}");
    visits.world().invokeMember("step");
    visits.world().invokeMember("step");
    before.invokeMember("kill");
    visits.await(report(visits.await(promise), 0));
    assertThat(visits.world().getMember("waits").getArraySize()).isPositive();
  }

  @Test
  void withoutLocksTheNewestTabHasTheLedger() {
    Value first = visits.open(visits.page(), "{locks: null}");
    visits.await(report(first, 0));
    Value second = visits.open(visits.page(), "{locks: null}");
    assertThat(name(visits.failure(report(first, 1)))).isEqualTo("LedgerBusyError");
    visits.await(report(second, 1));
    assertThat(visits.received()).hasSize(2);
  }

  @Test
  void everyPersonHasALedger() {
    Value ada = visits.open(visits.page(), "{}");
    Value bob = visits.open(visits.page(), "{person: 'bob'}");
    visits.await(report(ada, 0));
    assertThat(spent(bob)).isEqualTo("0");
    assertThat(bob.getMember("deviceId").asString())
        .isNotEqualTo(ada.getMember("deviceId").asString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "state.delete('account')",
        "state.set('account', {reports: 1, epsilonNanos: '-5'})",
        "state.set('account', {reports: 1})",
        "state.delete('device')",
        "state.set('device', {...state.get('device'), secret: new Uint8Array(3)})"
      })
  void aDamagedLedgerIsRefusedAndNotBegunAnew(String damage) {
    Value page = visits.page();
    visits.await(report(visits.open(page, "{}"), 0));
    page.invokeMember("kill");
    browser
        .eval(
            "(world) => { const state = world.databases.get('croupier/ada').stores.get('state'); "
                + damage
                + "; }")
        .execute(visits.world());
    Value failure = visits.failure(visits.opening(visits.page(), "{}"));
    assertThat(name(failure)).isEqualTo("LedgerError");
    assertThat(failure.getMember("message").asString()).contains("damaged");
  }

  @Test
  void withoutStorageNothingIsReported() {
    Value failure = visits.failure(visits.opening(visits.page(), "{indexedDB: null}"));
    assertThat(failure.getMember("message").asString()).contains("no IndexedDB");
  }

  /** The job recognises a resend among the newest 64 numbers alone. */
  @Test
  void atMost64ReportsArePending() {
    Value page = visits.page();
    Value ledger =
        visits.await(
            browser
                .eval(
                    "(module, {indexedDB, locks, sleep}, crypto) => module.Ledger.open({person: 'x',"
                        + " limit: {epsilon: Infinity}, indexedDB, locks, storage: null, crypto,"
                        + " sleep})")
                .execute(
                    browser.exports(),
                    page,
                    browser.crypto(new java.util.SplittableRandom(1)::nextLong)));
    Value release =
        browser.eval(
            "(ledger, round) => ledger.release({modelId: 'm', round}, 1n, () => new"
                + " Uint8Array([round]))");
    for (int round = 0; round < 64; round++) {
      visits.await(release.execute(ledger, round));
    }
    Value failure = visits.failure(release.execute(ledger, 64));
    assertThat(failure.getMember("message").asString()).contains("report 0 is still pending");
    assertThat(visits.await(ledger.invokeMember("pending")).getArraySize()).isEqualTo(64);
  }

  @Test
  void aMovingClipNeedsTheSizeAndStatesItsBound() {
    String clip =
        "{size: 'FEATURES', slopeBound: 1, gradientBound: 0.5, gridExponent: -17,"
            + " questionProbability: 0}";
    Value device = visits.open(visits.page(), "{}");
    Value snapshot = visits.snapshot(0, clip);
    Value failure = visits.failure(device.invokeMember("report", snapshot, browser.array(0.1)));
    assertThat(failure.getMember("message").asString()).contains("size is missing");
    visits.await(device.invokeMember("report", snapshot, browser.array(0.1), 0.2));
    assertThat(Visits.report(visits.received().get(0)).getGradientBound()).isEqualTo(0.5);
    Value unknown = visits.snapshot(1, "{size: 9, questionProbability: 0}");
    assertThat(
            visits
                .failure(device.invokeMember("report", unknown, browser.array(0.1)))
                .getMember("message")
                .asString())
        .contains("FEATURES or GRADIENT");
    assertThat(spent(device)).isEqualTo("1");
  }

  private Value rows(String loss) {
    return browser
        .eval(
            "(module) => new module.Rows({features: [[1], [2]], targets: [0, 1], loss: module."
                + loss
                + "})")
        .execute(browser.exports());
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
    visits.await(device.invokeMember("takePart", gradient, logistic));
    visits.await(device.invokeMember("takePart", question, logistic));
    visits.await(device.invokeMember("takePart", size, logistic));
    assertThat(visits.await(device.invokeMember("takePart", nothing, logistic)).isNull()).isTrue();
    assertThat(visits.await(device.invokeMember("takePart", gradient, logistic)).isNull()).isTrue();
    List<GradientReport> reports = visits.received().stream().map(Visits::report).toList();
    assertThat(reports).hasSize(3);
    assertThat(reports.get(0).hasCandidate()).isTrue();
    assertThat(reports.get(1).getAnswer().getQuestion()).isEqualTo("right");
    assertThat(reports.get(1).getRandomisedResponse().getEpsilon()).isEqualTo(1);
    assertThat(reports.get(2).getAnswer().getQuestion()).isEqualTo("clip");
    assertThat(spent(device)).isEqualTo("3");
  }

  /**
   * Without classes there is no accuracy: such a device stays silent, whatever its rows contain.
   */
  @Test
  void dataThatCanNotAnswerStaySilent() {
    Value device = visits.open(visits.page(), "{}");
    Value question = visits.snapshot(1, "{" + ACCURACY + "1}");
    Value silent = visits.await(device.invokeMember("takePart", question, rows("absolute")));
    assertThat(silent.isNull()).isTrue();
    assertThat(name(visits.failure(device.invokeMember("report", question, browser.array(0.1)))))
        .isEqualTo("NotChosenError");
    assertThat(visits.received()).isEmpty();
    assertThat(spent(device)).isEqualTo("0");
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
}
