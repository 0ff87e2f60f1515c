package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.BrokerSecurity;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.config.JobConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.tools.AclCommand;

/**
 * A broker with TLS, passwords and the rights that the commands of docs/run/security.md grant, and
 * the configuration of each of its principals.
 */
final class SecuredBroker implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path directory;
  private final SecurityPage page;
  private final BrokerSecurity security;
  private final EmbeddedBroker broker;
  private final Admin admin;
  private final GrantedRights rights;
  private final Path administration;

  /**
   * Starts the broker, whose files are in {@code directory}, and grants the rights.
   *
   * @param strangers users who may log in, and have no rights
   */
  SecuredBroker(Path directory, String... strangers) throws Exception {
    this.directory = directory;
    page = new SecurityPage();
    Set<String> users = new TreeSet<>(page.users());
    users.addAll(List.of(strangers));
    security = new BrokerSecurity(directory.resolve("stores"), users);
    broker = EmbeddedBroker.startSecured(directory.resolve("kafka"), security);
    for (String user : users) {
      configure(user);
    }
    configure(BrokerSecurity.ADMIN);
    Properties properties = new Properties();
    properties.putAll(security.client(BrokerSecurity.ADMIN));
    administration = directory.resolve("admin.properties");
    try (var out = Files.newBufferedWriter(administration)) {
      properties.store(out, null);
    }
    properties.put("bootstrap.servers", broker.bootstrapServers());
    admin = Admin.create(properties);
    grant(page);
    rights = new GrantedRights(admin, page.rights());
    rights.await(Set.copyOf(page.rights()));
  }

  private void grant(SecurityPage granting) {
    for (String[] arguments : granting.commands(broker.bootstrapServers(), administration)) {
      AclCommand.main(arguments);
    }
  }

  /** Creates the gateways' topic, and grants the rights of docs/run/gateway-settings.md. */
  void admitGateways() throws Exception {
    String topic = "croupier.gateway";
    NewTopic compacted =
        new NewTopic(topic, 1, (short) 1).configs(Map.of("cleanup.policy", "compact"));
    admin.createTopics(List.of(compacted)).all().get();
    Set<AclBinding> before = Set.copyOf(rights.granted());
    grant(new SecurityPage("run/gateway-settings.md"));
    Set<AclBinding> expected = new HashSet<>(before);
    for (AclOperation operation : List.of(AclOperation.READ, AclOperation.WRITE)) {
      expected.add(ofGateways(topic, operation));
    }
    expected.add(ofGateways("croupier.models", AclOperation.READ));
    expected.add(ofGateways("croupier.account-answers", AclOperation.READ));
    expected.add(ofGateways("croupier.stops", AclOperation.READ));
    expected.add(ofGateways("croupier.account-requests", AclOperation.WRITE));
    rights.await(expected);
  }

  private static AclBinding ofGateways(String topic, AclOperation operation) {
    return new AclBinding(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
        new AccessControlEntry("User:gateway", "*", operation, AclPermissionType.ALLOW));
  }

  SecurityPage page() {
    return page;
  }

  BrokerSecurity security() {
    return security;
  }

  String bootstrapServers() {
    return broker.bootstrapServers();
  }

  GrantedRights rights() {
    return rights;
  }

  /** The page's configuration, with the secrets in a separate file. */
  private void configure(String user) throws Exception {
    Map<String, String> client = security.client(user);
    Properties secrets = new Properties();
    secrets.put("login", client.get("sasl.jaas.config"));
    secrets.put("truststore", client.get("ssl.truststore.password"));
    Path file = directory.resolve(user + ".secrets");
    try (var out = Files.newBufferedWriter(file)) {
      secrets.store(out, null);
    }
    Files.writeString(
        config(user),
        page.configuration(
            broker.bootstrapServers(), Path.of(client.get("ssl.truststore.location")), file));
  }

  /** The configuration file of a user. */
  Path config(String user) {
    return directory.resolve(user + ".yaml");
  }

  /** Properties of the Kafka clients of a user, from its configuration. */
  Map<String, Object> kafka(String user) {
    return Map.copyOf(JobConfig.load(config(user), Map.of()).kafka());
  }

  static KafkaProducer<byte[], byte[]> producer(Map<String, Object> login) {
    return new KafkaProducer<>(login, new ByteArraySerializer(), new ByteArraySerializer());
  }

  void send(String user, String topic, String key, byte[] value) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(kafka(user))) {
      producer.send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value)).get();
    }
  }

  static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> properties) {
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Waits for committed records, as a principal that may read them. */
  void awaitRecords(String user, String topic) {
    Map<String, Object> properties = new HashMap<>(kafka(user));
    properties.put("isolation.level", "read_committed");
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(properties)) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      consumer.seekToBeginning(consumer.assignment());
      assertThat(consumer.poll(PATIENCE)).as(topic).isNotEmpty();
    }
  }

  /** Runs the command with the configuration of a user. */
  CommandRun croupier(String user, String arguments) {
    return croupier(user, "", arguments);
  }

  CommandRun croupier(String user, String in, String arguments) {
    return CommandRun.croupier(in, arguments + " --config " + config(user));
  }

  @Override
  public void close() {
    admin.close();
    broker.close();
  }
}
