package io.croupier.client;

import com.google.protobuf.UnsafeByteOperations;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.view.GradientReportView;
import io.croupier.schemas.view.VectorView;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends the noisy gradients of one person's device. The producer belongs to the caller, who makes
 * it with {@link #producerProperties} and closes it; thousands of reporters may share one.
 *
 * <p>Privacy is spent when a report leaves the device, whatever becomes of it. So a caller must not
 * report the same data again after a failure: whether the first report arrived can't be known, and
 * a second one carries new noise, a second spend. What is safe, sending the same bytes again,
 * Kafka's idempotent producer does by itself until {@code delivery.timeout.ms}; a future that
 * failed is final, and its gradient is lost. Its sequence number is not used again.
 *
 * <p>Nor may two reporters of one user and device be at work, or one begin at a sequence number
 * that was used before: the job refuses a number that comes back with other bytes, and charges it
 * all the same.
 *
 * <p>Safe for use by several threads: reports leave in the order of their numbers.
 */
public final class GradientReporter {
  private final Producer<byte[], byte[]> producer;
  private final String topic;
  private final String userId;
  private final String deviceId;
  private final byte[] key;
  private final Clock clock;
  private long nextSequence;

  /**
   * @param gradientsTopic where models with noise added on the device take their reports
   * @param userId whose privacy is spent; 1 to 256 bytes of UTF-8
   * @param deviceId tells this device from others of the user; may be empty, at most 256 bytes
   * @param firstSequence number of the first report, at least 0 and above any that the device has
   *     used
   */
  public GradientReporter(
      Producer<byte[], byte[]> producer,
      String gradientsTopic,
      String userId,
      String deviceId,
      long firstSequence) {
    this(producer, gradientsTopic, userId, deviceId, firstSequence, Clock.systemUTC());
  }

  GradientReporter(
      Producer<byte[], byte[]> producer,
      String gradientsTopic,
      String userId,
      String deviceId,
      long firstSequence,
      Clock clock) {
    if (!GradientReports.isUserId(userId)) {
      throw new IllegalArgumentException(
          "userId is empty or too long; it must have 1 to "
              + GradientReports.MAX_ID_BYTES
              + " bytes of UTF-8");
    }
    if (!GradientReports.isDeviceId(deviceId)) {
      throw new IllegalArgumentException(
          "deviceId is too long; it must have at most "
              + GradientReports.MAX_ID_BYTES
              + " bytes of UTF-8");
    }
    if (firstSequence < 0) {
      throw new IllegalArgumentException(
          "firstSequence is " + firstSequence + "; it must be at least 0");
    }
    this.producer = Objects.requireNonNull(producer, "producer");
    topic = Objects.requireNonNull(gradientsTopic, "gradientsTopic");
    this.userId = userId;
    this.deviceId = deviceId;
    key = userId.getBytes(StandardCharsets.UTF_8);
    nextSequence = firstSequence;
    this.clock = clock;
  }

  /**
   * What a producer of reports must be configured with, over the caller's own settings. Reports are
   * acknowledged by all replicas in sync, resent without duplicates, and go to the partition that
   * Kafka's built-in partitioner chooses by the murmur2 hash of the key, so that one user's reports
   * keep their order, whatever language their client is written in.
   *
   * @param kafka the caller's settings, left as they are
   * @throws IllegalArgumentException if a setting contradicts this
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
      // Kafka's other spelling.
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
   * Clips and randomises a gradient, and sends it. Spends the randomiser's privacy level, unless it
   * throws an {@link IllegalArgumentException}.
   *
   * @param model at whose {@link ModelSnapshot#weights()} the gradient was evaluated
   * @param gradient of this person's loss, shape [d], left as it is
   * @param randomiser made for this model
   * @return completes when the report is acknowledged
   * @throws IllegalArgumentException if the randomiser was made for another dimension, grid
   *     exponent or gradient bound than the model's, or the gradient has another shape or is not
   *     finite
   */
  public synchronized Future<RecordMetadata> report(
      ModelSnapshot model, double[] gradient, Randomiser randomiser) {
    requireSame("dimension", randomiser.dimension(), model.dimension());
    requireSame("gridExponent", randomiser.gridExponent(), model.gridExponent());
    requireSame("gradientBound", randomiser.gradientBound(), model.gradientBound());
    long following = Math.incrementExact(nextSequence);
    int[] released = randomiser.randomise(gradient);
    long sequence = nextSequence;
    nextSequence = following;

    GradientReportView.Builder report =
        GradientReportView.newBuilder()
            .setModelId(model.modelId())
            .setRound(model.round())
            .setUserId(userId)
            .setDeviceId(deviceId)
            .setSequence(sequence)
            .setCreatedAtMs(clock.millis())
            .setGrid(packed(released));
    randomiser.declareIn(report);
    return producer.send(new ProducerRecord<>(topic, key, report.build().toByteArray()));
  }

  private static <N extends Number> void requireSame(String name, N ofRandomiser, N ofModel) {
    if (!ofRandomiser.equals(ofModel)) {
      throw new IllegalArgumentException(
          name + " of the randomiser is " + ofRandomiser + "; the model's is " + ofModel);
    }
  }

  private static VectorView packed(int[] values) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact(values.length, Integer.BYTES))
            .order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(values);
    return VectorView.newBuilder().addValues(UnsafeByteOperations.unsafeWrap(bytes)).build();
  }
}
