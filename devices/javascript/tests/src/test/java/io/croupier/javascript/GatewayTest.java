package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Following a model over a gateway that is a mock. */
class GatewayTest extends DeviceFixture {
  private static final String MODEL = "https://gateway.example/v1/models/m";
  private static final String NO_NETWORK = "(() => { throw new Error('no network'); })()";
  private static final String CUT_OFF =
      "{...answer(200), json: async () => { throw new TypeError('terminated'); }}";
  private static final String UPDATE =
      "{\"modelId\": \"m\", \"round\": \"%s\", \"weights\": [1], \"average\": [1],"
          + " \"gradientBound\": 1, \"gridExponent\": -16}";

  private Value gateway;

  @BeforeEach
  void follow() {
    gateway = withToken("null");
  }

  private Value withToken(String token) {
    return visits.scenario(
        "gateway",
        browser.exports(),
        visits.page(),
        browser.crypto(new SplittableRandom(9)::nextLong),
        browser.eval("(" + token + ")"));
  }

  private static String update(int round) {
    return update(round, UPDATE.formatted(round));
  }

  private static String update(int round, String body) {
    return "answer(200, {headers: {ETag: '\"%s\"'}, body: %s})".formatted(round, body);
  }

  /** A stream that is cut into chunks of a size. */
  private static String stream(String events, int size) {
    browser
        .eval(
            "(scenarios, events, size) => { globalThis.stream = () => scenarios.answer(200,"
                + " {headers: {'Content-Type': 'text/event-stream'},"
                + " body: scenarios.chunks(events, size)}); }")
        .execute(scenarios, events, size);
    return "globalThis.stream()";
  }

  /** The answer with a first update to each way of following a model. */
  private static String firstUpdate(String how) {
    return how.equals("follow") ? update(7) : stream("data: " + UPDATE.formatted(7) + "\n\n", 9);
  }

  /** The first updates of the model. */
  private Value take(Value of, String how, int count) {
    return visits.scenario("take", of.invokeMember(how, "m"), count);
  }

  private List<Integer> rounds(String how, int count) {
    return Browser.values(visits.await(take(gateway, how, count))).stream()
        .map(snapshot -> snapshot.getMember("round").asInt())
        .toList();
  }

  private void assertGatewayError(Value promise, String message) {
    Value failure = visits.failure(promise);
    assertThat(name(failure)).isEqualTo("GatewayError");
    assertThat(failure.getMember("message").asString()).contains(message);
  }

  @Test
  void readsTheNewestUpdate() {
    visits.answerNext(update(7));
    Value snapshot = visits.await(gateway.invokeMember("newest", "m"));
    assertThat(snapshot.getMember("round").asInt()).isEqualTo(7);
    assertThat(urls()).containsExactly(MODEL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"newest", "follow", "events"})
  void anUpdateOfAnotherModelIsAnError(String how) {
    String other = UPDATE.formatted(7).replace("\"m\"", "\"other\"");
    visits.answerTimes(
        6, how.equals("events") ? stream("data: " + other + "\n\n", 1000) : update(7, other));
    assertGatewayError(
        how.equals("newest") ? gateway.invokeMember("newest", "m") : take(gateway, how, 1),
        "modelId of the update is other; it must be m");
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
    visits.answerNext(
        update(7),
        "answer(304)",
        "problem(503, 'away', {'Retry-After': '30'})",
        NO_NETWORK,
        update(9));
    assertThat(rounds("follow", 2)).containsExactly(7, 9);
    assertThat(urls().get(0)).isEqualTo(MODEL);
    assertThat(urls().subList(1, 5)).containsOnly(MODEL + "?after=7&wait=25");
    assertThat(header(1, "If-None-Match")).isEqualTo("\"7\"");
    // The gateway that answered 304 without waiting is asked after a second.
    assertThat(waits()[0]).isEqualTo(1000);
    assertThat(waits()[1]).isGreaterThanOrEqualTo(30_000);
  }

  /** A gateway may answer a poll as late as it was asked to. */
  @Test
  void aPollHasTheTimeThatItAsksFor() {
    browser.eval(
        "globalThis.times = []; globalThis.AbortSignal = { timeout: (ms) => void times.push(ms) }");
    try {
      visits.answerNext(update(7), update(8), update(9));
      visits.await(
          browser
              .eval("(gateway, take) => take(gateway.follow('m', {waitSeconds: 90}), 3)")
              .execute(gateway, scenarios.getMember("take")));
      assertThat(Browser.doubles(browser.eval("times"))).containsExactly(60_000, 150_000, 150_000);
    } finally {
      browser.eval("delete globalThis.AbortSignal");
    }
  }

  /** The model was retired and applied again; its round is the one that the page has. */
  @Test
  void aRestartedModelIsReadOnce() {
    String restarted = update(7).replace("'\"7\"'", "'\"7-restarted\"'");
    String isKnown = "request.headers['If-None-Match'] === '\"7-restarted\"'";
    visits.answerNext(
        update(7), restarted, "(" + isKnown + " ? answer(304) : " + restarted + ")", update(8));
    assertThat(rounds("follow", 3)).containsExactly(7, 7, 8);
    assertThat(requests()).hasSize(4);
    assertThat(header(3, "If-None-Match")).isEqualTo("\"7-restarted\"");
  }

  private static String published(int round, int atMs) {
    return UPDATE.formatted(round).replace("}", ", \"publishedAtMs\": \"%d\"}".formatted(atMs));
  }

  /** A model that starts again has smaller rounds, too, but publishes later. */
  @Test
  void aGatewayThatLagsBehindAnotherOneGivesNoUpdate() {
    visits.answerNext(
        update(5, published(5, 1000)),
        update(4, published(4, 900)),
        update(6, published(6, 1100)),
        update(0, published(0, 1200)));
    assertThat(rounds("follow", 3)).containsExactly(5, 6, 0);
    assertThat(urls().get(2)).isEqualTo(MODEL + "?after=5&wait=25");
    visits.answerNext(
        stream(
            "data: %s\n\ndata: %s\n\ndata: %s\n\n"
                .formatted(published(5, 1000), published(4, 900), published(6, 1100)),
            1000));
    assertThat(rounds("events", 2)).containsExactly(5, 6);
  }

  @Test
  void aModelThatIsNotPublishedIsAnError() {
    visits.answerNext("problem(404, 'model m is not published')");
    Value failure = visits.failure(take(gateway, "follow", 1));
    assertThat(failure.getMember("status").asInt()).isEqualTo(404);
    assertThat(failure.getMember("message").asString()).contains("model m is not published");
  }

  /** A body that is cut off, another server's page, a gateway that lags, a token that fails. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        CUT_OFF,
        "answer(200, {body: '<html>Please log in</html>'})",
        "answer(200, {body: {connected: false}})",
        "problem(404, 'model_id must name a model that is published and not retired')",
        "answer(404)",
      })
  void followsOnAfterAFailureThatMayPass(String trouble) {
    visits.answerNext(update(7), trouble, trouble, update(8));
    assertThat(rounds("follow", 2)).containsExactly(7, 8);
    assertThat(waits()).hasSize(2);
    assertThat(waits()[0]).isBetween(500.0, 1000.0);
    assertThat(waits()[1]).isBetween(1000.0, 2000.0);
  }

  @Test
  void theFirstPollIsRepeatedToo() {
    visits.answerNext(CUT_OFF, update(8));
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
    visits.answerTimes(6, trouble);
    assertGatewayError(take(gateway, "follow", 2), message);
    assertThat(urls()).hasSize(7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"follow", "events"})
  void aTokenThatFailsOnceIsAskedForAgain(String how) {
    browser.eval("globalThis.calls = 0");
    gateway =
        withToken("async () => { if (calls++ === 0) throw new Error('no network'); return 't'; }");
    visits.answerNext(firstUpdate(how));
    assertThat(rounds(how, 1)).containsExactly(7);
    assertThat(browser.eval("globalThis.calls").asInt()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"follow", "events"})
  void aPageLearnsWhyItWaits(String how) {
    visits.answerNext(
        "problem(503, 'away', {'Retry-After': '30'})",
        NO_NETWORK,
        "problem(404, 'model m is not published')");
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
    double[] announced = Browser.doubles(browser.eval("retries.map(({ms}) => ms)"));
    assertThat(announced).startsWith(30_000).isEqualTo(waits());
  }

  /** Browsers' timers hold 31 bits of milliseconds, and run a longer one without a pause. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "follow | 2147484",
        "follow | 99999999999999",
        "events | 2147484",
        // A clock that is wrong by years must not stop a device.
        "follow | Fri, 15 Jan 2055 08:03:03 GMT",
      })
  void aLongRetryAfterIsAPauseAndNoFlood(String how, String seconds) {
    visits.answerNext("problem(503, 'away', {'Retry-After': '" + seconds + "'})", firstUpdate(how));
    assertThat(rounds(how, 1)).containsExactly(7);
    assertThat(waits()).startsWith(600_000);
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
    Value asked = visits.failure(gateway.invokeMember("newest", "m")).getMember("retryAfterMs");
    assertThat(asked.isNull() ? null : asked.asDouble()).isEqualTo(wait);
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
    assertThat(message(take(withToken(token), "follow", 1))).startsWith(message);
    assertThat(urls()).isEmpty();
  }

  @Test
  void theReasonOfATokenThatFailsIsShown() {
    Value failing = withToken("async () => { throw new Error('signed out'); }");
    assertThat(message(failing.invokeMember("newest", "m")))
        .isEqualTo("the bearer token could not be had: signed out");
  }

  /** Across origins it would cost a preflight where there is no token, which needs one anyway. */
  @Test
  void theVersionIsSentWithATokenAlone() {
    visits.answerTimes(2, update(1));
    visits.await(withToken("async () => 'bearer'").invokeMember("newest", "m"));
    visits.await(gateway.invokeMember("newest", "m"));
    assertThat(header(0, "Croupier-Client")).matches("javascript/\\d+\\.\\d+\\.\\d+");
    assertThat(requests().get(1).getMember("headers").hasMember("Croupier-Client")).isFalse();
  }

  @Test
  void aDeviceThatIsOfflineSaysSo() {
    browser.eval("globalThis.navigator = { onLine: false }");
    try {
      visits.answerNext(NO_NETWORK);
      assertThat(message(gateway.invokeMember("newest", "m"))).isEqualTo("this device is offline");
    } finally {
      browser.eval("delete globalThis.navigator");
    }
  }

  @Test
  void anAnswerOfAnotherServerIsNamed() {
    visits.answerNext("answer(404)");
    assertThat(message(gateway.invokeMember("newest", "m")))
        .isEqualTo("the gateway answered 404 without a reason, as another server at its url would");
  }

  /** An abort ends the generator during a pause, too, and leaves neither timer nor listener. */
  @ParameterizedTest
  @ValueSource(strings = {"follow", "events"})
  void anAbortEndsAPause(String how) {
    visits.answerNext("problem(503, 'away', {'Retry-After': '60'})");
    Value taken =
        browser.call(
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
                """,
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
    String events =
        ": h\u00e9llo\n\nretry: 5\nevent: update\nid: 3\n"
            + ("data: " + UPDATE.formatted(3).replace("\"3\", ", "\"3\",\r\ndata: ") + "\n\n")
            + "event: other\ndata: {}\n\n"
            + ("data:" + UPDATE.formatted(4) + "\r\r")
            + "data: unfinished";
    String answer = stream(events, size);
    visits.answerNext(answer, "problem(503, 'away')", answer);
    // The stream that is opened again begins with the newest update.
    assertThat(rounds("events", 3)).containsExactly(3, 4, 3);
    assertThat(urls()).containsOnly(MODEL + "/events").hasSize(3);
  }

  /** A dead connection ends neither the request nor the stream, and a gateway is never silent. */
  @Test
  void aSilentStreamIsOpenedAgain() {
    browser
        .eval(
            """
            (world, {answer, chunks}) => {
              globalThis.setTimeout = (run, ms) => {
                const timer = { run };
                world.schedule(() => timer.run?.(), ms);
                return timer;
              };
              globalThis.clearTimeout = (timer) => { timer.run = null; };
              globalThis.AbortController = class {
                signal = { addEventListener: (type, listener) => { this.abort = listener; } };
                abort() {}
              };
              globalThis.silent = ({ signal }) => new Promise((resolve, reject) => {
                signal?.addEventListener('abort', () => reject(new Error('aborted')));
              });
              globalThis.stalled = (request, events) => {
                const left = chunks(events, 1000);
                const read = async () => (
                  left.length > 0 ? { done: false, value: left.shift() } : silent(request));
                const headers = { 'Content-Type': 'text/event-stream' };
                return {
                  ...answer(200, { headers }),
                  body: { getReader: () => ({ read, cancel: async () => {} }) },
                };
              };
            }
            """)
        .execute(visits.world(), scenarios);
    try {
      visits.answerNext(
          "globalThis.silent(request)",
          "globalThis.stalled(request, 'data: %s\\n\\n')".formatted(UPDATE.formatted(7)),
          "globalThis.stalled(request, 'data: %s\\n\\n')".formatted(UPDATE.formatted(8)));
      assertThat(rounds("events", 2)).containsExactly(7, 8);
    } finally {
      browser.eval(
          "delete globalThis.setTimeout; delete globalThis.clearTimeout;"
              + " delete globalThis.AbortController");
    }
  }

  /** An operator rolls the model back, or it asks more devices since it lacks answers. */
  @ParameterizedTest
  @ValueSource(strings = {"averageRound", "answerProbability"})
  void anEventWithAnotherUpdateOfTheRoundIsRead(String field) {
    String update = UPDATE.formatted(5);
    String counted = update.replace("}", ", \"used\": \"1\", \"publishedAtMs\": \"2\"}");
    String changed = counted.replace("}", ", \"%s\": 1}".formatted(field));
    visits.answerNext(
        stream("data: %s\n\ndata: %s\n\ndata: %s\n\n".formatted(update, counted, changed), 1000));
    assertThat(rounds("events", 2)).containsExactly(5, 5);
  }

  @Test
  void eventsOfAnotherServerEndWithAnError() {
    visits.answerTimes(6, "answer(200, {headers: {'Content-Type': 'text/html'}, body: []})");
    assertGatewayError(take(gateway, "events", 1), "no stream of events");
    assertThat(urls()).hasSize(6);
  }

  @Test
  void aListWithoutModelsIsAnErrorOfThisModule() {
    visits.answerNext("answer(200, {body: {}})");
    assertGatewayError(gateway.invokeMember("models"), "no list of models");
  }

  @Test
  void theEventsEndWithTheModel() {
    visits.answerNext(stream("event: retired\ndata: {}\n\n", 9));
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
            .call(
                "(module, url, crypto) => { try { new module.Gateway({url, crypto}); return 'safe';"
                    + " } catch (error) { return error.message; } }",
                url,
                browser.crypto(new SplittableRandom(9)::nextLong))
            .asString();
    assertThat(safe.equals("safe")).as(safe).isEqualTo(isSafe);
  }

  @Test
  void aModelIdIsNoPath() {
    assertThat(message(gateway.invokeMember("newest", "../reports"))).contains("modelId");
    assertThat(urls()).isEmpty();
  }
}
