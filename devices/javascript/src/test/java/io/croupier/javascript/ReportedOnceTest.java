package io.croupier.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device reports the same data once, whatever becomes of its pages, unless the caller allows
 * more.
 */
class ReportedOnceTest extends DeviceFixture {
  private static final String QUESTION =
      "{estimates: [{question: {name: 'right', accuracy: {}}}], questionProbability: 1}";

  private Value rows(double value) {
    return scenarios.getMember("rows").execute(browser.exports(), value);
  }

  private Value takePart(Value device, int round, double value, String options) {
    return takePart(device, visits.snapshot(round, "{}"), value, options);
  }

  private Value takePart(Value device, Value snapshot, double value, String options) {
    return device.invokeMember(
        "takePart", snapshot, rows(value), browser.eval("(" + options + ")"));
  }

  private void assertRefused(Value promise) {
    assertThat(name(visits.failure(promise))).isEqualTo("AlreadyReportedError");
  }

  private Value stored(String expression) {
    return browser
        .eval(
            "(world) => { const state = world.databases.get('croupier/ada').stores.get('state'); "
                + expression
                + "; }")
        .execute(visits.world());
  }

  @Test
  void theSameDataAreReportedOnceBeforeAnyDraw() {
    Value device = visits.open(visits.page(), "{}");
    visits.await(takePart(device, 0, 0.25, "{}"));
    browser.words(
        () -> {
          throw new AssertionError("noise is drawn for data that were reported");
        });
    Value failure = visits.failure(takePart(device, 1, 0.25, "{}"));
    assertThat(name(failure)).isEqualTo("AlreadyReportedError");
    assertThat(failure.getMember("message").asString())
        .isEqualTo(
            "these data were reported to model m once, and may be once; report other data under another"
                + " key, or state a larger times, which spends again for the same data");
    assertThat(visits.received()).hasSize(1);
    assertThat(spent(device)).isEqualTo("1");
  }

  @Test
  void otherDataAnotherKeyAndAnotherModelAreReported() {
    Value device = visits.open(visits.page(), "{}");
    visits.await(takePart(device, 0, 0.25, "{}"));
    visits.await(takePart(device, 1, 0.5, "{}"));
    visits.await(takePart(device, 2, 0.25, "{key: 'Monday'}"));
    visits.await(takePart(device, 3, 0.25, "{key: 'Tuesday'}"));
    assertRefused(takePart(device, 4, 0.75, "{key: 'Monday'}"));
    visits.await(takePart(device, visits.snapshot(5, "{modelId: 'n'}"), 0.25, "{key: 'Monday'}"));
    assertThat(visits.received()).hasSize(5);
  }

  /** A gradient, then an answer, which is a report of the same data as well. */
  @Test
  void reportsOfAnyKindCount() {
    Value device = visits.open(visits.page(), "{}");
    visits.await(takePart(device, 0, 0.25, "{times: 2}"));
    visits.await(takePart(device, visits.snapshot(1, QUESTION), 0.25, "{times: 2}"));
    assertRefused(takePart(device, 2, 0.25, "{times: 2}"));
    assertRefused(takePart(device, visits.snapshot(3, QUESTION), 0.25, "{}"));
    visits.await(takePart(device, 4, 0.25, "{times: 3}"));
    assertThat(visits.received()).hasSize(3);
  }

  @Test
  void reportsOfOnePartCountUnderAKey() {
    Value device = visits.open(visits.page(), "{}");
    Value data = browser.eval("({key: 'Monday'})");
    Value gradient = browser.array(0.1);
    Value undefined = browser.eval("undefined");
    visits.await(
        device.invokeMember("report", visits.snapshot(0, "{}"), gradient, undefined, data));
    assertRefused(
        device.invokeMember("report", visits.snapshot(1, "{}"), gradient, undefined, data));
    assertRefused(takePart(device, visits.snapshot(2, QUESTION), 0.25, "{key: 'Monday'}"));
    visits.await(device.invokeMember("report", visits.snapshot(3, "{}"), gradient));
    assertThat(visits.received()).hasSize(2);
  }

  @Test
  void timesWithoutAKeyAreRefused() {
    Value device = visits.open(visits.page(), "{}");
    Value undefined = browser.eval("undefined");
    Value failure =
        visits.failure(
            device.invokeMember(
                "report",
                visits.snapshot(0, "{}"),
                browser.array(0.1),
                undefined,
                browser.eval("({times: 2})")));
    assertThat(failure.getMember("message").asString()).startsWith("key is undefined; it must be");
    assertThat(spent(device)).isEqualTo("0");
  }

  /** By a token that was refused, or whose window is over. */
  @Test
  void dataThatATokenWasChargedForAreNotCalledReported() {
    Value device = visits.open(visits.page(), "{}");
    visits.await(takePart(device, 0, 0.25, "{key: 'Monday'}"));
    stored(
        "for (const name of state.keys()) if (name.startsWith('data/')) state.set(name, {charged: 1,"
            + " reported: 0})");
    Value failure = visits.failure(takePart(device, 1, 0.25, "{key: 'Monday'}"));
    assertThat(failure.getMember("message").asString())
        .isEqualTo(
            "a token for model m was charged for these data, and they may be charged once; report other"
                + " data under another key, or state a larger times, which spends again for the same data");
  }

  /** What JSON can't write is other data than each text and than each other such value. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "5n | `5`",
        "5n | 6n",
        "5n | null",
        "Infinity | NaN",
        "Infinity | null",
        "5 | `5`",
        "1 | true",
      })
  void aCategoryMayBeAnyValue(String own, String other) {
    Value device = visits.open(visits.page(), "{}");
    String options = "{categories: {day: %s}}";
    visits.await(takePart(device, 0, 0.25, options.formatted(own)));
    assertRefused(takePart(device, 1, 0.25, options.formatted(own)));
    visits.await(takePart(device, 2, 0.25, options.formatted(other)));
  }

  @Test
  void aCategoryThatContainsItselfIsAnObject() {
    Value device = visits.open(visits.page(), "{}");
    String options = "(() => { const day = {}; day.day = day; return {categories: {day}}; })()";
    visits.await(takePart(device, 0, 0.25, options));
    assertRefused(takePart(device, 1, 0.25, options));
  }

  /** A person's category alone, in a model without a learner. */
  @Test
  void aCategoryIsReportedOnce() {
    String alone =
        "{weights: undefined, average: undefined, gradientBound: undefined, gridExponent: undefined,"
            + " statistics: [{statistic: {name: 'day', choice: {categories: ['a', 'b']}}}],"
            + " questionProbability: 1}";
    Value device = visits.open(visits.page(), "{}");
    Value own = browser.eval("({categories: {day: 'b'}})");
    visits.await(device.invokeMember("takePart", visits.snapshot(0, alone), null, own));
    assertRefused(device.invokeMember("takePart", visits.snapshot(1, alone), null, own));
    Value other = browser.eval("({categories: {day: 'a'}})");
    visits.await(device.invokeMember("takePart", visits.snapshot(2, alone), null, other));
  }

  /** The page is closed after the report is stored, and before the gateway has it. */
  @Test
  void whatAClosedPageStoredIsSentAndNotReportedAgain() {
    Value page = visits.page();
    Value device = visits.open(page, "{}");
    visits.answerNext("(() => { throw new Error('closed'); })()");
    scenarios.getMember("watch").execute(takePart(device, 0, 0.25, "{}"));
    while (visits.world().getMember("requests").getArraySize() == 0) {
      visits.world().invokeMember("step");
    }
    page.invokeMember("kill");
    assertThat(visits.received()).isEmpty();

    Value next = visits.open(visits.page(), "{}");
    assertRefused(takePart(next, 1, 0.25, "{}"));
    assertThat(visits.received()).hasSize(1);
    assertThat(spent(next)).isEqualTo("1");
  }

  /** Without locks, both tabs believe that the ledger is theirs. */
  @Test
  void twoTabsReportOnce() {
    Value first = visits.open(visits.page(), "{locks: null}");
    Value second = visits.open(visits.page(), "{locks: null}");
    Value late = takePart(first, 0, 0.25, "{}");
    visits.await(takePart(second, 1, 0.25, "{}"));
    assertThat(name(visits.failure(late))).isIn("LedgerBusyError", "AlreadyReportedError");
    assertThat(visits.received()).hasSize(1);
  }

  /** What the ledger keeps reveals neither a key nor data without its secret. */
  @Test
  void theLedgerKeepsADigestUnderItsSecret() throws Exception {
    Value device = visits.open(visits.page(), "{}");
    visits.await(takePart(device, 0, 0.25, "{key: 'Montag \u00fc'}"));
    visits.await(takePart(device, 1, 0.25, "{}"));
    byte[] secret = Browser.bytes(stored("return state.get('device').secret"));
    ByteBuffer row = ByteBuffer.allocate(42);
    for (double number : new double[] {1, 1, 0.25, 1, 1}) {
      row.putDouble(number);
    }
    row.put("[]".getBytes(UTF_8));
    Set<String> names = new HashSet<>();
    names.add(mark(secret, 1, "Montag \u00fc".getBytes(UTF_8)));
    names.add(mark(secret, 0, row.array()));
    Value kept = stored("return [...state.keys()].filter((name) => name.startsWith('data/'))");
    assertThat(new HashSet<>(Browser.texts(kept))).isEqualTo(names);
  }

  private static String mark(byte[] secret, int given, byte[] data) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret, "HmacSHA256"));
    mac.update("croupier data\0m\0".getBytes(UTF_8));
    mac.update((byte) given);
    return "data/" + HexFormat.of().formatHex(mac.doFinal(data), 0, 16);
  }

  /** Databases of release 0.2.0 have no counts of data. */
  @Test
  void aLedgerOfAnEarlierReleaseOpens() {
    Value page = visits.page();
    visits.open(page, "{}");
    page.invokeMember("kill");
    stored(
        "state.set('account', {reports: 1, epsilonNanos: '1000000000'}); state.set('rounds/m', [0])");
    Value device = visits.open(visits.page(), "{}");
    assertThat(visits.await(takePart(device, 0, 0.25, "{}")).isNull()).isTrue();
    visits.await(takePart(device, 1, 0.25, "{}"));
    assertRefused(takePart(device, 2, 0.25, "{}"));
    assertThat(spent(device)).isEqualTo("2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "{charged: 1}", "{charged: -1, reported: 0}", "3"})
  void damagedCountsAreRefused(String damage) {
    Value device = visits.open(visits.page(), "{}");
    visits.await(takePart(device, 0, 0.25, "{}"));
    stored(
        "for (const name of state.keys()) if (name.startsWith('data/')) state.set(name, "
            + damage
            + ")");
    Value failure = visits.failure(takePart(device, 1, 0.25, "{}"));
    assertThat(name(failure)).isEqualTo("LedgerError");
    assertThat(failure.getMember("message").asString()).contains("damaged");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{key: ''} | key is a text of 0 bytes; it must be a text of 1 to 256 bytes",
        "{key: 'a'.repeat(257)} | key is a text of 257 bytes",
        "{key: '\u00e4'.repeat(129)} | key is a text of 258 bytes",
        "{key: 20261128} | key is a number",
        "{key: `a\\ud800`} | key is a text with half of a surrogate pair",
        "{times: 0} | times is 0; it must be a whole number of at least 1",
        "{times: 1.5} | times is 1.5",
        "{times: '2'} | times is the text '2'",
        "{day: 'Monday'} | option 'day' of takePart is unknown; it must be one of categories, key, times",
        "`Monday` | the argument of takePart is a text; it must be an object with categories, key, times",
      })
  void aWrongKeyIsRefused(String options, String message) {
    Value device = visits.open(visits.page(), "{}");
    Value failure = visits.failure(takePart(device, 0, 0.25, options));
    assertThat(failure.getMember("message").asString()).startsWith(message);
    assertThat(spent(device)).isEqualTo("0");
  }

  /** Before each operation of a first visit; a second one ends normally. */
  @Tag("thorough")
  @Test
  void aPageThatIsKilledAnywhereReportsTheSameDataOnce() {
    int kills = 0;
    for (int stopAt = 1; ; stopAt++) {
      visits = new Visits(browser, scenarios);
      Value first = visit(visits.page(stopAt, false));
      Value last = first == null ? visit(visits.page()) : first;
      String when = "killed before operation " + stopAt;
      Set<Long> sequences = new HashSet<>();
      for (byte[] body : visits.received()) {
        sequences.add(Visits.report(body).getSequence());
      }
      assertThat(sequences).as(when).hasSize(1);
      Value spent = last.getArrayElement(last.getArraySize() - 1);
      assertThat(spent.getMember("epsilon").asString()).as(when).isEqualTo("1");
      if (first != null) {
        break;
      }
      kills++;
    }
    assertThat(kills).isGreaterThan(30);
  }

  private Value visit(Value page) {
    Value state =
        scenarios
            .getMember("watch")
            .execute(
                scenarios
                    .getMember("visitWithData")
                    .execute(browser.exports(), page, visits.crypto(), 2));
    visits.run();
    return state.getMember("isSettled").asBoolean() ? state.getMember("value") : null;
  }
}
