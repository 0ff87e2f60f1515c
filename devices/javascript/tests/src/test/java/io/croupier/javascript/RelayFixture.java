package io.croupier.javascript;

import com.google.protobuf.ByteString;
import io.croupier.client.ohttp.BinaryRequest;
import io.croupier.client.ohttp.BinaryResponse;
import io.croupier.client.ohttp.ObliviousExchange;
import io.croupier.client.ohttp.ObliviousKeyPair;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyExecutable;
import org.graalvm.polyglot.proxy.ProxyObject;
import org.junit.jupiter.api.BeforeEach;

/** A relay, and the gateway behind it, which opens requests by the Java side. */
abstract class RelayFixture extends WindowFixture {
  static final ObliviousKeyPair KEYS = ObliviousKeyPair.derive(new byte[32]);
  static final String KEY = Base64.getEncoder().encodeToString(KEYS.key().encoded());

  final List<BinaryRequest> opened = new ArrayList<>();

  /** The bytes of what was opened. */
  final List<byte[]> messages = new ArrayList<>();

  @BeforeEach
  void relay() {
    ProxyExecutable open = arguments -> open(Browser.bytes(arguments[0]));
    visits.scenario("relayBy", visits.world(), open);
  }

  private ProxyObject open(byte[] body) {
    try {
      ObliviousExchange exchange = KEYS.open(body);
      BinaryRequest message = BinaryRequest.parse(exchange.request());
      opened.add(message);
      messages.add(exchange.request());
      Map<String, Object> header =
          Map.of("Content-Type", message.header().getOrDefault("content-type", ""));
      ProxyExecutable seal =
          answer ->
              browser.array(
                  sealed(exchange, answer[0].asInt(), answer[1].asString(), answer[2].asString()));
      return ProxyObject.fromMap(
          Map.of(
              "method", message.method(),
              "header", ProxyObject.fromMap(header),
              "body", browser.array(message.content().toByteArray()),
              "seal", seal));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  static byte[] sealed(ObliviousExchange exchange, int status, String type, String body) {
    return exchange.seal(
        new BinaryResponse(status, Map.of("content-type", type), ByteString.copyFromUtf8(body))
            .encoded());
  }

  List<Value> relayed() {
    return requests().stream()
        .filter(request -> request.getMember("url").asString().startsWith("https://relay"))
        .toList();
  }
}
