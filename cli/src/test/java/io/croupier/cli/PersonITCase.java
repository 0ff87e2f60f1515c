package io.croupier.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.Topic;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One person takes part, is stopped and resumed, and is erased: where the person is then found. */
@Tag("ci")
class PersonITCase {
  private static final String PERSON = "person-7f3a91c2";
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String MODELS =
      """
      - {modelId: m, dimension: 2, gradientBound: 1, blackBox: {}}
      - {modelId: n, dimension: 2, gradientBound: 1, blackBox: {}}
      """;

  @TempDir private Path directory;
  private EmbeddedBroker broker;
  private JobConfig config;
  private JobClient job;
  private final Map<String, Integer> numbers = new HashMap<>();

  /** The output of a command. */
  private record Printed(int code, String out, String err) {}

  private Printed croupier(String line) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Croupier.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute((line + " --kafka " + broker.bootstrapServers()).split(" "));
    return new Printed(code, out.toString(), err.toString());
  }

  @BeforeEach
  void start() throws Exception {
    broker =
        EmbeddedBroker.start(directory.resolve("kafka"), Map.of("log.cleaner.backoff.ms", "200"));
    config =
        JobConfig.of(
            Map.of(
                "kafka.bootstrap.servers", broker.bootstrapServers(),
                "checkpoint.interval", "100 ms",
                "checkpoint.directory", directory.resolve("checkpoints").toUri().toString()));
    assertThat(croupier("topics create").code()).isZero();
    compact(Topic.ACCOUNTING, Topic.STOPS);
    Path models = Files.writeString(directory.resolve("models.yaml"), MODELS);
    assertThat(croupier("models apply " + models).code()).isZero();
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()), config);
  }

  @AfterEach
  void end() {
    broker.close();
  }

  /** Only closed segments are compacted, so every record begins a segment. */
  private void compact(Topic... topics) throws Exception {
    List<AlterConfigOp> changes =
        Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT,
                TopicConfig.SEGMENT_MS_CONFIG, "1",
                TopicConfig.DELETE_RETENTION_MS_CONFIG, "0",
                TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.001")
            .entrySet()
            .stream()
            .map(
                change ->
                    new AlterConfigOp(
                        new ConfigEntry(change.getKey(), change.getValue()),
                        AlterConfigOp.OpType.SET))
            .toList();
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(config.kafka()))) {
      for (Topic topic : topics) {
        ConfigResource resource =
            new ConfigResource(ConfigResource.Type.TOPIC, config.topics().name(topic));
        admin.incrementalAlterConfigs(Map.of(resource, changes)).all().get();
      }
    }
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      assertThat(System.nanoTime()).as("too late: %s", what).isLessThan(deadline);
      Thread.sleep(50);
    }
  }

  private List<ConsumerRecord<byte[], byte[]>> records(Topic topic) throws IOException {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    CommittedRecords.forEach(config.kafka(), config.topics().name(topic), records::add);
    return records;
  }

  private List<AccountingEvent> events(String user) throws IOException {
    List<AccountingEvent> events = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : records(Topic.ACCOUNTING)) {
      if (record.value() != null) {
        events.add(AccountingEvents.read(record.key(), record.value()));
      }
    }
    events.removeIf(event -> !event.getUserId().equals(user));
    return events;
  }

  /** Sends a report of epsilon 1, and returns its outcome. */
  private Outcome report(String user, String model) throws Exception {
    int sequence = numbers.merge(user, 1, Integer::sum);
    GradientReport report =
        GradientReport.newBuilder()
            .setModelId(model)
            .setRound(0)
            .setUserId(user)
            .setDeviceId("phone")
            .setSequence(sequence)
            .setCreatedAtMs(1)
            .setDense(Dense.newBuilder().addValues(0).addValues(0))
            .setL2Laplace(L2Laplace.newBuilder().setEpsilon(1))
            .build();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.<String, Object>copyOf(config.kafka()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer
          .send(
              new ProducerRecord<>(
                  config.topics().gradients(), user.getBytes(UTF_8), report.toByteArray()))
          .get();
    }
    List<Outcome> outcome = new ArrayList<>();
    await(
        "event of report " + sequence,
        () -> {
          events(user).stream()
              .filter(event -> event.getSequence() == sequence)
              .map(AccountingEvent::getOutcome)
              .forEach(outcome::add);
          return !outcome.isEmpty();
        });
    return outcome.get(0);
  }

  /** The topics with a record that contains the person. */
  private Set<Topic> topicsWithThePerson() throws IOException {
    Set<Topic> found = EnumSet.noneOf(Topic.class);
    for (Topic topic : Topic.ofJob(false)) {
      if (records(topic).stream().anyMatch(r -> names(r.key()) || names(r.value()))) {
        found.add(topic);
      }
    }
    return found;
  }

  private static boolean names(byte[] bytes) {
    return bytes != null && new String(bytes, ISO_8859_1).contains(PERSON);
  }

  /** Appends records of others until the brokers have compacted what precedes them. */
  private void awaitTopics(Topic... expected) throws Exception {
    await(
        "the person on " + List.of(expected),
        () -> {
          for (int i = 0; i < 8; i++) {
            report("other-" + i, "m"); // of all partitions
          }
          croupier("stop --user other");
          return topicsWithThePerson().equals(Set.of(expected));
        });
  }

  @Test
  void whatIsLeftOfAPersonAndWhere() throws Exception {
    assertThat(report(PERSON, "m")).isEqualTo(Outcome.ADMITTED);
    assertThat(report(PERSON, "n")).isEqualTo(Outcome.ADMITTED);
    assertThat(report("other", "m")).isEqualTo(Outcome.ADMITTED);

    Path file = Files.writeString(directory.resolve("users"), "\n" + PERSON + "\n" + PERSON + "\n");
    assertThat(croupier("stop --from " + file).out()).startsWith("1 person is stopped");
    assertThat(croupier("stop --from " + file).code()).isZero();
    await("the stop", () -> report(PERSON, "m") == Outcome.REFUSED_STOPPED);
    assertThat(report("other", "m")).isEqualTo(Outcome.ADMITTED);
    assertThat(croupier("resume --user " + PERSON).out()).startsWith("1 person is resumed");
    await("the resumption", () -> report(PERSON, "m") == Outcome.ADMITTED);
    double spent = events(PERSON).get(events(PERSON).size() - 1).getUserTotals().getEpsilon();

    Printed typo = croupier("erase --user typo");
    assertThat(typo.code()).isEqualTo(ExitCode.FAILURE.code());
    assertThat(typo.err()).contains("no event on topic croupier.accounting", "--anyway");
    assertThat(croupier("erase --totals --user " + PERSON).err())
        .contains("--totals needs --events");
    assertThat(croupier("erase --events --user " + PERSON).code()).isZero();
    await(
        "the deletion",
        () -> events(PERSON).stream().allMatch(event -> event.getOutcome() == Outcome.ERASED));
    assertThat(events(PERSON)).hasSize(1);
    Printed ledger = croupier("ledger --json --user " + PERSON);
    assertThat(
            JsonParser.parseString(ledger.out())
                .getAsJsonObject()
                .getAsJsonObject("spent")
                .get("epsilon")
                .getAsDouble())
        .isEqualTo(spent);
    awaitTopics(Topic.GRADIENTS, Topic.ERASURES, Topic.ACCOUNTING);

    assertThat(croupier("erase --events --totals --user " + PERSON).code()).isZero();
    awaitTopics(Topic.GRADIENTS, Topic.ERASURES);
    deleteRecords(Topic.GRADIENTS, Topic.ERASURES);
    assertThat(topicsWithThePerson()).isEmpty();
    assertThat(filesOfStateThatContain(PERSON)).isEmpty();
  }

  /** What retention does later. */
  private void deleteRecords(Topic... topics) throws Exception {
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(config.kafka()))) {
      for (Topic topic : topics) {
        Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records(topic)) {
          all.put(
              new TopicPartition(record.topic(), record.partition()),
              RecordsToDelete.beforeOffset(record.offset() + 1));
        }
        admin.deleteRecords(all).all().get();
      }
    }
  }

  /** Searches a savepoint; another user shows that it would be found. */
  private List<Path> filesOfStateThatContain(String user) throws Exception {
    String savepoint =
        job.stopWithSavepoint(
                false,
                directory.resolve("savepoints").toUri().toString(),
                SavepointFormatType.CANONICAL)
            .get(1, TimeUnit.MINUTES);
    Path folder = Path.of(URI.create(savepoint));
    assertThat(filesThatContain(folder, "other")).isNotEmpty();
    return filesThatContain(folder, user);
  }

  private static List<Path> filesThatContain(Path folder, String user) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), ISO_8859_1).contains(user)) {
          found.add(file);
        }
      }
    }
    return found;
  }
}
