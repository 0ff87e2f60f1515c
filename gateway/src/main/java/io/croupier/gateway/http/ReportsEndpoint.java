package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import io.croupier.gateway.config.LimitSettings;
import io.croupier.gateway.identity.InvalidTokenException;
import io.croupier.gateway.identity.KeysUnavailableException;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TokenVerifier;
import io.croupier.gateway.kafka.ReportStore;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.gateway.report.ReportCheck.Checked;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Promise;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes reports: authenticates the sender, checks the report, stores it, and then answers. */
final class ReportsEndpoint {
  private static final Logger LOG = LoggerFactory.getLogger(ReportsEndpoint.class);
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final String SCHEME = "bearer ";

  /** A body in JSON counts as a report for each part of this length, since it costs as much. */
  private static final int JSON_PART = 1 << 16;

  /** A token is a header, which is limited anyway; this is below the limit on all headers. */
  private static final int LONGEST_TOKEN = 6000;

  private final TokenVerifier tokens;
  private final Pepper pepper;
  private final ReportCheck check;
  private final ReportStore store;
  private final BooleanSupplier caughtUp;
  private final RateLimits users;
  private final LimitSettings limits;
  private final Places concurrent;
  private final Places bytes;
  private final JsonParses parses = new JsonParses();
  private final Executor executor;

  ReportsEndpoint(
      TokenVerifier tokens,
      Pepper pepper,
      ReportCheck check,
      ReportStore store,
      BooleanSupplier caughtUp,
      LimitSettings limits,
      Places concurrent,
      Places bytes,
      Executor executor) {
    this.tokens = tokens;
    this.pepper = pepper;
    this.check = check;
    this.store = store;
    this.caughtUp = caughtUp;
    users = new RateLimits(limits.user());
    this.limits = limits;
    this.concurrent = concurrent;
    this.bytes = bytes;
    this.executor = executor;
  }

  private enum Format {
    PROTOBUF,
    JSON
  }

  void handle(Exchange exchange) {
    Format format = format(exchange);
    requireLength(exchange);
    String userId = authenticate(exchange);
    users.require(userId);
    if (!caughtUp.getAsBoolean()) {
      throw new ProblemException(
          ProblemDocument.of(ProblemType.UNAVAILABLE, "the gateway has not read all specs yet")
              .retryAfter(SOON));
    }
    // Limits on the body and on Kafka's answer bound the time of a report.
    exchange.request().addIdleTimeoutListener(timeout -> false);
    CompletableFuture<RecordMetadata> unused =
        body(exchange, userId)
            .thenCompose(
                body ->
                    format == Format.JSON
                        ? json(body, userId)
                        : CompletableFuture.completedFuture(check.protobuf(body, userId)))
            .thenCompose(checked -> store(checked, userId))
            // Kafka's thread must not write responses.
            .whenCompleteAsync(
                (position, failure) -> {
                  if (failure == null) {
                    exchange.answer(HttpStatus.ACCEPTED_202, Exchange.JSON, json(position));
                  } else {
                    exchange.fail(failure);
                  }
                },
                executor);
  }

  private static Format format(Exchange exchange) {
    String encoding = exchange.header(HttpHeader.CONTENT_ENCODING);
    if (encoding != null && !encoding.strip().equalsIgnoreCase("identity")) {
      throw unsupported("Content-Encoding must be absent: compressed bodies are not accepted");
    }
    String type = exchange.header(HttpHeader.CONTENT_TYPE);
    String name = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return switch (name) {
      case "application/x-protobuf", "application/protobuf" -> Format.PROTOBUF;
      case Exchange.JSON -> Format.JSON;
      default ->
          throw unsupported("Content-Type must be application/x-protobuf or application/json");
    };
  }

  private static ProblemException unsupported(String detail) {
    return new ProblemException(ProblemType.UNSUPPORTED_MEDIA_TYPE, detail);
  }

  private void requireLength(Exchange exchange) {
    if (exchange.request().getLength() > limits.body()) {
      throw tooLarge();
    }
  }

  private ProblemException tooLarge() {
    return new ProblemException(
        ProblemType.TOO_LARGE, "the body must have at most %d bytes".formatted(limits.body()));
  }

  /** The sender's user id. */
  private String authenticate(Exchange exchange) {
    String header = exchange.header(HttpHeader.AUTHORIZATION);
    if (header == null
        || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        || header.length() > LONGEST_TOKEN) {
      throw new ProblemException(
          ProblemType.UNAUTHENTICATED,
          "Authorization must be 'Bearer', a blank and a token of at most %d characters"
              .formatted(LONGEST_TOKEN));
    }
    try {
      TokenVerifier.Identity identity = tokens.verify(header.substring(SCHEME.length()).strip());
      return pepper.userId(identity.issuer(), identity.subject());
    } catch (InvalidTokenException e) {
      throw new ProblemException(
          e.isInsufficient() ? ProblemType.FORBIDDEN : ProblemType.UNAUTHENTICATED, e.getMessage());
    } catch (KeysUnavailableException e) {
      throw new ProblemException(
          ProblemDocument.of(ProblemType.UNAVAILABLE, e.getMessage()).retryAfter(e.retryAfter()));
    }
  }

  private CompletableFuture<Checked> json(byte[] body, String userId) {
    int more = body.length / JSON_PART;
    if (more > 0) {
      users.requireMore(userId, more);
    }
    return parses.run(userId, () -> check.json(body, userId));
  }

  /**
   * The whole body, and with it a place; no thread waits for it. Until then the request takes as
   * many places as bytes have arrived, so that a sender who only begins requests takes none. The
   * rest of a body that is answered already is discarded without a place.
   */
  private CompletableFuture<byte[]> body(Exchange exchange, String userId) {
    Places.Place arrived = bytes.none(userId);
    exchange.whenAnswered(arrived::close);
    Request.addCompletionListener(exchange.request(), failure -> arrived.close());
    CompletableFuture<byte[]> read = new CompletableFuture<>();
    Content.Source.asByteArrayAsync(
        new ArrivingBody(exchange.request(), arrived),
        limits.body(),
        Promise.Invocable.toPromise(read));
    TimeoutException late = new TimeoutException();
    CompletableFuture<Boolean> deadline =
        new CompletableFuture<Boolean>()
            .completeOnTimeout(true, limits.bodyTime().toMillis(), TimeUnit.MILLISECONDS);
    CompletableFuture<Void> unused =
        deadline.thenAcceptAsync(
            expired -> {
              if (expired) {
                exchange.request().fail(late);
              }
            },
            executor);
    return read.handle(
        (body, failure) -> {
          deadline.complete(false);
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
              ProblemType.TIMEOUT,
              "the body must arrive within %s ms".formatted(limits.bodyTime().toMillis()));
        });
  }

  private CompletableFuture<RecordMetadata> store(Checked report, String userId) {
    return store
        .send(report.topic(), userId, report.value())
        .exceptionallyCompose(
            failure -> {
              if (failure instanceof RecordTooLargeException) {
                return CompletableFuture.failedFuture(
                    new ProblemException(
                        ProblemType.TOO_LARGE, "the report is larger than its topic allows"));
              }
              LOG.warn("A report could not be stored: {}", failure.getClass().getName());
              return CompletableFuture.failedFuture(
                  new ProblemException(
                      ProblemDocument.of(
                              ProblemType.UNAVAILABLE,
                              "Kafka did not acknowledge the report; send the same bytes again:"
                                  + " they count once")
                          .retryAfter(SOON)));
            });
  }

  private static byte[] json(RecordMetadata position) {
    JsonObject json = new JsonObject();
    json.addProperty("topic", position.topic());
    json.addProperty("partition", position.partition());
    json.addProperty("offset", position.offset());
    return json.toString().getBytes(UTF_8);
  }
}
