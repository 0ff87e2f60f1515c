package io.croupier.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.utils.Time;

/**
 * A real Kafka broker (KRaft, broker and controller in one) inside this JVM, on free ports of the
 * loopback interface, with its log in a directory of the caller. A restart on the same directory
 * and ports continues with the same data.
 *
 * <p>For demonstrations and tests: one node, replication factor 1. It has no security unless {@link
 * #startSecured} starts it.
 */
public final class EmbeddedBroker implements AutoCloseable {

  /** A restart on the same directory must name the same cluster. */
  private static final String CLUSTER_ID = "Y3JvdXBpZXItZW1iZWRkZQ";

  private final KafkaRaftServer server;
  private final String bootstrapServers;

  private EmbeddedBroker(KafkaRaftServer server, String bootstrapServers) {
    this.server = server;
    this.bootstrapServers = bootstrapServers;
  }

  /** Starts a broker with its data in {@code directory}, and waits until it accepts clients. */
  public static EmbeddedBroker start(Path directory) {
    return start(directory, Map.of());
  }

  /**
   * Starts a broker with additional broker settings.
   *
   * @param directory directory for the broker's data; created if missing
   * @param overrides broker properties that replace the defaults of this class
   */
  public static EmbeddedBroker start(Path directory, Map<String, String> overrides) {
    return start(directory, FreePorts.next(), FreePorts.next(), overrides, List.of());
  }

  /**
   * Starts a broker that accepts only the users of {@code security}, and allows only granted
   * operations.
   */
  public static EmbeddedBroker startSecured(Path directory, BrokerSecurity security) {
    int port = FreePorts.next();
    int controllerPort = FreePorts.next();
    return start(
        directory, port, controllerPort, security.broker(port, controllerPort), security.format());
  }

  private static EmbeddedBroker start(
      Path directory,
      int port,
      int controllerPort,
      Map<String, String> overrides,
      List<String> formatArguments) {
    Properties properties = new Properties();
    properties.putAll(settings(directory, port, controllerPort));
    properties.putAll(overrides);
    try {
      Files.createDirectories(directory);
      format(directory, properties, formatArguments);
    } catch (IOException e) {
      throw new UncheckedIOException("The broker's directory can't be prepared: " + directory, e);
    }
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
    server.startup();
    return new EmbeddedBroker(server, "127.0.0.1:" + port);
  }

  /** The address for clients, as {@code host:port}. */
  public String bootstrapServers() {
    return bootstrapServers;
  }

  /** Stops the broker and waits until it has stopped; its data stays. */
  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
  }

  private static Map<String, String> settings(Path directory, int port, int controllerPort) {
    return Map.ofEntries(
        Map.entry("process.roles", "broker,controller"),
        Map.entry("node.id", "1"),
        Map.entry(
            "listeners",
            "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort),
        Map.entry("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port),
        Map.entry("controller.listener.names", "CONTROLLER"),
        Map.entry("controller.quorum.voters", "1@127.0.0.1:" + controllerPort),
        Map.entry("log.dirs", directory.toAbsolutePath().resolve("log").toString()),
        Map.entry("offsets.topic.replication.factor", "1"),
        Map.entry("offsets.topic.num.partitions", "1"),
        Map.entry("transaction.state.log.replication.factor", "1"),
        Map.entry("transaction.state.log.min.isr", "1"),
        Map.entry("transaction.state.log.num.partitions", "2"),
        Map.entry("transaction.max.timeout.ms", String.valueOf(24 * 60 * 60 * 1000)),
        Map.entry("share.coordinator.state.topic.replication.factor", "1"),
        Map.entry("share.coordinator.state.topic.min.isr", "1"),
        Map.entry("share.coordinator.state.topic.num.partitions", "1"),
        Map.entry("group.initial.rebalance.delay.ms", "0"),
        Map.entry("controlled.shutdown.enable", "false"),
        Map.entry("auto.create.topics.enable", "false"),
        Map.entry("log.cleaner.dedupe.buffer.size", String.valueOf(4 << 20)),
        Map.entry("num.network.threads", "2"),
        Map.entry("num.io.threads", "4"));
  }

  private static void format(Path directory, Properties properties, List<String> more)
      throws IOException {
    Path file = directory.resolve("server.properties");
    // The file may contain passwords.
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try (var out = Files.newBufferedWriter(file)) {
      properties.store(out, null);
    }
    var quiet = new java.io.PrintStream(java.io.OutputStream.nullOutputStream());
    List<String> arguments = new ArrayList<>();
    arguments.addAll(
        List.of("format", "-t", CLUSTER_ID, "-c", file.toString(), "--ignore-formatted"));
    arguments.addAll(more);
    int status = StorageTool.execute(arguments.toArray(String[]::new), quiet);
    if (status != 0) {
      throw new IOException("formatting the log directory failed with status " + status);
    }
  }
}
