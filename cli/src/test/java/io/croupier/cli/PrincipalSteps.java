package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.client.ModelSubscriber;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Topics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * The steps of every principal except the job. Each step can be repeated. They use a model that has
 * updates, but no job.
 */
final class PrincipalSteps {
  static final String MODEL = "laid";

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Topics TOPICS = Topics.withPrefix("croupier");

  private final Path directory;
  private final Function<String, Map<String, Object>> kafka;
  private final Command croupier;
  private int played;

  /** Runs a command with the given standard input. */
  interface Command {
    void run(String user, String in, String arguments);
  }

  /**
   * Steps of principals that log in with {@code kafka} and run commands with {@code croupier},
   * which throws if a command fails.
   */
  PrincipalSteps(Path directory, Function<String, Map<String, Object>> kafka, Command croupier) {
    this.directory = directory;
    this.kafka = kafka;
    this.croupier = croupier;
  }

  /** The update that the job would have published. */
  static byte[] update() {
    return ModelUpdate.newBuilder()
        .setModelId(MODEL)
        .setRound(0)
        .addAllWeights(List.of(0.0, 0.0))
        .addAllAverage(List.of(0.0, 0.0))
        .setGridExponent(-16)
        .setGradientBound(1)
        .setAnswerProbability(1)
        .build()
        .toByteArray();
  }

  /** An event by which the operator finds the user of its key. */
  static byte[] event() {
    return AccountingEvent.newBuilder().setOutcome(Outcome.ADMITTED).build().toByteArray();
  }

  /** Runs all steps of a principal; throws if one fails. */
  void play(String user) throws Exception {
    played++;
    switch (user) {
      case "gateway" -> report();
      case "trusted" -> reportRaw();
      case "consumer" -> run(user, "follow --updates 1 --model " + MODEL);
      case "auditor" -> {
        poll(user, TOPICS.accounting());
        poll(user, TOPICS.guarantees());
      }
      case "watcher" -> watch();
      case "operator" -> operate();
      case "builder" -> {
        run(user, "topics create --partitions 1");
        run(user, "topics create --partitions 1 --prefix croupier." + played);
      }
      default -> throw new AssertionError(user + " has no step");
    }
  }

  private void run(String user, String arguments) {
    croupier.run(user, "", arguments);
  }

  private void report() {
    croupier.run(
        "gateway",
        "[0.3, -0.4]\n",
        "report --model %s --user ada --ledger %s --mechanism l2-laplace --epsilon 1"
            .formatted(MODEL, directory.resolve(played + ".ledger")));
  }

  private void reportRaw() throws Exception {
    Map<String, Object> login = kafka.apply("trusted");
    try (ModelSubscriber subscriber = new ModelSubscriber(login, TOPICS.updates());
        KafkaProducer<byte[], byte[]> producer = SecuredBroker.producer(login)) {
      subscriber.await(MODEL, PATIENCE);
      producer
          .send(new ProducerRecord<>(TOPICS.rawGradients(), "ida".getBytes(UTF_8), new byte[] {1}))
          .get();
    }
  }

  /** Uses another model each time, since an unchanged model isn't published again. */
  private void operate() throws Exception {
    Path models =
        Files.writeString(
            directory.resolve("laid.yaml"),
            "- {modelId: laid-%d, dimension: 2, gradientBound: 1, blackBox: {}}\n"
                .formatted(played));
    run("operator", "models apply " + models);
    run("operator", "models list");
    run("operator", "models roll-back laid-" + played);
    run("operator", "erase --events --user erin");
    run("operator", "stop --user erin");
    run("operator", "resume --user erin");
  }

  /** What the page to watch does with its topics. */
  private void watch() throws Exception {
    for (String topic :
        List.of(
            TOPICS.models(),
            TOPICS.updates(),
            TOPICS.accounting(),
            TOPICS.guarantees(),
            TOPICS.deadLetters(),
            TOPICS.rawDeadLetters())) {
      poll("watcher", topic);
    }
    try (Admin admin = Admin.create(kafka.apply("watcher"))) {
      for (String topic : List.of(TOPICS.gradients(), TOPICS.rawGradients())) {
        admin.listOffsets(Map.of(new TopicPartition(topic, 0), OffsetSpec.latest())).all().get();
      }
    }
  }

  /** Polls for records; the topic may be empty. */
  private void poll(String user, String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer = SecuredBroker.consumer(kafka.apply(user))) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      consumer.position(partition, PATIENCE);
      consumer.poll(Duration.ofSeconds(1));
    }
  }
}
