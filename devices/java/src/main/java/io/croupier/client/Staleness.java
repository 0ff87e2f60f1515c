package io.croupier.client;

import io.croupier.schemas.ModelSpecs;
import java.time.Duration;

/**
 * How far a snapshot lags behind the newest publication.
 *
 * @param publications number of newer publications read so far, up to {@value #MOST_PUBLICATIONS};
 *     there may be more that were not read yet, or that compaction removed. If the number exceeds
 *     the model's {@code max_staleness}, the job drops a report at this snapshot, and the report is
 *     charged nevertheless
 * @param age time since its publication, by the clocks of this device and the job; at least 0
 */
public record Staleness(int publications, Duration age) {
  /** Largest number counted; no model tolerates a staleness as large. */
  public static final int MOST_PUBLICATIONS = ModelSpecs.MAX_STALENESS + 1;
}
