package io.croupier.gateway.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.opts.AllowWeakRSAKey;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import io.croupier.gateway.Condition;
import io.croupier.gateway.LogLines;
import io.croupier.gateway.config.IssuerSettings;
import io.croupier.gateway.config.IssuerSettings.KeyFile;
import io.croupier.gateway.config.IssuerSettings.KeyUrl;
import io.croupier.gateway.config.IssuerSettings.People;
import io.croupier.gateway.config.IssuerSettings.Required;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Signature;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenVerifierTest {
  private static final String ISSUER = "https://issuer.example";
  private static final Set<String> ALL = Set.of("RS256", "PS256", "ES256", "ES384");

  private static RSAKey key;
  private static RSAKey otherKey;

  @TempDir private Path directory;

  private TokenVerifier verifier(JWK... keys) throws Exception {
    return verifier(fileOf(keys));
  }

  private static TokenVerifier verifier(IssuerSettings.Keys keys) {
    return verifier(keys, Optional.empty());
  }

  private static TokenVerifier verifier(IssuerSettings.Keys keys, Optional<String> type) {
    return verifier(keys, new Required(type, Map.of()), new People("main", ISSUER, "sub", false));
  }

  private static TokenVerifier verifier(
      IssuerSettings.Keys keys, Required required, People people) {
    return verifier(keys, required, people, Clock.systemUTC());
  }

  private static TokenVerifier verifier(
      IssuerSettings.Keys keys, Required required, People people, Clock clock) {
    return new TokenVerifier(
        List.of(new IssuerSettings(ISSUER, "croupier", keys, ALL, required, people)),
        Duration.ofSeconds(30),
        clock);
  }

  /** The present time, as a clock that is ahead has it. */
  private static final class MovedClock extends Clock {
    private Duration ahead = Duration.ZERO;

    @Override
    public Instant instant() {
      return Instant.now().plus(ahead);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  private static void assertInvalid(TokenVerifier verifier, String token, String message) {
    assertThatThrownBy(() -> verifier.verify(token))
        .as(token)
        .isInstanceOf(InvalidTokenException.class)
        .hasMessage(message);
  }

  private static JWTClaimsSet claims() {
    return new JWTClaimsSet.Builder()
        .issuer(ISSUER)
        .audience(List.of("other", "croupier"))
        .subject("ada")
        .expirationTime(Date.from(Instant.now().plusSeconds(600)))
        .build();
  }

  private static String rsa(RSAKey key, JWSAlgorithm algorithm) throws Exception {
    SignedJWT token =
        new SignedJWT(new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(), claims());
    token.sign(new RSASSASigner(key.toRSAPrivateKey(), Set.of(AllowWeakRSAKey.getInstance())));
    return token.serialize();
  }

  private static RSAKey rsaKey(int bits) throws Exception {
    return new RSAKeyGenerator(bits, bits < 2048).keyIDFromThumbprint(true).generate();
  }

  @BeforeAll
  static void makeKeys() throws Exception {
    key = rsaKey(2048);
    otherKey = rsaKey(2048);
  }

  @Test
  void everyKindOfKeyVerifies() throws Exception {
    ECKey curve = new ECKeyGenerator(Curve.P_256).keyID("ec").generate();
    TokenVerifier verifier = verifier(key, curve);
    for (JWSAlgorithm algorithm : List.of(JWSAlgorithm.RS256, JWSAlgorithm.PS256)) {
      assertThat(verifier.verify(rsa(key, algorithm)))
          .isEqualTo(new TokenVerifier.Identity(ISSUER, "ada"));
    }
    SignedJWT token =
        new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("ec").build(), claims());
    token.sign(new ECDSASigner(curve));
    assertThat(verifier.verify(token.serialize()).subject()).isEqualTo("ada");
  }

  @Test
  void aFileOfKeysIsNamedWithItsSettingAndWhatIsWrong() throws Exception {
    Path file = directory.resolve("keys.json");
    assertThatThrownBy(() -> verifier(new KeyFile(file)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("issuers.main.jwks is %s: no such file", file);
    for (String invalid : List.of("[]", "{\"keys\": []}")) {
      Files.writeString(file, invalid);
      assertThatThrownBy(() -> verifier(new KeyFile(file)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "issuers.main.jwks is %s: it must be a JWK set with the issuer's public keys", file);
    }
  }

  /** Anybody can send tokens of this issuer, many of them. */
  @Test
  void aFileThatCannotBeReadAnyMoreIsLoggedOnce() throws Exception {
    KeyFile file = fileOf(key);
    TokenVerifier verifier = verifier(file);
    String keys = Files.readString(file.path());
    try (LogLines log = new LogLines(Level.WARN)) {
      for (int times = 1; times <= 2; times++) {
        Files.writeString(file.path(), "{");
        for (int i = 0; i < 10; i++) {
          assertThat(verifier.verify(rsa(key, JWSAlgorithm.RS256)).subject()).isEqualTo("ada");
        }
        assertThat(log.count("the keys read before stay in use")).isEqualTo(times);
        Files.writeString(file.path(), keys);
        assertThat(verifier.verify(rsa(key, JWSAlgorithm.RS256)).subject()).isEqualTo("ada");
      }
    }
  }

  /** An ID token has another type, or none. */
  @Test
  void aRequiredTypeIsThatOfTheHeader() throws Exception {
    TokenVerifier verifier = verifier(fileOf(key), Optional.of("at+jwt"));
    for (String type : List.of("at+jwt", "application/at+jwt", "AT+JWT")) {
      assertThat(verifier.verify(typed(key, type)).subject()).isEqualTo("ada");
    }
    for (String type : Arrays.asList("JWT", "jwt", "id+jwt", "at", null)) {
      assertInvalid(
          verifier,
          typed(key, type),
          "the token's typ must be the one that this gateway requires of its issuer");
    }
    assertThat(verifier(key).verify(typed(key, "JWT")).subject()).isEqualTo("ada");
  }

  private static String signed(RSAKey key, JWTClaimsSet claims) throws Exception {
    SignedJWT token =
        new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("k").build(), claims);
    token.sign(new RSASSASigner(key));
    return token.serialize();
  }

  private KeyFile fileOf(JWK... keys) throws Exception {
    Path file = directory.resolve("keys.json");
    Files.writeString(file, new JWKSet(Arrays.asList(keys)).toPublicJWKSet().toString());
    return new KeyFile(file);
  }

  private static RSAKey keyNamedK() {
    return new RSAKey.Builder(key).keyID("k").build();
  }

  /** Two numbers that are one as doubles would be one person, and 1 and 1.0 two. */
  @Test
  void theSubjectIsAText() throws Exception {
    RSAKey key = keyNamedK();
    TokenVerifier verifier = verifier(key);
    for (Object subject : Arrays.asList(1e19, 1, "", " ", "\t", null)) {
      JWTClaimsSet claims = new JWTClaimsSet.Builder(claims()).claim("sub", subject).build();
      assertInvalid(
          verifier,
          signed(key, claims),
          "the token's sub must be a text of Unicode that is not blank");
    }
  }

  /** Entra ID has one oid for a person in all applications, and a sub for each. */
  @Test
  void theSubjectMayBeAnotherClaimAndTheIdentityAnotherName() throws Exception {
    RSAKey key = keyNamedK();
    TokenVerifier verifier =
        verifier(
            fileOf(key),
            new Required(Optional.empty(), Map.of()),
            new People("main", "https://earlier.example", "oid", false));
    JWTClaimsSet claims = new JWTClaimsSet.Builder(claims()).claim("oid", "person-7").build();
    assertThat(verifier.verify(signed(key, claims)))
        .isEqualTo(new TokenVerifier.Identity("https://earlier.example", "person-7"));
    assertInvalid(
        verifier,
        signed(key, claims()),
        "the token's oid must be a text of Unicode that is not blank");
  }

  @Test
  void requiredClaimsAreRights() throws Exception {
    RSAKey key = keyNamedK();
    TokenVerifier verifier =
        verifier(
            fileOf(key),
            new Required(Optional.empty(), Map.of("scope", "reports", "azp", "app")),
            new People("main", ISSUER, "sub", false));
    JWTClaimsSet.Builder app = new JWTClaimsSet.Builder(claims()).claim("azp", "app");
    for (Object scope : List.of("reports", "openid reports", List.of("openid", "reports"))) {
      assertThat(verifier.verify(signed(key, app.claim("scope", scope).build())).subject())
          .isEqualTo("ada");
    }
    for (Object scope : Arrays.asList("report", "reports.x", List.of("openid"), null)) {
      assertThatThrownBy(() -> verifier.verify(signed(key, app.claim("scope", scope).build())))
          .as("%s", scope)
          .isInstanceOfSatisfying(
              InvalidTokenException.class, e -> assertThat(e.isInsufficient()).isTrue())
          .hasMessage("the token's scope must contain what this gateway requires");
    }
    JWTClaimsSet.Builder service =
        new JWTClaimsSet.Builder(claims()).claim("azp", "app other").claim("scope", "reports");
    assertInvalid(
        verifier,
        signed(key, service.build()),
        "the token's azp must contain what this gateway requires");
  }

  private static String typed(RSAKey key, String type) throws Exception {
    JWSHeader.Builder header = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID());
    if (type != null) {
      header.type(new JOSEObjectType(type));
    }
    SignedJWT token = new SignedJWT(header.build(), claims());
    token.sign(new RSASSASigner(key));
    return token.serialize();
  }

  /** The issuer may have keys of other kinds and curves beside them, of the same id. */
  @Test
  void aKeyOfAnotherKindVerifiesNothing() throws Exception {
    ECKey signing = new ECKeyGenerator(Curve.P_256).keyID("k").generate();
    JWK edwards =
        JWK.parse(
            "{'kty':'OKP','crv':'Ed25519','kid':'k','x':'11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'}"
                .replace('\'', '"'));
    SignedJWT token =
        new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("k").build(), claims());
    token.sign(new ECDSASigner(signing));
    ECKey larger = new ECKeyGenerator(Curve.P_384).keyID("k").generate();
    assertThatThrownBy(() -> verifier(keyNamedK(), larger, edwards).verify(token.serialize()))
        .isInstanceOf(InvalidTokenException.class)
        .hasMessageContaining("no key");
    assertThat(verifier(keyNamedK(), larger, edwards, signing).verify(token.serialize()).subject())
        .isEqualTo("ada");
  }

  @Test
  void shortKeysVerifyNothing() throws Exception {
    RSAKey weak = rsaKey(1024);
    assertThatThrownBy(() -> verifier(weak).verify(rsa(weak, JWSAlgorithm.RS256)))
        .isInstanceOf(InvalidTokenException.class)
        .hasMessageContaining("no key");
  }

  /** A token with these JSON texts, which no builder would write. */
  private static String written(RSAKey key, String header, String claims) throws Exception {
    return signedBytes(key, header, claims.getBytes(StandardCharsets.UTF_8));
  }

  private static String signedBytes(RSAKey key, String header, byte[] claims) throws Exception {
    Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
    String content =
        base64.encodeToString(header.getBytes(StandardCharsets.UTF_8))
            + "."
            + base64.encodeToString(claims);
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(key.toPrivateKey());
    signature.update(content.getBytes(StandardCharsets.US_ASCII));
    return content + "." + base64.encodeToString(signature.sign());
  }

  private static final String HEADER = "{\"alg\":\"RS256\",\"kid\":\"k\"}";

  private static String claimsWith(String more) {
    return "{\"iss\":\"%s\",\"aud\":\"croupier\",\"sub\":\"ada\"%s}".formatted(ISSUER, more);
  }

  /** Seconds, which may be large, have a fraction, or lie before 1970. */
  @Test
  void datesAreNumbersOfAnySize() throws Exception {
    RSAKey key = keyNamedK();
    TokenVerifier verifier = verifier(key);
    for (String dates :
        List.of(
            "'exp':9223372036854775807",
            "'exp':1e300",
            "'exp':4102444800.5,'nbf':-1,'iat':1.5",
            "'exp':4102444800,'nbf':null")) {
      String claims = claimsWith("," + dates.replace('\'', '"'));
      assertThat(verifier.verify(written(key, HEADER, claims)).subject())
          .as(dates)
          .isEqualTo("ada");
    }
    for (String[] refused :
        new String[][] {
          {"'exp':-1", "the token has expired"},
          {"'exp':-9223372036854775808", "the token has expired"},
          {"'exp':1e300,'nbf':1e300", "the token is not valid yet"},
          {"'exp':1e300,'nbf':9223372036854775807", "the token is not valid yet"},
          {"'exp':null", "the token's exp is missing"},
          {"'exp':'4102444800'", "the token's exp must be a number of seconds since 1970"},
          {"'exp':1e300,'nbf':[1]", "the token's nbf must be a number of seconds since 1970"},
          {"'exp':1e300,'iat':'now'", "the token's iat must be a number of seconds since 1970"},
          {"'exp':1e999", "the token is no signed JWT"},
          {"'exp':1,'exp':1e300", "the token is no signed JWT"},
          {"'exp':1e300,'\\u0073ub':'eve'", "the token is no signed JWT"}
        }) {
      String claims = claimsWith("," + refused[0].replace('\'', '"'));
      assertInvalid(verifier, written(key, HEADER, claims), refused[1]);
    }
  }

  @Test
  void bytesThatAreNoTextAreNoSubject() throws Exception {
    RSAKey key = keyNamedK();
    TokenVerifier verifier = verifier(key);
    byte[] claims = claimsWith(",\"exp\":1e300").getBytes(StandardCharsets.ISO_8859_1);
    assertThat(verifier.verify(signedBytes(key, HEADER, claims)).subject()).isEqualTo("ada");
    byte[] wrong =
        claimsWith(",\"exp\":1e300")
            .replace("ada", "ad\u00e4")
            .getBytes(StandardCharsets.ISO_8859_1);
    assertInvalid(verifier, signedBytes(key, HEADER, wrong), "the token is no signed JWT");
  }

  @Test
  void criticalExtensionsAreRefused() throws Exception {
    RSAKey key = keyNamedK();
    TokenVerifier verifier = verifier(key);
    for (String crit : List.of("[\"exp\"],\"exp\":1", "[]", "null")) {
      String header = HEADER.replace("}", ",\"crit\":" + crit + "}");
      assertInvalid(
          verifier,
          written(key, header, claimsWith(",\"exp\":1e300")),
          "the token's crit must be absent");
    }
  }

  @Test
  void aChangedFileOfKeysIsReadAgain() throws Exception {
    TokenVerifier verifier = verifier(key);
    String token = rsa(otherKey, JWSAlgorithm.RS256);
    assertThatThrownBy(() -> verifier.verify(token)).isInstanceOf(InvalidTokenException.class);
    Path file = directory.resolve("keys.json");
    Path next =
        Files.writeString(
            directory.resolve("next"),
            new JWKSet(List.of(key, otherKey)).toPublicJWKSet().toString());
    Files.move(next, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertThat(verifier.verify(token).subject()).isEqualTo("ada");
    // A file that is damaged later changes nothing.
    Files.writeString(file, "{");
    assertThat(verifier.verify(token).subject()).isEqualTo("ada");
  }

  /** That a signature was verified before is no reason to accept the token still. */
  @Test
  void aTokenThatWasAcceptedIsRefusedOnceItsKeyIsGoneOrItHasExpired() throws Exception {
    String token = rsa(key, JWSAlgorithm.RS256);
    MovedClock clock = new MovedClock();
    TokenVerifier verifier =
        verifier(
            fileOf(key),
            new Required(Optional.empty(), Map.of()),
            new People("main", ISSUER, "sub", false),
            clock);
    assertThat(verifier.verify(token).subject()).isEqualTo("ada");
    clock.ahead = Duration.ofSeconds(631);
    assertInvalid(verifier, token, "the token has expired");
    clock.ahead = Duration.ZERO;
    assertThat(verifier.verify(token).subject()).isEqualTo("ada");
    // A new key under the old one's id.
    RSAKey next = new RSAKeyGenerator(2048).keyID(key.getKeyID()).generate();
    Files.writeString(
        directory.resolve("next"), new JWKSet(next).toPublicJWKSet().toString() + "\n");
    Files.move(
        directory.resolve("next"),
        directory.resolve("keys.json"),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertThatThrownBy(() -> verifier.verify(token)).hasMessageContaining("no key");
    assertThat(verifier.verify(rsa(next, JWSAlgorithm.RS256)).subject()).isEqualTo("ada");
  }

  /** Keys of a URL are fetched once, and an outage of the URL is no reason to refuse a token. */
  @Tag("ci")
  @Test
  void keysOfAUrlAreKept() throws Exception {
    AtomicInteger fetched = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] keys = new JWKSet(key).toPublicJWKSet().toString().getBytes(StandardCharsets.UTF_8);
    server.createContext(
        "/keys",
        exchange -> {
          fetched.incrementAndGet();
          exchange.sendResponseHeaders(200, keys.length);
          exchange.getResponseBody().write(keys);
          exchange.close();
        });
    server.start();
    KeyUrl url =
        new KeyUrl(
            URI.create("http://127.0.0.1:%d/keys".formatted(server.getAddress().getPort()))
                .toURL());
    String token = rsa(key, JWSAlgorithm.RS256);
    try (TokenVerifier verifier = verifier(url)) {
      awaitKeys(verifier, token);
      for (int i = 0; i < 5; i++) {
        assertThat(verifier.verify(token).subject()).isEqualTo("ada");
      }
      assertThat(fetched).hasValue(1);
      // The issuer may have added the key since the fetch.
      String ofAStranger = rsa(otherKey, JWSAlgorithm.RS256);
      assertThatThrownBy(() -> verifier.verify(ofAStranger))
          .isInstanceOfSatisfying(
              KeysUnavailableException.class,
              e ->
                  assertThat(e.retryAfter())
                      .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(35)));
      server.stop(0);
      assertThat(verifier.verify(token).subject()).isEqualTo("ada");
    }
    try (TokenVerifier late = verifier(url)) {
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(() -> late.verify(token)).isInstanceOf(KeysUnavailableException.class);
      }
    }
  }

  private static void awaitKeys(TokenVerifier verifier, String token) throws Exception {
    Condition.await(
        "the issuer's keys",
        () -> {
          try {
            verifier.verify(token);
            return true;
          } catch (KeysUnavailableException e) {
            return false;
          }
        });
  }
}
