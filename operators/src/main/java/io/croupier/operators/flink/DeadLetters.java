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
 * Makes the dead letter of a record: its bytes as received, and in headers {@value #REASON},
 * {@value #TOPIC}, {@value #PARTITION} and {@value #OFFSET}. A value that is withheld, or that
 * would not fit the dead-letter topic, is replaced by its {@value #LENGTH} and {@value #SHA256}.
 */
public final class DeadLetters implements Serializable {
  private static final long serialVersionUID = 1;

  public static final String REASON = "croupier-reason";
  public static final String TOPIC = "croupier-topic";
  public static final String PARTITION = "croupier-partition";
  public static final String OFFSET = "croupier-offset";
  public static final String LENGTH = "croupier-value-length";
  public static final String SHA256 = "croupier-value-sha256";

  /** What Kafka's batch and record framing may add to key, value and headers. */
  private static final int FRAMING = 256;

  private final int maxRecordBytes;

  /**
   * For dead-letter topics of a given record size.
   *
   * @param maxRecordBytes largest record that the dead-letter topics take, in bytes
   */
  public DeadLetters(int maxRecordBytes) {
    if (maxRecordBytes < 2 * FRAMING) {
      throw new IllegalArgumentException(
          "The dead-letter topics take records of "
              + maxRecordBytes
              + " bytes only; their max.message.bytes must be at least "
              + 2 * FRAMING);
    }
    this.maxRecordBytes = maxRecordBytes;
  }

  /**
   * The dead letter of one record.
   *
   * @param destination which dead-letter topic
   * @param reason why the record can't be used; must not quote its value
   * @param withheld whether the value must not be shown there
   */
  public OutboundRecord of(
      RawRecord record, Destination destination, String reason, boolean withheld) {
    List<String> names = new ArrayList<>(List.of(REASON, TOPIC, PARTITION, OFFSET));
    List<byte[]> values =
        new ArrayList<>(
            List.of(
                utf8(reason),
                utf8(record.topic),
                utf8(Integer.toString(record.partition)),
                utf8(Long.toString(record.offset))));
    OutboundRecord letter = new OutboundRecord(destination, record.key, record.value);
    if (record.value != null && (withheld || !fits(record, reason))) {
      letter.value = null;
      names.addAll(List.of(LENGTH, SHA256));
      values.addAll(
          List.of(utf8(Integer.toString(record.value.length)), utf8(sha256(record.value))));
      if (record.key != null && record.key.length + 2 * FRAMING > maxRecordBytes) {
        letter.key = null;
      }
    }
    letter.headerNames = names.toArray(String[]::new);
    letter.headerValues = values.toArray(byte[][]::new);
    return letter;
  }

  private boolean fits(RawRecord record, String reason) {
    long size = FRAMING + (long) record.value.length + reason.length() + record.topic.length();
    if (record.key != null) {
      size += record.key.length;
    }
    return size <= maxRecordBytes;
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
