package io.croupier.gateway.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.croupier.gateway.config.IssuerSettings;
import io.croupier.gateway.config.IssuerSettings.KeyFile;
import io.croupier.gateway.config.IssuerSettings.KeyUrl;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
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
  private final Map<String, Issuer> issuers = new HashMap<>();
  private final List<KeyUrlSource> fetching = new ArrayList<>();
  private final Duration skew;
  private final Clock clock;

  private record Issuer(
      String audience,
      Set<String> algorithms,
      Optional<String> type,
      JWKSource<SecurityContext> keys) {}

  /**
   * Who a token is about.
   *
   * @param issuer who vouches for that
   * @param subject unique at the issuer
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
      if (issuer.jwks() instanceof KeyUrl remote) {
        KeyUrlSource fetched = new KeyUrlSource(remote.url(), times);
        fetching.add(fetched);
        keys = fetched;
      } else {
        keys = new KeyFileSource(((KeyFile) issuer.jwks()).path());
      }
      trust(issuer.issuer(), issuer.audience(), issuer.algorithms(), issuer.type(), keys);
    }
  }

  /** Accepts test tokens, too. */
  public void trust(TestTokens tokens) {
    trust(
        TestTokens.ISSUER,
        TestTokens.AUDIENCE,
        Set.of(TestTokens.ALGORITHM),
        Optional.empty(),
        tokens.publicKeys());
  }

  private void trust(
      String issuer,
      String audience,
      Set<String> algorithms,
      Optional<String> type,
      JWKSource<SecurityContext> keys) {
    issuers.put(issuer, new Issuer(audience, Set.copyOf(algorithms), type, keys));
  }

  /**
   * Verifies a token; does not wait for keys.
   *
   * @throws InvalidTokenException if it proves no identity
   * @throws KeysUnavailableException if that can't be decided now
   */
  public Identity verify(String token) throws InvalidTokenException, KeysUnavailableException {
    SignedJWT jwt;
    JWTClaimsSet claims;
    try {
      // Refuses unsigned and encrypted tokens.
      jwt = SignedJWT.parse(token);
      claims = jwt.getJWTClaimsSet();
    } catch (ParseException | IllegalArgumentException e) {
      throw new InvalidTokenException("the token is no signed JWT");
    }
    if (claims == null || claims.getIssuer() == null || !issuers.containsKey(claims.getIssuer())) {
      throw new InvalidTokenException("the token's issuer is not one that this gateway trusts");
    }
    Issuer issuer = issuers.get(claims.getIssuer());
    JWSHeader header = jwt.getHeader();
    if (!issuer.algorithms.contains(header.getAlgorithm().getName())) {
      throw new InvalidTokenException(
          "the token's alg must be one of those that this gateway accepts from its issuer");
    }
    if (header.getCriticalParams() != null && !header.getCriticalParams().isEmpty()) {
      throw new InvalidTokenException("the token's crit must be absent");
    }
    if (issuer.type.isPresent() && !hasType(header, issuer.type.get())) {
      throw new InvalidTokenException(
          "the token's typ must be the one that this gateway requires of its issuer");
    }
    if (keys(issuer, header).stream().noneMatch(key -> Signatures.isValid(jwt, key))) {
      throw new InvalidTokenException("no key of the token's issuer verifies its signature");
    }
    requireValidNow(claims, issuer.audience);
    return new Identity(claims.getIssuer(), claims.getSubject());
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

  private void requireValidNow(JWTClaimsSet claims, String audience) throws InvalidTokenException {
    Instant now = clock.instant();
    Date expires = claims.getExpirationTime();
    if (expires == null) {
      throw new InvalidTokenException("the token's exp is missing");
    }
    if (!now.isBefore(expires.toInstant().plus(skew))) {
      throw new InvalidTokenException("the token has expired");
    }
    Date begins = claims.getNotBeforeTime();
    if (begins != null && now.plus(skew).isBefore(begins.toInstant())) {
      throw new InvalidTokenException("the token is not valid yet");
    }
    if (!claims.getAudience().contains(audience)) {
      throw new InvalidTokenException("the token's aud must contain the one of this gateway");
    }
    if (claims.getSubject() == null || claims.getSubject().isEmpty()) {
      throw new InvalidTokenException("the token's sub is missing");
    }
    if (!UTF_8.newEncoder().canEncode(claims.getSubject())) {
      throw new InvalidTokenException("the token's sub is not Unicode text");
    }
  }

  /** Stops to fetch keys. */
  @Override
  public void close() {
    fetching.forEach(KeyUrlSource::close);
  }
}
