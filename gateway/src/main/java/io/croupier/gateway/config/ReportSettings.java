package io.croupier.gateway.config;

import java.time.Duration;

/**
 * Which reports are accepted.
 *
 * @param raw whether raw ones are
 * @param anonymous whether anonymous ones are
 * @param timeout how long to try to store one
 */
public record ReportSettings(boolean raw, boolean anonymous, Duration timeout) {}
