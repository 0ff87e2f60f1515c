package io.croupier.operators.flink.learner;

import java.io.Serializable;
import java.time.Duration;

/**
 * When models may publish new rounds.
 *
 * @param maxLag how old a report may be on arrival before the job is behind and no new round is
 *     published, at least 1 ms
 * @param longestHold how long a new round may wait because the job is behind, or because too few
 *     reports have named the last one, at least 1 ms
 */
public record PublicationSettings(Duration maxLag, Duration longestHold) implements Serializable {}
