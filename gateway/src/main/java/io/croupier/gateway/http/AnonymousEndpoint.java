package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.gateway.anonymous.AnonymousCheck;
import io.croupier.gateway.anonymous.AnonymousCheck.CheckedSpend;
import io.croupier.gateway.anonymous.StoredNonces;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes anonymous reports: checks the token and the report, stores it, and answers. It doesn't look
 * at who sends them, except for the limits of addresses. A report may also come in an {@linkplain
 * ObliviousEndpoint encapsulated} request.
 */
final class AnonymousEndpoint {
  private static final Logger LOG = LoggerFactory.getLogger(AnonymousEndpoint.class);
  private static final Duration SOON = Duration.ofSeconds(5);

  /** More than a gateway takes while a device sends a report again. */
  private static final int MOST_NONCES = 1 << 16;

  private final RequestBodies bodies;
  private final AnonymousParts.AnonymousReportParts reports;
  private final BooleanSupplier caughtUp;
  private final Executor executor;
  private final StoredNonces stored = new StoredNonces(MOST_NONCES);

  AnonymousEndpoint(
      RequestBodies bodies,
      AnonymousParts.AnonymousReportParts reports,
      BooleanSupplier caughtUp,
      Executor executor) {
    this.bodies = bodies;
    this.reports = reports;
    this.caughtUp = caughtUp;
    this.executor = executor;
  }

  void handle(Exchange exchange) {
    RequestBodies.Format format = RequestBodies.format(exchange);
    AnonymousCheck.requireLength(
        exchange.request().getLength(),
        format == RequestBodies.Format.JSON
            ? AnonymousCheck.JSON_BYTES
            : AnonymousCheck.PROTOBUF_BYTES);
    exchange.request().addIdleTimeoutListener(timeout -> false);
    CompletableFuture<Void> unused =
        bodies
            .read(exchange, exchange.address())
            .thenCompose(body -> store(format, body))
            .whenCompleteAsync(
                (done, failure) -> {
                  if (failure == null) {
                    exchange.answer(HttpStatus.ACCEPTED_202, Exchange.JSON, "{}".getBytes(UTF_8));
                  } else {
                    exchange.fail(failure);
                  }
                },
                executor);
  }

  /**
   * Checks a report, and stores it unless one with its token's nonce is stored.
   *
   * @return fails with a {@link ProblemException} if the report is refused, or may not be stored
   */
  CompletableFuture<Void> store(RequestBodies.Format format, byte[] body) {
    if (!caughtUp.getAsBoolean()) {
      throw unavailable("the gateway has not read all specs yet");
    }
    CheckedSpend checked =
        format == RequestBodies.Format.JSON
            ? reports.check().json(body)
            : reports.check().protobuf(body);
    return stored
        .storeOnce(
            checked.nonce(),
            () ->
                reports
                    .sender()
                    .send(
                        reports.topic(),
                        checked.nonce().toByteArray(),
                        checked.value().toByteArray()))
        .exceptionallyCompose(AnonymousEndpoint::failed);
  }

  private static CompletableFuture<Void> failed(Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    LOG.warn("An anonymous report could not be stored: {}", cause.getClass().getName());
    return CompletableFuture.failedFuture(
        unavailable(
            "Kafka did not acknowledge the report; send the same bytes again: they count once"));
  }

  private static ProblemException unavailable(String detail) {
    return new ProblemException(
        ProblemDocument.of(ProblemType.UNAVAILABLE, detail).retryAfter(SOON));
  }
}
