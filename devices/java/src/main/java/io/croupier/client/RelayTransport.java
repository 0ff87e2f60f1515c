package io.croupier.client;

import io.croupier.client.ohttp.BinaryRequest;
import io.croupier.client.ohttp.BinaryResponse;
import io.croupier.client.ohttp.ObliviousExchange;
import io.croupier.client.ohttp.ObliviousKey;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.Optional;

/**
 * Through a relay, in encapsulated requests (RFC 9458): the relay sees the device's address and
 * bytes of one length, the gateway the relay's address and the content. Only what the gateway
 * encrypted for the request is its answer; anything else is a failure of the way, which may succeed
 * later.
 */
final class RelayTransport implements AnonymousTransport {
  private static final int OK = 200;

  private final GatewayConnection relay;
  private final URI gateway;
  private final ObliviousKey key;

  /**
   * Prepares requests; connects to nothing.
   *
   * @param relay the URL to which encapsulated requests are sent
   * @param gateway base of the gateway's API, which every request names
   * @param key the gateway's
   */
  RelayTransport(URI relay, URI gateway, ObliviousKey key) {
    this.relay = new GatewayConnection(relay, "the relay");
    this.gateway = GatewayAddress.require(gateway);
    this.key = key;
  }

  @Override
  public byte[] send(Call call, int success) throws GatewayException, InterruptedException {
    BinaryRequest message =
        new BinaryRequest(
            call.method(),
            gateway.getAuthority(),
            call.path(),
            Map.of(call.header(), call.mediaType()),
            call.body());
    ObliviousExchange exchange = key.encapsulate(message.encoded());
    HttpRequest request =
        relay
            .anonymousRequest("")
            .header("User-Agent", USER_AGENT)
            .header("Content-Type", ObliviousExchange.REQUEST_TYPE)
            .POST(BodyPublishers.ofByteArray(exchange.request()))
            .build();
    HttpResponse<byte[]> sealed;
    try {
      sealed = relay.send(request, RepeatedRequest.MOST_ANSWER, RepeatedRequest.MOST_BODY);
    } catch (GatewayException e) {
      throw e.beforeTheGateway();
    }
    if (sealed.statusCode() != OK) {
      throw relay.failure(sealed).beforeTheGateway();
    }
    BinaryResponse answer = open(exchange, sealed.body());
    byte[] content = answer.content().toByteArray();
    if (answer.status() != success) {
      throw GatewayConnection.failure(
          name(),
          answer.status(),
          header -> Optional.ofNullable(answer.header().get(header)),
          content);
    }
    return content;
  }

  private BinaryResponse open(ObliviousExchange exchange, byte[] sealed) throws GatewayException {
    try {
      return BinaryResponse.parse(exchange.open(sealed));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw GatewayException.unanswered(
          relay.name() + " answered by something that the gateway didn't encrypt for the request",
          e);
    }
  }

  @Override
  public String name() {
    return "the gateway " + gateway;
  }

  @Override
  public void close() {
    relay.close();
  }
}
