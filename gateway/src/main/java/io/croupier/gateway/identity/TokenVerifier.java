package io.croupier.gateway.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.croupier.gateway.config.GatewayKey;
import io.croupier.gateway.config.IssuerSettings;
import io.croupier.gateway.config.IssuerSettings.KeyFile;
import io.croupier.gateway.config.IssuerSettings.People;
import io.croupier.gateway.config.IssuerSettings.Required;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Verifies the bearer tokens of OpenID Connect issuers (RFC 7519, RFC 9068): signature by a key of
 * the issuer, algorithm of its list, issuer, audience, expiry and, where the issuer's settings
 * require one, the type of the token (RFC 8725, section 3.11). Safe for use by several threads.
 */
public final class TokenVerifier implements AutoCloseable {
  private static final List<String> DATES = List.of("exp", "nbf", "iat");

  private static final double SECONDS = 1e-3;

  private final Signatures signatures = new Signatures();
  private final Map<String, Issuer> issuers = new HashMap<>();
  private final List<KeyUrlSource> fetching = new ArrayList<>();
  private final Duration skew;
  private final Clock clock;

  private record Issuer(
      String audience,
      Set<String> algorithms,
      Required required,
      People people,
      JWKSource<SecurityContext> keys) {}

  /**
   * Who a token is about.
   *
   * @param issuer the identity of the issuer who vouches for that
   * @param subject unique there
   */
  public record Identity(String issuer, String subject) {
    /** Without the subject. */
    @Override
    public String toString() {
      return "Identity";
    }
  }

  /**
   * Creates a verifier, which begins to fetch the keys of issuers with a URL.
   *
   * @param skew by how much the issuers' clocks may differ
   * @throws IllegalArgumentException if a file with keys can't be read
   */
  public TokenVerifier(List<IssuerSettings> trusted, Duration skew, Clock clock) {
    this(trusted, skew, clock, KeyUrlSource.Times.DEFAULT);
  }

  TokenVerifier(
      List<IssuerSettings> trusted, Duration skew, Clock clock, KeyUrlSource.Times times) {
    this.skew = skew;
    this.clock = clock;
    for (IssuerSettings issuer : trusted) {
      JWKSource<SecurityContext> keys;
      if (issuer.jwks() instanceof KeyFile file) {
        keys =
            new KeyFileSource(GatewayKey.ISSUERS + issuer.people().name() + ".jwks", file.path());
      } else {
        KeyUrlSource fetched = new KeyUrlSource(issuer.jwks(), times);
        fetching.add(fetched);
        keys = fetched;
      }
      issuers.put(
          issuer.issuer(),
          new Issuer(
              issuer.audience(), issuer.algorithms(), issuer.required(), issuer.people(), keys));
    }
  }

  /** Accepts test tokens, too. */
  public void trust(TestTokens tokens) {
    issuers.put(
        TestTokens.ISSUER,
        new Issuer(
            TestTokens.AUDIENCE,
            Set.of(TestTokens.ALGORITHM),
            new Required(Optional.empty(), Map.of()),
            new People("", TestTokens.ISSUER, "sub", false),
            tokens.publicKeys()));
  }

  /**
   * Verifies a token; does not wait for keys.
   *
   * @throws InvalidTokenException if it proves no identity
   * @throws KeysUnavailableException if that can't be decided now
   */
  public Identity verify(String token) throws InvalidTokenException, KeysUnavailableException {
    SignedJWT jwt;
    Map<String, Object> written;
    boolean isCritical;
    JWTClaimsSet claims;
    try {
      // Refuses unsigned and encrypted tokens.
      jwt = SignedJWT.parse(token);
      isCritical = object(jwt.getParsedParts()[0]).containsKey("crit");
      written = object(jwt.getParsedParts()[1]);
      Map<String, Object> undated = new HashMap<>(written);
      undated.keySet().removeAll(DATES);
      claims = JWTClaimsSet.parse(undated);
    } catch (ParseException | CharacterCodingException | IllegalArgumentException e) {
      throw new InvalidTokenException("the token is no signed JWT");
    }
    if (claims.getIssuer() == null || !issuers.containsKey(claims.getIssuer())) {
      throw new InvalidTokenException("the token's issuer is not one that this gateway trusts");
    }
    Issuer issuer = issuers.get(claims.getIssuer());
    JWSHeader header = jwt.getHeader();
    if (!issuer.algorithms.contains(header.getAlgorithm().getName())) {
      throw new InvalidTokenException(
          "the token's alg must be one of those that this gateway accepts from its issuer");
    }
    if (isCritical) {
      throw new InvalidTokenException("the token's crit must be absent");
    }
    if (issuer.required.type().isPresent() && !hasType(header, issuer.required.type().get())) {
      throw new InvalidTokenException(
          "the token's typ must be the one that this gateway requires of its issuer");
    }
    if (keys(issuer, header).stream().noneMatch(key -> signatures.isSignedBy(key, token, jwt))) {
      throw new InvalidTokenException("no key of the token's issuer verifies its signature");
    }
    requireValidNow(written);
    if (!claims.getAudience().contains(issuer.audience)) {
      throw new InvalidTokenException("the token's aud must contain the one of this gateway");
    }
    String subject = subject(written, issuer.people.subject());
    requireClaims(claims, issuer.required.claims());
    return new Identity(issuer.people.identity(), subject);
  }

  /**
   * Media types, of which senders leave out the prefix "application/" if no other slash is left
   * (RFC 7515, section 4.1.9); capital letters make no difference.
   */
  private static boolean hasType(JWSHeader header, String required) {
    return header.getType() != null
        && subtype(header.getType().getType()).equalsIgnoreCase(subtype(required));
  }

  private static String subtype(String type) {
    String prefix = "application/";
    return type.regionMatches(true, 0, prefix, 0, prefix.length())
        ? type.substring(prefix.length())
        : type;
  }

  private static List<JWK> keys(Issuer issuer, JWSHeader header)
      throws InvalidTokenException, KeysUnavailableException {
    JWKMatcher matcher = JWKMatcher.forJWSHeader(header);
    if (matcher == null) {
      throw new InvalidTokenException("the token's alg is not supported");
    }
    try {
      return issuer.keys.get(new JWKSelector(matcher), null);
    } catch (KeyUrlSource.UnknownKeyException e) {
      throw KeysUnavailableException.unknown(e);
    } catch (KeySourceException e) {
      throw KeysUnavailableException.unfetched(e);
    }
  }

  /** A part of a token. Bytes that are no UTF-8 would turn two texts into one. */
  private static Map<String, Object> object(Base64URL part)
      throws CharacterCodingException, ParseException {
    return JSONObjectUtils.parse(
        UTF_8.newDecoder().decode(ByteBuffer.wrap(part.decode())).toString());
  }

  private void requireValidNow(Map<String, Object> written) throws InvalidTokenException {
    for (String claim : DATES) {
      if (written.get(claim) != null && !(written.get(claim) instanceof Number)) {
        throw new InvalidTokenException(
            "the token's %s must be a number of seconds since 1970".formatted(claim));
      }
    }
    // Doubles, since a date beyond Java's dates would overflow and become an early one.
    double now = clock.millis() * SECONDS;
    double tolerance = skew.toMillis() * SECONDS;
    if (!(written.get("exp") instanceof Number expires)) {
      throw new InvalidTokenException("the token's exp is missing");
    }
    if (now >= expires.doubleValue() + tolerance) {
      throw new InvalidTokenException("the token has expired");
    }
    if (written.get("nbf") instanceof Number begins && now + tolerance < begins.doubleValue()) {
      throw new InvalidTokenException("the token is not valid yet");
    }
  }

  /**
   * The claim as its issuer wrote it. RFC 7519 requires a text: two numbers that differ only beyond
   * the precision of doubles would be one person.
   */
  private static String subject(Map<String, Object> written, String claim)
      throws InvalidTokenException {
    if (written.get(claim) instanceof String subject
        && !subject.isBlank()
        && UTF_8.newEncoder().canEncode(subject)) {
      return subject;
    }
    throw new InvalidTokenException(
        "the token's %s must be a text of Unicode that is not blank".formatted(claim));
  }

  private static void requireClaims(JWTClaimsSet claims, Map<String, String> required)
      throws InvalidTokenException {
    for (Map.Entry<String, String> each : required.entrySet()) {
      if (!contains(claims.getClaim(each.getKey()), each.getValue(), each.getKey())) {
        throw InvalidTokenException.insufficient(
            "the token's %s must contain what this gateway requires".formatted(each.getKey()));
      }
    }
  }

  private static boolean contains(Object claim, String value, String name) {
    if (claim instanceof String text && Required.SCOPES.contains(name)) {
      return List.of(text.split(" ", -1)).contains(value);
    }
    return claim instanceof Collection<?> values
        ? values.contains(value)
        : value.equals(String.valueOf(claim));
  }

  /** Stops to fetch keys. */
  @Override
  public void close() {
    fetching.forEach(KeyUrlSource::close);
  }
}
