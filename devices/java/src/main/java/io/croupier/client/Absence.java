package io.croupier.client;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** The error that no update of a model was found. */
final class Absence {

  private Absence() {}

  /**
   * The exception after a wait.
   *
   * @param place where updates are read, in words
   * @param reason what is known about it, in words; may be empty
   */
  static TimeoutException of(String modelId, String place, Duration timeout, String reason) {
    return new TimeoutException(
        String.format(
            "no update of model %s %s within %s s%s",
            modelId,
            place,
            BigDecimal.valueOf(timeout.toMillis(), 3).stripTrailingZeros().toPlainString(),
            reason));
  }
}
