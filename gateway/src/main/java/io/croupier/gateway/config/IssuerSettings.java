package io.croupier.gateway.config;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An issuer whose tokens the gateway accepts.
 *
 * @param issuer the {@code iss} of its tokens
 * @param audience a token's {@code aud} must contain this
 * @param jwks its public keys: the name of a file, or an https URL
 * @param algorithms the signature algorithms that its tokens may have; none of them is symmetric
 * @param required what else its tokens must have
 * @param people whom its tokens are about
 */
public record IssuerSettings(
    String issuer,
    String audience,
    Keys jwks,
    Set<String> algorithms,
    Required required,
    People people) {

  /**
   * What a token must have.
   *
   * @param type the {@code typ} in its header; empty: it is not checked
   * @param claims values by the names of claims; that of {@code scope} is one of its words
   */
  public record Required(Optional<String> type, Map<String, String> claims) {
    /** Copies the claims. */
    public Required {
      claims = Map.copyOf(claims);
    }
  }

  /**
   * The people of an issuer.
   *
   * @param name of the issuer's settings
   * @param identity from which, with the subject, user ids are computed
   * @param subject name of the claim that identifies a person at the issuer
   * @param added whether the issuer was added to those of the deployment
   */
  public record People(String name, String identity, String subject, boolean added) {
    private static final String USUAL_SUBJECT = "sub";

    /**
     * What user ids follow from, beside the pepper and the person: identity and subject's claim.
     */
    public String source() {
      return subject.equals(USUAL_SUBJECT) ? identity : identity + "\0" + subject;
    }
  }

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
