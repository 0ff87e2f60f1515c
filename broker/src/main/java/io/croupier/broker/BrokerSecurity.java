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
 * How an {@link EmbeddedBroker} keeps strangers out: TLS on every listener, SCRAM-SHA-512 for
 * clients, and nothing allowed that isn't granted. Passwords are drawn at random; the certificate
 * is made by the JDK's keytool and vouches for itself.
 */
public final class BrokerSecurity {

  /** Who may do everything, and grant it. */
  public static final String ADMIN = "admin";

  private static final String SUBJECT = "CN=croupier-broker";
  private static final String MECHANISM = "SCRAM-SHA-512";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path keystore;
  private final Path truststore;
  private final String storePassword = password();
  private final Map<String, String> passwords = new TreeMap<>();

  /**
   * Makes certificates and passwords.
   *
   * @param directory where the key store and the trust store are written; created if missing
   * @param users who may log in, beside {@link #ADMIN}; nobody is granted anything yet
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
      throw new UncheckedIOException("Certificates can't be made in " + directory, e);
    }
  }

  /** What is drawn for a user who may log in. */
  public String passwordOf(String user) {
    String password = passwords.get(user);
    if (password == null) {
      throw new IllegalArgumentException(
          "There is no user '%s'; there are %s".formatted(user, passwords.keySet()));
    }
    return password;
  }

  /** Properties with which a Kafka client logs in, but for the brokers' address. */
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

  /** Broker settings over those of an open broker. */
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

  /** Arguments of the formatting, which creates the users. */
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
      throw new IOException("Interrupted while keytool was at work", e);
    }
  }
}
