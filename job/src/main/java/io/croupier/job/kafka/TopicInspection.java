package io.croupier.job.kafka;

import io.croupier.job.config.ConfigKey;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.ledger.AccountStatement;
import io.croupier.operators.ledger.Ledger;
import io.croupier.schemas.RecordLimits;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topic.Retention;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.Collection;
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
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks, before the job starts, that it can run on its topics. */
public final class TopicInspection {
  private static final Logger LOG = LoggerFactory.getLogger(TopicInspection.class);

  private TopicInspection() {}

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
    RecordLimits limits = recordLimits(configs, topics);
    return new BrokerLimits(
        limits.reportBytes(),
        limits.updateBytes(),
        Math.min(
            recordBytes(configs.get(topics.deadLetters())),
            recordBytes(configs.get(topics.rawDeadLetters()))),
        journal ? recordBytes(configs.get(topics.journal())) : 0,
        configs.values().stream().mapToInt(TopicInspection::recordBytes).max().orElseThrow(),
        transactionTimeout(admin));
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

  /** Returns how large the records of models may be. */
  public static RecordLimits recordLimits(Admin admin, Topics topics)
      throws ExecutionException, InterruptedException {
    List<String> names = List.of(topics.gradients(), topics.rawGradients(), topics.updates());
    return recordLimits(topicConfigs(admin, names), topics);
  }

  private static RecordLimits recordLimits(Map<String, Config> configs, Topics topics) {
    return new RecordLimits(
        Math.min(
            recordBytes(configs.get(topics.gradients())),
            recordBytes(configs.get(topics.rawGradients()))),
        recordBytes(configs.get(topics.updates())));
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
    if (!type.equals(KafkaTopics.APPEND_TIME)) {
      throw new IllegalStateException(
          ("The %s topic %s has timestamps of the producers: its %s is %s; set it to %s"
                  + " (kafka-configs.sh --alter --topic %s --add-config %s=%s). Older records may"
                  + " keep theirs")
              .formatted(
                  kind,
                  topic,
                  TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                  type,
                  KafkaTopics.APPEND_TIME,
                  topic,
                  TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                  KafkaTopics.APPEND_TIME));
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
