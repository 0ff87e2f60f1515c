package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import io.croupier.client.token.Token;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.TokenWindow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A device in windows of three publications, and a gateway that signs its tokens. */
class AnonymousTest extends WindowFixture {
  private Value open(int longestWaitMs) {
    return visits.await(opening(longestWaitMs));
  }

  private Value opening(int longestWaitMs) {
    return visits.scenario(
        "openAnonymously", browser.exports(), visits.page(), visits.crypto(), longestWaitMs);
  }

  /** The messages of the failures at the publications from one to before another. */
  private List<String> failures(long from, long to, LongFunction<Value> takePart) {
    return LongStream.range(from, to)
        .mapToObj(round -> visits.failureIfAny(takePart.apply(round)))
        .flatMap(Optional::stream)
        .map(failure -> failure.getMember("message").asString())
        .toList();
  }

  @Test
  void oneReportInEachWindowWithoutIdentity() {
    long windows = 4;
    Value device = open(1000);
    for (long round = 0; round < windows * PUBLICATIONS; round++) {
      for (int again = 0; again < 2; again++) {
        visits.await(takePart(device, update(round)));
      }
    }
    assertThat(reports()).hasSize((int) windows);
    for (int window = 0; window < windows; window++) {
      AnonymousReport report = reports().get(window);
      assertThat(visits.received().get(window)).hasSize(1024);
      assertThat(report.getRound() / PUBLICATIONS).isEqualTo(window);
      assertThat(report.getModelId()).isEqualTo("m");
      assertThat(report.getCandidate().getDimension()).isEqualTo(2);
      assertThat(report.getCandidate().getIndex()).isBetween(0, 255);
      assertThat(report.getPrivUnit()).isEqualTo(window(window, window).getLevels(0).getPrivUnit());
      assertThat(report.getUnknownFields().asMap()).isEmpty();
      Token token = Token.parse(report.getToken());
      assertThat(issuer(window).key().admits(token, challenge(window))).isTrue();
      JsonNode request = asked.get(window);
      assertThat(request.get("sequence").asText()).isEqualTo(Integer.toString(window));
      assertThat(request.get("window").asText()).isEqualTo(Integer.toString(window));
      assertThat(request.get("deviceId").asText())
          .isEqualTo(device.getMember("deviceId").asString());
      assertThat(request).hasSize(6);
    }
    assertThat(spent(device)).isEqualTo(Long.toString(2 * (windows + 1)));
    for (Value request : requests()) {
      boolean isToRelay = request.getMember("url").asString().startsWith("https://relay.example/");
      assertThat(request.getMember("headers").hasMember("Authorization")).isNotEqualTo(isToRelay);
    }
    // Windows and a report in each window, and the tokens of these and of the next one.
    assertThat(requests()).hasSize(3 * (int) windows + 1);
  }

  private Value takePart(Value device, long round, String key) {
    String rows = "new Rows({features: [[0.6, 0.8]], targets: [1], loss: logistic})";
    return takePart(device, update(round), rows, key);
  }

  /**
   * Whatever publication the report is for, the requests with identity and the errors are the same.
   */
  @ParameterizedTest
  @ValueSource(strings = {"{}", "{key: 'version 1'}"})
  void theSameDataAreReportedInOneWindow(String key) {
    Value device = open(1);
    List<Long> refused = new ArrayList<>();
    for (long round = 0; round < 3 * PUBLICATIONS; round++) {
      Optional<Value> failure = visits.failureIfAny(takePart(device, round, key));
      if (failure.isPresent()) {
        assertThat(name(failure.get())).isEqualTo("AlreadyReportedError");
        refused.add(round);
      }
    }
    assertThat(reports()).hasSize(1);
    assertThat(asked).hasSize(1);
    assertThat(spent(device)).isEqualTo("2");
    // When the window is over, whenever the report was.
    assertThat(refused).containsExactly(3L, 4L, 5L, 6L, 7L, 8L);
    visits.await(takePart(device, 9, "{key: 'version 2'}"));
    assertThat(asked).hasSize(2);
  }

  /** The token was charged for yesterday's data. Today's are reported with it, and once. */
  @Test
  void whatIsReportedWithATokenCounts() {
    Value device = open(1);
    visits.await(takePart(device, update(0, window(1, 1))));
    for (long round = 3; round < 5 * PUBLICATIONS; round++) {
      visits.failureIfAny(takePart(device, round, "{key: 'today'}"));
    }
    assertThat(reports()).hasSize(1);
    assertThat(asked).hasSize(2);
  }

  @Test
  void aFunctionNeedsAKey() {
    assertThat(message(takePart(open(1), update(0), "() => [0.6, 0.8]", "undefined")))
        .startsWith("key is undefined; it must be");
  }

  /**
   * One that can't be granted now, and then is refused: it is charged once, and not asked for
   * again.
   */
  @Test
  void aTokenIsAskedForAgainWithTheSameBytes() {
    Value device = open(1);
    visits.answerNext("problem(503, 'later')");
    assertThat(error(takePart(device, update(0)))).isEqualTo("GatewayError");
    visits.answerNext("problem(422, 'no')");
    assertThat(error(takePart(device, update(0)))).isEqualTo("GatewayError");
    String first = requests().get(0).getMember("body").asString();
    // The token of window 1 waits for this one: after it, the ledger would refuse this one.
    assertThat(requests().get(1).getMember("body").asString()).isEqualTo(first);
    visits.await(takePart(device, update(0)));
    assertThat(asked).hasSize(1);
    assertThat(asked.get(0).get("window").asText()).isEqualTo("1");
    assertThat(spent(device)).isEqualTo("4");
  }

  /** Also a report that is drawn and waits. */
  @Test
  void aStopDropsAllTokens() {
    Value device = open(1);
    visits.await(takePart(device, update(2)));
    visits.answerNext(STOPPED);
    assertThat(error(takePart(device, update(2, window(1, 1), window(2, 2)))))
        .isEqualTo("StoppedError");
    assertThat(asked).hasSize(1);
    for (long round = 3; round < 6; round++) {
      visits.await(takePart(device, update(round, window(1, 1), window(2, 2))));
    }
    assertThat(reports()).isEmpty();
  }

  /** With identity, the requests must not depend on what the device does at its slot. */
  @Tag("thorough")
  @Test
  void tokensAreAskedForThoughGradientsFail() {
    Value device = open(1);
    for (long round = 0; round < 9; round++) {
      long now = round / PUBLICATIONS;
      long next = 3 + round;
      visits.failureIfAny(
          takePart(
              device,
              update(round, window(now, now), window(next, next)),
              "() => { throw new Error('no data'); }",
              "{key: 'all', times: Infinity}"));
      assertThat(asked).anyMatch(request -> request.get("window").asLong() == next);
    }
    assertThat(reports()).isEmpty();
  }

  /** Such a token would leave the gateway the choice of the publications that remain. */
  @Test
  void aTokenThatIsNotGrantedBeforeTheSecondPublicationIsGivenUp() {
    Value device = open(1);
    visits.answerNext("problem(503, 'later')");
    assertThat(error(takePart(device, update(0, window(0, 0))))).isEqualTo("GatewayError");
    for (long round = 1; round < PUBLICATIONS; round++) {
      visits.await(takePart(device, update(round, window(0, 0))));
    }
    assertThat(requests()).hasSize(1);
    assertThat(spent(device)).isEqualTo("2");
  }

  @Test
  void theLongestWaitIsAboveZero() {
    assertThat(message(opening(0)))
        .contains("anonymous.longestWaitMs is 0; it must be an integer above 0");
  }

  @Test
  void aTokenOfAnotherKeyThanThatOfTheUpdateIsNotUsed() {
    Value device = open(1);
    visits.await(takePart(device, update(2)));
    assertThat(failures(3, 6, round -> takePart(device, update(round, window(1, 8)))))
        .singleElement()
        .asString()
        .contains("window 1 of model m has another key");
    assertThat(reports()).isEmpty();
  }

  /** A gateway that serves one person another key has to serve it to everybody. */
  @Test
  void aKeyThatIsNotServedWithoutIdentityIsNotUsed() {
    String another =
        "window 0 of model m has another key, declaration or rounds than this device's token; no"
            + " report is sent";
    Map<String, String> failures =
        Map.of(
            update(0, window(0, 9)),
            another,
            update(0, window(0, 0), window(9, 9)),
            another,
            update(0, new TokenWindow[0]),
            "the gateway serves no key of window 0 of model m",
            update(9, window(3, 3), window(4, 4)),
            "window 0 of model m is over");
    failures.forEach(
        (answer, message) -> {
          visits = new Visits(browser, scenarios);
          visits.grantBy(this::sign, () -> answer);
          Value device = open(1);
          assertThat(failures(0, PUBLICATIONS, round -> takePart(device, update(round))))
              .last()
              .isEqualTo(message);
          assertThat(reports()).isEmpty();
        });
  }

  @Test
  void aLevelThatTheModelDoesNotHaveIsRefused() {
    Value device =
        visits.await(
            browser.call(
                "(module, {open}, page, crypto) => open(module, page, crypto, {epsilon: 3,"
                    + " anonymous: {collector: new module.Gateway({url:"
                    + " 'https://relay.example', fetch: page.fetch, crypto}), longestWaitMs: 1}})",
                scenarios,
                visits.page(),
                visits.crypto()));
    assertThat(message(takePart(device, update(0))))
        .isEqualTo("epsilon is 3; it must be that of a level of priv_unit of model m");
    assertThat(spent(device)).isEqualTo("0");
  }

  /** A report of window 0 that was drawn, and isn't accepted now. */
  private record Drawn(long round, String failure) {}

  private Drawn drawn(Value device) {
    for (long round = 0; round < PUBLICATIONS; round++) {
      Optional<Value> failure = visits.failureIfAny(takePart(device, update(round, window(0, 0))));
      if (failure.isPresent()) {
        return new Drawn(round, failure.get().getMember("message").asString());
      }
    }
    throw new AssertionError("no report was drawn");
  }

  /** It would leave with the requests by which the person returns. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReportThatIsLeftBehindIsDropped(boolean isPageClosed) {
    served = update(0, new TokenWindow[0]);
    Value device = open(1000);
    long slot = drawn(device).round;
    if (isPageClosed) {
      device.invokeMember("close");
      device = open(1000);
    }
    served = update(slot, window(0, 0), window(1, 1));
    int before = requests().size();
    assertThat(visits.await(takePart(device, update(slot + 1, window(0, 0)))).isNull()).isTrue();
    visits.await(takePart(device, update(slot, window(0, 0))));
    assertThat(reports()).isEmpty();
    assertThat(requests().subList(before, requests().size()))
        .noneMatch(request -> request.getMember("url").asString().contains("relay.example"));
  }

  @Test
  void aReportIsSentAgainWhileItsPublicationIsTheNewest() {
    served = update(0, new TokenWindow[0]);
    Value device = open(1000);
    long slot = drawn(device).round;
    device.invokeMember("close");
    served = update(slot, window(0, 0), window(1, 1));
    visits.await(takePart(open(1000), update(slot, window(0, 0))));
    assertThat(reports()).hasSize(1);
  }

  @Test
  void aReportIsDroppedIfThePageSleepsBeforeItLeaves() {
    visits.grantBy(
        this::sign,
        () -> {
          visits.world().putMember("now", visits.world().getMember("now").asLong() + 3_600_000);
          return served;
        });
    Drawn drawn = drawn(open(1000));
    assertThat(drawn.failure)
        .isEqualTo("the report is too late, as after the device slept; it isn't sent");
    assertThat(reports()).isEmpty();
  }

  /** Before each operation of a first visit; a second one ends normally. */
  @Tag("thorough")
  @Test
  void aPageThatIsKilledAnywhereSpendsNothingTwice() {
    List<String> updates =
        LongStream.range(0, PUBLICATIONS).mapToObj(WindowFixture::update).toList();
    int kills = 0;
    for (int stopAt = 1; ; stopAt++) {
      visits = new Visits(browser, scenarios);
      visits.grantBy(this::sign, () -> served);
      asked.clear();
      boolean isOver = visits.visitAnonymously(visits.page(stopAt, false), updates);
      assertThat(visits.visitAnonymously(visits.page(), updates)).isTrue();
      String when = "killed before operation " + stopAt;
      // A device that is killed may have missed its publication, and never has two reports.
      Map<ByteString, ByteString> bytes = new HashMap<>();
      for (AnonymousReport report : reports()) {
        ByteString nonce = Token.parse(report.getToken()).nonce();
        assertThat(bytes.put(nonce, report.toByteString()))
            .as(when)
            .isIn(null, report.toByteString());
      }
      assertThat(bytes).as(when).hasSizeLessThanOrEqualTo(1);
      Map<String, String> blinded = new HashMap<>();
      for (JsonNode request : asked) {
        assertThat(blinded.put(request.get("sequence").asText(), request.toString()))
            .as(when)
            .isIn(null, request.toString());
      }
      assertThat(blinded.keySet()).as(when).containsExactlyInAnyOrder("0", "1");
      assertThat(spent(open(1))).as(when).isEqualTo("4");
      if (isOver) {
        break;
      }
      kills++;
    }
    assertThat(kills).isGreaterThan(50);
  }
}
