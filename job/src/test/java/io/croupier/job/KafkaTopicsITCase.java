package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.BrokerLimits;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.job.kafka.TopicInspection;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Topics on a real broker; each test uses its own prefix. */
@Tag("ci")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class KafkaTopicsITCase {
  @TempDir static Path directory;
  private static EmbeddedBroker broker;
  private static Admin admin;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.start(directory.resolve("broker"));
    admin = admin(broker);
  }

  @AfterAll
  static void stop() {
    admin.close();
    broker.close();
  }

  @Test
  void createsEachTopicWithTheRetentionItNeeds() throws Exception {
    Topics topics = Topics.withPrefix("created");

    List<String> created = KafkaTopics.create(admin, topics, 3, (short) 1);

    assertThat(created).containsExactlyElementsOf(topics.all());
    assertThat(partitions(topics.models())).isEqualTo(1);
    assertThat(partitions(topics.progress())).isEqualTo(1);
    assertThat(partitions(topics.stops())).isEqualTo(1);
    assertSetting(topics.progress(), TopicConfig.SEGMENT_BYTES_CONFIG, "2097152");
    assertThat(partitions(topics.gradients())).isEqualTo(3);
    assertThat(partitions(topics.updates())).isEqualTo(3);
    for (String topic : topics.all()) {
      boolean latest =
          List.of(topics.models(), topics.stops(), topics.updates(), topics.progress())
              .contains(topic);
      assertSetting(topic, TopicConfig.CLEANUP_POLICY_CONFIG, latest ? "compact" : "delete");
    }
    for (String brief : List.of(topics.accountRequests(), topics.accountAnswers())) {
      assertSetting(brief, TopicConfig.RETENTION_MS_CONFIG, "3600000");
    }
    for (String reports :
        List.of(
            topics.gradients(),
            topics.rawGradients(),
            topics.erasures(),
            topics.deadLetters(),
            topics.rawDeadLetters())) {
      assertSetting(reports, TopicConfig.RETENTION_MS_CONFIG, "604800000");
      assertSetting(reports, TopicConfig.SEGMENT_MS_CONFIG, "86400000");
    }
    for (String kept : List.of(topics.accounting(), topics.guarantees(), topics.journal())) {
      assertSetting(kept, TopicConfig.RETENTION_MS_CONFIG, "-1");
      assertSetting(kept, TopicConfig.RETENTION_BYTES_CONFIG, "-1");
      assertSetting(kept, TopicConfig.COMPRESSION_TYPE_CONFIG, "zstd");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gradients", "raw-gradients"})
  void gradientsKeepTheTimesAtWhichTheBrokerAppendedThem(String kind) throws Exception {
    Topics topics = created("timed-" + kind);
    String topic = "timed-" + kind + "." + kind;
    assertSetting(topic, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
    TopicInspection.inspect(admin, topics, false);

    set(topic, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "CreateTime");
    refusal(topics, false)
        .withMessageContaining(
            "The %s topic %s has timestamps of the producers: its message.timestamp.type"
                + " is CreateTime;"
                + " set it to LogAppendTime",
            kind, topic)
        .withMessageContaining("kafka-configs.sh --alter --topic " + topic);
  }

  @Test
  void createsOnlyWhatIsMissing() throws Exception {
    Topics topics = created("again");

    assertThat(KafkaTopics.create(admin, topics, 2, (short) 1)).isEmpty();
    assertThat(partitions(topics.gradients())).isEqualTo(1);

    Topics oneMore = withModelsAndUpdates(topics, topics.models(), "again.more");
    assertThat(KafkaTopics.create(admin, oneMore, 2, (short) 1)).containsExactly("again.more");
  }

  @Test
  void waitsForABrokerWhoseMetadataLacksNewTopics() throws Exception {
    Topics topics = Topics.withPrefix("lacking");
    AtomicInteger asked = new AtomicInteger();
    Admin stale =
        (Admin)
            Proxy.newProxyInstance(
                Admin.class.getClassLoader(),
                new Class<?>[] {Admin.class},
                (proxy, method, arguments) ->
                    method.getName().equals("listOffsets") && asked.incrementAndGet() <= 3
                        ? unknown((Map<?, ?>) arguments[0])
                        : method.invoke(admin, arguments));

    assertThat(KafkaTopics.create(stale, topics, 1, (short) 1)).hasSize(14);

    assertThat(asked).hasValue(4);
  }

  /** The answer of a broker whose metadata lacks the topics. */
  private static ListOffsetsResult unknown(Map<?, ?> partitions) {
    KafkaFutureImpl<ListOffsetsResult.ListOffsetsResultInfo> failed = new KafkaFutureImpl<>();
    failed.completeExceptionally(new UnknownTopicOrPartitionException("not in the metadata"));
    return new ListOffsetsResult(
        partitions.keySet().stream()
            .collect(Collectors.toMap(TopicPartition.class::cast, partition -> failed)));
  }

  @Test
  void deletesWhatExists() throws Exception {
    Topics topics = created("deleted");
    Topics others = created("spared");

    KafkaTopics.delete(admin, withModelsAndUpdates(topics, topics.models(), "deleted.never").all());

    assertThat(admin.listTopics().names().get())
        .containsAll(others.all())
        .filteredOn(name -> name.startsWith("deleted."))
        .containsExactly(topics.updates());
  }

  @Test
  void namesTheTopicsThatAreMissingAndTheCommand() throws Exception {
    Topics topics = created("missing");
    Topics renamed = withModelsAndUpdates(topics, "missing.z", "missing.a");

    refusal(renamed, false)
        .withMessageContainingAll(
            "don't exist: missing.a, missing.z.", "'croupier topics create'", "topics.*");
  }

  @Test
  void readsTheBrokersLimits() throws Exception {
    Topics topics = created("limits");
    set(topics.rawGradients(), TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "1000");
    set(topics.updates(), TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "3000000");
    set(topics.deadLetters(), TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "2000");
    set(topics.journal(), TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "4000000");

    try (LoggedWarnings warnings = new LoggedWarnings(TopicInspection.class)) {
      assertThat(TopicInspection.inspect(admin, topics, false))
          .isEqualTo(new BrokerLimits(1000, 3000000, 2000, 0, 3000000, Duration.ofHours(24)));
      assertThat(TopicInspection.inspect(admin, topics, true))
          .isEqualTo(new BrokerLimits(1000, 3000000, 2000, 4000000, 4000000, Duration.ofHours(24)));
      assertThat(warnings.messages()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"accounting, 4096", "guarantees, 4096", "account-answers, 131072"})
  void refusesTopicsThatARecordMayNotFit(String kind, int bytes) throws Exception {
    Topics topics = created("narrow-" + kind);
    String topic = "narrow-" + kind + "." + kind;
    set(topic, TopicConfig.MAX_MESSAGE_BYTES_CONFIG, String.valueOf(bytes));
    TopicInspection.inspect(admin, topics, false);

    set(topic, TopicConfig.MAX_MESSAGE_BYTES_CONFIG, String.valueOf(bytes - 1));
    refusal(topics, false)
        .withMessage(
            "The %s topic %s allows records of %d bytes (its max.message.bytes), but one may have"
                + " %d; set it to at least that",
            kind, topic, bytes - 1, bytes);
  }

  @ParameterizedTest
  @CsvSource({"retention.ms, 604800000", "retention.bytes, 1073741824"})
  void warnsOfTopicsThatForget(String limit, String value) throws Exception {
    Topics topics = created("forgets-by-" + limit);
    for (String compacted : List.of(topics.models(), topics.updates())) {
      set(compacted, TopicConfig.CLEANUP_POLICY_CONFIG, "compact,delete");
      set(compacted, TopicConfig.RETENTION_MS_CONFIG, "-1");
    }
    for (String topic :
        List.of(topics.accounting(), topics.journal(), topics.models(), topics.updates())) {
      set(topic, limit, value);
    }

    try (LoggedWarnings warnings = new LoggedWarnings(TopicInspection.class)) {
      TopicInspection.inspect(admin, topics, true);

      assertThat(warnings.messages())
          .containsExactly(
              ("The accounting topic %s deletes records: its %s is %s, not -1, so the ledger"
                      + " can't be rebuilt from it")
                  .formatted(topics.accounting(), limit, value),
              ("The journal topic %s deletes records: its %s is %s, not -1, so models can't"
                      + " be replayed once their first entries are deleted")
                  .formatted(topics.journal(), limit, value),
              ("The models topic %s deletes records: its %s is %s, not -1, so a job that starts"
                      + " without state lacks models")
                  .formatted(topics.models(), limit, value),
              ("The updates topic %s deletes records: its %s is %s, not -1, so devices may find"
                      + " no update of a model that rests")
                  .formatted(topics.updates(), limit, value));
    }
  }

  @ParameterizedTest
  @CsvSource({"retention.ms, 604800000", "retention.bytes, 1073741824"})
  void aJobWithLimitsRefusesAnAccountingTopicThatForgets(String setting, String wrong)
      throws Exception {
    Topics topics = created("limited-by-" + setting);
    JobConfig plain = config("limited-by-" + setting, "limits.user.delta", "1e-6");
    JobConfig limited = config("limited-by-" + setting, "limits.user.reports", "9");
    CroupierJob.askBrokers(limited);
    set(topics.accounting(), setting, wrong);

    CroupierJob.askBrokers(plain);
    assertThatIllegalStateException()
        .isThrownBy(() -> CroupierJob.askBrokers(limited))
        .withMessageContainingAll(
            topics.accounting(),
            "limits.user.*",
            "its %s is %s; set it to -1".formatted(setting, wrong));
  }

  private static JobConfig config(String prefix, String setting, String value) {
    String brokers = broker.bootstrapServers();
    return JobConfig.of(
        Map.of("kafka.bootstrap.servers", brokers, "topics.prefix", prefix, setting, value));
  }

  @Test
  void limitsRequireThatTheAccountingTopicKeepsEvents() throws Exception {
    try (TestTopics testTopics = new TestTopics(broker, "limited-by-model")) {
      ModelSpec spec = OneHotReports.spec("m", 2, 1);
      testTopics.publish(spec.toBuilder().setLimits(Limits.newBuilder().setDelta(1e-6)).build());
      testTopics.flush();
      set(testTopics.topics.accounting(), TopicConfig.RETENTION_MS_CONFIG, "604800000");
      JobConfig config = JobConfig.of(testTopics.settings());
      CroupierJob.askBrokers(config);

      testTopics.publish(spec.toBuilder().setLimits(Limits.newBuilder().setReports(9)).build());
      testTopics.flush();
      assertThatIllegalStateException()
          .isThrownBy(() -> CroupierJob.askBrokers(config))
          .withMessageContainingAll(
              "limits of model m", "its retention.ms is 604800000; set it to -1");

      testTopics.retire("m");
      testTopics.flush();
      CroupierJob.askBrokers(config);
    }
  }

  @Test
  void checksTheJournalTopicOnlyIfItIsWritten() throws Exception {
    Topics topics = created("journalled");
    set(topics.journal(), TopicConfig.RETENTION_MS_CONFIG, "604800000");

    try (LoggedWarnings warnings = new LoggedWarnings(TopicInspection.class)) {
      TopicInspection.inspect(admin, topics, false);
      assertThat(warnings.messages()).isEmpty();

      TopicInspection.inspect(admin, topics, true);
      assertThat(warnings.messages())
          .singleElement()
          .asString()
          .contains("journalled.journal")
          .contains("retention.ms");
    }
    set(topics.journal(), TopicConfig.CLEANUP_POLICY_CONFIG, "compact");
    TopicInspection.inspect(admin, topics, false);
    refusal(topics, true)
        .withMessageContainingAll(
            "journalled.journal", "its cleanup.policy is 'compact'; set it to 'delete'");
    admin.deleteTopics(List.of(topics.journal())).all().get();
    while (admin.listTopics().names().get().contains(topics.journal())) {
      Thread.onSpinWait();
    }
    TopicInspection.inspect(admin, topics, false);
    refusal(topics, true).withMessageContaining("don't exist: journalled.journal.");
  }

  @Test
  void refusesAProgressTopicThatForgets() throws Exception {
    Topics topics = created("forgetful");
    set(topics.progress(), TopicConfig.CLEANUP_POLICY_CONFIG, "compact,delete");
    refusal(topics, false)
        .withMessage(
            "The progress topic forgetful.progress deletes records that a start needs: its"
                + " cleanup.policy is 'compact,delete'; set it to 'compact'");
  }

  @Test
  void warnsOfTopicsThatKeepReportsLonger() throws Exception {
    Topics topics = Topics.withPrefix("long");
    Set<Topic> all = Topic.ofJob(true);
    Duration month = Duration.ofDays(30);
    KafkaTopics.create(admin, topics, all, month, 1, (short) 1);
    try (LoggedWarnings warnings = new LoggedWarnings(TopicInspection.class)) {
      TopicInspection.warnOfLongRetention(admin, topics, all, month);
      assertThat(warnings.messages()).isEmpty();
      TopicInspection.warnOfLongRetention(admin, topics, all, month.minusMillis(1));
      assertThat(warnings.messages())
          .hasSize(7)
          .contains(
              "The gradients topic long.gradients keeps records for PT720H, and keep.reports is"
                  + " PT719H59M59.999S: set its retention.ms to 2591999999, or the setting to what"
                  + " you mean");
    }
  }

  @Test
  void warnsOfBrokersThatEndTransactionsEarly() throws Exception {
    Topics topics = Topics.withPrefix("croupier");
    try (EmbeddedBroker hasty =
            EmbeddedBroker.start(
                directory.resolve("hasty"), Map.of("transaction.max.timeout.ms", "900000"));
        Admin admin = admin(hasty);
        LoggedWarnings warnings = new LoggedWarnings(TopicInspection.class)) {
      KafkaTopics.create(admin, topics, 1, (short) 1);

      BrokerLimits limits = TopicInspection.inspect(admin, topics, false);

      assertThat(limits.transactionTimeout()).isEqualTo(Duration.ofMinutes(15));
      assertThat(warnings.messages())
          .singleElement()
          .asString()
          .contains("PT15M")
          .contains("transaction.max.timeout.ms");
    }
  }

  /** Topics of one partition. */
  private static Topics created(String prefix) throws Exception {
    Topics topics = Topics.withPrefix(prefix);
    KafkaTopics.create(admin, topics, 1, (short) 1);
    return topics;
  }

  private static ThrowableAssertAlternative<IllegalStateException> refusal(
      Topics topics, boolean journal) {
    return assertThatIllegalStateException()
        .isThrownBy(() -> TopicInspection.inspect(admin, topics, journal));
  }

  private static Topics withModelsAndUpdates(Topics topics, String models, String updates) {
    Map<Topic, String> names = new EnumMap<>(topics.names());
    names.put(Topic.MODELS, models);
    names.put(Topic.UPDATES, updates);
    return new Topics(names);
  }

  private static Admin admin(EmbeddedBroker broker) {
    return Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
  }

  private static int partitions(String topic) throws Exception {
    return admin
        .describeTopics(List.of(topic))
        .allTopicNames()
        .get()
        .get(topic)
        .partitions()
        .size();
  }

  private static String setting(String topic, String name) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    return admin.describeConfigs(List.of(resource)).all().get().get(resource).get(name).value();
  }

  private static void assertSetting(String topic, String name, String value) throws Exception {
    assertThat(setting(topic, name)).as("%s of %s", name, topic).isEqualTo(value);
  }

  private static void set(String topic, String name, String value) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    AlterConfigOp set = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    admin.incrementalAlterConfigs(Map.of(resource, List.of(set))).all().get();
    while (!setting(topic, name).equals(value)) {
      Thread.onSpinWait();
    }
  }
}
