package io.croupier.gateway.http;

import com.google.protobuf.ByteString;
import io.croupier.client.ohttp.BinaryRequest;
import io.croupier.client.ohttp.BinaryResponse;
import io.croupier.client.ohttp.ObliviousExchange;
import io.croupier.client.ohttp.ObliviousKey;
import io.croupier.client.ohttp.ObliviousKeyPair;
import io.croupier.gateway.model.ServedModel;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Opens encapsulated requests (RFC 9458), and answers them as if they had come directly. They may
 * send an anonymous report, or ask for the newest update of a model or for its windows, in JSON; of
 * their header, only Content-Type and Content-Encoding are read. A request whose opening succeeds
 * has an encapsulated answer, whatever its status.
 *
 * <p>A copy of an encapsulated request changes nothing: a token's nonce is spent once.
 */
record ObliviousEndpoint(
    RequestBodies bodies,
    ObliviousKeyPair keys,
    AnonymousEndpoint reports,
    ModelsEndpoint models,
    WindowsEndpoint windows,
    Executor executor) {
  /** Bytes of every encapsulated request. */
  static final int REQUEST_BYTES = BinaryRequest.BYTES + ObliviousExchange.REQUEST_OVERHEAD;

  /** The most bytes of an update; the header takes less than the rest. */
  private static final int MOST_UPDATE = BinaryResponse.MOST_BYTES - 256;

  /** Answers with the public key. */
  void keys(Exchange exchange) {
    exchange.answer(HttpStatus.OK_200, ObliviousKey.MEDIA_TYPE, keys.key().encoded());
  }

  void handle(Exchange exchange) {
    requireForm(exchange);
    exchange.request().addIdleTimeoutListener(timeout -> false);
    CompletableFuture<byte[]> unused =
        bodies
            .read(exchange, exchange.address())
            .thenCompose(
                body -> {
                  ObliviousExchange opened = open(body);
                  return answer(opened.request()).thenApply(opened::seal);
                })
            .whenCompleteAsync(
                (answer, failure) -> {
                  if (failure == null) {
                    exchange.answer(HttpStatus.OK_200, ObliviousExchange.ANSWER_TYPE, answer);
                  } else {
                    exchange.fail(failure);
                  }
                },
                executor);
  }

  /** Checks type and length, which are the same for all encapsulated requests. */
  private static void requireForm(Exchange exchange) {
    RequestBodies.requireNoEncoding(exchange.header(HttpHeader.CONTENT_ENCODING));
    if (!ObliviousExchange.REQUEST_TYPE.equals(exchange.header(HttpHeader.CONTENT_TYPE))) {
      throw RequestBodies.unsupported("Content-Type must be " + ObliviousExchange.REQUEST_TYPE);
    }
    if (exchange.request().getLength() != REQUEST_BYTES) {
      throw new ProblemException(
          ProblemType.MALFORMED,
          "Content-Length must be %d, as for all encapsulated requests, by padding"
              .formatted(REQUEST_BYTES));
    }
  }

  private ObliviousExchange open(byte[] body) {
    try {
      return keys.open(body);
    } catch (GeneralSecurityException e) {
      throw new ProblemException(
          ProblemType.MALFORMED,
          "the body must be encrypted under the key that this gateway serves at "
              + Route.GET_OBLIVIOUS_KEYS.template());
    }
  }

  /** The encoded answer to an opened request; never fails. */
  private CompletableFuture<byte[]> answer(byte[] message) {
    CompletableFuture<BinaryResponse> answer;
    try {
      answer = answer(parse(message));
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.exceptionally(ObliviousEndpoint::failed).thenApply(BinaryResponse::encoded);
  }

  private static BinaryRequest parse(byte[] message) {
    try {
      return BinaryRequest.parse(message);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(ProblemType.MALFORMED, e.getMessage());
    }
  }

  private CompletableFuture<BinaryResponse> answer(BinaryRequest request) {
    Route.Match match =
        Route.of(request.method(), request.path())
            .filter(found -> found.route().method().equals(request.method()))
            .orElseThrow(ObliviousEndpoint::absent);
    return switch (match.route()) {
      case POST_ANONYMOUS_REPORT ->
          reports
              .store(
                  RequestBodies.format(
                      request.header().get("content-encoding"),
                      request.header().get("content-type")),
                  request.content().toByteArray())
              // Leaves the producer's thread, which must not encrypt.
              .thenApplyAsync(
                  stored ->
                      new BinaryResponse(
                          HttpStatus.ACCEPTED_202,
                          Map.of("content-type", Exchange.JSON),
                          ByteString.copyFromUtf8("{}")),
                  executor);
      case GET_MODEL -> update(models.require(match.parameter()));
      case GET_WINDOWS -> json(Map.of(), windows.windows(match.parameter()));
      default -> throw absent();
    };
  }

  private static ProblemException absent() {
    return new ProblemException(
        ProblemType.NOT_FOUND,
        "an encapsulated request must be one of "
            + Stream.of(Route.POST_ANONYMOUS_REPORT, Route.GET_MODEL, Route.GET_WINDOWS)
                .map(route -> route.method() + " " + route.template())
                .collect(Collectors.joining(", ")));
  }

  private static CompletableFuture<BinaryResponse> update(ServedModel model) {
    if (model.json().length > MOST_UPDATE) {
      throw new ProblemException(
          ProblemType.NOT_ACCEPTABLE,
          "the update has %d bytes in JSON; through a relay, it may have %d"
              .formatted(model.json().length, MOST_UPDATE));
    }
    return json(Map.of("etag", ModelsEndpoint.tag(model)), model.json());
  }

  private static CompletableFuture<BinaryResponse> json(Map<String, String> header, byte[] body) {
    Map<String, String> typed = new HashMap<>(header);
    typed.put("content-type", Exchange.JSON);
    return CompletableFuture.completedFuture(
        new BinaryResponse(HttpStatus.OK_200, typed, ByteString.copyFrom(body)));
  }

  private static BinaryResponse failed(Throwable thrown) {
    ProblemDocument problem = Exchange.problem(thrown, Route.POST_ENCAPSULATED.name());
    Map<String, String> header = new HashMap<>();
    header.put("content-type", ProblemDocument.MEDIA_TYPE);
    problem.retryAfter().ifPresent(time -> header.put("retry-after", Exchange.seconds(time)));
    return new BinaryResponse(problem.type().status(), header, ByteString.copyFrom(problem.json()));
  }
}
