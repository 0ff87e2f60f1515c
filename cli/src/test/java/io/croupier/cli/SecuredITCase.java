package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.croupier.broker.BrokerSecurity;
import io.croupier.cli.watch.WatchFeed;
import io.croupier.cli.watch.WatchServer;
import io.croupier.client.GradientReporter;
import io.croupier.client.KafkaReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.gateway.Condition;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Topics;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests docs/run/security.md on a broker with TLS, passwords and ACLs: principals have the rights
 * that the page's commands grant, and the configuration that the page shows.
 */
@Tag("ci")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SecuredITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Topics TOPICS = Topics.withPrefix("croupier");

  @TempDir private static Path directory;
  private static SecuredBroker secured;
  private static SecurityPage page;
  private static GrantedRights rights;

  @BeforeAll
  static void start() throws Exception {
    secured = new SecuredBroker(directory);
    page = secured.page();
    rights = secured.rights();
    secured.croupier("builder", "topics create --partitions 1").succeeded();
  }

  @AfterAll
  static void stop() {
    secured.close();
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
            - {modelId: taps, dimension: 2, gradientBound: 1, blackBox: {}}
            - modelId: visits
              dimension: 1
              gradientBound: 1
              limits: {delta: 1.0e-6, maxParticipations: 1, minSeparation: 0}
              dpFtrl: {clipNorm: 1, noiseMultiplier: 4, noise: {tree: {}}, learningRate: 0.1}
            """);
    try (LogCapture log = new LogCapture()) {
      secured.croupier("operator", "models apply " + models).succeeded();
      JobClient job = submit(Map.of("journal.enabled", "true"));
      try {
        String noise = " --mechanism l2-laplace --epsilon 1 --ledger ";
        secured
            .croupier(
                "gateway",
                "[0.3, -0.4]\n",
                "report --model taps --user ada" + noise + directory.resolve("ada.ledger"))
            .succeeded();
        reportByLibrary();
        GradientReport raw =
            TextFormat.parse(
                "model_id: 'visits' round: 0 user_id: 'ida' sequence: 1"
                    + " dense { values: 0.5 } central {}",
                GradientReport.class);
        secured.send("trusted", TOPICS.rawGradients(), "ida", raw.toByteArray());
        // Makes the job write to each of the dead letters' topics.
        secured.send("gateway", TOPICS.gradients(), "bo", new byte[] {1});
        secured.send("trusted", TOPICS.rawGradients(), "bo", new byte[] {1});

        ModelUpdates.await(
            secured.kafka("consumer"),
            TOPICS.updates(),
            "taps",
            PATIENCE,
            update -> update.used() >= 2);
        secured.croupier("consumer", "follow --model taps --updates 1").printed("\"used\":\"2\"");
        secured.croupier("auditor", "ledger --user ada").printed("taps");
        secured.awaitRecords("auditor", TOPICS.guarantees());
        awaitPage();
        secured.awaitRecords(BrokerSecurity.ADMIN, TOPICS.deadLetters());
        secured.awaitRecords(BrokerSecurity.ADMIN, TOPICS.rawDeadLetters());
        secured.awaitRecords(BrokerSecurity.ADMIN, TOPICS.journal());
      } finally {
        job.cancel().get(5, TimeUnit.MINUTES);
      }
      assertThat(log.text()).isNotEmpty();
      for (String secret : secrets()) {
        assertThat(log.text()).noneMatch(line -> line.contains(secret));
      }
    }
  }

  /** The page to watch reads all its topics, and knows how many reports wait. */
  private static void awaitPage() throws Exception {
    try (WatchFeed feed = new WatchFeed("test", "");
        WatchServer server = new WatchServer(feed, 0)) {
      feed.follow(secured.kafka("watcher"), TOPICS);
      HttpRequest snapshot = HttpRequest.newBuilder(server.address().resolve("snapshot")).build();
      Condition.await(
          "the page's topics",
          () -> {
            String json = HttpClient.newHttpClient().send(snapshot, BodyHandlers.ofString()).body();
            return json.split("\"readable\":true", -1).length == 7 && json.contains("\"waiting\":");
          });
    }
  }

  private static void reportByLibrary() throws Exception {
    try (ModelSubscriber subscriber =
            new ModelSubscriber(secured.kafka("gateway"), TOPICS.updates());
        LocalLedger ledger =
            LocalLedger.open(directory.resolve("eve.ledger"), "eve", Limit.ofEpsilon(1));
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                KafkaReportTransport.producerProperties(secured.kafka("gateway")))) {
      ModelSnapshot model = subscriber.await("taps", PATIENCE);
      new GradientReporter(new KafkaReportTransport(producer, TOPICS.gradients()), ledger)
          .report(
              model,
              DataKey.of("day"),
              new double[] {0.1, 0.2},
              new L2LaplaceRandomiser(
                  model.gradientBound(), model.dimension(), model.gridExponent(), 1))
          .get();
    }
  }

  @Tag("thorough")
  @Test
  void noPrincipalReadsOrWritesForeignTopics() throws Exception {
    assertThat(page.users()).containsExactlyInAnyOrderElementsOf(AccessMatrix.USERS);
    for (String user : AccessMatrix.USERS) {
      Map<String, Object> login = new HashMap<>(secured.kafka(user));
      // Without any write right, the producer would get no producer id and fail before it reaches
      // the topic.
      login.put("enable.idempotence", "false");
      try (KafkaProducer<byte[], byte[]> producer = SecuredBroker.producer(login);
          KafkaConsumer<byte[], byte[]> consumer = SecuredBroker.consumer(secured.kafka(user));
          Admin own = Admin.create(secured.kafka(user))) {
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
      Map<String, Object> login = new HashMap<>(secured.kafka(user));
      login.put("transactional.id", "croupier-" + TOPICS.updates() + "-0");
      try (KafkaProducer<byte[], byte[]> fencing = SecuredBroker.producer(login)) {
        assertThatThrownBy(fencing::initTransactions, user)
            .isInstanceOf(AuthorizationException.class);
      }
    }
  }

  @Tag("thorough")
  @Test
  void everyRightIsNecessary() throws Exception {
    secured.send(
        BrokerSecurity.ADMIN, TOPICS.updates(), PrincipalSteps.MODEL, PrincipalSteps.update());
    secured.send(
        BrokerSecurity.ADMIN, TOPICS.accounting(), "laid/phone/erin", PrincipalSteps.event());
    TopicSettings.set(
        secured.kafka(BrokerSecurity.ADMIN),
        TOPICS.accounting(),
        Map.of("cleanup.policy", "compact"));
    PrincipalSteps steps =
        new PrincipalSteps(
            directory,
            secured::kafka,
            (user, in, arguments) ->
                // Without its right to see sizes, a command succeeds with a warning.
                assertThat(secured.croupier(user, in, arguments).succeeded().err())
                    .doesNotContain("authoriz"));
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

  @Tag("thorough")
  @Test
  void commandsReportMissingRights() throws Exception {
    Path none = Files.writeString(directory.resolve("none.yaml"), "[]");
    secured.croupier("auditor", "follow --model taps").failed("Not authorized", TOPICS.updates());
    secured.croupier("consumer", "models apply " + none).failed("Not authorized", TOPICS.models());
    secured.croupier("gateway", "ledger --user ada").failed("Not authorized", TOPICS.accounting());
  }

  @Test
  void passwordsAreNotPrinted() throws Exception {
    Map<String, String> plain = new HashMap<>();
    secured.security().client("job").forEach((key, value) -> plain.put("kafka." + key, value));
    plain.put("kafka.bootstrap.servers", secured.bootstrapServers());
    plain.put("flink.restart-strategy.type", "none");
    JobConfig config = JobConfig.of(plain);
    String plan = CroupierJob.plan(StreamExecutionEnvironment.createLocalEnvironment(), config);
    List<String> shown = new ArrayList<>();
    try (LogCapture log = new LogCapture()) {
      JobClient job =
          CroupierJob.submit(
              StreamExecutionEnvironment.createLocalEnvironment(1, new Configuration()),
              config,
              LedgerStart.NEW);
      try {
        log.await("ConsumerConfig values", PATIENCE);
        log.await("ProducerConfig values", PATIENCE);
      } finally {
        job.cancel().get(5, TimeUnit.MINUTES);
      }
      // Without these rights the job fails, so the call returns.
      List<String> arguments = new ArrayList<>(List.of("run"));
      plain.put(
          "kafka.sasl.jaas.config", secured.security().client("consumer").get("sasl.jaas.config"));
      plain.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
      CommandRun run =
          CommandRun.croupier("", arguments.toArray(String[]::new)).failed("kafka-acls.sh");
      shown.addAll(List.of(run.out(), run.err(), plan, config.toString()));
      shown.addAll(log.text());
    }

    assertThat(plan).contains("kafka.sasl.jaas.config", "kafka.ssl.truststore.password", "******");
    for (String secret : secrets()) {
      assertThat(shown).noneMatch(text -> text.contains(secret));
    }
  }

  @Test
  void aWrongPasswordIsReportedButNotPrinted() throws Exception {
    Map<String, String> login = new HashMap<>(secured.security().client("operator"));
    String wrong = "not-" + secured.security().passwordOf("operator");
    login.computeIfPresent(
        "sasl.jaas.config",
        (key, value) -> value.replace(secured.security().passwordOf("operator"), wrong));
    List<String> arguments = new ArrayList<>(List.of("models", "list"));
    login.forEach((key, value) -> arguments.addAll(List.of("--set", "kafka." + key + "=" + value)));
    arguments.addAll(List.of("--kafka", secured.bootstrapServers()));

    CommandRun run = CommandRun.croupier("", arguments.toArray(String[]::new));

    assertThat(run.failed("uthentication failed").err()).doesNotContain(wrong);
  }

  @Tag("thorough")
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

  @Tag("thorough")
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
    // A late report may arrive alone: no other one answers the last publication.
    settings.put("publication.hold", "1 s");
    settings.put("flink.restart-strategy.type", "none");
    return CroupierJob.submit(
        StreamExecutionEnvironment.createLocalEnvironment(1, new Configuration()),
        JobConfig.load(secured.config("job"), settings),
        LedgerStart.NEW);
  }

  private static List<String> secrets() {
    List<String> secrets = new ArrayList<>();
    page.users().forEach(user -> secrets.add(secured.security().passwordOf(user)));
    secrets.add(secured.security().passwordOf(BrokerSecurity.ADMIN));
    secrets.add(secured.security().client("job").get("ssl.truststore.password"));
    return secrets;
  }
}
