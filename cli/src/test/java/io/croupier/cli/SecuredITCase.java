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
import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.LedgerStart;
import io.croupier.schemas.Central;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Topics;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.tools.AclCommand;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests docs/security.md on a broker with TLS, passwords and ACLs: principals have the rights that
 * the page's commands grant, and the configuration that the page shows.
 */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SecuredITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Topics TOPICS = Topics.withPrefix("croupier");

  @TempDir private static Path directory;
  private static SecurityPage page;
  private static BrokerSecurity security;
  private static EmbeddedBroker broker;
  private static Admin admin;
  private static GrantedRights rights;

  @BeforeAll
  static void start() throws Exception {
    page = new SecurityPage();
    security = new BrokerSecurity(directory.resolve("stores"), page.users());
    broker = EmbeddedBroker.startSecured(directory.resolve("kafka"), security);
    for (String user : page.users()) {
      configure(user);
    }
    configure(BrokerSecurity.ADMIN);
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
    rights = new GrantedRights(admin, page.rights());
    rights.await(Set.copyOf(page.rights()));
    CommandOutcome created = croupier("builder", "topics", "create", "--partitions", "1");
    assertThat(created.code()).as(created.err()).isZero();
  }

  @AfterAll
  static void stop() {
    admin.close();
    broker.close();
  }

  /** The page's configuration, with the secrets in a separate file. */
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
  void tableMatchesTheCommands() throws Exception {
    assertThat(page.rights()).doesNotHaveDuplicates().hasSizeGreaterThan(20);
    assertThat(rights.granted()).containsExactlyInAnyOrderElementsOf(page.rights());
  }

  @Test
  void grantedRightsSuffice() throws Exception {
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
      CommandOutcome applied = croupier("operator", "models", "apply", models.toString());
      assertThat(applied.code()).as(applied.err()).isZero();
      JobClient job = submit(Map.of("journal.enabled", "true"));
      try {
        CommandOutcome reported =
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
        assertThat(reported.code()).as(reported.err()).isZero();
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
        // Makes the job write to each of the dead letters' topics.
        send("gateway", TOPICS.gradients(), "bo", new byte[] {1});
        send("trusted", TOPICS.rawGradients(), "bo", new byte[] {1});

        try (ModelSubscriber subscriber =
            new ModelSubscriber(kafka("consumer"), TOPICS.updates())) {
          ModelSnapshot newest = subscriber.await("taps", PATIENCE);
          while (newest.used() < 2) {
            newest = subscriber.newest("taps").orElseThrow();
            Thread.sleep(20);
          }
        }
        CommandOutcome followed =
            croupier("consumer", "follow", "--model", "taps", "--updates", "1");
        assertThat(followed.out()).contains("\"used\":\"2\"");
        CommandOutcome audited = croupier("auditor", "ledger", "--user", "ada");
        assertThat(audited.code()).as(audited.err()).isZero();
        assertThat(audited.out()).contains("taps");
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
  void noPrincipalReadsOrWritesForeignTopics() throws Exception {
    assertThat(page.users()).containsExactlyInAnyOrderElementsOf(AccessMatrix.USERS);
    for (String user : AccessMatrix.USERS) {
      Map<String, Object> login = new HashMap<>(kafka(user));
      // Without any write right, the producer would get no producer id and fail before it reaches
      // the topic.
      login.put("enable.idempotence", "false");
      try (KafkaProducer<byte[], byte[]> producer = producer(login);
          KafkaConsumer<byte[], byte[]> consumer = consumer(kafka(user));
          Admin own = Admin.create(kafka(user))) {
        for (String topic : TOPICS.all()) {
          String access = user + " and " + topic;
          if (!AccessMatrix.write(user, topic)) {
            assertThatThrownBy(
                    () -> producer.send(new ProducerRecord<>(topic, new byte[1])).get(), access)
                .hasCauseInstanceOf(TopicAuthorizationException.class);
          }
          if (!AccessMatrix.read(user, topic)) {
            TopicPartition partition = new TopicPartition(topic, 0);
            assertThatThrownBy(
                    () -> {
                      consumer.assign(List.of(partition));
                      consumer.seek(partition, 0);
                      consumer.poll(PATIENCE);
                    },
                    access)
                .isInstanceOf(TopicAuthorizationException.class)
                .hasMessageContaining(topic);
          }
        }
        requireNoOtherRights(user, own);
      }
    }
  }

  /**
   * No principal may delete topics, grant rights or create others' topics; only the job may commit
   * offsets.
   */
  private static void requireNoOtherRights(String user, Admin own) {
    TopicPartition partition = new TopicPartition(TOPICS.accounting(), 0);
    Map<String, KafkaFuture<Void>> forbidden = new HashMap<>();
    forbidden.put("grant", own.createAcls(page.rights()).all());
    forbidden.put("delete topics", own.deleteTopics(TOPICS.all()).all());
    forbidden.put(
        "make a topic", own.createTopics(List.of(new NewTopic("other", 1, (short) 1))).all());
    if (!user.equals("job")) {
      forbidden.put(
          "move the job",
          own.alterConsumerGroupOffsets(
                  "croupier-" + TOPICS.updates(), Map.of(partition, new OffsetAndMetadata(0)))
              .all());
    }
    forbidden.forEach(
        (what, done) ->
            assertThatThrownBy(done::get, user + " can " + what)
                .hasCauseInstanceOf(AuthorizationException.class));
    if (!user.equals("job")) {
      Map<String, Object> login = new HashMap<>(kafka(user));
      login.put("transactional.id", "croupier-" + TOPICS.updates() + "-0");
      try (KafkaProducer<byte[], byte[]> fencing = producer(login)) {
        assertThatThrownBy(fencing::initTransactions, user)
            .isInstanceOf(AuthorizationException.class);
      }
    }
  }

  @Test
  void everyRightIsNecessary() throws Exception {
    send(BrokerSecurity.ADMIN, TOPICS.updates(), PrincipalSteps.MODEL, PrincipalSteps.update());
    PrincipalSteps steps =
        new PrincipalSteps(
            directory,
            SecuredITCase::kafka,
            (user, in, arguments) -> {
              CommandOutcome outcome =
                  croupier(
                      user,
                      new ByteArrayInputStream(in.getBytes(UTF_8)),
                      arguments.toArray(String[]::new));
              assertThat(outcome.code()).as(outcome.err()).isZero();
            });
    for (AclBinding right : page.rights()) {
      String user = right.entry().principal().replaceFirst("^User:", "");
      if (user.equals("job")) {
        // The principal of the next two tests.
        continue;
      }
      steps.play(user);
      rights.withdraw(right);
      assertThatThrownBy(() -> steps.play(user), right.toString())
          .satisfiesAnyOf(
              failure -> assertThat(failure).hasStackTraceContaining("uthoriz"),
              failure -> assertThat(failure).hasStackTraceContaining("exists"));
      rights.grant(right);
    }
  }

  @Test
  void commandsReportMissingRights() throws Exception {
    CommandOutcome followed = croupier("operator", "follow", "--model", "taps");
    assertThat(followed.code()).isEqualTo(1);
    assertThat(followed.err()).contains("Not authorized", TOPICS.updates());

    CommandOutcome applied =
        croupier(
            "consumer",
            "models",
            "apply",
            Files.writeString(directory.resolve("none.yaml"), "[]").toString());
    assertThat(applied.code()).isEqualTo(1);
    assertThat(applied.err()).contains("Not authorized", TOPICS.models());

    CommandOutcome audited = croupier("gateway", "ledger", "--user", "ada");
    assertThat(audited.code()).isEqualTo(1);
    assertThat(audited.err()).contains("Not authorized", TOPICS.accounting());
  }

  @Test
  void passwordsAreNotPrinted() throws Exception {
    Map<String, String> plain = new HashMap<>();
    security.client("job").forEach((key, value) -> plain.put("kafka." + key, value));
    plain.put("kafka.bootstrap.servers", broker.bootstrapServers());
    plain.put("flink.restart-strategy.type", "none");
    JobConfig config = JobConfig.of(plain).withLedgerStart(LedgerStart.NEW);
    String plan = CroupierJob.plan(StreamExecutionEnvironment.createLocalEnvironment(), config);
    List<String> shown = new ArrayList<>();
    try (LogCapture log = new LogCapture()) {
      JobClient job =
          CroupierJob.submit(
              StreamExecutionEnvironment.createLocalEnvironment(1, new Configuration()), config);
      try {
        awaitLog(log, "ConsumerConfig values");
        awaitLog(log, "ProducerConfig values");
      } finally {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
      // Without these rights the job fails, so the call returns.
      List<String> arguments = new ArrayList<>(List.of("run"));
      plain.put("kafka.sasl.jaas.config", security.client("consumer").get("sasl.jaas.config"));
      plain.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
      CommandOutcome run = CommandOutcome.of(InputStream.nullInputStream(), arguments);
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err()).contains("kafka-acls.sh");
      shown.addAll(List.of(run.out(), run.err(), plan, config.toString()));
      shown.addAll(log.text());
    }

    assertThat(plan).contains("kafka.sasl.jaas.config", "kafka.ssl.truststore.password", "******");
    for (String secret : secrets()) {
      assertThat(shown).noneMatch(text -> text.contains(secret));
    }
  }

  private static void awaitLog(LogCapture log, String wanted) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (log.text().stream().noneMatch(line -> line.contains(wanted))) {
      assertThat(System.nanoTime()).as(wanted).isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  @Test
  void aWrongPasswordIsReportedButNotPrinted() throws Exception {
    Map<String, String> login = new HashMap<>(security.client("operator"));
    String wrong = "not-" + security.passwordOf("operator");
    login.computeIfPresent(
        "sasl.jaas.config", (key, value) -> value.replace(security.passwordOf("operator"), wrong));
    List<String> arguments = new ArrayList<>(List.of("models", "list"));
    login.forEach((key, value) -> arguments.addAll(List.of("--set", "kafka." + key + "=" + value)));
    arguments.addAll(List.of("--kafka", broker.bootstrapServers()));

    CommandOutcome outcome = CommandOutcome.of(InputStream.nullInputStream(), arguments);

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).contains("uthentication failed").doesNotContain(wrong);
  }

  @Test
  void theJobReportsAMissingRight() throws Exception {
    for (AclBinding right : rightsOf("User:job")) {
      if (right.pattern().resourceType() == ResourceType.TRANSACTIONAL_ID) {
        continue;
      }
      rights.withdraw(right);
      assertThatThrownBy(() -> submit(Map.of("journal.enabled", "true")), right.toString())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("kafka-acls.sh")
          .hasMessageContaining(
              right.pattern().resourceType() == ResourceType.CLUSTER
                  ? "DescribeConfigs on the cluster"
                  : right.pattern().name());
      rights.grant(right);
    }
  }

  @Test
  void withoutItsTransactionalIdsTheJobFails() throws Exception {
    for (AclBinding right : rightsOf("User:job")) {
      if (right.pattern().resourceType() != ResourceType.TRANSACTIONAL_ID) {
        continue;
      }
      rights.withdraw(right);
      JobClient job = submit(Map.of());
      assertThat(job.getJobExecutionResult())
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .withStackTraceContaining("TransactionalIdAuthorizationException");
      rights.grant(right);
    }
  }

  private static List<AclBinding> rightsOf(String principal) {
    return page.rights().stream()
        .filter(right -> right.entry().principal().equals(principal))
        .toList();
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

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> login) {
    return new KafkaProducer<>(login, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void send(String user, String topic, String key, byte[] value) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(kafka(user))) {
      producer.send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value)).get();
    }
  }

  private static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> properties) {
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Waits for committed records, as a principal that may read them. */
  private static void awaitRecords(String user, String topic) {
    Map<String, Object> properties = new HashMap<>(kafka(user));
    properties.put("isolation.level", "read_committed");
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(properties)) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      consumer.seekToBeginning(consumer.assignment());
      assertThat(consumer.poll(PATIENCE)).as(topic).isNotEmpty();
    }
  }

  private static CommandOutcome croupier(String user, String... arguments) {
    return croupier(user, InputStream.nullInputStream(), arguments);
  }

  private static CommandOutcome croupier(
      String user, String command, InputStream in, String... more) {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(List.of(more));
    return croupier(user, in, arguments.toArray(String[]::new));
  }

  private static CommandOutcome croupier(String user, InputStream in, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--config", config(user).toString()));
    return CommandOutcome.of(in, all);
  }
}
