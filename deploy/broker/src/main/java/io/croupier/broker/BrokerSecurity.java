package io.croupier.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Security settings of an {@link EmbeddedBroker}: TLS on every listener, SCRAM-SHA-512 for clients,
 * and authorization that denies everything not granted. Passwords are random; the JDK's keytool
 * creates a self-signed certificate.
 */
public final class BrokerSecurity {

  /** The super user, who may also grant rights. */
  public static final String ADMIN = "admin";

  private static final String SUBJECT = "CN=croupier-broker";
  private static final String MECHANISM = "SCRAM-SHA-512";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path keystore;
  private final Path truststore;
  private final String storePassword = password();
  private final Map<String, String> passwords = new TreeMap<>();

  /**
   * Creates certificates and passwords.
   *
   * @param directory directory for the key store and the trust store; created if missing
   * @param users users who may log in, in addition to {@link #ADMIN}; they have no rights yet
   */
  public BrokerSecurity(Path directory, Collection<String> users) {
    keystore = directory.resolve("broker.p12");
    truststore = directory.resolve("trusted.p12");
    passwords.put(ADMIN, password());
    users.forEach(user -> passwords.put(user, password()));
    Path certificate = directory.resolve("broker.pem");
    try {
      Files.createDirectories(directory);
      String[] generate = {
        "-genkeypair",
        "-alias",
        "broker",
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-dname",
        SUBJECT,
        "-ext",
        "san=ip:127.0.0.1",
        "-validity",
        "3650",
        "-keystore",
        keystore.toString()
      };
      keytool(generate);
      keytool(
          "-exportcert",
          "-rfc",
          "-alias",
          "broker",
          "-keystore",
          keystore.toString(),
          "-file",
          certificate.toString());
      keytool(
          "-importcert",
          "-noprompt",
          "-alias",
          "broker",
          "-keystore",
          truststore.toString(),
          "-file",
          certificate.toString());
    } catch (IOException e) {
      throw new UncheckedIOException("Certificates can't be created in " + directory, e);
    }
  }

  /** The random password of a user who may log in. */
  public String passwordOf(String user) {
    String password = passwords.get(user);
    if (password == null) {
      throw new IllegalArgumentException(
          "There is no user '%s'; there are %s".formatted(user, passwords.keySet()));
    }
    return password;
  }

  /** Properties with which a Kafka client logs in, without the brokers' address. */
  public Map<String, String> client(String user) {
    return Map.of(
        "security.protocol",
        "SASL_SSL",
        "sasl.mechanism",
        MECHANISM,
        "sasl.jaas.config",
        login(user),
        "ssl.truststore.type",
        "PKCS12",
        "ssl.truststore.location",
        truststore.toAbsolutePath().toString(),
        "ssl.truststore.password",
        storePassword);
  }

  /** Broker settings that replace those of an unsecured broker. */
  Map<String, String> broker(int port, int controllerPort) {
    Map<String, String> settings = new TreeMap<>();
    settings.put(
        "listeners", "CLIENT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
    settings.put("advertised.listeners", "CLIENT://127.0.0.1:" + port);
    settings.put("listener.security.protocol.map", "CLIENT:SASL_SSL,CONTROLLER:SSL");
    settings.put("inter.broker.listener.name", "CLIENT");
    settings.put("sasl.mechanism.inter.broker.protocol", MECHANISM);
    settings.put("sasl.enabled.mechanisms", MECHANISM);
    settings.put("listener.name.client.scram-sha-512.sasl.jaas.config", login(ADMIN));
    settings.put("listener.name.controller.ssl.client.auth", "required");
    settings.put("ssl.keystore.type", "PKCS12");
    settings.put("ssl.keystore.location", keystore.toAbsolutePath().toString());
    settings.put("ssl.keystore.password", storePassword);
    settings.put("ssl.truststore.type", "PKCS12");
    settings.put("ssl.truststore.location", truststore.toAbsolutePath().toString());
    settings.put("ssl.truststore.password", storePassword);
    settings.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    settings.put("super.users", "User:" + ADMIN + ";User:" + SUBJECT);
    settings.put("allow.everyone.if.no.acl.found", "false");
    return settings;
  }

  /** Arguments for formatting the log directory, which creates the users. */
  List<String> format() {
    List<String> arguments = new ArrayList<>();
    passwords.forEach(
        (user, password) -> {
          arguments.add("--add-scram");
          arguments.add("%s=[name=%s,password=%s]".formatted(MECHANISM, user, password));
        });
    return arguments;
  }

  private String login(String user) {
    return "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
        .formatted(user, passwordOf(user));
  }

  private static String password() {
    byte[] bytes = new byte[16];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private void keytool(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass:env", "STORE"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("STORE", storePassword);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("keytool " + arguments[0] + " failed: " + output);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while waiting for keytool", e);
    }
  }
}
