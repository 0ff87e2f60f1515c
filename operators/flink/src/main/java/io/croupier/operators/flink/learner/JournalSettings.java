package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Serializable;

/**
 * Whether the job writes a journal of the reports that enter its local models, and how much of the
 * journal fits one record.
 *
 * @param enabled whether the journal is written
 * @param gradientsTopic the topic of all positions in the journal
 * @param entryBytes largest value of an entry; no bundle may be longer
 * @param mostPositions reports in a bundle that is sure to fit; unlimited without a journal
 */
public record JournalSettings(
    boolean enabled, String gradientsTopic, int entryBytes, int mostPositions)
    implements Serializable {
  public static final JournalSettings OFF = new JournalSettings(false, "", 0, Integer.MAX_VALUE);

  /**
   * Bounds the size of a record without its value: Kafka's framing of a batch of one record (61 +
   * 25 bytes) and a key of 100.
   */
  private static final int FRAMING = 256;

  /**
   * Bounds the fields of an entry with one bundle, without its positions: model_id (2 + 100),
   * named_round and closed_round (11 each), published, outcome and round_held (2 each), the
   * bundle's tag and length (6).
   */
  private static final int BUNDLE_BYTES = 136;

  /**
   * Bounds a position without its topic's name: the partition (6), the offset (10), tag and length
   * of the topic (3) and of the position (3).
   */
  private static final int POSITION_BYTES = 22;

  /**
   * Returns the settings of a journal of positions on {@code gradientsTopic}.
   *
   * @param maxRecordBytes largest record that the journal topic accepts, in bytes
   * @throws IllegalArgumentException if a bundle of one report might not fit
   */
  public static JournalSettings on(String gradientsTopic, int maxRecordBytes) {
    int positionBytes = POSITION_BYTES + gradientsTopic.getBytes(UTF_8).length;
    int least = FRAMING + BUNDLE_BYTES + positionBytes;
    if (maxRecordBytes < least) {
      throw new IllegalArgumentException(
          "The journal topic accepts records of %d bytes at most; its max.message.bytes must be at least %d"
              .formatted(maxRecordBytes, least));
    }
    return new JournalSettings(
        true,
        gradientsTopic,
        maxRecordBytes - FRAMING,
        (maxRecordBytes - FRAMING - BUNDLE_BYTES) / positionBytes);
  }
}
