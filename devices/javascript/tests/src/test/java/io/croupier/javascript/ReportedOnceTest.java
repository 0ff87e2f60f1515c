package io.croupier.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.GradientReport;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.BeforeEach;
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

  private Value page;
  private Value device;

  @BeforeEach
  void openDevice() {
    page = visits.page();
    device = visits.open(page, "{}");
  }

  private Value rows(double value) {
    return visits.scenario("rows", browser.exports(), value);
  }

  private Value takePart(Value device, int round, double value, String options) {
    return takePart(device, visits.snapshot(round, "{}"), value, options);
  }

  private Value takePart(Value device, Value snapshot, double value, String options) {
    return device.invokeMember(
        "takePart", snapshot, rows(value), browser.eval("(" + options + ")"));
  }

  private Value report(Value device, int round, String options) {
    return device.invokeMember(
        "report",
        visits.snapshot(round, "{}"),
        browser.array(0.1),
        browser.eval("undefined"),
        browser.eval("(" + options + ")"));
  }

  private void assertRefused(Value promise) {
    assertThat(error(promise)).isEqualTo("AlreadyReportedError");
  }

  @Test
  void theSameDataAreReportedOnceBeforeAnyDraw() {
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
    visits.await(takePart(device, 0, 0.25, "{times: 2}"));
    visits.await(takePart(device, visits.snapshot(1, QUESTION), 0.25, "{times: 2}"));
    assertRefused(takePart(device, 2, 0.25, "{times: 2}"));
    assertRefused(takePart(device, visits.snapshot(3, QUESTION), 0.25, "{}"));
    visits.await(takePart(device, 4, 0.25, "{times: 3}"));
    assertThat(visits.received()).hasSize(3);
  }

  @Test
  void reportsOfOnePartCountUnderAKey() {
    visits.await(report(device, 0, "{key: 'Monday'}"));
    assertRefused(report(device, 1, "{key: 'Monday'}"));
    assertRefused(takePart(device, visits.snapshot(2, QUESTION), 0.25, "{key: 'Monday'}"));
    visits.await(report(device, 3));
    assertThat(visits.received()).hasSize(2);
  }

  @Test
  void timesWithoutAKeyAreRefused() {
    assertThat(message(report(device, 0, "{times: 2}"))).startsWith("key is undefined; it must be");
    assertThat(spent(device)).isEqualTo("0");
  }

  /** By a token that was refused, or whose window is over. */
  @Test
  void dataThatATokenWasChargedForAreNotCalledReported() {
    visits.await(takePart(device, 0, 0.25, "{key: 'Monday'}"));
    stored(
        "for (const name of state.keys()) if (name.startsWith('data/')) state.set(name, {charged: 1,"
            + " reported: 0})");
    assertThat(message(takePart(device, 1, 0.25, "{key: 'Monday'}")))
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
    String options = "{categories: {day: %s}}";
    visits.await(takePart(device, 0, 0.25, options.formatted(own)));
    assertRefused(takePart(device, 1, 0.25, options.formatted(own)));
    visits.await(takePart(device, 2, 0.25, options.formatted(other)));
  }

  @Test
  void aCategoryThatContainsItselfIsAnObject() {
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
    Value own = browser.eval("({categories: {day: 'b'}})");
    visits.await(device.invokeMember("takePart", visits.snapshot(0, alone), null, own));
    assertRefused(device.invokeMember("takePart", visits.snapshot(1, alone), null, own));
    Value other = browser.eval("({categories: {day: 'a'}})");
    visits.await(device.invokeMember("takePart", visits.snapshot(2, alone), null, other));
  }

  /** The page is closed after the report is stored, and before the gateway has it. */
  @Test
  void whatAClosedPageStoredIsSentAndNotReportedAgain() {
    visits.answerNext("(() => { throw new Error('closed'); })()");
    takePart(device, 0, 0.25, "{}");
    while (requests().isEmpty()) {
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
    assertThat(error(late)).isIn("LedgerBusyError", "AlreadyReportedError");
    assertThat(visits.received()).hasSize(1);
  }

  /** What the ledger keeps reveals neither a key nor data without its secret. */
  @Test
  void theLedgerKeepsADigestUnderItsSecret() throws Exception {
    visits.await(takePart(device, 0, 0.25, "{key: 'Montag \u00fc'}"));
    visits.await(takePart(device, 1, 0.25, "{}"));
    byte[] secret = Browser.bytes(stored("return state.get('device').secret"));
    ByteBuffer row = ByteBuffer.allocate(42);
    for (double number : new double[] {1, 1, 0.25, 1, 1}) {
      row.putDouble(number);
    }
    row.put("[]".getBytes(UTF_8));
    Value kept = stored("return [...state.keys()].filter((name) => name.startsWith('data/'))");
    assertThat(Browser.texts(kept))
        .containsExactlyInAnyOrder(
            mark(secret, 1, "Montag \u00fc".getBytes(UTF_8)), mark(secret, 0, row.array()));
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
    page.invokeMember("kill");
    stored(
        "state.set('account', {reports: 1, epsilonNanos: '1000000000'}); state.set('rounds/m', [0])");
    device = visits.open(visits.page(), "{}");
    assertThat(visits.await(takePart(device, 0, 0.25, "{}")).isNull()).isTrue();
    visits.await(takePart(device, 1, 0.25, "{}"));
    assertRefused(takePart(device, 2, 0.25, "{}"));
    assertThat(spent(device)).isEqualTo("2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "{charged: 1}", "{charged: -1, reported: 0}", "3"})
  void damagedCountsAreRefused(String damage) {
    visits.await(takePart(device, 0, 0.25, "{}"));
    stored(
        "for (const name of state.keys()) if (name.startsWith('data/')) state.set(name, "
            + damage
            + ")");
    assertDamaged(takePart(device, 1, 0.25, "{}"));
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
    assertThat(message(takePart(device, 0, 0.25, options))).startsWith(message);
    assertThat(spent(device)).isEqualTo("0");
  }

  /** Before each operation of a first visit; a second one ends normally. */
  @Tag("thorough")
  @Test
  void aPageThatIsKilledAnywhereReportsTheSameDataOnce() {
    int kills = 0;
    for (int stopAt = 1; ; stopAt++) {
      visits = new Visits(browser, scenarios);
      Value first = visits.visitWithData(visits.page(stopAt, false), 2);
      Value last = first == null ? visits.visitWithData(visits.page(), 2) : first;
      String when = "killed before operation " + stopAt;
      assertThat(visits.reports())
          .extracting(GradientReport::getSequence)
          .as(when)
          .containsOnly(0L);
      Value spent = last.getArrayElement(last.getArraySize() - 1);
      assertThat(spent.getMember("epsilon").asString()).as(when).isEqualTo("1");
      if (first != null) {
        break;
      }
      kills++;
    }
    assertThat(kills).isGreaterThan(30);
  }
}
