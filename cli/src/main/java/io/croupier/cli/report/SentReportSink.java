package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.client.GradientReporter;
import io.croupier.client.HttpReportTransport;
import io.croupier.client.KafkaReportTransport;
import io.croupier.client.ReportRefusedException;
import io.croupier.client.ReportTransport;
import io.croupier.client.TokenFile;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.Randomiser;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.InterruptException;

/** Sends reports, beginning with those that an interrupted run left unacknowledged. */
final class SentReportSink implements ReportSink {
  private static final int MOST_UNDERWAY = LocalLedger.WINDOW / 2;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Runnable close;
  private final GradientReporter reporter;
  private final Deque<Future<?>> underway = new ArrayDeque<>();

  private SentReportSink(
      ReportTransport transport,
      Runnable close,
      String receiver,
      LocalLedger ledger,
      Consumer<String> warnings) {
    this.close = close;
    try {
      reporter = new GradientReporter(transport, ledger);
      awaitEarlier(receiver, ledger, warnings);
    } catch (IllegalStateException e) {
      close.run();
      throw new InputException("--ledger: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      close.run();
      throw e;
    }
  }

  /**
   * Connects to Kafka and resends the pending reports of the ledger.
   *
   * @param warnings receives a line for each of them that is refused
   * @throws InputException if a setting contradicts the guarantees that reports need, or pending
   *     reports can't be sent
   */
  static SentReportSink overKafka(
      Map<String, String> kafka,
      String gradientsTopic,
      LocalLedger ledger,
      Consumer<String> warnings) {
    return overKafka(producer(kafka), gradientsTopic, ledger, warnings);
  }

  /** Sends through {@code producer}, which {@link #close} closes. */
  static SentReportSink overKafka(
      Producer<byte[], byte[]> producer,
      String gradientsTopic,
      LocalLedger ledger,
      Consumer<String> warnings) {
    return new SentReportSink(
        new KafkaReportTransport(producer, gradientsTopic),
        () -> producer.close(PATIENCE),
        "topic " + gradientsTopic,
        ledger,
        warnings);
  }

  /**
   * Resends the pending reports of the ledger to a gateway.
   *
   * @param token file with the person's bearer token
   * @param warnings receives a line for each of them that is refused
   * @throws InputException if the address is not allowed, or pending reports can't be sent
   */
  static SentReportSink overGateway(
      URI gateway, Path token, LocalLedger ledger, Consumer<String> warnings) {
    HttpReportTransport transport;
    try {
      transport = new HttpReportTransport(gateway, new TokenFile(token));
    } catch (IllegalArgumentException e) {
      throw new InputException("--gateway: " + e.getMessage(), e);
    }
    return new SentReportSink(transport, transport::close, "gateway " + gateway, ledger, warnings);
  }

  private static Producer<byte[], byte[]> producer(Map<String, String> kafka) {
    try {
      return new KafkaProducer<>(KafkaReportTransport.producerProperties(Map.copyOf(kafka)));
    } catch (IllegalArgumentException e) {
      throw new InputException("kafka.* of the configuration: " + e.getMessage(), e);
    }
  }

  private void awaitEarlier(String receiver, LocalLedger ledger, Consumer<String> warnings) {
    String reason = "";
    for (Future<Void> report : reporter.resent()) {
      try {
        report.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof ReportRefusedException) {
          warnings.accept(
              "A report from an earlier run was charged, but refused: "
                  + e.getCause().getMessage());
        } else {
          reason = ". The last failure: " + e.getCause().getMessage();
        }
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      }
    }
    int left = ledger.pending().size();
    if (left > 0) {
      // New reports would fail, too, and the ledger can keep a limited number of pending ones.
      throw new InputException(
          ("Charged in an earlier run, and not acknowledged by %2$s: %1$d; run the command again to"
                  + " resend them; new reports are sent only after that%3$s")
              .formatted(left, receiver, reason));
    }
  }

  @Override
  public void report(EvaluatedGradient answer, Randomiser randomiser) {
    while (!underway.isEmpty()
        && (underway.size() >= MOST_UNDERWAY || underway.getFirst().isDone())) {
      await(underway.removeFirst());
    }
    underway.add(reporter.respond(answer.terms(), answer, randomiser));
  }

  @Override
  public void settle() {
    Optional<InputException> first = Optional.empty();
    while (!underway.isEmpty()) {
      try {
        await(underway.removeFirst());
      } catch (InputException e) {
        first = Optional.of(first.orElse(e));
      }
    }
    if (first.isPresent()) {
      throw first.get();
    }
  }

  private static void await(Future<?> report) {
    try {
      report.get();
    } catch (ExecutionException e) {
      throw new InputException(
          "A report was charged, but %s: %s"
              .formatted(
                  e.getCause() instanceof ReportRefusedException ? "refused" : "not acknowledged",
                  e.getCause().getMessage()),
          e);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  @Override
  public String done() {
    return "sent";
  }

  @Override
  public void close() {
    close.run();
  }
}
