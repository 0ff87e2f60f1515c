package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A wrong argument ends with an error of the module that names it, and what would be right. */
class ArgumentsTest extends DeviceFixture {

  /** Every call of every export, with values of every other kind. */
  @Test
  void everyErrorNamesTheArgument() {
    Value arguments = browser.test("arguments.js");
    Value result =
        visits.await(
            arguments
                .getMember("callAll")
                .execute(browser.exports(), visits.page(), visits.crypto()));
    assertThat(Browser.texts(result.getMember("complaints"))).isEmpty();
    List<String> calls = Browser.texts(result.getMember("calls"));
    for (String name : browser.exports().getMemberKeys()) {
      Value export = browser.export(name);
      if (export.canExecute() && !name.endsWith("Error")) {
        assertThat(calls).anyMatch(call -> call.replace("new ", "").startsWith(name));
      }
    }
  }

  private String message(String expression) {
    return browser
        .call(
            "(module) => { const { Gateway, Rows, PrivUnit, huber, logistic, pinball, softmax } = module;"
                + " try { "
                + expression
                + "; } catch (error) { return `${error.name}: ${error.message}`; } return ''; }")
        .asString();
  }

  private static final String LOSSES =
      "it must be logistic, hinge, softmax(k), squared, absolute, pinball(level) or huber(), as this"
          + " module exports them, without quotes";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "undefined | undefined; " + LOSSES,
        "`logistic` | the text 'logistic'; " + LOSSES,
        "softmax | softmax without its number of classes; it must be softmax(k), such as softmax(3)",
        "pinball | pinball without its level; it must be pinball(level), such as pinball(0.9)",
        "huber | huber without its call; it must be huber()",
      })
  void aLossIsOneOfTheModule(String loss, String message) {
    String rows = "new Rows({features: [[1]], targets: [1], loss: %s})".formatted(loss);
    assertThat(message(rows)).isEqualTo("CroupierError: loss is " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true | a target is true or false; it must be 0 or 1: Number(true) is 1",
        "`yes` | a target is a text; it must be 0 or 1",
        "-1 | a target is malformed; it must be 0 or 1",
      })
  void aLabelIsANumber(String label, String message) {
    String rows = "new Rows({features: [[1]], targets: [%s], loss: logistic})".formatted(label);
    assertThat(message(rows)).isEqualTo("CroupierError: " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "new PrivUnit({dimension: 1, epsilon: '1'}) | epsilon is the text '1'; it must be a number from 1e-9 to 16",
        "new Gateway() | the argument of Gateway is undefined; it must be an object with url, token",
        "new Gateway('https://gateway.example') | the argument of Gateway is a text; it must be an object with url",
        "new Gateway({url: 'https://gateway.example', tokn: 1}) | option 'tokn' of Gateway is unknown",
        "new Gateway({url: 'https://gateway.example', token: `eyJ0`}) | token is a text; it must be a function that returns",
        "pinball(90) | level is 90; it must be above 0 and below 1",
        "huber(2) | the argument of huber is a number; it must be an object with c, scale",
      })
  void whatIsGivenAndWhatIsRightAreNamed(String call, String message) {
    assertThat(message(call)).startsWith("CroupierError: " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{epsilon: '1'} | epsilon is the text '1'; it must be a number from 1e-9 to 16",
        "{limit: undefined} | limit is undefined; it must be an object, such as {epsilon: 20}",
        "{limit: 20} | limit is 20; it must be an object, such as {epsilon: 20}",
        "{limit: {epsilon: '20'}} | limit.epsilon is the text '20'; it must be a number of at least 0",
        "{limits: {epsilon: 20}} | option 'limits' of Device.open is unknown",
        "{token: null} | token of the Gateway is missing; it must be a function",
      })
  void aDeviceStatesWhatItNeeds(String options, String message) {
    assertThat(message(visits.opening(visits.page(), options))).startsWith(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "async () => 'bearer' | null | the argument of account is null; it must be an object with signal",
        "async () => 'bearer' | {sginal: null} | option 'sginal' of account is unknown; it must be one of signal",
        "null | {} | token of the Gateway is missing; it must be a function",
      })
  void anAccountIsAskedForUnderAToken(String token, String options, String message) {
    Value asked =
        browser.call(
            "({Gateway}, {fetch, sleep, now}, crypto) => new Gateway({url: 'https://gateway.example',"
                + " token: %s, fetch, sleep, now, crypto}).account(%s)".formatted(token, options),
            visits.page(),
            visits.crypto());
    assertThat(message(asked)).startsWith(message);
  }

  /**
   * The clip bounds features, so the slope must have a bound; the loss is not named as another one.
   */
  @Test
  void aLossWithoutABoundedSlopeIsNotCalledSquared() {
    Value device = visits.open(visits.page(), "{}");
    String clip = "{size: 'FEATURES', slopeBound: 1, questionProbability: 0}";
    Value rows =
        browser.call(
            "({Rows, squared}) => new Rows({features: [[1]], targets: [1], loss: {...squared,"
                + " name: 'mine'}})");
    assertThat(message(device.invokeMember("takePart", visits.snapshot(0, clip), rows)))
        .startsWith("slope of the loss of the rows is unbounded; it must be bounded");
  }

  @Test
  void whatAPageReceivesCanBeWrittenAsJson() {
    Value device = visits.open(visits.page(), "{}");
    Value sent = visits.await(report(device, 0));
    Value json = browser.eval("(value) => JSON.stringify(value)");
    String seed = sent.getMember("choice").getMember("seed").asBigInteger().toString();
    assertThat(json.execute(sent).asString()).contains("\"seed\":\"" + seed + "\"");
    assertThat(json.execute(visits.await(device.invokeMember("spent"))).asString())
        .isEqualTo("{\"reports\":1,\"epsilonNanos\":\"1000000000\",\"epsilon\":\"1\"}");
  }

  @Test
  void aReportThatIsNotAcknowledgedIsKept() {
    Value device = visits.open(visits.page(), "{}");
    visits.answerTimes(4, "problem(401, 'the token is no signed JWT')");
    Value failure = visits.failure(report(device, 0));
    assertThat(failure.getMember("status").asInt()).isEqualTo(401);
    assertThat(failure.getMember("message").asString())
        .isEqualTo(
            "the gateway answered 401: the token is no signed JWT; the report is charged and kept: a"
                + " later call or visit sends the same bytes");
    assertThat(message(report(device, 1)))
        .endsWith("; an earlier report is kept, to be sent again, and nothing new is drawn before");
    assertThat(spent(device)).isEqualTo("1");
  }

  @Test
  void twoDevicesOnAPageAreToldApartFromTwoTabs() {
    Value page = visits.page();
    Value device = visits.open(page, "{}");
    assertThat(message(visits.opening(page, "{}")))
        .isEqualTo("this page has the ledger open; close() that device, or use it");
    device.invokeMember("close");
    visits.open(page, "{}").invokeMember("close");
  }
}
