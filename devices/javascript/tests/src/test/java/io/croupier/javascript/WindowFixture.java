package io.croupier.javascript;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.TokenLevel;
import io.croupier.schemas.TokenWindow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.BeforeEach;

/** Windows of three publications, and a gateway that signs tokens for them. */
abstract class WindowFixture extends DeviceFixture {
  static final int PUBLICATIONS = 3;
  private static final PrivUnitMechanism LEVEL =
      PrivUnitMechanism.of(new PrivUnitLaws().best(2, 2, 256));
  private static final Map<Long, TokenIssuer> ISSUERS = new HashMap<>();

  /** What was asked for, and the bytes of each request, in their order. */
  final List<JsonNode> asked = new ArrayList<>();

  /** What the gateway answers to requests for windows without identity. */
  String served;

  @BeforeEach
  void grant() {
    served = update(1, window(0, 0), window(1, 1), window(2, 2), window(3, 3));
    visits.grantBy(this::sign, () -> served);
  }

  String sign(String body) {
    try {
      JsonNode request = new ObjectMapper().readTree(body);
      asked.add(request);
      ByteString signature =
          issuer(request.get("window").asLong())
              .sign(
                  ByteString.copyFrom(Base64.getDecoder().decode(request.get("blinded").asText())));
      return "{\"blindSignature\": \"%s\"}"
          .formatted(Base64.getEncoder().encodeToString(signature.toByteArray()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static TokenChallenge challenge(long window) {
    return new TokenChallenge("m", window, AnonymousWindows.bytes(LEVEL));
  }

  /** Every other window has the same keys, since to derive them takes some tenths of a second. */
  static TokenIssuer issuer(long window) {
    return ISSUERS.computeIfAbsent(window % 2, w -> TokenIssuer.derive(new byte[32], challenge(w)));
  }

  static TokenWindow window(long window, long keyOf) {
    return TokenWindow.newBuilder()
        .setWindow(window)
        .setFirstRound(window * PUBLICATIONS)
        .setLastRound((window + 1) * PUBLICATIONS - 1)
        .addLevels(
            TokenLevel.newBuilder()
                .setPrivUnit(
                    PrivUnit.newBuilder()
                        .setEpsilon(LEVEL.epsilon())
                        .setCandidates(LEVEL.candidates())
                        .setTop(LEVEL.top()))
                .setModulus(issuer(keyOf).key().modulus()))
        .build();
  }

  /** The update of a round as a gateway serves it, in the JSON mapping of Protobuf. */
  static String update(long round, TokenWindow... windows) {
    try {
      return JsonFormat.printer()
          .print(
              ModelUpdate.newBuilder()
                  .setModelId("m")
                  .setRound(round)
                  .addAllWeights(List.of(0.0, 0.0))
                  .addAllAverage(List.of(0.0, 0.0))
                  .setGradientBound(1)
                  .setGridExponent(-16)
                  .addAllWindows(List.of(windows)));
    } catch (InvalidProtocolBufferException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String update(long round) {
    long window = round / PUBLICATIONS;
    return update(round, window(window, window), window(window + 1, window + 1));
  }

  Value takePart(Value device, String update) {
    return takePart(device, update, "() => [0.6, 0.8]", "{key: 'all', times: Infinity}");
  }

  /** Takes part with rows, or a function of a gradient, and options. */
  Value takePart(Value device, String update, String data, String options) {
    return device.invokeMember(
        "takePartAnonymously",
        browser.readUpdate(update),
        browser.call("({Rows, logistic}) => (" + data + ")"),
        browser.eval("(" + options + ")"));
  }

  List<AnonymousReport> reports() {
    return visits.received().stream()
        .map(
            body -> {
              try {
                return AnonymousReport.parseFrom(body);
              } catch (InvalidProtocolBufferException e) {
                throw new UncheckedIOException(e);
              }
            })
        .toList();
  }
}
