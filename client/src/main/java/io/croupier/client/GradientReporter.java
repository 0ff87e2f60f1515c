package io.croupier.client;

import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredReport;
import io.croupier.client.randomiser.BitRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.Question;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Future;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends the noisy gradients of one person's device. Each is charged to the person's {@link
 * LocalLedger} and durable there before it is sent. The caller owns the ledger and the producer: it
 * creates the producer with {@link #producerProperties}, and closes the producer first, then the
 * ledger. Thousands of reporters may share a producer, but each needs its own ledger.
 *
 * <p>Privacy is spent when a report leaves the device, whether or not it arrives. So a caller must
 * not report the same data again after a failure: the first report may have arrived, and a second
 * one carries new noise and spends privacy again. Resending the same bytes is safe, and happens
 * automatically: within {@code delivery.timeout.ms} by Kafka's idempotent producer, and afterwards,
 * under the same number, before the next report and when a reporter is created for the ledger. A
 * refusal is final: a record that the broker will never accept is not sent again, stays charged,
 * and its number is not reused.
 *
 * <p>Safe for use by several threads: reports leave in the order of their numbers.
 */
public final class GradientReporter {
  private final Producer<byte[], byte[]> producer;
  private final String topic;
  private final LocalLedger ledger;
  private final ReportMaker maker;
  private final byte[] key;

  /** Stored reports that the producer is not currently sending. */
  private final NavigableMap<Long, StoredReport> unsent = new ConcurrentSkipListMap<>();

  /**
   * Creates a reporter and sends the ledger's pending reports, in order and unchanged.
   *
   * @param gradientsTopic topic of reports with noise from the device; always the same for one
   *     ledger
   * @param ledger the ledger of the person whose privacy is spent
   */
  public GradientReporter(
      Producer<byte[], byte[]> producer, String gradientsTopic, LocalLedger ledger) {
    this(producer, gradientsTopic, ledger, Clock.systemUTC());
  }

  GradientReporter(
      Producer<byte[], byte[]> producer, String gradientsTopic, LocalLedger ledger, Clock clock) {
    this.producer = Objects.requireNonNull(producer, "producer");
    topic = Objects.requireNonNull(gradientsTopic, "gradientsTopic");
    this.ledger = ledger;
    maker = new ReportMaker(ledger, clock);
    key = ledger.userId().getBytes(StandardCharsets.UTF_8);
    sendAgain(ledger.pending());
  }

  /**
   * The settings that a producer of reports requires, added to the caller's settings. Reports are
   * acknowledged by all replicas in sync, resent without duplicates, and go to the partition that
   * Kafka's built-in partitioner chooses by the murmur2 hash of the key, so that one user's reports
   * keep their order, independent of the client's programming language.
   *
   * @param kafka the caller's settings, not modified
   * @throws IllegalArgumentException if a setting contradicts the required ones
   */
  public static Map<String, Object> producerProperties(Map<String, Object> kafka) {
    if (kafka.containsKey(ProducerConfig.PARTITIONER_CLASS_CONFIG)) {
      throw new IllegalArgumentException(
          ProducerConfig.PARTITIONER_CLASS_CONFIG
              + " is "
              + kafka.get(ProducerConfig.PARTITIONER_CLASS_CONFIG)
              + "; it must be absent: Kafka's own partitioner keeps a user's reports in order");
    }
    Map<String, Object> properties = new HashMap<>(kafka);
    set(properties, ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, "false");
    if ("-1".equals(String.valueOf(kafka.get(ProducerConfig.ACKS_CONFIG)))) {
      // Kafka accepts both "all" and "-1".
      properties.remove(ProducerConfig.ACKS_CONFIG);
    }
    set(properties, ProducerConfig.ACKS_CONFIG, "all");
    set(properties, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    String serializer = ByteArraySerializer.class.getName();
    set(properties, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, serializer);
    set(properties, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, serializer);
    return properties;
  }

  private static void set(Map<String, Object> properties, String name, String value) {
    Object present = properties.put(name, value);
    if (present == null) {
      return;
    }
    String stated = present instanceof Class<?> type ? type.getName() : present.toString();
    if (!stated.equals(value)) {
      throw new IllegalArgumentException(name + " is " + stated + "; it must be " + value);
    }
  }

  /**
   * Whether this device answers a published round by a gradient: each device does with the
   * probability that the model states, unless it is asked a {@linkplain #question question} or for
   * its {@linkplain #asksForSize size} instead. The ledger decides once for all its reporters; call
   * this before computing the gradient.
   */
  public boolean answers(ModelSnapshot model) {
    return maker.answers(model.terms());
  }

  /**
   * The question that this device is asked about the model's average instead of for a gradient;
   * empty for most devices and rounds. The ledger decides for all its reporters, before the device
   * looks at its data: once, unless the job publishes the round again with another probability or
   * other questions.
   */
  public Optional<Question> question(ModelSnapshot model) {
    return question(model.terms());
  }

  /** The same about an earlier round. */
  public Optional<Question> question(RoundTerms terms) {
    return maker.question(terms);
  }

  /**
   * Whether this device is asked for its size instead of for a gradient: in every round that it
   * answers while the model {@linkplain ModelSnapshot#isScouting scouts}, afterwards as often as
   * any question of the model. Never if the clip is fixed. The ledger decides as for {@link
   * #question}.
   */
  public boolean asksForSize(ModelSnapshot model) {
    return asksForSize(model.terms());
  }

  /** The same for an earlier round. */
  public boolean asksForSize(RoundTerms terms) {
    return maker.asksForSize(terms);
  }

  /**
   * Answers the {@linkplain #question question} that this device is asked, by a randomised bit, and
   * sends it. Spends the randomiser's privacy level, unless it throws: then no noise was drawn,
   * except with an {@link java.io.UncheckedIOException}.
   *
   * @param truth evaluates the question on the person's data and {@link ModelSnapshot#average()};
   *     called at most once, and only if this device is asked
   * @return completes when the report is acknowledged; as for {@link #report(ModelSnapshot,
   *     double[], Randomiser)}
   * @throws NotChosenException if this device isn't asked about that round
   * @throws LimitReachedException if the report would exceed the person's limit
   * @throws IllegalStateException if the report {@value LocalLedger#WINDOW} numbers earlier is not
   *     settled yet: wait for its acknowledgement
   * @throws java.io.UncheckedIOException if the report could not be made durable: it wasn't sent,
   *     and must not be drawn again until the ledger has been reopened
   */
  public Future<RecordMetadata> answer(
      ModelSnapshot model, Predicate<Question> truth, BitRandomiser randomiser) {
    return answer(model.terms(), truth, randomiser);
  }

  /** The same about an earlier round, with the average that was published with it. */
  public synchronized Future<RecordMetadata> answer(
      RoundTerms terms, Predicate<Question> truth, BitRandomiser randomiser) {
    sendAgain(List.copyOf(unsent.values()));
    return send(maker.answer(terms, truth, randomiser));
  }

  /**
   * Answers whether this device's size is above the clip, where the device is {@linkplain
   * #asksForSize asked} for it, by a randomised bit, and sends it. Spends and throws as {@link
   * #answer}.
   *
   * @param size computes the size of the person's gradient as the model {@linkplain
   *     ModelSnapshot#size bounds} it; called at most once, and only if this device is asked.
   *     {@link Sizes} states what a size that is no number of at least 0 means
   * @throws IllegalArgumentException if the clip bounds a size that this version doesn't know
   */
  public Future<RecordMetadata> answerSize(
      ModelSnapshot model, DoubleSupplier size, BitRandomiser randomiser) {
    return answerSize(model.terms(), size, randomiser);
  }

  /** The same for an earlier round. */
  public synchronized Future<RecordMetadata> answerSize(
      RoundTerms terms, DoubleSupplier size, BitRandomiser randomiser) {
    sendAgain(List.copyOf(unsent.values()));
    return send(maker.answerSize(terms, size, randomiser));
  }

  /**
   * Clips and randomises a gradient, and sends it. Spends the randomiser's privacy level, unless it
   * throws: then no noise was drawn, except with an {@link java.io.UncheckedIOException}.
   *
   * @param model the model at whose {@link ModelSnapshot#weights()} the gradient was evaluated
   * @param gradient gradient of this person's loss, shape [d], not modified; values that are not
   *     finite are replaced as {@link Randomiser#release} states
   * @param randomiser a randomiser for this model; with a moving clip, it is {@linkplain
   *     Randomiser#fitted fitted} to the clip of the round
   * @return completes when the report is acknowledged; a failed report is sent again automatically,
   *     unless it was refused
   * @throws IllegalArgumentException if the randomiser's dimension or, with a fixed clip, grid
   *     exponent or gradient bound differs from the model's, or the gradient has another shape, or
   *     the clip moves and bounds a size other than the gradient's norm, or the randomiser clips
   *     coordinates or can't be fitted
   * @throws NotChosenException if this device doesn't {@linkplain #answers answer} that round by a
   *     gradient
   * @throws LimitReachedException if the report would exceed the person's limit
   * @throws IllegalStateException if the report {@value LocalLedger#WINDOW} numbers earlier is not
   *     settled yet: wait for its acknowledgement
   * @throws java.io.UncheckedIOException if the report could not be made durable: it wasn't sent,
   *     and must not be drawn again until the ledger has been reopened
   */
  public Future<RecordMetadata> report(
      ModelSnapshot model, double[] gradient, Randomiser randomiser) {
    return report(model.terms(), gradient, randomiser);
  }

  /**
   * The same for a gradient of a known size, which is first multiplied by min(1, clip / size). The
   * privacy of the report doesn't depend on the size: the gradient is clipped in any case. Where
   * the clip is fixed, the size has no effect.
   *
   * @param size of the gradient as the model {@linkplain ModelSnapshot#size bounds} it; {@link
   *     Sizes} computes it for linear predictions, and states what a size that is no number of at
   *     least 0 means
   */
  public Future<RecordMetadata> report(
      ModelSnapshot model, double[] gradient, double size, Randomiser randomiser) {
    return report(model.terms(), gradient, size, randomiser);
  }

  /**
   * The same for a gradient that was evaluated at an earlier round of a model with a fixed clip.
   *
   * @param model any state of the model
   * @param round the published round at whose weights the gradient was evaluated
   * @throws IllegalArgumentException also if the clip moves, and the round isn't the model's: then
   *     the {@linkplain ModelSubscriber#published terms} of the round are needed
   */
  public Future<RecordMetadata> report(
      ModelSnapshot model, long round, double[] gradient, Randomiser randomiser) {
    return report(model.terms().at(round), gradient, randomiser);
  }

  /**
   * The same for a gradient that was evaluated at an earlier round.
   *
   * @param terms of the published round at whose weights the gradient was evaluated
   */
  public synchronized Future<RecordMetadata> report(
      RoundTerms terms, double[] gradient, Randomiser randomiser) {
    sendAgain(List.copyOf(unsent.values()));
    return send(maker.release(terms, gradient, randomiser));
  }

  /** The same for a gradient of a known size that was evaluated at an earlier round. */
  public synchronized Future<RecordMetadata> report(
      RoundTerms terms, double[] gradient, double size, Randomiser randomiser) {
    sendAgain(List.copyOf(unsent.values()));
    return send(maker.release(terms, gradient, size, randomiser));
  }

  private void sendAgain(List<StoredReport> reports) {
    for (StoredReport report : reports) {
      unsent.remove(report.sequence());
      // The callback handles the result.
      Future<RecordMetadata> unused = send(report);
    }
  }

  private Future<RecordMetadata> send(StoredReport report) {
    try {
      return producer.send(
          new ProducerRecord<>(topic, key, report.bytes()),
          (metadata, failure) -> settle(report, failure));
    } catch (RuntimeException e) {
      // The report is charged and stored, so the caller must receive a failed report instead of an
      // exception.
      unsent.put(report.sequence(), report);
      return CompletableFuture.failedFuture(e);
    }
  }

  private void settle(StoredReport report, Exception failure) {
    if (failure == null) {
      ledger.acknowledge(report.sequence());
    } else if (isRefusal(failure)) {
      ledger.refuse(report.sequence());
    } else {
      unsent.put(report.sequence(), report);
    }
  }

  /** Whether the failure is caused by this record, so that a retry would fail in the same way. */
  private static boolean isRefusal(Exception failure) {
    return failure instanceof RecordTooLargeException
        || failure instanceof RecordBatchTooLargeException
        || failure instanceof InvalidRecordException;
  }
}
