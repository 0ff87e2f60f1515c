package io.croupier.operators.flink.learner;

import java.io.Serializable;
import java.time.Duration;

/**
 * When models may publish new rounds.
 *
 * @param longestHold how long a new round may wait because no report has named the last one, at
 *     least 1 ms
 */
public record PublicationSettings(Duration longestHold) implements Serializable {}
