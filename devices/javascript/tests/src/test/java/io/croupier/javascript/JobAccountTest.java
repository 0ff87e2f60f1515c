package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a device learns of the job's account of its person, and when it asks. */
class JobAccountTest extends DeviceFixture {
  private static final int MINUTE = 60_000;

  private Value device;

  @BeforeEach
  void openDevice() {
    device = visits.open(visits.page(), "{epsilon: 2, token: async () => 'bearer'}");
  }

  /** What the job answers from now on; DEVICE stands for this device. */
  private void answer(String account) {
    String id = device.getMember("deviceId").asString();
    visits.world().putMember("account", account.replace("DEVICE", id));
  }

  private static String account(int highest, String left, String refusals) {
    return """
        {"asOfMs": "1800000000000", "spent": {"reports": "1", "epsilon": 2.0}, "left": {%s},
        "models": [{"modelId": "other", "spent": {}, "left": {"reports": "0"}}],
        "devices": [{"deviceId": "DEVICE", "highestSequence": "%d"}], "refusals": [%s]}"""
        .formatted(left, highest, refusals);
  }

  private static String refusal(int sequence, String outcome, String atMs) {
    return refusal("m", sequence, outcome, atMs);
  }

  private static String refusal(String model, int sequence, String outcome, String atMs) {
    return """
        {"modelId": "%s", "deviceId": "DEVICE", "sequence": "%d", "outcome": "%s", "reason": "because",
        "appendedAtMs": "%s"}"""
        .formatted(model, sequence, outcome, atMs);
  }

  private int asked() {
    return visits.world().getMember("asked").asInt();
  }

  private void pass(int ms) {
    visits.world().putMember("now", visits.world().getMember("now").asLong() + ms);
  }

  private String refused(int round) {
    Value failure = visits.failure(report(device, round));
    assertThat(name(failure)).isEqualTo("JobRefusedError");
    return failure.getMember("message").asString();
  }

  @Test
  void theAccountHasNumbers() {
    answer(
        """
        {"asOfMs": "7", "spent": {"reports": "3", "epsilon": "Infinity"}, "limits": {"epsilon": 20.0},
        "left": {"epsilon": 0.5}, "refusals": [{"modelId": "12", "deviceId": "34", "sequence": "5",
        "reason": "6", "appendedAtMs": "7"}]}""");
    Value account = visits.await(device.invokeMember("account"));
    assertThat(account.getMember("asOfMs").asInt()).isEqualTo(7);
    assertThat(account.getMember("spent").getMember("reports").asInt()).isEqualTo(3);
    assertThat(account.getMember("spent").getMember("epsilon").asDouble()).isInfinite();
    assertThat(account.getMember("left").getMember("epsilon").asDouble()).isEqualTo(0.5);
    assertThat(account.getMember("models").getArraySize()).isZero();
    Value refusal = account.getMember("refusals").getArrayElement(0);
    assertThat(refusal.getMember("modelId").asString()).isEqualTo("12");
    assertThat(refusal.getMember("deviceId").asString()).isEqualTo("34");
    assertThat(refusal.getMember("sequence").asInt()).isEqualTo(5);
    assertThat(visits.world().getMember("askedWith").asString()).isEqualTo("Bearer bearer");
  }

  /** An old gateway answers 404, another one perhaps nothing of use. */
  @Test
  void withoutAnAnswerTheDeviceGoesOn() {
    visits.await(report(device, 0));
    assertThat(asked()).as("before the first report").isZero();
    visits.await(report(device, 1));
    pass(MINUTE);
    answer("{}");
    visits.await(report(device, 2));
    assertThat(asked()).isEqualTo(2);
    assertThat(visits.received()).hasSize(3);
  }

  /** What another server may answer. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "1",
        "{'asOfMs': '1', 'spent': null}",
        "{'asOfMs': '1', 'spent': 1}",
        "{'spent': {}}",
        "{'asOfMs': '1', 'spent': {}, 'left': null}",
        "{'asOfMs': '1', 'spent': {}, 'left': {'reports': {}}}",
        "{'asOfMs': '1', 'spent': {}, 'models': {}}",
        "{'asOfMs': '1', 'spent': {}, 'models': [null]}",
        "{'asOfMs': '1', 'spent': {}, 'models': [{'modelId': 'm', 'left': 1}]}",
        "{'asOfMs': '1', 'spent': {}, 'devices': {}}",
        "{'asOfMs': '1', 'spent': {}, 'devices': [{}]}",
        "{'asOfMs': '1', 'spent': {}, 'refusals': null}",
        "{'asOfMs': '1', 'spent': {}, 'refusals': [{'deviceId': 'DEVICE', 'sequence': '0'}]}",
      })
  void whatIsNoAccountCountsAsNoAnswer(String body) {
    visits.await(report(device, 0));
    answer(body.replace('\'', '"'));
    assertThat(error(device.invokeMember("account"))).isEqualTo("GatewayError");
    visits.await(report(device, 1));
    assertThat(asked()).isEqualTo(2);
  }

  /** The report that met the stop doesn't keep the device from reporting after it. */
  @Test
  void aStoppedPersonsDeviceDrawsNothingUntilTheEndOfTheStop() {
    visits.await(report(device, 0));
    String account =
        account(-1, "\"epsilon\": 100", refusal(0, "REFUSED_STOPPED", "1799999999999"));
    answer(account.replaceFirst("\\{", "{\"stopped\": true, "));
    assertThat(refused(1)).startsWith("the person is stopped");
    answer(account);
    pass(MINUTE);
    visits.await(report(device, 1));
    assertThat(visits.received()).hasSize(2);
  }

  @Test
  void asksOnceForEachReportAndOnceAMinute() {
    answer(account(0, "\"epsilon\": 100", ""));
    visits.await(report(device, 0));
    for (int round = 1; round <= 20; round++) {
      visits.await(report(device, round));
    }
    assertThat(asked()).isOne();
    pass(MINUTE);
    answer(account(20, "\"epsilon\": 100", ""));
    visits.await(report(device, 21));
    assertThat(asked()).isEqualTo(2);
  }

  /** Other devices of the person have spent what the job allows. */
  @Test
  void stopsWhereTheJobsLimitLeavesTooLittle() {
    visits.await(report(device, 0));
    answer(account(0, "\"epsilon\": 1.999999999", refusal(7, "REFUSED_BUDGET", "0")));
    assertThat(refused(1))
        .isEqualTo(
            "the job's limits on all models admit no report of this person now; the last was"
                + " refused: because");
    assertThat(refused(2)).contains("limits");
    assertThat(asked()).isOne();
    assertThat(spent(device)).isEqualTo("2");
    assertThat(visits.received()).hasSize(1);
    pass(MINUTE);
    answer(account(0, "\"epsilon\": 2", ""));
    visits.await(report(device, 3));
    assertThat(asked()).as("a limit may have been raised").isEqualTo(2);
  }

  @Test
  void stopsForADayAfterARefusal() {
    visits.await(report(device, 0));
    answer(account(0, "", refusal(0, "REFUSED_SEQUENCE", "1799913600001")));
    assertThat(refused(1)).isEqualTo("the job refused this device's report 0: because");
    pass(MINUTE);
    answer(account(0, "", refusal(0, "REFUSED_SEQUENCE", "1799913600000")));
    visits.await(report(device, 1));
  }

  /** The job would refuse its numbers, and charge each report; and it lacks what was spent. */
  @Test
  void anOlderCopyOfTheLedgerDrawsNothing() {
    visits.await(report(device, 0));
    answer(account(3, "\"epsilon\": 100", ""));
    assertThat(refused(1))
        .startsWith(
            "the job has judged report 3 of this device, and its ledger ends with report 0: it is"
                + " an older copy, ");
    assertThat(visits.received()).hasSize(1);
    pass(MINUTE);
    answer(account(0, "\"epsilon\": 100", ""));
    visits.await(report(device, 1));
  }

  /** A limit that leaves enough again, and another model's terms, don't stop a device. */
  @ParameterizedTest
  @CsvSource({
    "m, REFUSED_SEQUENCE, true",
    "other, REFUSED_SEQUENCE, true",
    "m, REFUSED_DECLARATION, true",
    "other, REFUSED_DECLARATION, false",
    "m, REFUSED_BUDGET, false",
    "other, REFUSED_BUDGET, false",
  })
  void aRefusalConcernsItsModel(String model, String outcome, boolean stops) {
    visits.await(report(device, 0));
    answer(account(0, "\"epsilon\": 100", refusal(model, 0, outcome, "1800000000000")));
    if (stops) {
      assertThat(refused(1)).isEqualTo("the job refused this device's report 0: because");
    } else {
      visits.await(report(device, 1));
    }
  }

  @Test
  void withoutWhatIsLeftTheRefusalStops() {
    visits.await(report(device, 0));
    answer(
        account(0, "", refusal(0, "REFUSED_BUDGET", "1800000000000")).replace("\"left\": {},", ""));
    assertThat(refused(1)).isEqualTo("the job refused this device's report 0: because");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"mu\": 0.1", "\"epsilon\": 100, \"epsilonAtDelta\": 0.1"})
  void whatIsLeftOfMuDoesNotShowWhetherAReportFits(String left) {
    visits.await(report(device, 0));
    answer(account(0, left, refusal(0, "REFUSED_BUDGET", "1800000000000")));
    assertThat(refused(1)).isEqualTo("the job refused this device's report 0: because");
  }

  @Test
  void anotherVisitAsksBeforeItsFirstReport() {
    visits.await(report(device, 0));
    device.invokeMember("close");
    openDevice();
    answer(account(0, "\"reports\": \"0\"", ""));
    assertThat(refused(1)).contains("on all models");
  }
}
