package io.croupier.javascript;

import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Violation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyArray;
import org.graalvm.polyglot.proxy.ProxyExecutable;
import org.graalvm.polyglot.proxy.ProxyObject;

/**
 * Pages with a device each, on a disk and with a gateway that outlive them. Storage, locks and
 * network are mocks, in world.js: the tests in Chromium use a browser's own.
 */
final class Visits {
  private final Browser browser;
  private final Value scenarios;
  private final ProxyObject crypto;
  private final Value world;

  Visits(Browser browser, Value scenarios) {
    this.browser = browser;
    this.scenarios = scenarios;
    crypto = browser.crypto(new SplittableRandom(8)::nextLong);
    world = scenarios.getMember("World").newInstance();
  }

  /** A page that is never killed. */
  Value page() {
    return page(0, false);
  }

  /**
   * A page.
   *
   * @param stopAt number of the operation before which it is killed, from 1
   * @param isFailure whether that operation fails instead
   */
  Value page(int stopAt, boolean isFailure) {
    return scenarios.getMember("Page").newInstance(world, stopAt, isFailure);
  }

  Value world() {
    return world;
  }

  /** Runs all tasks. */
  void run() {
    int tasks = 0;
    while (world.invokeMember("step").asBoolean()) {
      if (++tasks > 100_000) {
        throw new AssertionError("the page doesn't come to rest");
      }
    }
  }

  /** What a promise is fulfilled with. */
  Value await(Value promise) {
    Value state = settled(promise);
    if (!state.getMember("isSettled").asBoolean()) {
      throw new AssertionError("the promise is pending, and no task is left");
    }
    if (!state.getMember("failure").isNull()) {
      throw new AssertionError(state.getMember("failure").toString());
    }
    return state.getMember("value");
  }

  /** The error that a promise is rejected with. */
  Value failure(Value promise) {
    return failureIfAny(promise)
        .orElseThrow(() -> new AssertionError("the promise isn't rejected"));
  }

  /** The error that a promise is rejected with, if it is. */
  Optional<Value> failureIfAny(Value promise) {
    return Optional.of(settled(promise).getMember("failure")).filter(value -> !value.isNull());
  }

  private Value settled(Value promise) {
    Value state = scenario("watch", promise);
    run();
    return state;
  }

  /** Calls a function of scenarios.js. */
  Value scenario(String name, Object... arguments) {
    return scenarios.getMember(name).execute(arguments);
  }

  /** A device, on a page. */
  Value open(Value page, String options) {
    return await(opening(page, options));
  }

  /** The promise of a device. */
  Value opening(Value page, String options) {
    return scenario("open", browser.exports(), page, crypto, browser.eval("(" + options + ")"));
  }

  /** A snapshot of the model, with other fields. */
  Value snapshot(int round, String changes) {
    Value update = scenario("update", round, browser.eval("(" + changes + ")"));
    return browser.export("readUpdate").execute(update);
  }

  /** Runs a visit of a page until it is over, or killed; null if it was killed. */
  Value visit(Value page, int rounds) {
    return result(scenario("visit", browser.exports(), page, crypto, rounds));
  }

  /** The same, of a visit that takes part with the same data in each round. */
  Value visitWithData(Value page, int rounds) {
    return result(scenario("visitWithData", browser.exports(), page, crypto, rounds));
  }

  /** Runs an anonymous visit with these updates until it is over; false if it was killed. */
  boolean visitAnonymously(Value page, List<String> updates) {
    ProxyArray texts = ProxyArray.fromList(new ArrayList<>(updates));
    return result(scenario("visitAnonymously", browser.exports(), page, crypto, texts)) != null;
  }

  private Value result(Value visit) {
    Value state = settled(visit);
    return state.getMember("isSettled").asBoolean() ? state.getMember("value") : null;
  }

  /** The source of random words and hashes of all pages. */
  ProxyObject crypto() {
    return crypto;
  }

  /** The next answers of the gateway: expressions of {@code (request, world)}. */
  void answerNext(String... expressions) {
    for (String expression : expressions) {
      Value answer =
          browser.eval("({answer, problem}) => (request, world) => (" + expression + ")");
      world.getMember("answers").invokeMember("push", answer.execute(scenarios));
    }
  }

  /** The same answer, a number of times. */
  void answerTimes(int times, String expression) {
    answerNext(Collections.nCopies(times, expression).toArray(String[]::new));
  }

  /**
   * Answers requests for tokens by a function of the JSON that was sent, and requests for windows
   * by the JSON of an update, from now on.
   */
  void grantBy(UnaryOperator<String> grants, Supplier<String> windows) {
    ProxyExecutable grant = arguments -> grants.apply(arguments[0].asString());
    ProxyExecutable served = arguments -> windows.get();
    scenario("grantBy", world, grant, served);
  }

  /** The bytes of all reports that the gateway received, also twice. */
  List<byte[]> received() {
    return Browser.values(world.getMember("received")).stream().map(Browser::bytes).toList();
  }

  /** All reports that the gateway received. */
  List<GradientReport> reports() {
    return received().stream().map(Visits::report).toList();
  }

  /** The report of these bytes, as the gateway completes it, and checks it as the job does. */
  static GradientReport report(byte[] bytes) {
    try {
      GradientReport report = GradientReport.parseFrom(bytes);
      List<Violation> violations =
          GradientReports.violations(report.toBuilder().setUserId("ada").build());
      if (!violations.isEmpty()) {
        throw new AssertionError(violations);
      }
      return report;
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}
