package io.croupier.client;

import io.croupier.schemas.VisibleText;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Requests to a gateway, each with a limit on its whole duration. Redirects are not followed, so a
 * token reaches only the server that the caller named. Safe for use by several threads.
 *
 * <p>Its threads are daemons. The executor's end with {@link #close}; the selector of Java 17's
 * client ends some seconds after the connection is garbage, since that client can't be closed.
 */
final class GatewayConnection implements AutoCloseable {
  static final String PROTOBUF = "application/x-protobuf";

  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration LONGEST_RETRY = Duration.ofHours(1);

  /** Much more than a gateway's problem document needs. */
  private static final int LONGEST_PROBLEM = 1 << 16;

  private final String server;
  private final String base;
  private final ExecutorService executor =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "gateway-connection");
            thread.setDaemon(true);
            return thread;
          });

  /** Empty after the end, so that the client is garbage even if this object is not. */
  private volatile Optional<HttpClient> client =
      Optional.of(
          HttpClient.newBuilder()
              .executor(executor)
              .version(HttpClient.Version.HTTP_1_1)
              .followRedirects(HttpClient.Redirect.NEVER)
              .connectTimeout(CONNECT)
              .build());

  /**
   * Prepares requests; connects to nothing.
   *
   * @param gateway base of the API, without /v1
   * @throws IllegalArgumentException as {@link GatewayAddress#require}
   */
  GatewayConnection(URI gateway) {
    this(gateway, "the gateway");
  }

  /**
   * Prepares requests to another server.
   *
   * @param server what it is, for messages
   */
  GatewayConnection(URI url, String server) {
    this.server = server;
    base = GatewayAddress.require(url, server).toString().replaceFirst("/+$", "");
  }

  /** The base of the API. */
  String base() {
    return base;
  }

  /** The server, as messages name it. */
  String name() {
    return server + " " + base;
  }

  /** A request for a path, which begins with a slash or is empty. */
  HttpRequest.Builder request(String path) {
    return anonymousRequest(path).header(ClientVersion.HEADER, "java/" + ClientVersion.VALUE);
  }

  /** The same without the version of this library, which would make a person one of fewer. */
  HttpRequest.Builder anonymousRequest(String path) {
    return HttpRequest.newBuilder(URI.create(base + path));
  }

  /**
   * Sends a request and reads the whole answer.
   *
   * @param most largest number of bytes in the body of an answer of 200; of other answers, a part
   *     is returned if they are longer than a problem document
   * @return an answer of any status
   * @throws GatewayException if there is no answer within the time, or it is too long
   * @throws IllegalStateException if the connection is closed
   */
  HttpResponse<byte[]> send(HttpRequest request, Duration patience, long most)
      throws GatewayException, InterruptedException {
    // The timeout of a request ends at the answer's header.
    CompletableFuture<HttpResponse<byte[]>> answer =
        client
            .orElseThrow(() -> new IllegalStateException("the connection is closed"))
            .sendAsync(request, head -> body(head, most));
    try {
      return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw GatewayException.unanswered(
          name() + " did not answer within " + patience.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      if (BoundedBody.isExceeded(e.getCause())) {
        throw GatewayException.tooLong(
            "the answer of %s has more than %d bytes, which no update of a model has"
                .formatted(name(), most));
      }
      throw GatewayException.unanswered(
          name() + " can't be reached: " + reason(e.getCause()), e.getCause());
    } finally {
      boolean unused = answer.cancel(true);
    }
  }

  private static String reason(Throwable cause) {
    if (cause.getCause() instanceof EOFException) {
      return "it closed the connection without an answer in HTTP";
    }
    // The message may quote what the server sent.
    return cause.getMessage() == null
        ? cause.getClass().getSimpleName()
        : VisibleText.line(cause.getMessage());
  }

  private static BodySubscriber<byte[]> body(HttpResponse.ResponseInfo answer, long most) {
    if (answer.statusCode() == 200) {
      return new BoundedBody(answer, most);
    }
    ByteArrayOutputStream kept = new ByteArrayOutputStream();
    return BodySubscribers.mapping(
        BodySubscribers.ofByteArrayConsumer(
            part ->
                part.ifPresent(
                    bytes -> {
                      if (kept.size() + bytes.length <= LONGEST_PROBLEM) {
                        kept.writeBytes(bytes);
                      }
                    })),
        done -> kept.toByteArray());
  }

  /** The error that an answer stands for. */
  GatewayException failure(HttpResponse<byte[]> answer) {
    return failure(name(), answer.statusCode(), answer.headers()::firstValue, answer.body());
  }

  /**
   * The error that an answer stands for.
   *
   * @param name of the server that gave it
   * @param header the values of its header, by their names in small letters
   */
  static GatewayException failure(
      String name, int status, Function<String, Optional<String>> header, byte[] body) {
    boolean isProblem =
        header.apply("content-type").orElse("").startsWith(GatewayProblem.MEDIA_TYPE);
    Optional<GatewayProblem> problem = isProblem ? GatewayProblem.read(body) : Optional.empty();
    String reason =
        problem
            .map(GatewayProblem::detail)
            .orElse(
                switch (status) {
                  case 413 ->
                      "a server in front of the gateway takes no request as large as this report;"
                          + " it must take what limits.body of the gateway allows";
                  case 300, 301, 302, 303, 304, 305, 306, 307, 308 ->
                      "redirects are not followed; use the URL of the gateway itself";
                  default -> "the answer is no problem document of a gateway; check the URL";
                });
    return GatewayException.answered(
        status,
        "%s answered %d: %s".formatted(name, status, reason),
        problem,
        header.apply("retry-after").flatMap(GatewayConnection::retryAfter));
  }

  /** Seconds or a date (RFC 9110, section 10.2.3), at most an hour; empty if it is neither. */
  static Optional<Duration> retryAfter(String header) {
    String value = header.strip();
    if (value.matches("\\d+")) {
      BigInteger longest = BigInteger.valueOf(LONGEST_RETRY.toSeconds());
      return Optional.of(Duration.ofSeconds(new BigInteger(value).min(longest).longValue()));
    }
    try {
      Instant date = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return Optional.of(bounded(Duration.between(Instant.now(), date)));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Duration bounded(Duration stated) {
    if (stated.isNegative()) {
      return Duration.ZERO;
    }
    return stated.compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : stated;
  }

  /** Ends the connections. The requests of other threads fail. */
  @Override
  public void close() {
    client = Optional.empty();
    executor.shutdownNow();
  }
}
