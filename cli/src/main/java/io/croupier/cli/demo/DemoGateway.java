package io.croupier.cli.demo;

import io.croupier.gateway.Gateway;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** A gateway for anonymous reports, on this machine alone, and its issuer of identities. */
final class DemoGateway implements AutoCloseable {
  private static final Duration RUN = Duration.ofHours(24);

  /** All people have one address. */
  private static final String UNLIMITED = "1000000000";

  private final TestTokens identities;
  private final Gateway gateway;

  /**
   * Starts the gateway.
   *
   * @param directory for its secrets
   * @param kafka properties of Kafka's clients
   * @param prefix of the topics' names
   */
  DemoGateway(Path directory, Map<String, Object> kafka, String prefix) throws IOException {
    Path pepper = directory.resolve("pepper");
    Path key = directory.resolve("identities.jwk");
    boolean isNew = Pepper.create(pepper) && TestTokens.create(key);
    if (!isNew) {
      throw new IllegalStateException(directory + " has the secrets of another run");
    }
    identities = TestTokens.read(key);
    Map<String, String> settings = new HashMap<>();
    kafka.forEach((name, value) -> settings.put("kafka." + name, value.toString()));
    settings.put("topics.prefix", prefix);
    settings.put("listen.port", "0");
    settings.put("anonymous.enabled", "true");
    settings.put("pepper.file", pepper.toString());
    settings.put("test-tokens.allowed", "true");
    settings.put("test-tokens.key-file", key.toString());
    settings.put("limits.address.per-minute", UNLIMITED);
    settings.put("limits.address.burst", UNLIMITED);
    gateway = new Gateway(GatewayConfig.of(settings, directory));
  }

  /** The base of its API, without /v1. */
  URI address() {
    return gateway.address();
  }

  /** A bearer token of a person. */
  String identity(String person) {
    return identities.mint(person, Instant.now(), RUN);
  }

  @Override
  public void close() {
    gateway.close();
  }
}
