package io.croupier.client;

import io.croupier.schemas.VisibleText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the records of a topic that its reader can't use: the first {@value #FIRST}, then each one
 * whose number is a power of ten, so that a topic full of them doesn't fill the log. Safe for use
 * by several threads.
 */
public final class SkippedRecords {
  private static final Logger LOG = LoggerFactory.getLogger(SkippedRecords.class);
  private static final int FIRST = 10;

  private long count;

  /**
   * Logs a record that is skipped, by its position.
   *
   * @param reason without personal data; printed in one line
   */
  public synchronized void add(String topic, int partition, long offset, String reason) {
    count++;
    if (count <= FIRST || isPowerOfTen(count)) {
      LOG.warn(
          "Topic {}, partition {}, offset {}: the record is skipped: {}{}",
          topic,
          partition,
          offset,
          VisibleText.line(reason),
          count < FIRST ? "" : " (%,d have been skipped, and not all are logged)".formatted(count));
    }
  }

  private static boolean isPowerOfTen(long number) {
    long power = 1;
    while (power < number) {
      power *= 10;
    }
    return power == number;
  }
}
