package io.croupier.gateway.config;

import java.util.Optional;
import java.util.Set;

/**
 * An issuer whose tokens the gateway accepts.
 *
 * @param issuer the {@code iss} of its tokens
 * @param audience a token's {@code aud} must contain this
 * @param jwks its public keys: the name of a file, or an https URL
 * @param algorithms the signature algorithms that its tokens may have; none of them is symmetric
 * @param type the {@code typ} in the header of its tokens; empty: it is not checked
 */
public record IssuerSettings(
    String issuer, String audience, Keys jwks, Set<String> algorithms, Optional<String> type) {

  /** Where an issuer's keys are. */
  public sealed interface Keys {}

  /** Keys in a file. */
  public record KeyFile(java.nio.file.Path path) implements Keys {}

  /** Keys behind a URL. */
  public record KeyUrl(java.net.URL url) implements Keys {}

  /** Copies the algorithms. */
  public IssuerSettings {
    algorithms = Set.copyOf(algorithms);
  }
}
