package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.client.ohttp.BinaryRequest;
import io.croupier.client.token.Token;
import io.croupier.schemas.AnonymousReport;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Encapsulated requests of the browser: the vectors of RFC 9180 and RFC 9458 (NpmPackageTest
 * repeats them in Node.js and Chromium), and a device whose relay and gateway are the Java side.
 */
class ObliviousHttpTest extends RelayFixture {
  private Value openThroughRelay() {
    Value relay =
        browser.eval("({url: 'https://relay.example/of/ours', key: '%s'})".formatted(KEY));
    return visits.await(
        visits.scenario(
            "openAnonymously", browser.exports(), visits.page(), visits.crypto(), 1, relay));
  }

  private static Value bytes(String hex) {
    return browser.array(HexFormat.of().parseHex(hex));
  }

  private static String hex(Value array) {
    return HexFormat.of().formatHex(Browser.bytes(array));
  }

  private static Value pair(String privateKey, String publicKey) {
    return browser
        .eval("(privateKey, publicKey) => ({privateKey, publicKey})")
        .execute(bytes(privateKey), bytes(publicKey));
  }

  private Value subtle() {
    return browser.eval("(crypto) => crypto.subtle").execute(visits.crypto());
  }

  /** Appendix A.1.1 of RFC 9180. */
  @Tag("ci")
  @Test
  void theVectorsOfHpkeHold() throws Exception {
    Rfc rfc = Rfc.of(9180);
    Value context =
        visits.await(
            browser
                .internal("hpkeSender")
                .execute(
                    subtle(),
                    pair(rfc.hex("skEm"), rfc.hex("enc")),
                    bytes(rfc.hex("pkRm")),
                    bytes(rfc.hex("info"))));
    assertThat(hex(context.invokeMember("exported", "", 32))).isEqualTo(rfc.hex("exported"));
    assertThat(hex(context.invokeMember("exported", "TestContext", 32)))
        .isEqualTo(rfc.hex("exported_TestContext"));
    Value message = browser.array(new byte[] {1, 2, 3});
    Value sealed = visits.await(context.invokeMember("seal", message));
    assertThat(Browser.bytes(sealed))
        .isEqualTo(
            WebKeys.aesGcm(true, rfc.bytes("key"), rfc.bytes("base_nonce"), new byte[] {1, 2, 3}));
  }

  /** Appendix A of RFC 9458. */
  @Test
  void theExampleOfObliviousHttpHolds() throws Exception {
    Rfc rfc = Rfc.of(9458);
    String request = rfc.hex("encapsulated_request");
    Value key =
        browser
            .eval("(publicKey) => ({id: [1], publicKey})")
            .execute(bytes(rfc.hex("key_configuration").substring(6, 70)));
    Value exchange =
        visits.await(
            browser
                .internal("encapsulate")
                .execute(
                    subtle(),
                    key,
                    bytes(rfc.hex("request")),
                    pair(rfc.hex("ephemeral_private_key"), request.substring(14, 78))));
    assertThat(hex(exchange.getMember("request"))).isEqualTo(request);
    String answer = rfc.hex("encapsulated_response");
    assertThat(hex(visits.await(exchange.invokeMember("open", bytes(answer)))))
        .isEqualTo(rfc.hex("response"));
    byte[] changed = HexFormat.of().parseHex(answer);
    for (int i = 0; i < changed.length; i++) {
      changed[i] ^= 1;
      visits.failure(exchange.invokeMember("open", browser.array(changed)));
      changed[i] ^= 1;
    }
  }

  @Tag("ci")
  @Test
  void theRelaySeesBytesOfOneLengthAlone() throws Exception {
    Value device = openThroughRelay();
    for (long round = 0; round < 2 * PUBLICATIONS; round++) {
      visits.await(takePart(device, update(round)));
    }
    assertThat(reports()).hasSize(2);
    // Before each report, the windows.
    assertThat(relayed()).hasSize(4);
    Set<String> bodies = new HashSet<>();
    for (Value request : relayed()) {
      assertThat(request.getMember("url").asString()).isEqualTo("https://relay.example/of/ours");
      assertThat(request.getMember("method").asString()).isEqualTo("POST");
      assertThat(request.getMember("headers").getMemberKeys()).containsExactly("Content-Type");
      byte[] body = Browser.bytes(request.getMember("body"));
      assertThat(body).hasSize(2615);
      bodies.add(HexFormat.of().formatHex(body));
    }
    assertThat(bodies).hasSize(4);
    for (AnonymousReport report : reports()) {
      String nonce = HexFormat.of().formatHex(Token.parse(report.getToken()).nonce().toByteArray());
      assertThat(bodies).noneMatch(body -> body.contains(nonce));
    }
    // What a Java device sends: SameRequestsTest.
    for (int i = 0; i < opened.size(); i += 2) {
      BinaryRequest windows = opened.get(i);
      assertThat(windows)
          .isEqualTo(
              new BinaryRequest(
                  "GET",
                  "gateway.example:8443",
                  "/v1/models/m/windows",
                  Map.of("accept", "application/json"),
                  ByteString.EMPTY));
      BinaryRequest report = opened.get(i + 1);
      assertThat(report.method()).isEqualTo("POST");
      assertThat(report.authority()).isEqualTo("gateway.example:8443");
      assertThat(report.path()).isEqualTo("/v1/anonymous-reports");
      assertThat(report.header()).isEqualTo(Map.of("content-type", "application/x-protobuf"));
      assertThat(report.content().toByteArray()).hasSize(1024);
    }
  }

  /** The publication of window 0 at which this device reports; before it there is no failure. */
  private long slot(Value device) {
    for (long round = 0; round < PUBLICATIONS; round++) {
      if (visits.failureIfAny(takePart(device, update(round))).isPresent()) {
        return round;
      }
    }
    throw new AssertionError("no report failed");
  }

  private void relayAnswers(String expression) {
    Value answer = browser.eval("({answer, problem}) => () => (" + expression + ")");
    visits.scenario("relayAnswers", visits.world(), answer.execute(scenarios));
  }

  /** Only the gateway ends a report: a relay may lie, or have no gateway any more. */
  @Tag("thorough")
  @Test
  void noAnswerOfTheRelayEndsAReport() throws Exception {
    Value other =
        browser.array(
            sealed(KEYS.open(KEYS.key().encapsulate(new byte[2560]).request()), 409, "a/b", "{}"));
    browser.eval("(value) => { globalThis.ofAnother = value; }").execute(other);
    Value device = openThroughRelay();
    relayAnswers("problem(400, 'lie')");
    long slot = slot(device);
    String notOfTheGateway = "the relay's answer is not what the gateway encrypted for the request";
    Map<String, String> lies =
        Map.of(
            "problem(422, 'lie')",
            "the relay answered 422",
            "answer(413)",
            "the relay answered 413",
            "answer(404)",
            "the relay answered 404",
            "({arrayBuffer: async () => { throw new TypeError('cut off'); }})",
            "the relay could not be reached",
            "answer(200, {body: 'no ciphertext, but long enough for a nonce and a tag'})",
            notOfTheGateway,
            "({...answer(200), arrayBuffer: async () => ofAnother.buffer})",
            notOfTheGateway);
    for (String answer : lies.keySet()) {
      relayAnswers(answer);
      Value failure = visits.failure(takePart(device, update(slot)));
      assertThat(name(failure)).isEqualTo("GatewayError");
      assertThat(failure.getMember("isFinal").asBoolean()).isFalse();
      assertThat(failure.getMember("message").asString()).isEqualTo(lies.get(answer));
    }
    assertThat(reports()).isEmpty();
    relayAnswers("undefined");
    visits.await(takePart(device, update(slot)));
    assertThat(reports()).hasSize(1);
  }

  @Tag("thorough")
  @Test
  void theGatewaysRefusalEndsAReport() {
    Value device = openThroughRelay();
    Value inside = visits.world().getMember("answersInside");
    inside.invokeMember("push", browser.eval("undefined"));
    inside.invokeMember("push", visits.scenario("problem", 422, "no"));
    long slot = slot(device);
    assertThat(relayed()).hasSize(2);
    for (long round = slot; round < PUBLICATIONS; round++) {
      visits.await(takePart(device, update(round)));
    }
    assertThat(relayed()).hasSize(2);
    assertThat(reports()).isEmpty();
  }

  @Test
  void aBrowserWithoutTheCurveSendsNothing() {
    Value relay = browser.eval("({url: 'https://relay.example/', key: '%s'})".formatted(KEY));
    Value gateway =
        browser.call(
            """
                (module, relay, crypto) => new module.Gateway({
                  url: 'https://gateway.example', relay,
                  crypto: {getRandomValues: crypto.getRandomValues, subtle: {}},
                  fetch: () => { throw new Error('sent'); },
                })
                """,
            relay,
            visits.crypto());
    assertThat(message(gateway.invokeMember("windows", "m")))
        .startsWith("nothing can be encrypted for the gateway: a relay needs crypto.subtle");
  }

  @Test
  void otherKeysAndTokensAreRefused() {
    String key = "'" + KEY.replace("ACkB", "ACkBAA") + "'";
    Map<String, String> refused =
        Map.of(
            "{relay: {url: 'https://relay.example/', key: %s}}".formatted(key),
            "it must be the Base64 of what a gateway serves at /v1/ohttp-keys",
            "{relay: {url: 'https://relay.example/', key: ''}}",
            "relay.key is the text ''; it must be the Base64",
            "{relay: {url: 'http://relay.example/', key: '%s'}}".formatted(KEY),
            "relay.url is the text 'http://relay.example/'; it must be https",
            "{relay: {url: 'https://relay.example/', key: '%s'}, token: () => 'a'}".formatted(KEY),
            "token is set; it must be null with a relay");
    refused.forEach(
        (options, message) ->
            assertThatThrownBy(
                    () ->
                        browser.call(
                            "(module, crypto) => new module.Gateway("
                                + "{url: 'https://gateway.example', crypto, ..."
                                + options
                                + "})",
                            visits.crypto()))
                .isInstanceOf(PolyglotException.class)
                .hasMessageContaining(message));
  }
}
