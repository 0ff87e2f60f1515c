package io.croupier.gateway.http;

import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Reads the bodies of requests, within the limits. Safe for use by several threads.
 *
 * @param most bytes of a body
 * @param time longest time until a body has arrived
 * @param concurrent places of requests whose body has arrived
 * @param bytes places of the bytes of bodies
 */
record RequestBodies(int most, Duration time, Places concurrent, Places bytes, Executor executor) {
  /** The format of a body. */
  enum Format {
    PROTOBUF,
    JSON
  }

  static Format format(Exchange exchange) {
    return format(
        exchange.header(HttpHeader.CONTENT_ENCODING), exchange.header(HttpHeader.CONTENT_TYPE));
  }

  /** The format of a body whose header has these values; null: there is none. */
  static Format format(String encoding, String type) {
    requireNoEncoding(encoding);
    String name = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return switch (name) {
      case "application/x-protobuf", "application/protobuf" -> Format.PROTOBUF;
      case Exchange.JSON -> Format.JSON;
      default ->
          throw unsupported("Content-Type must be application/x-protobuf or application/json");
    };
  }

  /** Refuses a Content-Encoding, which may be null. */
  static void requireNoEncoding(String encoding) {
    if (encoding != null && !encoding.strip().equalsIgnoreCase("identity")) {
      throw unsupported("Content-Encoding must be absent: compressed bodies are not accepted");
    }
  }

  static ProblemException unsupported(String detail) {
    return new ProblemException(ProblemType.UNSUPPORTED_MEDIA_TYPE, detail);
  }

  void requireLength(Exchange exchange) {
    if (exchange.request().getLength() > most) {
      throw tooLarge();
    }
  }

  private ProblemException tooLarge() {
    return new ProblemException(
        ProblemType.TOO_LARGE, "the body must have at most %d bytes".formatted(most));
  }

  /**
   * The whole body, and with it a place; no thread waits for it. Until then the request takes as
   * many places as bytes have arrived, so that a sender who only begins requests takes none. The
   * rest of a body that is answered already is discarded without a place.
   */
  CompletableFuture<byte[]> read(Exchange exchange, String userId) {
    Places.Place arrived = bytes.none(userId);
    exchange.whenAnswered(arrived::close);
    Request.addCompletionListener(exchange.request(), failure -> arrived.close());
    CompletableFuture<byte[]> read = new CompletableFuture<>();
    Content.Source.asByteArrayAsync(
        new ArrivingBody(exchange.request(), arrived), most, Promise.Invocable.toPromise(read));
    Optional<Scheduler.Task> deadline =
        read.isDone() ? Optional.empty() : Optional.of(deadline(exchange.request()));
    return read.handle(
        (body, failure) -> {
          // Before what follows, which may take longer than the deadline.
          deadline.ifPresent(Scheduler.Task::cancel);
          if (failure == null) {
            Places.Place place = concurrent.take(exchange.address());
            exchange.whenAnswered(
                () -> {
                  arrived.close();
                  place.close();
                });
            Request.addCompletionListener(exchange.request(), ended -> place.close());
            return body;
          }
          if (failure instanceof ProblemException tooMany) {
            throw tooMany;
          }
          if (failure instanceof IllegalStateException) {
            throw tooLarge();
          }
          if (failure instanceof HttpException) {
            throw new ProblemException(
                ProblemType.MALFORMED, "the body must be framed as HTTP/1.1 requires");
          }
          throw new ProblemException(
              ProblemType.TIMEOUT, "the body must arrive within %s ms".formatted(time.toMillis()));
        });
  }

  private Scheduler.Task deadline(Request request) {
    // The scheduler's thread must not run what follows a failure.
    return request
        .getComponents()
        .getScheduler()
        .schedule(
            () -> executor.execute(() -> request.fail(new TimeoutException())),
            time.toMillis(),
            TimeUnit.MILLISECONDS);
  }
}
