package io.croupier.gateway.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Who may report, and under which user id.
 *
 * @param pepper file with the pepper
 * @param issuers whose tokens are accepted
 * @param testKey file with the key of test tokens
 * @param testTokens whether test tokens are accepted
 * @param clockSkew by how much clocks may differ
 */
public record IdentitySettings(
    Path pepper,
    List<IssuerSettings> issuers,
    Optional<Path> testKey,
    boolean testTokens,
    Duration clockSkew) {}
