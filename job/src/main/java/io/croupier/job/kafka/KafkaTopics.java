package io.croupier.job.kafka;

import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Creates and deletes Croupier's topics. */
public final class KafkaTopics {
  /** The brokers stamp each record. */
  static final String APPEND_TIME = "LogAppendTime";

  private static final Duration PATIENCE = Duration.ofSeconds(30);

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
}
