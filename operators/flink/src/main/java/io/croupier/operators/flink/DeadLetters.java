package io.croupier.operators.flink;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.OutboundRecord.Destination;
import java.io.Serializable;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Builds the dead letter of a record: its bytes as received, and the headers {@value #REASON},
 * {@value #TOPIC}, {@value #PARTITION} and {@value #OFFSET}. A value that would not fit the
 * dead-letter topic is replaced by its {@value #LENGTH} and {@value #SHA256}; a key that would not
 * fit is left out, and a long reason is truncated. So every letter fits: a letter that the broker
 * refused would fail the job, and fail it again after every restart.
 *
 * <p>The letter of a withheld record has these four headers and nothing else: no key, and nothing
 * derived from the value. A gradient may have few possible values, so that a digest, or even a
 * length, would identify it.
 */
public final class DeadLetters implements Serializable {
  private static final long serialVersionUID = 1;

  public static final String REASON = "croupier-reason";
  public static final String TOPIC = "croupier-topic";
  public static final String PARTITION = "croupier-partition";
  public static final String OFFSET = "croupier-offset";
  public static final String LENGTH = "croupier-value-length";
  public static final String SHA256 = "croupier-value-sha256";

  /**
   * Bounds the size of everything but key, value, topic and reason: Kafka's framing of a batch of
   * one record (61 + 25 bytes, 10 per header), 104 bytes of header names, 10 + 19 + 10 digits and a
   * digest of 64.
   */
  private static final int FRAMING = 512;

  /** Kafka's limit on the length of a topic's name. */
  private static final int TOPIC_BYTES = 249;

  private static final int REASON_CHARS = 1000;

  /** A character takes at most 3 bytes of UTF-8. */
  private static final int LEAST_RECORD_BYTES = FRAMING + TOPIC_BYTES + 3 * REASON_CHARS;

  private final int maxRecordBytes;

  /**
   * Creates letters for dead-letter topics of a given record size.
   *
   * @param maxRecordBytes largest record that the dead-letter topics accept, in bytes
   */
  public DeadLetters(int maxRecordBytes) {
    if (maxRecordBytes < LEAST_RECORD_BYTES) {
      throw new IllegalArgumentException(
          "The dead-letter topics accept records of "
              + maxRecordBytes
              + " bytes at most; their max.message.bytes must be at least "
              + LEAST_RECORD_BYTES);
    }
    this.maxRecordBytes = maxRecordBytes;
  }

  /**
   * Returns the dead letter of one record.
   *
   * @param destination which dead-letter topic
   * @param reason why the record can't be used; must not quote its value
   * @param withheld whether the letter must contain neither key nor value, nor anything derived
   *     from them
   */
  public OutboundRecord of(
      RawRecord record, Destination destination, String reason, boolean withheld) {
    byte[] shownReason =
        utf8(reason.length() <= REASON_CHARS ? reason : reason.substring(0, REASON_CHARS));
    byte[] topic = utf8(record.topic);
    int room = maxRecordBytes - FRAMING - topic.length - shownReason.length;
    List<String> names = new ArrayList<>(List.of(REASON, TOPIC, PARTITION, OFFSET));
    List<byte[]> values =
        new ArrayList<>(
            List.of(
                shownReason,
                topic,
                utf8(Integer.toString(record.partition)),
                utf8(Long.toString(record.offset))));
    byte[] key = withheld || length(record.key) > room ? null : record.key;
    byte[] value = withheld ? null : record.value;
    OutboundRecord letter = new OutboundRecord(destination, key, value);
    if (length(value) > room - length(key)) {
      letter.value = null;
      names.addAll(List.of(LENGTH, SHA256));
      values.addAll(List.of(utf8(Integer.toString(value.length)), utf8(sha256(value))));
    }
    letter.headerNames = names.toArray(String[]::new);
    letter.headerValues = values.toArray(byte[][]::new);
    return letter;
  }

  /**
   * Returns the dead letter of a spec.
   *
   * @param topic the topic that the spec was read from
   * @param reason why the spec can't be used
   */
  public OutboundRecord of(SpecRecord spec, String topic, String reason) {
    RawRecord record = new RawRecord();
    record.topic = topic;
    record.partition = spec.partition;
    record.offset = spec.offset;
    record.key = utf8(spec.modelId);
    record.value = spec.value;
    return of(record, Destination.DEAD_LETTERS, reason, false);
  }

  private static int length(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(UTF_8);
  }

  private static String sha256(byte[] value) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(value));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}
