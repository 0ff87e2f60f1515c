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

  /** However the stream is cut into chunks, within lines and characters. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 1000})
  void followsByEvents(int size) {
    String stream =
        ": h\u00e9llo\\n\\n"
            + "retry: 5\\nevent: update\\nid: 3\\ndata: {\"modelId\": \"m\", \"round\": \"3\",\\r\\n"
            + "data: \"weights\": [1], \"average\": [1], \"gradientBound\": 1, \"gridExponent\": -16}\\n\\n"
            + "event: other\\ndata: {}\\n\\n"
            + "data:{\"modelId\": \"m\", \"round\": \"4\", \"weights\": [1], \"average\": [1],"
            + " \"gradientBound\": 1, \"gridExponent\": -16}\\r\\r"
            + "data: unfinished";
    browser
        .eval(
            "(world, scenarios, text, size) => { globalThis.stream = () =>"
                + " scenarios.answer(200, {body: scenarios.chunks(text, size)}); }")
        .execute(visits.world(), scenarios, browser.eval("'" + stream + "'"), size);
    visits.answerNext("globalThis.stream()");
    visits.answerNext("problem(503, 'away')");
    visits.answerNext("globalThis.stream()");
    // The stream that is opened again begins with the newest update.
    assertThat(rounds("events", 3)).containsExactly(3, 4, 3);
    assertThat(urls()).containsOnly("/v1/models/m/events").hasSize(3);
  }

  @Test
  void theEventsEndWithTheModel() {
    browser
        .eval(
            "(scenarios) => { globalThis.stream = () => scenarios.answer(200, {body:"
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
                "(module, url, crypto) => { try { new module.Gateway({url, crypto}); return 'safe'; }"
                    + " catch (error) { return error.message; } }")
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
