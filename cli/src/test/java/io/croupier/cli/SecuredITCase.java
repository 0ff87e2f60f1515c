package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.broker.BrokerSecurity;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.client.GradientReporter;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.job.CroupierJob;
import io.croupier.job.JobConfig;
import io.croupier.operators.flink.LedgerStart;
import io.croupier.schemas.Central;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Topics;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.tools.AclCommand;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What docs/security.md says, on a broker with TLS, passwords and rights: everybody is granted what
 * the page's commands grant, and configured as the page shows.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SecuredITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Topics TOPICS = Topics.withPrefix("croupier");

  @TempDir private static Path directory;
  private static SecurityPage page;
  private static BrokerSecurity security;
  private static EmbeddedBroker broker;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    page = new SecurityPage();
    security = new BrokerSecurity(directory.resolve("stores"), page.users());
    broker = EmbeddedBroker.startSecured(directory.resolve("kafka"), security);
    for (String user : page.users()) {
      configure(user);
    }
    Properties properties = new Properties();
    properties.putAll(security.client(BrokerSecurity.ADMIN));
    Path file = directory.resolve("admin.properties");
    try (var out = Files.newBufferedWriter(file)) {
      properties.store(out, null);
    }
    properties.put("bootstrap.servers", broker.bootstrapServers());
    admin = Admin.create(properties);
    for (String[] arguments : page.commands(broker.bootstrapServers(), file)) {
      AclCommand.main(arguments);
    }
    awaitRights(Set.copyOf(page.rights()));
    Outcome created = croupier("builder", "topics", "create", "--partitions", "1");
    assertThat(created.code).as(created.err).isZero();
  }

  @AfterAll
  static void stop() {
    admin.close();
    broker.close();
  }

  /** The page's configuration, with the secrets in their own file. */
  private static void configure(String user) throws Exception {
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

  private static Path config(String user) {
    return directory.resolve(user + ".yaml");
  }

  private static Map<String, Object> kafka(String user) {
    return Map.copyOf(JobConfig.load(config(user), Map.of()).kafka());
  }

  @Test
  void theTableSaysWhatTheCommandsGrant() throws Exception {
    assertThat(page.rights()).doesNotHaveDuplicates().hasSizeGreaterThan(20);
    assertThat(granted()).containsExactlyInAnyOrderElementsOf(page.rights());
  }

  @Test
  void whatEverybodyIsGrantedIsEnough() throws Exception {
    Path models =
        Files.writeString(
            directory.resolve("models.yaml"),
            """
            - {modelId: taps, dimension: 2, gradientBound: 1, adaptiveRadius: {}}
            - modelId: visits
              dimension: 1
              gradientBound: 1
              limits: {delta: 1.0e-6, maxParticipations: 1, minSeparation: 0}
              dpFtrl: {clipNorm: 1, noiseMultiplier: 4, noise: {tree: {}}, learningRate: 0.1}
            """);
    try (LogCapture log = new LogCapture()) {
      Outcome applied = croupier("operator", "models", "apply", models.toString());
      assertThat(applied.code).as(applied.err).isZero();
      JobClient job = submit(Map.of("journal.enabled", "true"));
      try {
        Outcome reported =
            croupier(
                "gateway",
                "report",
                new ByteArrayInputStream("[0.3, -0.4]\n".getBytes(UTF_8)),
                "--model",
                "taps",
                "--user",
                "ada",
                "--ledger",
                directory.resolve("ada.ledger").toString(),
                "--mechanism",
                "l2-laplace",
                "--epsilon",
                "1");
        assertThat(reported.code).as(reported.err).isZero();
        reportByLibrary();
        GradientReport raw =
            GradientReport.newBuilder()
                .setModelId("visits")
                .setRound(0)
                .setUserId("ida")
                .setSequence(1)
                .setDense(Dense.newBuilder().addValues(0.5))
                .setCentral(Central.getDefaultInstance())
                .build();
        send("trusted", TOPICS.rawGradients(), "ida", raw.toByteArray());
        // Something for each of the dead letters' topics.
        send("gateway", TOPICS.gradients(), "bo", new byte[] {1});
        send("trusted", TOPICS.rawGradients(), "bo", new byte[] {1});

        try (ModelSubscriber subscriber =
            new ModelSubscriber(kafka("consumer"), TOPICS.updates())) {
          ModelSnapshot newest = subscriber.await("taps", PATIENCE);
          while (newest.used() < 2) {
            newest = subscriber.newest("taps").orElseThrow();
            Thread.onSpinWait();
          }
        }
        Outcome followed = croupier("consumer", "follow", "--model", "taps", "--updates", "1");
        assertThat(followed.out).contains("\"used\":\"2\"");
        Outcome audited = croupier("auditor", "ledger", "--user", "ada");
        assertThat(audited.code).as(audited.err).isZero();
        assertThat(audited.out).contains("taps");
        awaitRecords("auditor", TOPICS.guarantees());
        awaitRecords(BrokerSecurity.ADMIN, TOPICS.deadLetters());
        awaitRecords(BrokerSecurity.ADMIN, TOPICS.rawDeadLetters());
        awaitRecords(BrokerSecurity.ADMIN, TOPICS.journal());
      } finally {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
      assertThat(log.text()).isNotEmpty();
      for (String secret : secrets()) {
        assertThat(log.text()).noneMatch(line -> line.contains(secret));
      }
    }
  }

  private static void reportByLibrary() throws Exception {
    try (ModelSubscriber subscriber = new ModelSubscriber(kafka("gateway"), TOPICS.updates());
        LocalLedger ledger =
            LocalLedger.open(directory.resolve("eve.ledger"), "eve", Limit.ofEpsilon(1));
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(GradientReporter.producerProperties(kafka("gateway")))) {
      ModelSnapshot model = subscriber.await("taps", PATIENCE);
      new GradientReporter(producer, TOPICS.gradients(), ledger)
          .report(
              model,
              new double[] {0.1, 0.2},
              new L2LaplaceRandomiser(
                  model.gradientBound(), model.dimension(), model.gridExponent(), 1))
          .get();
    }
  }

  @Test
  void nobodyReadsOrWritesWhatIsNotGranted() throws Exception {
    for (String user : page.users()) {
      try (KafkaProducer<byte[], byte[]> producer = producer(user);
          KafkaConsumer<byte[], byte[]> consumer = consumer(kafka(user));
          Admin own = Admin.create(kafka(user))) {
        for (String topic : TOPICS.all()) {
          if (!isGranted(user, topic, AclOperation.WRITE)) {
            // Who may write nothing at all gets no number for its records, so it isn't the topic.
            assertThatThrownBy(
                    () -> producer.send(new ProducerRecord<>(topic, new byte[1])).get(), user)
                .hasCauseInstanceOf(AuthorizationException.class);
          }
          if (!isGranted(user, topic, AclOperation.READ)) {
            TopicPartition partition = new TopicPartition(topic, 0);
            assertThatThrownBy(
                    () -> {
                      consumer.assign(List.of(partition));
                      consumer.seek(partition, 0);
                      consumer.poll(PATIENCE);
                    },
                    user)
                .isInstanceOf(TopicAuthorizationException.class)
                .hasMessageContaining(topic);
          }
        }
        assertThatThrownBy(() -> own.createAcls(page.rights()).all().get(), user)
            .hasCauseInstanceOf(AuthorizationException.class);
      }
    }
  }

  @Test
  void commandsSayWhatTheyMayNot() throws Exception {
    Outcome followed = croupier("operator", "follow", "--model", "taps");
    assertThat(followed.code).isEqualTo(1);
    assertThat(followed.err).contains("Not authorized", TOPICS.updates());

    Outcome applied =
        croupier(
            "consumer",
            "models",
            "apply",
            Files.writeString(directory.resolve("none.yaml"), "[]").toString());
    assertThat(applied.code).isEqualTo(1);
    assertThat(applied.err).contains("Not authorized", TOPICS.models());

    Outcome audited = croupier("gateway", "ledger", "--user", "ada");
    assertThat(audited.code).isEqualTo(1);
    assertThat(audited.err).contains("Not authorized", TOPICS.accounting());
  }

  private static boolean isGranted(String user, String topic, AclOperation operation) {
    return rightsOf("User:" + user).stream()
        .anyMatch(
            right ->
                right.entry().operation() == operation
                    && right.pattern().resourceType() == ResourceType.TOPIC
                    && right.pattern().name().equals(topic));
  }

  @Test
  void passwordsAreNotShown() throws Exception {
    Map<String, String> plain = new HashMap<>();
    security.client("job").forEach((key, value) -> plain.put("kafka." + key, value));
    plain.put("kafka.bootstrap.servers", broker.bootstrapServers());
    List<String> arguments = new ArrayList<>(List.of("run", "--help"));
    plain.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
    Outcome run = croupier(InputStream.nullInputStream(), arguments);
    String plan =
        CroupierJob.plan(StreamExecutionEnvironment.createLocalEnvironment(), JobConfig.of(plain));

    assertThat(plan).contains("kafka.sasl.jaas.config", "kafka.ssl.truststore.password", "******");
    for (String secret : secrets()) {
      assertThat(plan).doesNotContain(secret);
      assertThat(run.out + run.err).doesNotContain(secret);
      assertThat(JobConfig.of(plain).toString()).doesNotContain(secret);
    }
  }

  @Test
  void aWrongPasswordIsSaidAndNotShown() throws Exception {
    Map<String, String> login = new HashMap<>(security.client("operator"));
    String wrong = "not-" + security.passwordOf("operator");
    login.computeIfPresent(
        "sasl.jaas.config", (key, value) -> value.replace(security.passwordOf("operator"), wrong));
    List<String> arguments = new ArrayList<>(List.of("models", "list"));
    login.forEach((key, value) -> arguments.addAll(List.of("--set", "kafka." + key + "=" + value)));
    arguments.addAll(List.of("--kafka", broker.bootstrapServers()));

    Outcome outcome = croupier(InputStream.nullInputStream(), arguments);

    assertThat(outcome.code).isEqualTo(1);
    assertThat(outcome.err).contains("uthentication failed").doesNotContain(wrong);
  }

  @Test
  void withoutARightTheJobSaysWhich() throws Exception {
    for (AclBinding right : rightsOf("User:job")) {
      if (right.pattern().resourceType() == ResourceType.TRANSACTIONAL_ID) {
        continue;
      }
      withdraw(right);
      assertThatThrownBy(() -> submit(Map.of("journal.enabled", "true")), right.toString())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("kafka-acls.sh")
          .hasMessageContaining(
              right.pattern().resourceType() == ResourceType.CLUSTER
                  ? "DescribeConfigs on the cluster"
                  : right.pattern().name());
      grant(right);
    }
  }

  @Test
  void withoutItsTransactionalIdsTheJobFails() throws Exception {
    for (AclBinding right : rightsOf("User:job")) {
      if (right.pattern().resourceType() != ResourceType.TRANSACTIONAL_ID) {
        continue;
      }
      withdraw(right);
      JobClient job = submit(Map.of());
      assertThat(job.getJobExecutionResult())
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .withStackTraceContaining("TransactionalIdAuthorizationException");
      grant(right);
    }
  }

  private static List<AclBinding> rightsOf(String principal) {
    return page.rights().stream()
        .filter(right -> right.entry().principal().equals(principal))
        .toList();
  }

  private static void withdraw(AclBinding right) throws Exception {
    admin.deleteAcls(List.of(right.toFilter())).all().get();
    Set<AclBinding> others = new HashSet<>(page.rights());
    others.remove(right);
    awaitRights(others);
  }

  private static void grant(AclBinding right) throws Exception {
    admin.createAcls(List.of(right)).all().get();
    awaitRights(Set.copyOf(page.rights()));
  }

  private static JobClient submit(Map<String, String> more) throws Exception {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("checkpoint.interval", "200 ms");
    settings.put("flink.restart-strategy.type", "none");
    return CroupierJob.submit(
        StreamExecutionEnvironment.createLocalEnvironment(1, new Configuration()),
        JobConfig.load(config("job"), settings).withLedgerStart(LedgerStart.NEW));
  }

  private static List<String> secrets() {
    List<String> secrets = new ArrayList<>();
    page.users().forEach(user -> secrets.add(security.passwordOf(user)));
    secrets.add(security.passwordOf(BrokerSecurity.ADMIN));
    secrets.add(security.client("job").get("ssl.truststore.password"));
    return secrets;
  }

  private static void awaitRights(Set<AclBinding> rights) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!rights.equals(Set.copyOf(granted()))) {
      assertThat(System.nanoTime()).as("granted: %s", granted()).isLessThan(deadline);
    }
  }

  private static List<AclBinding> granted() throws Exception {
    return List.copyOf(admin.describeAcls(AclBindingFilter.ANY).values().get());
  }

  private static KafkaProducer<byte[], byte[]> producer(String user) {
    return new KafkaProducer<>(kafka(user), new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void send(String user, String topic, String key, byte[] value) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(user)) {
      producer.send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value)).get();
    }
  }

  private static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> properties) {
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Waits for committed records of one who may read them. */
  private static void awaitRecords(String user, String topic) {
    Map<String, Object> properties = new HashMap<>(security.client(user));
    properties.put("bootstrap.servers", broker.bootstrapServers());
    properties.put("isolation.level", "read_committed");
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(properties)) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      consumer.seekToBeginning(consumer.assignment());
      assertThat(consumer.poll(PATIENCE)).as(topic).isNotEmpty();
    }
  }

  private record Outcome(int code, String out, String err) {}

  private static Outcome croupier(String user, String... arguments) {
    return croupier(user, InputStream.nullInputStream(), arguments);
  }

  private static Outcome croupier(String user, String command, InputStream in, String... more) {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(List.of(more));
    arguments.addAll(List.of("--config", config(user).toString()));
    return croupier(in, arguments);
  }

  private static Outcome croupier(String user, InputStream in, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--config", config(user).toString()));
    return croupier(in, all);
  }

  private static Outcome croupier(InputStream in, List<String> arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    InputStream before = System.in;
    try {
      System.setIn(in);
      int code =
          Croupier.commandLine()
              .setOut(new PrintWriter(out))
              .setErr(new PrintWriter(err))
              .execute(arguments.toArray(String[]::new));
      return new Outcome(code, out.toString(), err.toString());
    } finally {
      System.setIn(before);
    }
  }
}
