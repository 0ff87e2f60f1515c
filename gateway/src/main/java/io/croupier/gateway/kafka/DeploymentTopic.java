package io.croupier.gateway.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.client.KafkaReportTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What all gateways of a deployment agree on, since user ids follow from it: the fingerprints of
 * the pepper and of the issuers' identities, on a topic of one partition. The first record on it is
 * the pepper's, and decides permanently: a gateway with another pepper doesn't start. The first
 * record of issuers lists those of the deployment; a gateway with another one doesn't start, unless
 * its configuration states that the issuer was added, which a further record keeps.
 *
 * <p>If two gateways start first at the same time, both write a record, and then both read the
 * topic from its beginning, so both see the same first record. Each record has a random key, so
 * that compaction removes none of them.
 */
public final class DeploymentTopic {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(100);

  /** How the records of issuers begin; none is base64url, as the record of the pepper is. */
  private static final String FIRST = "issuers ";

  private static final String ADDED = "issuer ";

  private final Map<String, String> kafka;
  private final String topic;

  /**
   * An issuer of this gateway.
   *
   * @param name of its settings
   * @param identity from which the user ids of its people follow
   * @param fingerprint of identity and subject
   * @param added whether it may be one that the deployment didn't have
   */
  public record DeploymentIssuer(String name, String identity, String fingerprint, boolean added) {}

  /**
   * Names the topic.
   *
   * @param kafka settings of Kafka's clients
   */
  public DeploymentTopic(Map<String, String> kafka, String topic) {
    this.kafka = Map.copyOf(kafka);
    this.topic = topic;
  }

  /**
   * Compares a pepper's fingerprint and those of issuers with those of the deployment; the first
   * gateway of a deployment stores its own.
   *
   * @throws IllegalArgumentException if the deployment has another pepper, or not all the issuers
   * @throws IllegalStateException if the topic can't be created, read or written
   */
  public void require(String fingerprint, List<DeploymentIssuer> issuers) {
    try {
      if (!exists()) {
        create();
      }
      List<String> values = values();
      if (values.isEmpty()) {
        store(fingerprint);
        values = values();
      }
      if (!values.get(0).equals(fingerprint)) {
        throw new IllegalArgumentException(
            ("The pepper is not that of the other gateways, whose fingerprint is on topic %s: with"
                    + " two peppers, a person would have two budgets. Copy their file")
                .formatted(topic));
      }
      requireIssuers(issuers, values);
    } catch (KafkaException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "Topic %s at %s can't be used: %s"
              .formatted(
                  topic,
                  kafka.get("bootstrap.servers"),
                  e instanceof TimeoutException
                      ? "no answer within %d s".formatted(PATIENCE.toSeconds())
                      : e.getMessage()),
          e);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  private void requireIssuers(List<DeploymentIssuer> issuers, List<String> values)
      throws ExecutionException, InterruptedException, TimeoutException {
    if (issuers.isEmpty()) {
      return;
    }
    List<String> records = values;
    if (records.stream().noneMatch(value -> value.startsWith(FIRST))) {
      store(
          FIRST
              + issuers.stream()
                  .map(DeploymentIssuer::fingerprint)
                  .collect(Collectors.joining(" ")));
      records = values();
    }
    Set<String> known = new HashSet<>();
    records.stream()
        .filter(value -> value.startsWith(FIRST))
        .findFirst()
        .ifPresent(value -> known.addAll(List.of(value.substring(FIRST.length()).split(" ", -1))));
    records.stream()
        .filter(value -> value.startsWith(ADDED))
        .forEach(value -> known.add(value.substring(ADDED.length())));
    for (DeploymentIssuer issuer : issuers) {
      if (known.add(issuer.fingerprint)) {
        if (!issuer.added) {
          throw new IllegalArgumentException(
              ("issuers.%s is '%s', which, with its subject, is none of the deployment's issuers on"
                      + " topic %s: a person of another one would have a second user id, and a"
                      + " second budget. If an issuer's URL has changed, set issuers.%s.identity to"
                      + " the earlier one; if no person of it has an account by another issuer, set"
                      + " issuers.%s.added to true until the gateway has started")
                  .formatted(issuer.name, issuer.identity, topic, issuer.name, issuer.name));
        }
        store(ADDED + issuer.fingerprint);
      }
    }
  }

  private boolean exists() throws ExecutionException, InterruptedException, TimeoutException {
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka))) {
      return admin.listTopics().names().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).contains(topic);
    }
  }

  private void create() throws ExecutionException, InterruptedException, TimeoutException {
    NewTopic compacted =
        new NewTopic(topic, 1, (short) -1)
            .configs(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT));
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka))) {
      admin.createTopics(Set.of(compacted)).all().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw new IllegalStateException(
            ("Topic %s can't be created: %s. Create it: kafka-topics.sh --create --topic %s"
                    + " --partitions 1 --config cleanup.policy=compact; and grant the gateway Read"
                    + " and Write on it")
                .formatted(topic, e.getCause().getMessage(), topic),
            e);
      }
    }
  }

  /** The values of all records. */
  private List<String> values() {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, bytes, bytes)) {
      TopicPartition partition = onlyPartition(consumer);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition), PATIENCE).get(partition);
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      List<String> values = new ArrayList<>();
      while (consumer.position(partition, PATIENCE) < end) {
        for (ConsumerRecord<byte[], byte[]> found : consumer.poll(POLL)) {
          if (values.isEmpty() && found.offset() != 0) {
            throw deleted();
          }
          values.add(found.value() == null ? "" : new String(found.value(), UTF_8));
        }
        if (System.nanoTime() - deadline > 0) {
          throw new IllegalStateException("Topic %s could not be read".formatted(topic));
        }
      }
      if (end > 0 && values.isEmpty()) {
        throw deleted();
      }
      return values;
    }
  }

  /** Another record could have decided before, for other gateways and for people's accounts. */
  private IllegalStateException deleted() {
    return new IllegalStateException(
        ("The first record of topic %s, with the fingerprint of the pepper, was deleted: it is"
                + " unknown whether the accounts belong to this pepper. If all gateways have the"
                + " same file, set topics.gateway to a new topic with cleanup.policy=compact")
            .formatted(topic));
  }

  private TopicPartition onlyPartition(KafkaConsumer<byte[], byte[]> consumer) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    List<PartitionInfo> partitions = consumer.partitionsFor(topic, PATIENCE);
    while (partitions.isEmpty() && System.nanoTime() - deadline < 0) {
      // A broker may not know a new topic yet.
      partitions = consumer.partitionsFor(topic, PATIENCE);
    }
    if (partitions.size() != 1) {
      throw new IllegalStateException(
          "Topic %s has %d partitions; it must have one, whose first record decides"
              .formatted(topic, partitions.size()));
    }
    return new TopicPartition(topic, partitions.get(0).partition());
  }

  private void store(String fingerprint)
      throws ExecutionException, InterruptedException, TimeoutException {
    Map<String, Object> properties = KafkaReportTransport.producerProperties(Map.copyOf(kafka));
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties)) {
      producer
          .send(
              new ProducerRecord<>(
                  topic, UUID.randomUUID().toString().getBytes(UTF_8), fingerprint.getBytes(UTF_8)))
          .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }
}
