package io.croupier.client;

import com.google.protobuf.ByteString;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;

/**
 * The way of requests without identity to a gateway, over connections of their own, which carry
 * neither a person's token nor a cookie. All requests of all devices have the same headers.
 */
interface AnonymousTransport extends AutoCloseable {
  /** Instead of the version of Java. */
  String USER_AGENT = "croupier";

  /**
   * A request of the gateway's API.
   *
   * @param path from /v1 on
   * @param header name of the only header: Accept without a body, Content-Type with one
   * @param mediaType its value
   * @param body empty for GET, or that of POST
   */
  record Call(String path, String header, String mediaType, ByteString body) {
    /** The status of success of GET. */
    static final int OK = 200;

    /** A request for JSON, as pages send it. */
    static Call get(String path) {
      return new Call(path, "Accept", "application/json", ByteString.EMPTY);
    }

    String method() {
      return body.isEmpty() ? "GET" : "POST";
    }
  }

  /**
   * Sends a request once.
   *
   * @param success the status of success
   * @return the body of the gateway's answer
   * @throws GatewayException if there is no answer, or it has another status
   */
  byte[] send(Call call, int success) throws GatewayException, InterruptedException;

  /** The gateway, as messages name it. */
  String name();

  @Override
  void close();

  /** To the gateway itself, or a proxy in front of it: it sees address and content. */
  final class Direct implements AnonymousTransport {
    private final GatewayConnection gateway;

    Direct(URI gateway) {
      this.gateway = new GatewayConnection(gateway);
    }

    @Override
    public byte[] send(Call call, int success) throws GatewayException, InterruptedException {
      HttpRequest.Builder request =
          gateway
              .anonymousRequest(call.path)
              .header("User-Agent", USER_AGENT)
              .header(call.header, call.mediaType);
      if (!call.body.isEmpty()) {
        request.POST(BodyPublishers.ofByteArray(call.body.toByteArray()));
      }
      HttpResponse<byte[]> answer =
          gateway.send(request.build(), RepeatedRequest.MOST_ANSWER, RepeatedRequest.MOST_BODY);
      if (answer.statusCode() != success) {
        throw gateway.failure(answer);
      }
      return answer.body();
    }

    @Override
    public String name() {
      return gateway.name();
    }

    @Override
    public void close() {
      gateway.close();
    }
  }
}
