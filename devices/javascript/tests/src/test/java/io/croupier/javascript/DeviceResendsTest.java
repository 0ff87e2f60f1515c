package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that fail: when a device sends the same bytes again, and when it gives up. */
class DeviceResendsTest extends DeviceFixture {
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
    assertThat(visits.reports().get(0).getSequence()).isEqualTo(1);
  }

  @Test
  void aStopDropsWhatIsPending() {
    Value device = visits.open(visits.page(), "{attempts: 1}");
    visits.answerNext("problem(503, 'later')");
    assertThat(error(report(device, 0))).isEqualTo("GatewayError");
    visits.answerTimes(2, STOPPED);
    Value failure = visits.failure(report(device, 1));
    assertThat(name(failure)).isEqualTo("StoppedError");
    assertThat(failure.getMember("detail").asString()).isEqualTo("the person is stopped");
    assertThat(failure.getMember("isFinal").asBoolean()).isTrue();
    visits.await(device.invokeMember("resend"));
    assertThat(visits.received()).isEmpty();
    assertThat(spent(device)).isEqualTo("2");
  }

  @Test
  void aMessageIsOneLineThatNoTerminalObeys() {
    Value device = visits.open(visits.page(), "{}");
    visits.answerNext("problem(422, 'Zo\\u00eb\\u001b[31m\\nforged\\u202e\\u2028 \\u009b')");
    assertThat(message(report(device, 0)))
        .contains("Zo\u00eb\\u001b[31m\\u000aforged\\u202e\\u2028 \\u009b");
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
    visits.answerTimes(2, trouble);
    visits.await(report(device, 0));
    assertThat(visits.received()).hasSize(1);
    assertThat(visits.received().get(0)).isEqualTo(body(0)).isEqualTo(body(1));
    assertThat(waits()).hasSize(2);
    assertThat(waits()[0]).isBetween(leastWait, 10_000.0);
    assertThat(spent(device)).isEqualTo("1");
  }

  private static final String UNKNOWN =
      "answer(404, {body: {type: 'urn:croupier:problem:unknown', detail: 'model_id is m', errors: [{field: 'model_id', detail: 'model_id"
          + " is m'}]}, headers: {'Content-Type': 'application/problem+json'}})";

  /** The page may know the model from a gateway that has read more than this one. */
  @Test
  void anUnknownModelIsAwaited() {
    Value device = visits.open(visits.page(), "{}");
    visits.answerTimes(5, UNKNOWN);
    visits.await(report(device, 0));
    assertThat(visits.received()).hasSize(1);
    for (int i = 0; i < 6; i++) {
      assertThat(body(i)).isEqualTo(visits.received().get(0));
    }
    assertThat(waits()).hasSize(5);
    for (int i = 0; i < 5; i++) {
      assertThat(waits()[i]).isBetween(500.0 * (1 << i), 1000.0 * (1 << i));
    }
  }

  @Test
  void aModelThatStaysUnknownIsARefusal() {
    Value device = visits.open(visits.page(), "{attempts: 1}");
    visits.answerTimes(6, UNKNOWN);
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
        "answer(400, {body: {type: 'about:blank'}, headers: {'Content-Type': 'application/problem+json'}})",
        "problem(503, 'x', {'Retry-After': '9999'})"
      })
  void whatConcernsNoReportLeavesItPending(String trouble) {
    Value device = visits.open(visits.page(), "{}");
    visits.answerNext(trouble);
    assertThat(visits.failure(report(device, 0)).getMember("isFinal").asBoolean()).isFalse();
    // Before another one is drawn.
    visits.answerNext(trouble);
    assertThat(error(report(device, 1))).isEqualTo("GatewayError");
    assertThat(spent(device)).isEqualTo("1");
    visits.await(report(device, 1));
    assertThat(visits.received()).hasSize(2);
    assertThat(visits.received().get(0)).isEqualTo(body(0)).isEqualTo(body(1));
  }

  @Test
  void givesUpAfterTheAttemptsAndSendsTheSameBytesInTheNextVisit() {
    Value page = visits.page();
    Value device = visits.open(page, "{attempts: 2}");
    visits.answerTimes(2, "answer(503)");
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
    assertThat(header(0, "Authorization")).isEqualTo("Bearer old");
    assertThat(header(1, "Authorization")).isEqualTo("Bearer new");
    visits.answerTimes(2, "problem(401, 'expired')");
    Value failure = visits.failure(report(device, 1));
    assertThat(failure.getMember("status").asInt()).isEqualTo(401);
    assertThat(failure.getMember("isFinal").asBoolean()).isFalse();
    assertThat(failure.toString()).doesNotContain("old").doesNotContain("new");
  }
}
