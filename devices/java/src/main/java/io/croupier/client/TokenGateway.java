package io.croupier.client;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.function.Supplier;

/** Asks a gateway for the blind signatures of tokens, as a signed-in person. */
final class TokenGateway implements AutoCloseable {
  private static final int GRANTED = 200;
  private static final int UNAUTHORISED = 401;

  private final GatewayConnection gateway;
  private final RepeatedRequest requests;
  private final Supplier<String> bearers;

  TokenGateway(URI gateway, Supplier<String> bearers, Duration patience) {
    this.gateway = new GatewayConnection(gateway);
    requests = new RepeatedRequest(patience);
    this.bearers = bearers;
  }

  /**
   * Asks for the signature of a blinded message, which the ledger charged under that number. The
   * same arguments get the same answer.
   *
   * @throws GatewayException if the gateway refuses, or doesn't answer in time
   */
  ByteString sign(HeldToken token, String deviceId, long sequence, ByteString blinded)
      throws GatewayException, InterruptedException {
    String body = body(token, deviceId, sequence, blinded);
    byte[] answer = requests.send(() -> ask(body));
    try (JsonReader json =
        new JsonReader(new StringReader(new String(answer, StandardCharsets.UTF_8)))) {
      String signature = "";
      json.beginObject();
      while (json.hasNext()) {
        if (json.nextName().equals("blindSignature") && json.peek() == JsonToken.STRING) {
          signature = json.nextString();
        } else {
          json.skipValue();
        }
      }
      json.endObject();
      return ByteString.copyFrom(Base64.getDecoder().decode(signature));
    } catch (IOException | IllegalStateException | IllegalArgumentException e) {
      throw GatewayException.unanswered(
          "the gateway " + gateway.base() + " answered a request for a token by no signature", e);
    }
  }

  /** Asks once; if the bearer token is refused, once more, perhaps with a newer one. */
  private byte[] ask(String body) throws GatewayException, InterruptedException {
    HttpResponse<byte[]> answer =
        gateway.send(request(body), RepeatedRequest.MOST_ANSWER, RepeatedRequest.MOST_BODY);
    if (answer.statusCode() == UNAUTHORISED) {
      answer = gateway.send(request(body), RepeatedRequest.MOST_ANSWER, RepeatedRequest.MOST_BODY);
    }
    if (answer.statusCode() != GRANTED) {
      throw gateway.failure(answer);
    }
    return answer.body();
  }

  private static String body(HeldToken token, String deviceId, long sequence, ByteString blinded) {
    StringWriter text = new StringWriter();
    try (JsonWriter json = new JsonWriter(text)) {
      json.beginObject()
          .name("modelId")
          .value(token.challenge().modelId())
          .name("window")
          .value(Long.toString(token.challenge().window()))
          .name("level")
          .value(token.level())
          .name("deviceId")
          .value(deviceId)
          .name("sequence")
          .value(Long.toString(sequence))
          .name("blinded")
          .value(Base64.getEncoder().encodeToString(blinded.toByteArray()))
          .endObject();
    } catch (IOException e) {
      throw new IllegalStateException("a string can be written", e);
    }
    return text.toString();
  }

  private HttpRequest request(String body) {
    String bearer = TokenFile.requireForm(bearers.get());
    return gateway
        .request("/v1/tokens")
        .header("Authorization", "Bearer " + bearer)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  @Override
  public void close() {
    gateway.close();
  }
}
