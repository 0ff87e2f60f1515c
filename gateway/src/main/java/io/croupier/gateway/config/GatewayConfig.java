package io.croupier.gateway.config;

import io.croupier.gateway.config.IssuerSettings.Discovery;
import io.croupier.gateway.config.IssuerSettings.KeyFile;
import io.croupier.gateway.config.IssuerSettings.KeyUrl;
import io.croupier.gateway.config.IssuerSettings.Keys;
import io.croupier.gateway.config.LimitSettings.Rate;
import io.croupier.gateway.config.ListenSettings.Tls;
import io.croupier.gateway.identity.TestTokens;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The gateway's settings, validated before anything starts; {@link GatewayKey} lists the keys. Keys
 * after {@code kafka.} are passed to every Kafka client unchanged.
 *
 * @param kafka properties of the Kafka clients, including {@code bootstrap.servers}
 * @param origins origins of pages of other servers that may use the gateway
 */
public record GatewayConfig(
    ListenSettings listen,
    Map<String, String> kafka,
    Topics topics,
    IdentitySettings identity,
    ReportSettings reports,
    Set<String> origins,
    LimitSettings limits) {

  /** The algorithms that an issuer may sign by; all of them have a public key for verification. */
  private static final List<String> ALGORITHMS =
      List.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

  private static final String DEFAULT_ALGORITHMS = "RS256,PS256,ES256";

  private static final int MOST = 1_000_000_000;

  /** Bytes of a body: at least those of the smallest reports, at most 64 MiB. */
  private static final int LEAST_BODY = 1024;

  private static final int MOST_BODY = 64 << 20;

  /**
   * Reads settings by their dotted keys.
   *
   * @param base directory of relative file names: that of the configuration file
   * @throws IllegalArgumentException if a key is unknown, or a value is missing or invalid
   */
  public static GatewayConfig of(Map<String, String> values, Path base) {
    for (String key : values.keySet()) {
      if (!GatewayKey.isKnown(key)) {
        throw new IllegalArgumentException(
            "Unknown setting '%s'; the nearest known one is '%s'"
                .formatted(key, GatewayKey.nearest(key)));
      }
    }
    Settings settings = new Settings(values, base);
    return new GatewayConfig(
        listen(settings),
        kafka(values),
        topics(settings),
        identity(values, settings),
        new ReportSettings(
            settings.truth(GatewayKey.REPORTS_RAW),
            settings.truth(GatewayKey.ANONYMOUS_ENABLED),
            settings.duration(GatewayKey.REPORTS_TIMEOUT)),
        origins(settings),
        limits(settings));
  }

  private static IdentitySettings identity(Map<String, String> values, Settings settings) {
    boolean testTokens = settings.truth(GatewayKey.TEST_TOKENS_ALLOWED);
    Optional<Path> testKey = settings.file(GatewayKey.TEST_TOKENS_KEY_FILE);
    if (testTokens && testKey.isEmpty()) {
      throw new IllegalArgumentException(
          "%s is true; then %s must name the key's file"
              .formatted(
                  GatewayKey.TEST_TOKENS_ALLOWED.key(), GatewayKey.TEST_TOKENS_KEY_FILE.key()));
    }
    List<IssuerSettings> issuers = issuers(values, settings);
    if (issuers.isEmpty() && !testTokens) {
      throw new IllegalArgumentException(
          "There is no issuer of tokens, so no report could be accepted; set issuers.NAME.issuer"
              + " and .audience, or for trials test-tokens.allowed and .key-file");
    }
    return new IdentitySettings(
        settings
            .file(GatewayKey.PEPPER_FILE)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        GatewayKey.PEPPER_FILE.key()
                            + " is missing; set it to the file that 'croupier gateway init'"
                            + " creates")),
        issuers,
        testKey,
        testTokens,
        settings.duration(GatewayKey.TOKENS_CLOCK_SKEW));
  }

  private static Topics topics(Settings settings) {
    Set<Topic> used =
        EnumSet.of(
            Topic.MODELS,
            Topic.GRADIENTS,
            Topic.RAW_GRADIENTS,
            Topic.STOPS,
            Topic.ACCOUNT_REQUESTS,
            Topic.ACCOUNT_ANSWERS,
            Topic.UPDATES,
            Topic.GATEWAY);
    if (settings.truth(GatewayKey.ANONYMOUS_ENABLED)) {
      used.addAll(EnumSet.of(Topic.ANONYMOUS, Topic.GRANTS, Topic.TOKEN_KEYS));
    }
    return settings.topics(used);
  }

  private static Map<String, String> kafka(Map<String, String> values) {
    Map<String, String> kafka = new TreeMap<>();
    values.forEach(
        (key, value) -> {
          if (key.startsWith(GatewayKey.KAFKA)) {
            kafka.put(key.substring(GatewayKey.KAFKA.length()), value);
          }
        });
    if (kafka.getOrDefault("bootstrap.servers", "").isBlank()) {
      throw new IllegalArgumentException(
          "kafka.bootstrap.servers is missing; set it to the brokers' addresses, such as"
              + " 'broker-1:9092,broker-2:9092'");
    }
    return Map.copyOf(kafka);
  }

  private static ListenSettings listen(Settings settings) {
    Optional<Path> certificate = settings.file(GatewayKey.LISTEN_CERTIFICATE);
    Optional<Path> key = settings.file(GatewayKey.LISTEN_KEY);
    if (certificate.isPresent() != key.isPresent()) {
      throw new IllegalArgumentException(
          "%s and %s must be set together, or neither of them"
              .formatted(GatewayKey.LISTEN_CERTIFICATE.key(), GatewayKey.LISTEN_KEY.key()));
    }
    String address = settings.text(GatewayKey.LISTEN_ADDRESS);
    try {
      return new ListenSettings(
          InetAddress.getByName(address),
          settings.number(GatewayKey.LISTEN_PORT, 0, 65_535),
          certificate.map(chain -> new Tls(chain, key.orElseThrow())),
          settings.truth(GatewayKey.LISTEN_PROXY));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "%s is '%s'; it must be an address or name of this machine"
              .formatted(GatewayKey.LISTEN_ADDRESS.key(), address),
          e);
    }
  }

  private static List<IssuerSettings> issuers(Map<String, String> values, Settings settings) {
    Set<String> names = new TreeSet<>();
    values.keySet().forEach(key -> GatewayKey.issuerName(key).ifPresent(names::add));
    List<IssuerSettings> issuers = new ArrayList<>();
    Set<String> seen = new TreeSet<>();
    for (String name : names) {
      String prefix = GatewayKey.ISSUERS + name + ".";
      String issuer = required(values, prefix + "issuer");
      if (issuer.equals(TestTokens.ISSUER) || !seen.add(issuer)) {
        throw new IllegalArgumentException(
            "%sissuer is '%s'; it must differ from those of other issuers and from that of test"
                    .formatted(prefix, issuer)
                + " tokens");
      }
      issuers.add(
          new IssuerSettings(
              issuer,
              required(values, prefix + "audience"),
              keys(prefix, issuer, values, settings),
              algorithms(prefix + "algorithms", values),
              new IssuerSettings.Required(
                  Optional.of(text(values, prefix + "typ", "")).filter(type -> !type.isEmpty()),
                  claims(prefix + "require", values)),
              people(name, prefix, issuer, values)));
    }
    return List.copyOf(issuers);
  }

  private static IssuerSettings.People people(
      String name, String prefix, String issuer, Map<String, String> values) {
    String identity = text(values, prefix + "identity", issuer);
    if (identity.equals(TestTokens.ISSUER)) {
      throw new IllegalArgumentException(
          "%sidentity is '%s', which is that of test tokens; it must be another one"
              .formatted(prefix, identity));
    }
    String added = text(values, prefix + "added", "false");
    if (!added.equals("true") && !added.equals("false")) {
      throw new IllegalArgumentException(
          "%sadded is '%s'; it must be true or false".formatted(prefix, added));
    }
    return new IssuerSettings.People(
        name, identity, text(values, prefix + "subject", "sub"), added.equals("true"));
  }

  private static String text(Map<String, String> values, String key, String byDefault) {
    String value = values.getOrDefault(key, "").strip();
    return value.isEmpty() ? byDefault : value;
  }

  private static Map<String, String> claims(String key, Map<String, String> values) {
    Map<String, String> claims = new TreeMap<>();
    for (String claim : Settings.list(values.getOrDefault(key, ""))) {
      String[] parts = claim.split("=", 2);
      if (parts.length < 2 || parts[0].isBlank() || parts[1].isBlank()) {
        throw new IllegalArgumentException(
            "%s contains '%s'; each element must be CLAIM=VALUE, such as scope=reports"
                .formatted(key, claim));
      }
      String name = parts[0].strip();
      String value = parts[1].strip();
      if (IssuerSettings.Required.SCOPES.contains(name) && value.matches("(?s).*\\s.*")) {
        throw new IllegalArgumentException(
            "%s contains '%s'; the value of a scope must be one word".formatted(key, claim));
      }
      if (claims.put(name, value) != null) {
        throw new IllegalArgumentException(
            "%s names the claim '%s' twice; a token must have one value of each"
                .formatted(key, name));
      }
    }
    return claims;
  }

  private static String required(Map<String, String> values, String key) {
    String value = values.getOrDefault(key, "").strip();
    if (value.isEmpty()) {
      throw new IllegalArgumentException(key + " is missing; each issuer needs it");
    }
    return value;
  }

  private static Keys keys(
      String prefix, String issuer, Map<String, String> values, Settings settings) {
    String text = text(values, prefix + "jwks", "");
    if (!text.isEmpty() && !text.contains("://")) {
      return new KeyFile(settings.resolve(text));
    }
    try {
      return text.isEmpty() ? Discovery.of(issuer) : KeyUrl.of(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          text.isEmpty()
              ? "%sjwks is missing, and %sissuer is '%s'; without jwks it %s"
                  .formatted(prefix, prefix, issuer, e.getMessage())
              : "%sjwks is '%s'; it must be a file, or %s"
                  .formatted(prefix, text, e.getMessage().substring("must be ".length())),
          e);
    }
  }

  private static Set<String> algorithms(String key, Map<String, String> values) {
    List<String> algorithms = Settings.list(values.getOrDefault(key, DEFAULT_ALGORITHMS));
    if (algorithms.isEmpty() || !ALGORITHMS.containsAll(algorithms)) {
      throw new IllegalArgumentException(
          "%s is '%s'; it must be a list of %s"
              .formatted(key, String.join(", ", algorithms), String.join(", ", ALGORITHMS)));
    }
    return new LinkedHashSet<>(algorithms);
  }

  private static Set<String> origins(Settings settings) {
    Set<String> origins = new LinkedHashSet<>(settings.list(GatewayKey.CORS_ORIGINS));
    for (String origin : origins) {
      if (!origin.matches("https?://[^/\\s*?#@]+")
          || origin.matches("https://.*:443|http://.*:80")) {
        throw new IllegalArgumentException(
            ("%s contains '%s'; each origin is a scheme and a host, and a port if it isn't the"
                    + " default, such as https://app.example")
                .formatted(GatewayKey.CORS_ORIGINS.key(), origin));
      }
    }
    return Set.copyOf(origins);
  }

  private static LimitSettings limits(Settings settings) {
    return new LimitSettings(
        settings.number(GatewayKey.LIMITS_BODY, LEAST_BODY, MOST_BODY),
        settings.duration(GatewayKey.LIMITS_BODY_TIME),
        settings.duration(GatewayKey.LIMITS_IDLE),
        settings.number(GatewayKey.LIMITS_CONNECTIONS, 1, MOST),
        settings.number(GatewayKey.LIMITS_CONCURRENT, 1, MOST),
        settings.number(GatewayKey.LIMITS_WAITING, 1, MOST),
        settings.duration(GatewayKey.LIMITS_WAIT),
        new Rate(
            settings.number(GatewayKey.LIMITS_USER_PER_MINUTE, 1, MOST),
            settings.number(GatewayKey.LIMITS_USER_BURST, 1, MOST)),
        new LimitSettings.Address(
            new Rate(
                settings.number(GatewayKey.LIMITS_ADDRESS_PER_MINUTE, 1, MOST),
                settings.number(GatewayKey.LIMITS_ADDRESS_BURST, 1, MOST)),
            settings.number(GatewayKey.LIMITS_ADDRESS_WAITING, 1, MOST),
            settings.number(GatewayKey.LIMITS_ADDRESS_CONNECTIONS, 1, MOST)));
  }

  /** Without the settings, which may contain passwords. */
  @Override
  public String toString() {
    return "GatewayConfig";
  }
}
