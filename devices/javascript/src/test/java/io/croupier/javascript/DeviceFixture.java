package io.croupier.javascript;

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

  /** What the device has spent of epsilon. */
  String spent(Value device) {
    return visits.await(device.invokeMember("spent")).getMember("epsilon").asString();
  }

  /** The bytes of a request, from 0. */
  byte[] body(int request) {
    return Browser.bytes(
        visits.world().getMember("requests").getArrayElement(request).getMember("body"));
  }
}
