package io.croupier.gateway.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Every setting of the gateway that is not passed through, with its default and what it means. */
public enum GatewayKey {
  LISTEN_ADDRESS(
      "listen.address",
      "127.0.0.1",
      "Address to listen on. Without a certificate it must be one of the loopback interface."),
  LISTEN_PORT("listen.port", "8080", "Port to listen on; 0: any free port."),
  LISTEN_CERTIFICATE(
      "listen.certificate",
      "",
      "PEM file with the certificate chain, the server's own first; empty: HTTP without TLS. The"
          + " gateway reads certificate and key again when one of the files changes."),
  LISTEN_KEY("listen.key", "", "PEM file with the private key, PKCS #8 without a password."),
  LISTEN_PROXY(
      "listen.proxy",
      "false",
      "Whether all requests come through a proxy that appends its client's address to"
          + " X-Forwarded-For; the last address there is then the one that is limited."),
  TOPICS_PREFIX("topics.prefix", "croupier", "Prefix of all topic names."),
  TOPICS_MODELS("topics.models", "<prefix>.models", "Topic of model specs."),
  TOPICS_GRADIENTS("topics.gradients", "<prefix>.gradients", "Topic of reports with noise."),
  TOPICS_RAW_GRADIENTS(
      "topics.raw-gradients",
      "<prefix>.raw-gradients",
      "Topic of raw reports; used only with `reports.raw`."),
  TOPICS_STOPS(
      "topics.stops",
      "<prefix>.stops",
      "Topic of people who are stopped, whose reports the gateway refuses."),
  TOPICS_ACCOUNT_REQUESTS(
      "topics.account-requests",
      "<prefix>.account-requests",
      "Topic of people's requests for their accounts."),
  TOPICS_ACCOUNT_ANSWERS(
      "topics.account-answers", "<prefix>.account-answers", "Topic of the job's answers to them."),
  TOPICS_UPDATES("topics.updates", "<prefix>.updates", "Topic of each model's newest update."),
  TOPICS_GATEWAY(
      "topics.gateway",
      "<prefix>.gateway",
      "Topic with the fingerprints of pepper and issuers; one partition, compacted. A gateway"
          + " creates it if it is missing."),
  TOPICS_ANONYMOUS(
      "topics.anonymous",
      "<prefix>.anonymous",
      "Topic of anonymous reports; this one and the next two only with `anonymous.enabled`."),
  TOPICS_GRANTS(
      "topics.grants", "<prefix>.grants", "Topic of the job's verdicts on requests for tokens."),
  TOPICS_TOKEN_KEYS(
      "topics.token-keys", "<prefix>.token-keys", "Topic of the public keys of tokens."),
  ANONYMOUS_ENABLED(
      "anonymous.enabled",
      "false",
      "Whether the gateway signs tokens for [anonymous reports](../theory/anonymity.md), and takes such"
          + " reports."),
  PEPPER_FILE(
      "pepper.file",
      "",
      "File with the secret from which user ids are computed; required. `croupier gateway init`"
          + " creates it."),
  TOKENS_CLOCK_SKEW(
      "tokens.clock-skew", "30 s", "By how much the clocks of issuer and gateway may differ."),
  TEST_TOKENS_ALLOWED(
      "test-tokens.allowed",
      "false",
      "Whether tokens of `croupier gateway token` are accepted. A reader of the key file can take"
          + " any identity."),
  TEST_TOKENS_KEY_FILE(
      "test-tokens.key-file",
      "",
      "File with the key of test tokens, which `croupier gateway init` creates; empty: none."),
  REPORTS_RAW(
      "reports.raw", "false", "Whether raw reports (`central`) are accepted, for central models."),
  REPORTS_TIMEOUT(
      "reports.timeout",
      "10 s",
      "How long the gateway tries to store a report on Kafka before it answers 503."),
  CORS_ORIGINS(
      "cors.origins",
      "",
      "Origins of pages that may use the gateway from a browser, such as https://app.example;"
          + " empty: only pages of the gateway itself."),
  LIMITS_BODY(
      "limits.body",
      "1048576",
      "Largest body of a request in bytes. Reports in JSON take up to six times as many bytes as"
          + " in Protobuf."),
  LIMITS_BODY_TIME(
      "limits.body-time", "10 s", "Longest time between a request's header and its last byte."),
  LIMITS_IDLE(
      "limits.idle",
      "30 s",
      "After this time without a byte, or without a complete header of a request, a connection is"
          + " closed."),
  LIMITS_CONNECTIONS("limits.connections", "10000", "Largest number of open connections."),
  LIMITS_CONCURRENT(
      "limits.concurrent", "256", "Largest number of reports that are taken at the same time."),
  LIMITS_WAITING(
      "limits.waiting",
      "5000",
      "Largest number of requests that wait for an update or receive events."),
  LIMITS_WAIT("limits.wait", "60 s", "Longest time that a request may wait for an update."),
  LIMITS_USER_PER_MINUTE(
      "limits.user.per-minute", "60", "Reports of one user a minute, in the long run."),
  LIMITS_USER_BURST("limits.user.burst", "60", "Reports of one user without a pause."),
  LIMITS_ADDRESS_PER_MINUTE(
      "limits.address.per-minute",
      "6000",
      "Requests of one address (IPv6: of one /64 network) a minute, in the long run."),
  LIMITS_ADDRESS_BURST("limits.address.burst", "1000", "Requests of one address without a pause."),
  LIMITS_ADDRESS_WAITING(
      "limits.address.waiting",
      "500",
      "Largest number of requests of one address that wait for an update or receive events."),
  LIMITS_ADDRESS_CONNECTIONS(
      "limits.address.connections",
      "1000",
      "Largest number of open connections of one address; no limit with `listen.proxy`.");

  /** Settings of Kafka's clients, for every client of the gateway. */
  public static final String KAFKA = "kafka.";

  /** Settings of an issuer of tokens: {@code issuers.NAME.issuer}, and so on. */
  public static final String ISSUERS = "issuers.";

  /** The settings of an issuer. */
  static final List<String> OF_AN_ISSUER =
      List.of(
          "issuer",
          "audience",
          "jwks",
          "algorithms",
          "typ",
          "require",
          "subject",
          "identity",
          "added");

  private static final Pattern ISSUER =
      Pattern.compile("issuers\\.[^.]+\\.(" + String.join("|", OF_AN_ISSUER) + ")");

  private final String key;
  private final String byDefault;
  private final String meaning;

  GatewayKey(String key, String byDefault, String meaning) {
    this.key = key;
    this.byDefault = byDefault;
    this.meaning = meaning;
  }

  /** The key as written in a file. */
  public String key() {
    return key;
  }

  /** The default, as text. */
  public String byDefault() {
    return byDefault;
  }

  /** What it means, in one or two sentences. */
  public String meaning() {
    return meaning;
  }

  static boolean isKnown(String key) {
    return key.startsWith(KAFKA)
        || ISSUER.matcher(key).matches()
        || Arrays.stream(values()).anyMatch(k -> k.key.equals(key));
  }

  /** The known key with the smallest edit distance; of an issuer, with the same name. */
  static String nearest(String unknown) {
    LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
    List<String> known =
        issuerName(unknown)
            .map(name -> OF_AN_ISSUER.stream().map(key -> ISSUERS + name + "." + key).toList())
            .orElse(Arrays.stream(values()).map(GatewayKey::key).toList());
    return known.stream()
        .min((a, b) -> Integer.compare(distance.apply(unknown, a), distance.apply(unknown, b)))
        .orElseThrow();
  }

  /** The NAME of {@code issuers.NAME.KEY}; empty for other keys. */
  static Optional<String> issuerName(String key) {
    String[] parts = key.split("\\.", -1);
    return parts.length == 3 && (parts[0] + ".").equals(ISSUERS) && !parts[1].isEmpty()
        ? Optional.of(parts[1])
        : Optional.empty();
  }
}
