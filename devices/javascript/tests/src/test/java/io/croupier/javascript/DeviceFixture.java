package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** One device and its ledger, with storage, locks and network that are mocks. */
abstract class DeviceFixture extends BrowserFixture {
  /** A gateway's answer that the person is stopped. */
  static final String STOPPED =
      "answer(403, {body: {type: 'urn:croupier:problem:stopped', detail: 'the person is stopped'},"
          + " headers: {'Content-Type': 'application/problem+json'}})";

  static Value scenarios;

  Visits visits;

  @BeforeAll
  static void load() {
    scenarios = browser.test("scenarios.js");
  }

  @BeforeEach
  void begin() {
    visits = new Visits(browser, scenarios);
  }

  /** Reports to a round. */
  Value report(Value device, int round) {
    return device.invokeMember("report", visits.snapshot(round, "{}"), browser.array(0.1));
  }

  /** The name of an error. */
  static String name(Value failure) {
    return failure.getMember("name").asString();
  }

  /** The name of the error that a promise is rejected with. */
  String error(Value promise) {
    return name(visits.failure(promise));
  }

  /** The message of the error that a promise is rejected with. */
  String message(Value promise) {
    return visits.failure(promise).getMember("message").asString();
  }

  void assertDamaged(Value promise) {
    Value failure = visits.failure(promise);
    assertThat(name(failure)).isEqualTo("LedgerError");
    assertThat(failure.getMember("message").asString()).contains("damaged");
  }

  /** Runs a statement about the state that a database of Ada's stores. */
  Value stored(String statement) {
    return browser
        .eval(
            "(world) => { const state = world.databases.get('croupier/ada').stores.get('state'); "
                + statement
                + "; }")
        .execute(visits.world());
  }

  /** What the device has spent of epsilon. */
  String spent(Value device) {
    return visits.await(device.invokeMember("spent")).getMember("epsilon").asString();
  }

  /** The bytes of a request, from 0. */
  byte[] body(int request) {
    return Browser.bytes(requests().get(request).getMember("body"));
  }

  /** A header of a request, from 0. */
  String header(int request, String name) {
    return requests().get(request).getMember("headers").getMember(name).asString();
  }

  List<Value> requests() {
    return Browser.values(visits.world().getMember("requests"));
  }

  List<String> urls() {
    return requests().stream().map(request -> request.getMember("url").asString()).toList();
  }

  /** The pauses of all pages, in milliseconds. */
  double[] waits() {
    return Browser.doubles(visits.world().getMember("waits"));
  }
}
