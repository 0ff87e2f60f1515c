package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import io.croupier.gateway.kafka.ReportStore;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.gateway.report.ReportCheck.Checked;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.eclipse.jetty.http.HttpStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes reports: authenticates the sender, checks the report, stores it, and then answers. */
final class ReportsEndpoint {
  private static final Logger LOG = LoggerFactory.getLogger(ReportsEndpoint.class);
  private static final Duration SOON = Duration.ofSeconds(5);

  /** A body in JSON counts as a report for each part of this length, since it costs as much. */
  private static final int JSON_PART = 1 << 16;

  private final Senders senders;
  private final RequestBodies bodies;
  private final ReportCheck check;
  private final ReportStore store;
  private final BooleanSupplier caughtUp;
  private final RateLimits users;
  private final JsonParses parses = new JsonParses();
  private final Executor executor;

  /**
   * Creates the endpoint.
   *
   * @param users limits of each user
   */
  ReportsEndpoint(
      Senders senders,
      RequestBodies bodies,
      ReportCheck check,
      ReportStore store,
      BooleanSupplier caughtUp,
      RateLimits users,
      Executor executor) {
    this.senders = senders;
    this.bodies = bodies;
    this.check = check;
    this.store = store;
    this.caughtUp = caughtUp;
    this.users = users;
    this.executor = executor;
  }

  void handle(Exchange exchange) {
    RequestBodies.Format format = RequestBodies.format(exchange);
    bodies.requireLength(exchange);
    String userId = senders.authenticateReporter(exchange);
    users.require(userId);
    if (!caughtUp.getAsBoolean()) {
      throw new ProblemException(
          ProblemDocument.of(ProblemType.UNAVAILABLE, "the gateway has not read all specs yet")
              .retryAfter(SOON));
    }
    // Limits on the body and on Kafka's answer bound the time of a report.
    exchange.request().addIdleTimeoutListener(timeout -> false);
    CompletableFuture<RecordMetadata> unused =
        bodies
            .read(exchange, userId)
            .thenCompose(
                body ->
                    format == RequestBodies.Format.JSON
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

  private CompletableFuture<Checked> json(byte[] body, String userId) {
    int more = body.length / JSON_PART;
    if (more > 0) {
      users.requireMore(userId, more);
    }
    return parses.run(userId, () -> check.json(body, userId));
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
