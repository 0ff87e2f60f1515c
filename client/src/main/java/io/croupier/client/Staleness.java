package io.croupier.client;

import io.croupier.schemas.ModelSpecs;
import java.time.Duration;

/**
 * How far behind a snapshot is.
 *
 * @param publications how many newer ones were read since, up to {@value #MOST_PUBLICATIONS}; there
 *     may be more that were not read yet, or that compaction removed. A report at this snapshot is
 *     dropped by the job if that is more than the model's {@code max_staleness}, and is spent all
 *     the same
 * @param age how long ago it was published, by this device's clock and the job's; at least 0
 */
public record Staleness(int publications, Duration age) {
  /** No model tolerates more. */
  public static final int MOST_PUBLICATIONS = ModelSpecs.MAX_STALENESS + 1;
}
