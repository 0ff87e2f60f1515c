package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.client.GradientReporter;
import io.croupier.client.RoundTerms;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.BitRandomiser;
import io.croupier.client.randomiser.Randomiser;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;

/** Sends reports, beginning with those that an interrupted run left unacknowledged. */
final class KafkaReportSink implements ReportSink {
  private static final int MOST_UNDERWAY = LocalLedger.WINDOW / 2;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Producer<byte[], byte[]> producer;
  private final GradientReporter reporter;
  private long questions;
  private final Deque<Future<RecordMetadata>> underway = new ArrayDeque<>();

  /**
   * Connects to Kafka and resends the pending reports of the ledger.
   *
   * @throws InputException if a setting contradicts the guarantees that reports need, or pending
   *     reports can't be sent
   */
  KafkaReportSink(Map<String, String> kafka, String gradientsTopic, LocalLedger ledger) {
    this(producer(kafka), gradientsTopic, ledger);
  }

  /** Sends through {@code producer}, which {@link #close} closes. */
  KafkaReportSink(Producer<byte[], byte[]> producer, String gradientsTopic, LocalLedger ledger) {
    this.producer = producer;
    reporter = new GradientReporter(producer, gradientsTopic, ledger);
    producer.flush();
    int left = ledger.pending().size();
    if (left > 0) {
      // New reports would fail, too, and the ledger can keep a limited number of pending ones.
      close();
      throw new InputException(
          ("%d reports from an earlier run are charged, but topic %s has not acknowledged them; run"
                  + " the command again to resend them; new reports are sent only after that")
              .formatted(left, gradientsTopic));
    }
  }

  private static Producer<byte[], byte[]> producer(Map<String, String> kafka) {
    try {
      return new KafkaProducer<>(GradientReporter.producerProperties(Map.copyOf(kafka)));
    } catch (IllegalArgumentException e) {
      throw new InputException("kafka.* of the configuration: " + e.getMessage(), e);
    }
  }

  @Override
  public void report(EvaluatedGradient answer, Randomiser randomiser) {
    while (!underway.isEmpty()
        && (underway.size() >= MOST_UNDERWAY || underway.getFirst().isDone())) {
      await(underway.removeFirst());
    }
    RoundTerms terms = answer.terms();
    Optional<BitRandomiser> sizeBits = answer.sizeBits(reporter.asksForSize(terms), randomiser);
    Optional<BitRandomiser> bits = answer.bits(reporter.question(terms), randomiser);
    if (sizeBits.isPresent()) {
      underway.add(reporter.answerSize(terms, answer::size, sizeBits.get()));
      questions++;
    } else if (bits.isPresent()) {
      underway.add(reporter.answer(terms, answer::answer, bits.get()));
      questions++;
    } else {
      underway.add(reporter.report(terms, answer.gradient(), answer.size(), randomiser));
    }
  }

  @Override
  public long questions() {
    return questions;
  }

  @Override
  public void settle() {
    producer.flush();
    while (!underway.isEmpty()) {
      await(underway.removeFirst());
    }
  }

  private static void await(Future<RecordMetadata> report) {
    try {
      report.get();
    } catch (ExecutionException e) {
      throw new InputException(
          "A report was charged, but not acknowledged: " + e.getCause().getMessage(), e);
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
    producer.close(PATIENCE);
  }
}
