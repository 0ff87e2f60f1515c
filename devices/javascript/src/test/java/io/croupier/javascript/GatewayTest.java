package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Following a model over a gateway that is a mock. */
class GatewayTest extends DeviceFixture {
  private Value gateway;

  @BeforeEach
  void follow() {
    gateway =
        scenarios
            .getMember("gateway")
            .execute(
                browser.exports(),
                visits.page(),
                browser.crypto(new SplittableRandom(9)::nextLong));
  }

  private static String update(int round) {
    return "answer(200, {headers: {ETag: '\""
        + round
        + "\"'}, body: {modelId: 'm', round: '"
        + round
        + "', weights: [1], average: [1], gradientBound: 1, gridExponent: -16}})";
  }

  private List<String> urls() {
    Value requests = visits.world().getMember("requests");
    return LongStream.range(0, requests.getArraySize())
        .mapToObj(i -> requests.getArrayElement(i).getMember("url").asString())
        .map(url -> url.replace("https://gateway.example", ""))
        .toList();
  }

  private List<Integer> rounds(String how, int count) {
    Value updates = gateway.invokeMember(how, "m");
    Value taken = visits.await(scenarios.getMember("take").execute(updates, count));
    return LongStream.range(0, taken.getArraySize())
        .mapToObj(i -> taken.getArrayElement(i).getMember("round").asInt())
        .toList();
  }

  @Test
  void readsTheNewestUpdate() {
    visits.answerNext(update(7));
    Value snapshot = visits.await(gateway.invokeMember("newest", "m"));
    assertThat(snapshot.getMember("round").asInt()).isEqualTo(7);
    assertThat(urls()).containsExactly("/v1/models/m");
  }

  @Test
  void listsTheModels() {
    visits.answerNext("answer(200, {body: {models: [{modelId: 'm', round: '7'}]}})");
    Value models = visits.await(gateway.invokeMember("models"));
    assertThat(models.getArraySize()).isEqualTo(1);
    assertThat(models.getArrayElement(0).getMember("modelId").asString()).isEqualTo("m");
  }

  @Test
  void followsByLongPolls() {
    visits.answerNext(update(7));
    visits.answerNext("answer(304)");
    visits.answerNext("problem(503, 'away', {'Retry-After': '30'})");
    visits.answerNext("(() => { throw new Error('no network'); })()");
    visits.answerNext(update(9));
    assertThat(rounds("follow", 2)).containsExactly(7, 9);
    assertThat(urls().get(0)).isEqualTo("/v1/models/m");
    assertThat(urls().subList(1, 5)).containsOnly("/v1/models/m?after=7&wait=25");
    Value second = visits.world().getMember("requests").getArrayElement(1);
    assertThat(second.getMember("headers").getMember("If-None-Match").asString())
        .isEqualTo("\"7\"");
    // The gateway that answered 304 without waiting is asked after a second.
    Value waits = visits.world().getMember("waits");
    assertThat(waits.getArrayElement(0).asInt()).isEqualTo(1000);
    assertThat(waits.getArrayElement(1).asDouble()).isGreaterThanOrEqualTo(30_000);
  }

  /** The model was retired and applied again; its round is the one that the page has. */
  @Test
  void aRestartedModelIsReadOnce() {
    String restarted = update(7).replace("'\"7\"'", "'\"7-restarted\"'");
    visits.answerNext(update(7));
    visits.answerNext(restarted);
    visits.answerNext(
        "(request.headers['If-None-Match'] === '\"7-restarted\"' ? answer(304) : "
            + restarted
            + ")");
    visits.answerNext(update(8));
    assertThat(rounds("follow", 3)).containsExactly(7, 7, 8);
    Value requests = visits.world().getMember("requests");
    assertThat(requests.getArraySize()).isEqualTo(4);
    assertThat(
            requests.getArrayElement(3).getMember("headers").getMember("If-None-Match").asString())
        .isEqualTo("\"7-restarted\"");
  }

  @Test
  void aModelThatIsNotPublishedIsAnError() {
    visits.answerNext("problem(404, 'model m is not published')");
    Value updates = gateway.invokeMember("follow", "m");
    Value failure = visits.failure(scenarios.getMember("take").execute(updates, 1));
    assertThat(failure.getMember("status").asInt()).isEqualTo(404);
    assertThat(failure.getMember("message").asString()).contains("model m is not published");
  }

  /** A body that is cut off, another server's page, a gateway that lags, a token that fails. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{...answer(200), json: async () => { throw new TypeError('terminated'); }}",
        "answer(200, {body: '<html>Please log in</html>'})",
        "answer(200, {body: {connected: false}})",
        "problem(404, 'model_id must name a model that is published and not retired')",
        "answer(404)",
      })
  void followsOnAfterAFailureThatMayPass(String trouble) {
    visits.answerNext(update(7));
    visits.answerNext(trouble);
    visits.answerNext(trouble);
    visits.answerNext(update(8));
    assertThat(rounds("follow", 2)).containsExactly(7, 8);
    Value waits = visits.world().getMember("waits");
    assertThat(waits.getArraySize()).isEqualTo(2);
    assertThat(waits.getArrayElement(0).asDouble()).isBetween(500.0, 1000.0);
    assertThat(waits.getArrayElement(1).asDouble()).isBetween(1000.0, 2000.0);
  }

  @Test
  void theFirstPollIsRepeatedToo() {
    visits.answerNext("{...answer(200), json: async () => { throw new TypeError('terminated'); }}");
    visits.answerNext(update(8));
    assertThat(rounds("follow", 1)).containsExactly(8);
  }

  /** A model that was retired, and an update that this module can't read, stay so. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "problem(404, 'retired') | retired",
        "answer(200, {body: {round: 'x'}}) | the gateway answered 200",
      })
  void aFailureThatStaysEndsWithAnErrorOfThisModule(String trouble, String message) {
    visits.answerNext(update(7));
    for (int i = 0; i < 6; i++) {
      visits.answerNext(trouble);
    }
    Value updates = gateway.invokeMember("follow", "m");
    Value failure = visits.failure(scenarios.getMember("take").execute(updates, 2));
    assertThat(failure.getMember("name").asString()).isEqualTo("GatewayError");
    assertThat(failure.getMember("message").asString()).contains(message);
    assertThat(urls()).hasSize(7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"follow", "events"})
  void aTokenThatFailsOnceIsAskedForAgain(String how) {
    browser
        .eval(
            "(scenarios) => { globalThis.calls = 0; globalThis.token = async () => { if"
                + " (globalThis.calls++ === 0) throw new Error('no network'); return 't'; };"
                + " globalThis.stream = () => scenarios.answer(200, {headers: {'Content-Type': 'text/event-stream'}, body:"
                + " scenarios.chunks('data: ' + JSON.stringify(scenarios.update(7)) + '\\n\\n',"
                + " 9)}); }")
        .execute(scenarios);
    gateway =
        scenarios
            .getMember("gateway")
            .execute(
                browser.exports(),
                visits.page(),
                browser.crypto(new SplittableRandom(9)::nextLong),
                browser.eval("globalThis.token"));
    visits.answerNext(how.equals("follow") ? update(7) : "globalThis.stream()");
    assertThat(rounds(how, 1)).containsExactly(7);
    assertThat(browser.eval("globalThis.calls").asInt()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"follow", "events"})
  void aPageLearnsWhyItWaits(String how) {
    visits.answerNext("problem(503, 'away', {'Retry-After': '30'})");
    visits.answerNext("(() => { throw new Error('no network'); })()");
    visits.answerNext("problem(404, 'model m is not published')");
    Value end =
        browser
            .eval(
                """
                (gateway, how, take) => {
                  globalThis.retries = [];
                  const onRetry = (error, ms) => retries.push({status: error.status, ms});
                  return take(gateway[how]('m', {onRetry}), 1);
                }
                """)
            .execute(gateway, how, scenarios.getMember("take"));
    assertThat(visits.failure(end).getMember("status").asInt()).isEqualTo(404);
    assertThat(browser.eval("retries.map(({status}) => status).join()").asString())
        .isEqualTo("503,0");
    Value waits = visits.world().getMember("waits");
    assertThat(browser.eval("retries[0].ms").asDouble())
        .isEqualTo(waits.getArrayElement(0).asDouble())
        .isEqualTo(30_000);
    assertThat(browser.eval("retries[1].ms").asDouble())
        .isEqualTo(waits.getArrayElement(1).asDouble());
  }

  /** Browsers' timers hold 31 bits of milliseconds, and run a longer one without a pause. */
  @ParameterizedTest
  @CsvSource({"follow, 2147484", "follow, 99999999999999", "events, 2147484"})
  void aLongRetryAfterIsAPauseAndNoFlood(String how, String seconds) {
    browser
        .eval(
            "(scenarios) => { globalThis.stream = () => scenarios.answer(200, {headers: {'Content-Type': 'text/event-stream'}, body:"
                + " scenarios.chunks('data: ' + JSON.stringify(scenarios.update(7)) + '\\n\\n',"
                + " 9)}); }")
        .execute(scenarios);
    visits.answerNext("problem(503, 'away', {'Retry-After': '" + seconds + "'})");
    visits.answerNext(how.equals("follow") ? update(7) : "globalThis.stream()");
    assertThat(rounds(how, 1)).containsExactly(7);
    assertThat(visits.world().getMember("waits").getArrayElement(0).asDouble()).isEqualTo(600_000);
  }

  /** In the three forms of a date, of which the answer's own is the clock; nothing else is one. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "null",
      value = {
        "120 | null | 120000",
        "' 7 ' | null | 7000",
        "Fri, 15 Jan 2027 08:03:03 GMT | null | 60000",
        "Friday, 15-Jan-27 08:03:03 GMT | null | 60000",
        "Fri Jan 15 08:03:03 2027 | null | 60000",
        "Fri, 15 Jan 2027 08:03:03 GMT | Fri, 15 Jan 2027 08:02:53 GMT | 10000",
        "Fri, 15 Jan 2027 08:03:03 GMT | yesterday | 60000",
        "Fri, 15 Jan 2027 08:00:00 GMT | null | 0",
        "-5 | null | null",
        "1.5 | null | null",
        "1e9 | null | null",
        "2027-01-15 | null | null",
        "soon | null | null",
        "Friday | null | null",
      })
  void aRetryAfterIsSecondsOrADate(String header, String date, Double wait) {
    visits.world().putMember("now", 1_800_000_123_000L);
    visits.answerNext(
        "problem(409, 'later', {'Retry-After': '%s'%s})"
            .formatted(header, date == null ? "" : ", Date: '" + date + "'"));
    Value failure = visits.failure(gateway.invokeMember("newest", "m"));
    Value asked = failure.getMember("retryAfterMs");
    assertThat(asked.isNull() ? null : asked.asDouble()).isEqualTo(wait);
  }

  /** A clock that is wrong by years must not stop a device. */
  @Test
  void aDateFarAheadIsAPauseOfTenMinutes() {
    visits.answerNext("problem(503, 'away', {'Retry-After': 'Fri, 15 Jan 2055 08:03:03 GMT'})");
    visits.answerNext(update(7));
    assertThat(rounds("follow", 1)).containsExactly(7);
    assertThat(visits.world().getMember("waits").getArrayElement(0).asDouble()).isEqualTo(600_000);
  }

  private Value withToken(String token) {
    return scenarios
        .getMember("gateway")
        .execute(
            browser.exports(),
            visits.page(),
            browser.crypto(new SplittableRandom(9)::nextLong),
            browser.eval("(" + token + ")"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "async () => undefined | token returned undefined; it must return the bearer token alone, a text",
        "async () => ({}) | token returned an object",
        "() => '' | token returned an empty text, or one with blanks or line ends",
        "() => 'a b' | token returned an empty text, or one with blanks or line ends",
        "() => 'abc\\n' | token returned an empty text, or one with blanks or line ends",
      })
  void aTokenThatIsNoneEndsWithItsReason(String token, String message) {
    Value updates = withToken(token).invokeMember("follow", "m");
    Value failure = visits.failure(scenarios.getMember("take").execute(updates, 1));
    assertThat(failure.getMember("message").asString()).startsWith(message);
    assertThat(urls()).isEmpty();
  }

  @Test
  void theReasonOfATokenThatFailsIsShown() {
    Value failing = withToken("async () => { throw new Error('signed out'); }");
    Value failure = visits.failure(failing.invokeMember("newest", "m"));
    assertThat(failure.getMember("message").asString())
        .isEqualTo("the bearer token could not be had: signed out");
  }

  /** Across origins it would cost a preflight where there is no token, which needs one anyway. */
  @Test
  void theVersionIsSentWithATokenAlone() {
    visits.answerNext(update(1));
    visits.answerNext(update(1));
    visits.await(withToken("async () => 'bearer'").invokeMember("newest", "m"));
    visits.await(gateway.invokeMember("newest", "m"));
    Value requests = visits.world().getMember("requests");
    Value first = requests.getArrayElement(0).getMember("headers");
    assertThat(first.getMember("Croupier-Client").asString())
        .matches("javascript/\\d+\\.\\d+\\.\\d+");
    assertThat(requests.getArrayElement(1).getMember("headers").hasMember("Croupier-Client"))
        .isFalse();
  }

  @Test
  void aDeviceThatIsOfflineSaysSo() {
    browser.eval("globalThis.navigator = { onLine: false }");
    try {
      visits.answerNext("(() => { throw new Error('no network'); })()");
      Value failure = visits.failure(gateway.invokeMember("newest", "m"));
      assertThat(failure.getMember("message").asString()).isEqualTo("this device is offline");
    } finally {
      browser.eval("delete globalThis.navigator");
    }
  }

  @Test
  void anAnswerOfAnotherServerIsNamed() {
    visits.answerNext("answer(404)");
    Value failure = visits.failure(gateway.invokeMember("newest", "m"));
    assertThat(failure.getMember("message").asString())
        .isEqualTo("the gateway answered 404 without a reason, as another server at its url would");
  }

  /** An abort ends the generator during a pause, too, and leaves neither timer nor listener. */
  @ParameterizedTest
  @ValueSource(strings = {"follow", "events"})
  void anAbortEndsAPause(String how) {
    visits.answerNext("problem(503, 'away', {'Retry-After': '60'})");
    Value taken =
        browser
            .eval(
                """
                (module, page, world, scenarios, crypto, how) => {
                  globalThis.timers = new Map();
                  globalThis.setTimeout = (run, ms) => {
                    const timer = timers.size + 1;
                    timers.set(timer, ms);
                    return timer;
                  };
                  globalThis.clearTimeout = (timer) => timers.delete(timer);
                  globalThis.listeners = new Set();
                  globalThis.signal = {
                    aborted: false,
                    addEventListener: (type, listener) => listeners.add(listener),
                    removeEventListener: (type, listener) => listeners.delete(listener),
                    abort() {
                      this.aborted = true;
                      [...listeners].forEach((listener) => listener());
                    },
                  };
                  const { fetch, now } = page;
                  const gateway = new module.Gateway(
                      {url: 'https://gateway.example', fetch, now, crypto});
                  return scenarios.watch(scenarios.take(gateway[how]('m', {signal}), 1));
                }
                """)
            .execute(
                browser.exports(),
                visits.page(),
                visits.world(),
                scenarios,
                browser.crypto(new SplittableRandom(9)::nextLong),
                how);
    visits.run();
    assertThat(browser.eval("[...timers.values()].join()").asString()).isEqualTo("60000");
    assertThat(taken.getMember("isSettled").asBoolean()).isFalse();
    browser.eval("signal.abort()");
    visits.run();
    assertThat(taken.getMember("isSettled").asBoolean()).isTrue();
    assertThat(taken.getMember("value").getArraySize()).isZero();
    assertThat(browser.eval("timers.size + listeners.size").asInt()).isZero();
  }

  /** However the stream is cut into chunks, within lines and characters. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 1000})
  void followsByEvents(int size) {
    String stream =
        ": h\u00e9llo\\n"
            + "\\n"
            + "retry: 5\\n"
            + "event: update\\n"
            + "id: 3\\n"
            + "data: {\"modelId\": \"m\", \"round\": \"3\",\\r"
            + "\\n"
            + "data: \"weights\": [1], \"average\": [1], \"gradientBound\": 1, \"gridExponent\":"
            + " -16}\\n"
            + "\\n"
            + "event: other\\n"
            + "data: {}\\n"
            + "\\n"
            + "data:{\"modelId\": \"m\", \"round\": \"4\", \"weights\": [1], \"average\": [1],"
            + " \"gradientBound\": 1, \"gridExponent\": -16}\\r"
            + "\\r"
            + "data: unfinished";
    browser
        .eval(
            "(world, scenarios, text, size) => { globalThis.stream = () =>"
                + " scenarios.answer(200, {headers: {'Content-Type': 'text/event-stream'}, body: scenarios.chunks(text, size)}); }")
        .execute(visits.world(), scenarios, browser.eval("'" + stream + "'"), size);
    visits.answerNext("globalThis.stream()");
    visits.answerNext("problem(503, 'away')");
    visits.answerNext("globalThis.stream()");
    // The stream that is opened again begins with the newest update.
    assertThat(rounds("events", 3)).containsExactly(3, 4, 3);
    assertThat(urls()).containsOnly("/v1/models/m/events").hasSize(3);
  }

  @Test
  void eventsOfAnotherServerEndWithAnError() {
    for (int i = 0; i < 6; i++) {
      visits.answerNext("answer(200, {headers: {'Content-Type': 'text/html'}, body: []})");
    }
    Value updates = gateway.invokeMember("events", "m");
    Value failure = visits.failure(scenarios.getMember("take").execute(updates, 1));
    assertThat(failure.getMember("name").asString()).isEqualTo("GatewayError");
    assertThat(failure.getMember("message").asString()).contains("no stream of events");
    assertThat(urls()).hasSize(6);
  }

  @Test
  void aListWithoutModelsIsAnErrorOfThisModule() {
    visits.answerNext("answer(200, {body: {}})");
    Value failure = visits.failure(gateway.invokeMember("models"));
    assertThat(failure.getMember("name").asString()).isEqualTo("GatewayError");
    assertThat(failure.getMember("message").asString()).contains("no list of models");
  }

  @Test
  void theEventsEndWithTheModel() {
    browser
        .eval(
            "(scenarios) => { globalThis.stream = () => scenarios.answer(200, {headers: {'Content-Type': 'text/event-stream'}, body:"
                + " scenarios.chunks('event: retired\\ndata: {}\\n\\n', 9)}); }")
        .execute(scenarios);
    visits.answerNext("globalThis.stream()");
    assertThat(rounds("events", 3)).isEmpty();
    assertThat(urls()).hasSize(1);
  }

  @Test
  void noRequestCarriesCookiesOrFollowsARedirection() {
    visits.answerNext("(globalThis.last = request, " + update(1) + ")");
    visits.await(gateway.invokeMember("newest", "m"));
    Value request = browser.eval("globalThis.last");
    assertThat(request.getMember("credentials").asString()).isEqualTo("omit");
    assertThat(request.getMember("redirect").asString()).isEqualTo("error");
    assertThat(request.getMember("referrerPolicy").asString()).isEqualTo("no-referrer");
  }

  /** A token and a report are for the gateway alone. */
  @ParameterizedTest
  @CsvSource({
    "https://gateway.example.org, true",
    "https://gateway.example.org:8443/croupier/, true",
    "http://localhost:8080, true",
    "http://127.0.0.1, true",
    "http://[::1]:80/, true",
    "http://gateway.example.org, false",
    "http://localhost.example.org, false",
    "http://127.0.0.1@example.org, false",
    "https://ada@example.org, false",
    "ftp://localhost, false",
    "/v1, false",
  })
  void sendsNothingInTheClear(String url, boolean isSafe) {
    String safe =
        browser
            .eval(
                "(module, url, crypto) => { try { new module.Gateway({url, crypto}); return 'safe';"
                    + " } catch (error) { return error.message; } }")
            .execute(browser.exports(), url, browser.crypto(new SplittableRandom(9)::nextLong))
            .asString();
    assertThat(safe.equals("safe")).as(safe).isEqualTo(isSafe);
  }

  @Test
  void aModelIdIsNoPath() {
    Value failure = visits.failure(gateway.invokeMember("newest", "../reports"));
    assertThat(failure.getMember("message").asString()).contains("modelId");
    assertThat(urls()).isEmpty();
  }
}
