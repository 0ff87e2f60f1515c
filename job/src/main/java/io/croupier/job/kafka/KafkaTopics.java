package io.croupier.job.kafka;

import io.croupier.job.config.ConfigKey;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.ledger.AccountStatement;
import io.croupier.operators.ledger.Ledger;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topic.Retention;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates, inspects and deletes Croupier's topics. */
public final class KafkaTopics {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaTopics.class);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String APPEND_TIME = "LogAppendTime";

  /** How long a request for an account, and the answer to it, are kept. */
  private static final Duration ANSWERS = Duration.ofHours(1);

  private static final Duration KEEP_REPORTS = Duration.ofDays(7);

  /** Some hundred bytes a change, which a start reads. */
  private static final Duration KEEP_SPECS = Duration.ofDays(3650);

  private static final int SEGMENTS_OF_REPORTS = 7;

  /**
   * The compression of the job's outputs. The topics that keep all records require it of every
   * producer; the others store what their producers send.
   */
  static final String COMPRESSION = "zstd";

  /**
   * Events of people with random names take no more bytes than at zstd's default, 3, and half of
   * the processor time.
   */
  static final String ZSTD_LEVEL = "1";

  private static final int PROGRESS_SEGMENT_BYTES = 2 << 20;

  private KafkaTopics() {}

  /**
   * Creates the topics that don't exist yet, each with the retention it needs, and waits until the
   * brokers list them and take their records.
   *
   * @param wanted which topics
   * @param partitions number of partitions of every topic that may have several
   * @param replicationFactor -1 for the brokers' default
   * @return the names of those created
   */
  public static List<String> create(
      Admin admin,
      Topics topics,
      Set<Topic> wanted,
      Duration keepReports,
      int partitions,
      short replicationFactor)
      throws ExecutionException, InterruptedException {
    Set<String> present = admin.listTopics().names().get();
    List<NewTopic> missing = new ArrayList<>();
    for (Topic topic : wanted) {
      if (!present.contains(topics.name(topic))) {
        missing.add(
            new NewTopic(topics.name(topic), topic.isSingle() ? 1 : partitions, replicationFactor)
                .configs(settings(topic, keepReports)));
      }
    }
    create(admin, missing);
    return missing.stream().map(NewTopic::name).toList();
  }

  /** The same for the topics of a job without anonymous reports. */
  public static List<String> create(
      Admin admin, Topics topics, int partitions, short replicationFactor)
      throws ExecutionException, InterruptedException {
    return create(admin, topics, Topic.ofJob(false), KEEP_REPORTS, partitions, replicationFactor);
  }

  private static Map<String, String> settings(Topic topic, Duration keepReports) {
    Map<String, String> settings = new HashMap<>();
    switch (topic.retention()) {
      case NEWEST -> {
        settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT);
        if (topic == Topic.MODELS) {
          // The earlier specs are the log of changes.
          settings.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, APPEND_TIME);
          settings.put(
              TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG, String.valueOf(KEEP_SPECS.toMillis()));
        }
        if (topic == Topic.PROGRESS) {
          // A start reads the whole topic, and only closed segments are compacted.
          settings.put(TopicConfig.SEGMENT_BYTES_CONFIG, String.valueOf(PROGRESS_SEGMENT_BYTES));
        }
        if (topic == Topic.STOPS) {
          // Otherwise the brokers may keep for weeks who was stopped once.
          String day = String.valueOf(Duration.ofDays(1).toMillis());
          settings.put(TopicConfig.SEGMENT_MS_CONFIG, day);
          settings.put(TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG, "0");
          settings.put(TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG, day);
        }
      }
      case ALL -> {
        settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
        settings.put(TopicConfig.RETENTION_MS_CONFIG, "-1");
        settings.put(TopicConfig.RETENTION_BYTES_CONFIG, "-1");
        settings.put(TopicConfig.COMPRESSION_TYPE_CONFIG, COMPRESSION);
      }
      case STAMPED -> {
        settings.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, APPEND_TIME);
        keepFor(keepReports, settings);
      }
      case BRIEFLY -> {
        // A gateway waits for an answer for a minute.
        settings.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, APPEND_TIME);
        settings.put(TopicConfig.RETENTION_MS_CONFIG, String.valueOf(ANSWERS.toMillis()));
        settings.put(TopicConfig.SEGMENT_MS_CONFIG, String.valueOf(ANSWERS.toMillis()));
      }
      case REPORTS -> keepFor(keepReports, settings);
    }
    return settings;
  }

  /** The brokers delete whole segments, so one may not span much of the time. */
  private static void keepFor(Duration time, Map<String, String> settings) {
    settings.put(TopicConfig.RETENTION_MS_CONFIG, String.valueOf(time.toMillis()));
    settings.put(
        TopicConfig.SEGMENT_MS_CONFIG,
        String.valueOf(Math.max(1, time.toMillis() / SEGMENTS_OF_REPORTS)));
  }

  /**
   * Warns of topics that keep people's records longer than the operator wants.
   *
   * @param used the job's topics
   * @param keepReports how long they are to be kept
   */
  public static void warnOfLongRetention(
      Admin admin, Topics topics, Set<Topic> used, Duration keepReports)
      throws ExecutionException, InterruptedException {
    Set<Topic> limited = EnumSet.copyOf(used);
    limited.removeIf(
        topic -> topic.retention() != Retention.REPORTS && topic.retention() != Retention.STAMPED);
    Map<String, Config> configs = topicConfigs(admin, topics.names(limited));
    for (Topic topic : limited) {
      long kept = number(configs.get(topics.name(topic)), TopicConfig.RETENTION_MS_CONFIG);
      if (kept < 0 || kept > keepReports.toMillis()) {
        LOG.warn(
            "The {} topic {} keeps records {}, and {} is {}: set its {} to {}, or the setting to"
                + " what you mean",
            topic.suffix(),
            topics.name(topic),
            kept < 0 ? "for ever" : "for " + Duration.ofMillis(kept),
            ConfigKey.KEEP_REPORTS.key(),
            keepReports,
            TopicConfig.RETENTION_MS_CONFIG,
            keepReports.toMillis());
      }
    }
  }

  /**
   * Checks that every topic of anonymous reports exists, and that the job has the rights on it.
   * Warns if the topic of what their windows guarantee forgets events.
   *
   * @throws IllegalStateException if the job can't run on these topics; the message contains the
   *     remedy
   */
  public static void inspectAnonymous(Admin admin, Topics topics)
      throws ExecutionException, InterruptedException {
    List<String> all = topics.names(EnumSet.of(Topic.ANONYMOUS, Topic.GRANTS, Topic.TOKEN_KEYS));
    requirePresence(admin, new TreeSet<>(all));
    KafkaRights.requireTopics(admin, Set.of(topics.anonymous(), topics.tokenKeys()), all);
    Map<String, Config> configs =
        topicConfigs(admin, List.of(topics.tokenKeys(), topics.guarantees()));
    requireCompaction("token-keys", topics.tokenKeys(), configs.get(topics.tokenKeys()));
    warnIfItForgets(
        "guarantees",
        topics.guarantees(),
        configs.get(topics.guarantees()),
        "people's central totals lack the windows whose events are deleted");
  }

  /**
   * Creates topics of a stated number of partitions, and waits until the brokers list them and the
   * leader of each partition answers. Otherwise a leader may refuse a producer's first batch and
   * take its second one, and then the sequence number of the first is wrong until the producer
   * gives up.
   */
  public static void create(Admin admin, List<NewTopic> missing)
      throws ExecutionException, InterruptedException {
    admin.createTopics(missing).all().get();
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (NewTopic topic : missing) {
      for (int i = 0; i < topic.numPartitions(); i++) {
        ends.put(new TopicPartition(topic.name(), i), OffsetSpec.latest());
      }
    }
    List<String> names = missing.stream().map(NewTopic::name).toList();
    await(
        "The brokers don't list the new topics",
        () -> admin.listTopics().names().get().containsAll(names));
    await("The leaders of the new topics don't answer", () -> leadersAnswer(admin, ends));
  }

  private static boolean leadersAnswer(Admin admin, Map<TopicPartition, OffsetSpec> ends)
      throws ExecutionException, InterruptedException {
    try {
      admin.listOffsets(ends).all().get();
      return true;
    } catch (ExecutionException e) {
      // The metadata of another broker still lacks the new topics; the client doesn't retry.
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw e;
    }
  }

  /** Deletes those of the topics that exist, and waits until the brokers no longer list them. */
  public static void delete(Admin admin, Collection<String> names)
      throws ExecutionException, InterruptedException {
    Set<String> present = admin.listTopics().names().get();
    admin.deleteTopics(names.stream().filter(present::contains).toList()).all().get();
    await(
        "The brokers still list deleted topics",
        () -> Collections.disjoint(admin.listTopics().names().get(), names));
  }

  /**
   * Waits until the brokers agree: right after a change, they may briefly return stale metadata.
   */
  private static void await(String failure, BrokerView seen)
      throws ExecutionException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!seen.agrees()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "%s after %s; check the brokers' logs".formatted(failure, PATIENCE));
      }
      // The client logs an error for each topic whose leader it can't find.
      Thread.sleep(50);
    }
  }

  /** Whether the brokers show a change. */
  @FunctionalInterface
  private interface BrokerView {
    boolean agrees() throws ExecutionException, InterruptedException;
  }

  /**
   * Checks that every topic exists, and reads the brokers' limits.
   *
   * @param journal whether the job writes a journal; otherwise its topic may be missing
   * @throws IllegalStateException if the job can't run on these topics; the message contains the
   *     remedy
   */
  public static BrokerLimits inspect(Admin admin, Topics topics, boolean journal)
      throws ExecutionException, InterruptedException {
    Set<String> needed = new TreeSet<>(topics.all());
    if (!journal) {
      needed.remove(topics.journal());
    }
    requirePresence(admin, needed);
    KafkaRights.requireTopics(
        admin,
        Set.of(
            topics.models(),
            topics.gradients(),
            topics.rawGradients(),
            topics.erasures(),
            topics.stops(),
            topics.accountRequests()),
        needed);
    Map<String, Config> configs = topicConfigs(admin, needed);
    requireAppendTimes("gradients", topics.gradients(), configs.get(topics.gradients()));
    requireAppendTimes("raw-gradients", topics.rawGradients(), configs.get(topics.rawGradients()));
    warnIfItForgets(
        "accounting",
        topics.accounting(),
        configs.get(topics.accounting()),
        "the ledger can't be rebuilt from it");
    if (journal) {
      checkJournal(topics.journal(), configs.get(topics.journal()));
    }
    warnIfItForgets(
        "models",
        topics.models(),
        configs.get(topics.models()),
        "a job that starts without state lacks models");
    warnIfItForgets(
        "updates",
        topics.updates(),
        configs.get(topics.updates()),
        "devices may find no update of a model that rests");
    requireCompaction("progress", topics.progress(), configs.get(topics.progress()));
    requireCompaction("stops", topics.stops(), configs.get(topics.stops()));
    requireRoom("accounting", topics.accounting(), configs, Ledger.MAX_EVENT_BYTES);
    requireRoom("guarantees", topics.guarantees(), configs, Ledger.MAX_EVENT_BYTES);
    requireRoom("account-answers", topics.accountAnswers(), configs, AccountStatement.MAX_BYTES);
    return new BrokerLimits(
        Math.min(
            recordBytes(configs.get(topics.gradients())),
            recordBytes(configs.get(topics.rawGradients()))),
        recordBytes(configs.get(topics.updates())),
        Math.min(
            recordBytes(configs.get(topics.deadLetters())),
            recordBytes(configs.get(topics.rawDeadLetters()))),
        journal ? recordBytes(configs.get(topics.journal())) : 0,
        configs.values().stream().mapToInt(KafkaTopics::recordBytes).max().orElseThrow(),
        transactionTimeout(admin));
  }

  private static void requirePresence(Admin admin, Set<String> needed)
      throws ExecutionException, InterruptedException {
    Set<String> missing = new TreeSet<>(needed);
    missing.removeAll(admin.listTopics().names().get());
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "These topics don't exist: "
              + String.join(", ", missing)
              + ". Create them with 'croupier topics create', or configure others (topics.*)."
              + " If they exist, the job lacks the rights to see them: grant them"
              + " (kafka-acls.sh --add)");
    }
  }

  /** The job measures its lag by the records' timestamps, and a producer's clock may be wrong. */
  private static void requireAppendTimes(String kind, String topic, Config config) {
    String type = config.get(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG).value();
    if (!type.equals(APPEND_TIME)) {
      throw new IllegalStateException(
          ("The %s topic %s has timestamps of the producers: its %s is %s; set it to %s"
                  + " (kafka-configs.sh --alter --topic %s --add-config %s=%s). Older records may"
                  + " keep theirs")
              .formatted(
                  kind,
                  topic,
                  TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                  type,
                  APPEND_TIME,
                  topic,
                  TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                  APPEND_TIME));
    }
  }

  /** A record above the limit would fail the job, and again after every restart. */
  private static void requireRoom(
      String kind, String topic, Map<String, Config> configs, int needed) {
    int allowed = recordBytes(configs.get(topic));
    if (allowed < needed) {
      throw new IllegalStateException(
          "The %s topic %s allows records of %d bytes (its %s), but one may have %d; set it to at least that"
              .formatted(kind, topic, allowed, TopicConfig.MAX_MESSAGE_BYTES_CONFIG, needed));
    }
  }

  /** A replay needs every entry from the first on. */
  private static void checkJournal(String topic, Config config) {
    String cleanup = config.get(TopicConfig.CLEANUP_POLICY_CONFIG).value();
    if (cleanup.contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      throw new IllegalStateException(
          ("The journal topic %s keeps only the last entry of each model: its %s is '%s';"
                  + " set it to '%s'")
              .formatted(
                  topic,
                  TopicConfig.CLEANUP_POLICY_CONFIG,
                  cleanup,
                  TopicConfig.CLEANUP_POLICY_DELETE));
    }
    warnIfItForgets(
        "journal", topic, config, "models can't be replayed once their first entries are deleted");
  }

  /** A start needs the newest record of each key, however old it is. */
  private static void requireCompaction(String kind, String topic, Config config) {
    String cleanup = config.get(TopicConfig.CLEANUP_POLICY_CONFIG).value();
    if (!cleanup.equals(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      throw new IllegalStateException(
          "The %s topic %s deletes records that a start needs: its %s is '%s'; set it to '%s'"
              .formatted(
                  kind,
                  topic,
                  TopicConfig.CLEANUP_POLICY_CONFIG,
                  cleanup,
                  TopicConfig.CLEANUP_POLICY_COMPACT));
    }
  }

  private static void warnIfItForgets(
      String kind, String topic, Config config, String consequence) {
    forgets(config)
        .forEach(
            (setting, value) ->
                LOG.warn(
                    "The {} topic {} deletes records: its {} is {}, not -1, so {}",
                    kind,
                    topic,
                    setting,
                    value,
                    consequence));
  }

  /**
   * Checks that the accounting topic keeps every event. Limits apply to all that users have spent,
   * which must survive the loss of the job's state.
   *
   * @param limited the setting or model that limits users, for the message
   * @throws IllegalStateException if the topic deletes events; the message names the setting
   */
  public static void requireThatItKeepsAccounts(Admin admin, Topics topics, String limited)
      throws ExecutionException, InterruptedException {
    String topic = topics.accounting();
    Map<String, String> wrong = forgets(topicConfigs(admin, List.of(topic)).get(topic));
    wrong.forEach(
        (setting, value) -> {
          throw new IllegalStateException(
              ("The job limits what users may spend (%s), but the accounting topic %s deletes"
                      + " events: its %s is %s; set it to -1")
                  .formatted(limited, topic, setting, value));
        });
  }

  /** The settings that each make a topic delete records by age or size, with their values. */
  private static Map<String, String> forgets(Config config) {
    Map<String, String> wrong = new LinkedHashMap<>();
    String cleanup = config.get(TopicConfig.CLEANUP_POLICY_CONFIG).value();
    if (!cleanup.contains(TopicConfig.CLEANUP_POLICY_DELETE)) {
      return wrong;
    }
    for (String limit :
        List.of(TopicConfig.RETENTION_MS_CONFIG, TopicConfig.RETENTION_BYTES_CONFIG)) {
      if (number(config, limit) >= 0) {
        wrong.put(limit, config.get(limit).value());
      }
    }
    return wrong;
  }

  private static Duration transactionTimeout(Admin admin)
      throws ExecutionException, InterruptedException {
    Node broker = admin.describeCluster().nodes().get().iterator().next();
    ConfigResource resource = new ConfigResource(ConfigResource.Type.BROKER, broker.idString());
    Config config =
        KafkaRights.askCluster(admin.describeConfigs(List.of(resource)).all()).get(resource);
    Duration allowed = Duration.ofMillis(number(config, "transaction.max.timeout.ms"));
    if (allowed.compareTo(SpecRequirements.LONGEST_OUTAGE) < 0) {
      LOG.warn(
          "The brokers abort transactions after {} (transaction.max.timeout.ms). If the"
              + " job is down for longer, its pre-committed records are lost; allow at least {}",
          allowed,
          SpecRequirements.LONGEST_OUTAGE);
      return allowed;
    }
    return SpecRequirements.LONGEST_OUTAGE;
  }

  private static Map<String, Config> topicConfigs(Admin admin, Collection<String> names)
      throws ExecutionException, InterruptedException {
    List<ConfigResource> resources =
        names.stream().map(n -> new ConfigResource(ConfigResource.Type.TOPIC, n)).toList();
    Map<String, Config> configs = new HashMap<>();
    admin
        .describeConfigs(resources)
        .all()
        .get()
        .forEach((resource, config) -> configs.put(resource.name(), config));
    return configs;
  }

  private static int recordBytes(Config config) {
    return (int) number(config, TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
  }

  private static long number(Config config, String name) {
    return Long.parseLong(config.get(name).value());
  }
}
