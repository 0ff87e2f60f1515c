package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ledger of a device in a browser: its limits, its lock, and damage. */
class DeviceLedgerTest extends DeviceFixture {
  @Test
  void theLimitRefusesBeforeADraw() {
    Value device = visits.open(visits.page(), "{epsilon: 0.3, limit: {epsilon: 0.7}}");
    visits.await(report(device, 0));
    visits.await(report(device, 1));
    // Every draw begins with new words.
    browser.words(
        () -> {
          throw new AssertionError("noise is drawn above the limit");
        });
    Value failure = visits.failure(report(device, 2));
    assertThat(name(failure)).isEqualTo("LimitReachedError");
    assertThat(failure.getMember("message").asString())
        .isEqualTo("epsilon would add up to 0.9; the limit is 0.7");
    assertThat(visits.received()).hasSize(2);
    assertThat(spent(device)).isEqualTo("0.6");
  }

  private Value reportWithin(Value device, int round, String model, String limits) {
    String changes = "{modelId: '%s', limits: %s}".formatted(model, limits);
    return device.invokeMember("report", visits.snapshot(round, changes), browser.array(0.1));
  }

  /** The job would refuse the report and charge it, and the page would not learn that. */
  @Test
  void theModelsLimitRefusesBeforeADraw() {
    Value page = visits.page();
    visits.await(reportWithin(visits.open(page, "{epsilon: 0.3}"), 0, "m", "{epsilon: 0.5}"));
    page.invokeMember("kill");
    Value device = visits.open(visits.page(), "{epsilon: 0.3}");
    visits.await(reportWithin(device, 0, "n", "{epsilon: 0.5, reports: '1'}"));
    Value failure = visits.failure(reportWithin(device, 1, "m", "{epsilon: 0.5}"));
    assertThat(name(failure)).isEqualTo("LimitReachedError");
    assertThat(failure.getMember("message").asString())
        .isEqualTo("epsilon on model m would add up to 0.6; the model's limit for a person is 0.5");
    assertThat(message(reportWithin(device, 1, "n", "{reports: '1'}")))
        .isEqualTo("reports on model n would be 2; the model's limit for a person is 1");
    assertThat(visits.received()).hasSize(2);
    assertThat(spent(device)).isEqualTo("0.6");
    // The limit may be raised.
    visits.await(reportWithin(device, 1, "m", "{epsilon: 0.6}"));
  }

  /**
   * Such limits allow more than the sum of all reports, by how much depends on the job's account.
   */
  @ParameterizedTest
  @ValueSource(strings = {"{epsilon: 0.5, delta: 1e-6}", "{epsilon: 0.5, perDays: 30}", "{mu: 1}"})
  void limitsThatADeviceCanNotCompareAreLeftToTheJob(String limits) {
    Value device = visits.open(visits.page(), "{epsilon: 0.3}");
    visits.await(reportWithin(device, 0, "m", limits));
    visits.await(reportWithin(device, 1, "m", limits));
    assertThat(visits.received()).hasSize(2);
  }

  /** Ten times 0.1 is 1, as people write it. */
  @Test
  void sumsAreOfDecimals() {
    Value device = visits.open(visits.page(), "{epsilon: 0.1, limit: {epsilon: 1}}");
    for (int round = 0; round < 10; round++) {
      visits.await(report(device, round));
    }
    assertThat(spent(device)).isEqualTo("1");
    assertThat(error(report(device, 10))).isEqualTo("LimitReachedError");
  }

  @Test
  void theLimitOfReportsHolds() {
    Value device = visits.open(visits.page(), "{limit: {epsilon: Infinity, reports: 1}}");
    visits.await(report(device, 0));
    assertThat(error(report(device, 1))).isEqualTo("LimitReachedError");
  }

  @Test
  void oneTabHasTheLedger() {
    Value first = visits.open(visits.page(), "{}");
    assertThat(error(visits.opening(visits.page(), "{}"))).isEqualTo("LedgerBusyError");
    first.invokeMember("close");
    visits.await(report(visits.open(visits.page(), "{}"), 0));
    assertThat(error(report(first, 1))).isEqualTo("LedgerError");
  }

  /** A page that is reloaded finds the lock of the page before, for a moment. */
  @Test
  void waitsForALockThatIsReleasedSoon() {
    Value before = visits.page();
    visits.open(before, "{}");
    Value promise = visits.opening(visits.page(), "{}");
    visits.world().invokeMember("step");
    visits.world().invokeMember("step");
    before.invokeMember("kill");
    visits.await(report(visits.await(promise), 0));
    assertThat(waits()).isNotEmpty();
  }

  @Test
  void withoutLocksTheNewestTabHasTheLedger() {
    Value first = visits.open(visits.page(), "{locks: null}");
    visits.await(report(first, 0));
    Value second = visits.open(visits.page(), "{locks: null}");
    assertThat(error(report(first, 1))).isEqualTo("LedgerBusyError");
    visits.await(report(second, 1));
    assertThat(visits.received()).hasSize(2);
  }

  @Test
  void everyPersonHasALedger() {
    Value ada = visits.open(visits.page(), "{}");
    Value bob = visits.open(visits.page(), "{person: 'bob'}");
    visits.await(report(ada, 0));
    assertThat(spent(bob)).isEqualTo("0");
    assertThat(bob.getMember("deviceId").asString())
        .isNotEqualTo(ada.getMember("deviceId").asString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "state.delete('account')",
        "state.set('account', {reports: 1, epsilonNanos: '-5'})",
        "state.set('account', {reports: 1})",
        "state.delete('device')",
        "state.set('device', {...state.get('device'), secret: new Uint8Array(3)})"
      })
  void aDamagedLedgerIsRefusedAndNotBegunAnew(String damage) {
    Value page = visits.page();
    visits.await(report(visits.open(page, "{}"), 0));
    page.invokeMember("kill");
    stored(damage);
    assertDamaged(visits.opening(visits.page(), "{}"));
  }

  /** As browsers do when the site's data are cleared, by either event. */
  @ParameterizedTest
  @ValueSource(strings = {"onclose", "onversionchange"})
  void aClearedSiteIsNamed(String event) {
    Value device = visits.open(visits.page(), "{}");
    visits.world().getMember("connections").getArrayElement(0).invokeMember(event);
    Value failure = visits.failure(report(device, 0));
    assertThat(name(failure)).isEqualTo("LedgerError");
    assertThat(failure.getMember("message").asString())
        .contains("as it does when the site's data are cleared");
    assertThat(visits.received()).isEmpty();
  }

  @Test
  void withoutStorageNothingIsReported() {
    assertThat(message(visits.opening(visits.page(), "{indexedDB: null}")))
        .contains("no IndexedDB");
  }

  /** The job recognises a resend among the newest 64 numbers alone. */
  @Test
  void atMost64ReportsArePending() {
    Value page = visits.page();
    Value ledger =
        visits.await(
            browser.call(
                "(module, {indexedDB, locks, sleep}, crypto) => module.Ledger.open({person: 'x',"
                    + " limit: {epsilon: Infinity}, indexedDB, locks, storage: null, crypto,"
                    + " sleep})",
                page,
                browser.crypto(new SplittableRandom(1)::nextLong)));
    Value release =
        browser.eval(
            "(ledger, round) => ledger.release({modelId: 'm', round, limits: {epsilon: Infinity,"
                + " reports: Infinity}}, 1n, 'gradient', () => new Uint8Array([round]))");
    for (int round = 0; round < 64; round++) {
      visits.await(release.execute(ledger, round));
    }
    assertThat(message(release.execute(ledger, 64))).contains("report 0 is still pending");
    assertThat(visits.await(ledger.invokeMember("pending")).getArraySize()).isEqualTo(64);
  }
}
