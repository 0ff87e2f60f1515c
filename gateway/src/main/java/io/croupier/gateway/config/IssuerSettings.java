package io.croupier.gateway.config;

import java.net.InetAddress;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An issuer whose tokens the gateway accepts.
 *
 * @param issuer the {@code iss} of its tokens
 * @param audience a token's {@code aud} must contain this
 * @param jwks where its public keys are
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
    /** Claims of words, separated by blanks (RFC 8693, section 4.2); a value is one of them. */
    public static final Set<String> SCOPES = Set.of("scope", "scp");

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
  public record KeyUrl(URL url) implements Keys {

    /**
     * Reads a URL.
     *
     * @throws IllegalArgumentException unless it is an https URL; http may have a loopback host
     */
    public static KeyUrl of(String text) {
      try {
        URL url = URI.create(text).toURL();
        boolean isHttp =
            url.getProtocol().equals("http")
                && InetAddress.getByName(url.getHost()).isLoopbackAddress();
        if (!url.getHost().isEmpty() && (isHttp || url.getProtocol().equals("https"))) {
          return new KeyUrl(url);
        }
      } catch (IllegalArgumentException | MalformedURLException | UnknownHostException e) {
        // The exception below covers these cases, too.
      }
      throw new IllegalArgumentException(
          "must be an https URL (http only on the loopback interface)");
    }
  }

  /**
   * Keys behind the URL that the issuer's configuration names (OpenID Connect Discovery 1.0,
   * section 4).
   *
   * @param configuration where that is
   * @param issuer which it must name
   */
  public record Discovery(URL configuration, String issuer) implements Keys {

    /**
     * Derives the URL of an issuer's configuration.
     *
     * @throws IllegalArgumentException as {@link KeyUrl#of} does
     */
    public static Discovery of(String issuer) {
      String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
      return new Discovery(KeyUrl.of(base + "/.well-known/openid-configuration").url(), issuer);
    }
  }

  /** Copies the algorithms. */
  public IssuerSettings {
    algorithms = Set.copyOf(algorithms);
  }
}
