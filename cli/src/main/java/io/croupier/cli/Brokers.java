package io.croupier.cli;

import io.croupier.schemas.FileErrors;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.utils.Utils;

/**
 * Finds out whether brokers can be reached before a command uses them: Kafka's clients try for a
 * minute, and then don't name the cause.
 */
public final class Brokers {
  private static final Duration ANSWER = Duration.ofSeconds(20);

  private final Map<String, String> kafka;
  private final String servers;
  private final Duration answer;

  private Brokers(Map<String, String> kafka, Duration answer) {
    this.kafka = kafka;
    this.answer = answer;
    servers = kafka.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
  }

  /**
   * Returns once a broker has answered.
   *
   * @param kafka properties of Kafka's clients
   * @param err receives a line if this takes longer than two seconds
   * @throws InputException if no address accepts a connection within 3 s, or no broker answers
   *     within 20 s; the message has the addresses and the cause
   */
  public static void require(Map<String, String> kafka, PrintWriter err) {
    require(kafka, err, ANSWER);
  }

  /** The same with another time for the answer. */
  static void require(Map<String, String> kafka, PrintWriter err, Duration answer) {
    Brokers brokers = new Brokers(kafka, answer);
    Waiting.on(
        "the brokers at " + brokers.servers,
        err,
        () -> {
          brokers.requireConnections();
          brokers.requireAnswer();
          return brokers;
        });
  }

  private void requireConnections() {
    Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
    for (String address : servers.split(",", -1)) {
      String name = address.strip();
      if (!name.isEmpty()) {
        addresses.put(name, address(name));
      }
    }
    Map<String, String> failures = ConnectionAttempts.failures(addresses);
    if (failures.size() == addresses.size()) {
      throw new InputException(
          "No Kafka broker can be reached at %s. Check the address, and that the brokers run"
              .formatted(list(failures)));
    }
  }

  private static InetSocketAddress address(String name) {
    String host = Utils.getHost(name);
    Integer port = Utils.getPort(name);
    if (host == null || host.isEmpty() || port == null || port > 65_535) {
      throw new InputException(
          "'%s' is no address of a Kafka broker; write HOST:PORT, such as localhost:9092"
              .formatted(name));
    }
    return InetSocketAddress.createUnresolved(host, port);
  }

  private static String list(Map<String, String> failures) {
    return failures.entrySet().stream()
        .map(failure -> "%s (%s)".formatted(failure.getKey(), failure.getValue()))
        .collect(Collectors.joining(", "));
  }

  /** A broker answers under the address that it announces to clients. */
  private void requireAnswer() {
    Map<String, Object> properties = new HashMap<>(kafka);
    String patience = String.valueOf(answer.toMillis());
    properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, patience);
    properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, patience);
    try (Admin admin = Admin.create(properties)) {
      admin.describeCluster().nodes().get();
    } catch (ExecutionException e) {
      throw refused(e.getCause());
    } catch (KafkaException e) {
      throw new InputException("kafka.* of the settings: " + cause(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InputException(
          "Interrupted before the brokers at %s answered".formatted(servers), e);
    }
  }

  private InputException refused(Throwable cause) {
    if (cause instanceof AuthenticationException) {
      return new InputException(
          "The brokers at %s refuse the connection: %s".formatted(servers, cause.getMessage()),
          cause);
    }
    if (cause instanceof TimeoutException) {
      return new InputException(
          ("%s accepts connections, but no broker answers a client within %d s; check that it is the"
                  + " port for clients, that security.protocol, here %s, is that of the port, and that"
                  + " the brokers announce addresses (advertised.listeners) that this machine reaches")
              .formatted(
                  servers,
                  answer.toSeconds(),
                  kafka.getOrDefault(
                      CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
                      CommonClientConfigs.DEFAULT_SECURITY_PROTOCOL)),
          cause);
    }
    return new InputException(
        "The brokers at %s can't be used: %s".formatted(servers, cause.getMessage()), cause);
  }

  /** What is behind Kafka's own exceptions. Of a file, it may lack the name, or have it alone. */
  private static String cause(Throwable failure) {
    Throwable cause = failure.getCause();
    if (cause instanceof IOException file) {
      return failure.getMessage() + ": " + FileErrors.unreadable(file);
    }
    return cause == null ? failure.getMessage() : cause(cause);
  }
}
