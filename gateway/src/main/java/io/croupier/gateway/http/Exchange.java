package io.croupier.gateway.http;

import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request and its answer, which any thread may give, once. */
final class Exchange {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  static final String JSON = "application/json";

  /** Attribute of a request: when its answer was written, if its body had not arrived by then. */
  private static final String ANSWERED_AT = "io.croupier.gateway.answered-at";

  private static final int MILLIS = 1000;

  private final Request request;
  private final Response response;
  private final Callback callback;
  private final Optional<Route.Match> match;
  private final String address;
  private final BooleanSupplier lastAnswer;
  private final AtomicBoolean answered = new AtomicBoolean();
  private boolean isRead;
  private Runnable whenAnswered = () -> {};

  /**
   * Creates an exchange.
   *
   * @param match empty if the request's path or method is none of the gateway's
   * @param address whom the limits of addresses apply to
   * @param lastAnswer whether the connection ends with this answer
   */
  Exchange(
      Request request,
      Response response,
      Callback callback,
      Optional<Route.Match> match,
      String address,
      BooleanSupplier lastAnswer) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.match = match;
    this.address = address;
    this.lastAnswer = lastAnswer;
  }

  Request request() {
    return request;
  }

  Response response() {
    return response;
  }

  Callback callback() {
    return callback;
  }

  /** What stands for the name in the route's template. */
  String parameter() {
    return match.orElseThrow().parameter();
  }

  /** Whom the limits of addresses apply to. */
  String address() {
    return address;
  }

  /** The values of all lines of that name as one (RFC 9110, section 5.3); null if there is none. */
  String header(HttpHeader name) {
    List<String> values = request.getHeaders().getValuesList(name);
    return values.isEmpty() ? null : String.join(", ", values);
  }

  /** Sets what is to run when there is an answer; call it before any answer is possible. */
  void whenAnswered(Runnable action) {
    whenAnswered = action;
  }

  /** Reserves the answer for the caller; false if there is one already. */
  boolean claim() {
    if (!answered.compareAndSet(false, true)) {
      return false;
    }
    whenAnswered.run();
    isRead = UnreadBody.discardAvailable(request);
    // The server closes a connection whose request it has not read whole. A client that did not
    // know would send its next request into the closing connection.
    if (lastAnswer.getAsBoolean() || !isRead) {
      header(HttpHeader.CONNECTION, "close");
    }
    return true;
  }

  void header(HttpHeader name, String value) {
    response.getHeaders().put(name, value);
  }

  /** Answers with a body; the first answer counts. */
  void answer(int status, String mediaType, byte[] body) {
    if (claim()) {
      response.setStatus(status);
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, mediaType);
      byte[] sent = CompressedBodies.encode(request, response, mediaType, body);
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, sent.length);
      boolean head = request.getMethod().equals("HEAD");
      response.write(true, head ? null : ByteBuffer.wrap(sent), afterBody());
    }
  }

  /** Answers without a body. */
  void answer(int status) {
    if (claim()) {
      response.setStatus(status);
      response.write(true, null, afterBody());
    }
  }

  /** Completes the exchange when the request's body, too, has arrived. */
  private Callback afterBody() {
    return isRead ? callback : Callback.from(this::discardBody, callback::failed);
  }

  private void discardBody() {
    request.setAttribute(ANSWERED_AT, System.nanoTime());
    UnreadBody.discard(request, callback);
  }

  /**
   * The time from the header of a request, whose exchange has just ended, to the end of its answer.
   * It doesn't include the time in which the rest of the body arrived, which depends on the sender.
   */
  static long nanos(Request request) {
    long end =
        request.getAttribute(ANSWERED_AT) instanceof Long answered ? answered : System.nanoTime();
    return end - request.getHeadersNanoTime();
  }

  /** Answers with a problem document. */
  void fail(ProblemDocument problem) {
    problem.retryAfter().ifPresent(time -> header(HttpHeader.RETRY_AFTER, seconds(time)));
    answer(problem.type().status(), ProblemDocument.MEDIA_TYPE, problem.json());
  }

  /** Whole seconds, rounded up. */
  static String seconds(Duration time) {
    return String.valueOf(Math.max(1, (time.toMillis() + MILLIS - 1) / MILLIS));
  }

  /** Answers with the problem that caused an exception. */
  void fail(Throwable thrown) {
    fail(problem(thrown, match.map(found -> found.route().name()).orElse("a request")));
  }

  /**
   * The problem that caused an exception; logs any other cause.
   *
   * @param what failed
   */
  static ProblemDocument problem(Throwable thrown, String what) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (cause instanceof ProblemException expected) {
      return expected.problem();
    }
    // The message may quote what the request contains.
    LOG.error("{} failed: {}", what, cause.getClass().getName());
    LOG.debug("{} failed", what, cause);
    return ProblemDocument.of(
        ProblemType.INTERNAL,
        HttpStatus.getMessage(ProblemType.INTERNAL.status())
            + "; the gateway's log names the cause");
  }
}
