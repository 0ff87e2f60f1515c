package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.broker.FreePorts;
import io.croupier.client.GradientReporter;
import io.croupier.client.HttpModelSubscriber;
import io.croupier.client.HttpReportTransport;
import io.croupier.client.JobRefusedException;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.Participant;
import io.croupier.client.PersonStoppedException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.gateway.Condition;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import java.io.IOException;
import java.net.URI;
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
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole life of one person: with a device behind a gateway, the person takes part in two models
 * and a statistic, sees the account, is stopped, resumes, and is deleted. What then is found of the
 * person, and where, is what docs/dpia.md states. Job and gateway are processes, whose logs have
 * all that they log.
 */
@Tag("thorough")
@Timeout(300)
class PersonITCase {
  private static final String SUBJECT = "ada.7f3a91c2@example.org";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** So many that each partition of the accounting topic has events of one of them. */
  private static final int OTHERS = 5;

  private static final String MODELS =
      """
      - {modelId: m, dimension: 2, gradientBound: 1, blackBox: {}}
      - {modelId: n, dimension: 2, gradientBound: 1, blackBox: {}}
      - modelId: s
        statistics: [{name: mood, choice: {categories: [good, bad]}}]
      """;

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Process> processes = new ArrayList<>();
  private final URI job = URI.create("http://127.0.0.1:" + FreePorts.next());
  private final URI gateway = URI.create("http://127.0.0.1:" + FreePorts.next());

  @TempDir private Path directory;
  private EmbeddedBroker broker;
  private Map<String, Object> kafka;
  private Path gatewayFile;
  private String person;
  private int others;

  private CommandRun croupier(String line) {
    return CommandRun.croupier(line + " --kafka " + broker.bootstrapServers());
  }

  /** Runs a command of the gateway that must succeed. */
  private String gateway(String line) {
    return CommandRun.croupier("gateway %s --config %s".formatted(line, gatewayFile))
        .succeeded()
        .out()
        .strip();
  }

  private CommandRun ofPerson(String line) {
    return croupier("%s --subject %s --gateway %s".formatted(line, SUBJECT, gatewayFile));
  }

  @BeforeEach
  void start() throws Exception {
    broker =
        EmbeddedBroker.start(directory.resolve("kafka"), Map.of("log.cleaner.backoff.ms", "200"));
    kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    croupier("topics create").succeeded();
    compact("croupier.accounting");
    compact("croupier.stops");
    Path models = Files.writeString(directory.resolve("models.yaml"), MODELS);
    croupier("models apply " + models).succeeded();
    Path jobFile =
        Files.writeString(
            directory.resolve("job.yaml"),
            """
            kafka: {bootstrap.servers: "%s"}
            checkpoint: {interval: 100 ms, directory: "%s"}
            flink: {rest.bind-port: "%d"}
            """
                .formatted(
                    broker.bootstrapServers(),
                    directory.resolve("checkpoints").toUri(),
                    job.getPort()));
    gatewayFile =
        Files.writeString(
            directory.resolve("gateway.yaml"),
            """
            kafka: {bootstrap.servers: "%s"}
            listen: {port: %d}
            pepper: {file: pepper}
            test-tokens: {allowed: true, key-file: test.jwk}
            """
                .formatted(broker.bootstrapServers(), gateway.getPort()));
    gateway("init");
    person = gateway("user --subject " + SUBJECT);
    run("run", "-Xmx512m", "--config", jobFile.toString());
    run("gateway", "-Xmx192m", "--config", gatewayFile.toString());
    Condition.await("the gateway", () -> isReady());
  }

  private boolean isReady() throws Exception {
    assertThat(processes).allMatch(Process::isAlive);
    try {
      HttpRequest request = HttpRequest.newBuilder(gateway.resolve("/readyz")).build();
      return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false; // it does not listen yet
    }
  }

  /** Runs a command in a process that logs everything to a file. */
  private void run(String command, String heap, String... arguments) throws IOException {
    Path log = directory.resolve("logs").resolve(command);
    Path levels =
        Files.writeString(
            directory.resolve(command + ".properties"),
            """
            rootLogger.level = info
            rootLogger.appenderRef.file.ref = file
            logger.croupier.name = io.croupier
            logger.croupier.level = trace
            appender.file.type = File
            appender.file.name = file
            appender.file.fileName = %s
            appender.file.layout.type = PatternLayout
            """
                .formatted(log));
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                heap,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlog4j2.configurationFile=" + levels.toUri(),
                "-cp",
                System.getProperty("java.class.path"),
                Croupier.class.getName(),
                command));
    line.addAll(List.of(arguments));
    Files.createDirectories(log.getParent());
    processes.add(
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(log.resolveSibling(command + "-output").toFile())
            .start());
  }

  @AfterEach
  void end() {
    processes.forEach(process -> process.destroyForcibly().onExit().join());
    broker.close();
  }

  /** Only closed segments are compacted, so every record begins a segment. */
  private void compact(String topic) throws Exception {
    TopicSettings.set(
        kafka,
        topic,
        Map.of(
            TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT,
            TopicConfig.SEGMENT_MS_CONFIG, "1",
            TopicConfig.DELETE_RETENTION_MS_CONFIG, "0",
            TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.001"));
  }

  /** Data of one day, which know their category in every statistic. */
  private record Day(String name) implements Participant {
    @Override
    public DataKey key() {
      return DataKey.of(name);
    }

    @Override
    public double[] gradient() {
      return new double[] {0.5, -0.25};
    }

    @Override
    public double size() {
      return 1;
    }

    @Override
    public boolean canAnswer(Question question) {
      return false;
    }

    @Override
    public boolean answer(Question question) {
      throw new AssertionError("no model asks a question");
    }

    @Override
    public boolean canVote(Statistic statistic) {
      return true;
    }

    @Override
    public String category(Statistic statistic) {
      return "good";
    }
  }

  private ModelSnapshot newest(String model) throws Exception {
    try (HttpModelSubscriber subscriber = new HttpModelSubscriber(gateway, model)) {
      return subscriber.await(PATIENCE);
    }
  }

  private void report(GradientReporter reporter, String model, String day) throws Exception {
    ModelSnapshot newest = newest(model);
    var unused = reporter.respond(newest, new Day(day), newest.calibration(1).privUnit(1)).join();
  }

  private List<ConsumerRecord<byte[], byte[]>> records(String topic) throws IOException {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    CommittedRecords.forEach(kafka, topic, records::add);
    return records;
  }

  private List<AccountingEvent> events(String user) throws IOException {
    List<AccountingEvent> events = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : records("croupier.accounting")) {
      if (record.value() != null) {
        events.add(AccountingEvents.read(record.key(), record.value()));
      }
    }
    events.removeIf(event -> !event.getUserId().equals(user));
    return events;
  }

  /** Others report and are stopped, so that the brokers close segments, and compact them. */
  private void others() throws Exception {
    others++;
    try (KafkaProducer<byte[], byte[]> producer = SecuredBroker.producer(kafka)) {
      for (int i = 0; i < OTHERS; i++) {
        GradientReport report =
            GradientReport.newBuilder()
                .setModelId("m")
                .setRound(0)
                .setUserId("bob-" + i)
                .setDeviceId("phone")
                .setSequence(others)
                .setCreatedAtMs(1)
                .setDense(Dense.newBuilder().addValues(0).addValues(0))
                .setL2Laplace(L2Laplace.newBuilder().setEpsilon(1))
                .build();
        producer
            .send(
                new ProducerRecord<>(
                    "croupier.gradients", report.getUserId().getBytes(UTF_8), report.toByteArray()))
            .get();
      }
    }
    croupier("stop --user other").succeeded();
  }

  /** The topics about people that these reports use, by what deletes from them. */
  private static Set<String> topics(String deletedBy) throws IOException {
    Path page = ProjectFiles.matching(name -> name.endsWith("dpia.md")).get(0);
    Set<String> topics = new TreeSet<>();
    for (String line : Files.readAllLines(page)) {
      String[] cells = line.split(" \\| ", -1);
      if (line.startsWith("| topic `") && cells[2].startsWith("yes") && !cells[2].contains("raw")) {
        String name = cells[0].replaceAll(".*`(.*)`", "$1");
        if (cells[5].contains(deletedBy) && !name.equals("grants")) { // of anonymous reports
          topics.add("croupier." + name);
        }
      }
    }
    return topics;
  }

  @Test
  void whatIsLeftOfAPersonAndWhere() throws Exception {
    try (LocalLedger device =
            LocalLedger.open(directory.resolve("device"), SUBJECT, Limit.ofEpsilon(20));
        HttpReportTransport transport =
            new HttpReportTransport(gateway, () -> gateway("token --subject " + SUBJECT))) {
      GradientReporter reporter = new GradientReporter(transport, device);
      PersonTraces traces = new PersonTraces(kafka, SUBJECT, person, device.deviceId());
      ofPerson("ledger")
          .failed("--subject is %s, of user id %s, who has no".formatted(SUBJECT, person));
      takesPart(reporter);
      stopsAndResumes(reporter, new GradientReporter(transport, device), device);

      Set<String> used = topics("");
      used.remove("croupier.erasures"); // not yet
      assertThat(traces.topics()).isEqualTo(used);
      assertThat(traces.files(directory.resolve("checkpoints"))).isNotEmpty();

      isDeleted();
      Set<String> left = topics("retention");
      Condition.await(
          "the person on " + left,
          () -> {
            others();
            return traces.topics().equals(left);
          });
      assertThat(records("croupier.accounting"))
          .as("the others' partitions")
          .extracting(ConsumerRecord::partition)
          .contains(0, 1, 2, 3);
      assertThat(ofPerson("ledger").err()).contains("no event on topic croupier.accounting");
      Condition.await(
          "checkpoints without the person",
          () -> traces.files(directory.resolve("checkpoints")).isEmpty());
      assertThat(new PersonTraces(kafka, "bob-1").files(directory.resolve("checkpoints")))
          .as("files of state that contain another person")
          .isNotEmpty();
      deleteRecords(left);
      assertThat(traces.topics()).isEmpty();

      assertThat(traces.isIn(jobMetrics())).isFalse();
      assertThat(traces.isIn(get(gateway.resolve("/metrics")))).isFalse();
      assertThat(Files.readString(directory.resolve("logs/run"))).contains("croupier");
      assertThat(Files.readString(directory.resolve("logs/gateway"))).contains("/v1/reports");
      assertThat(traces.files(directory.resolve("logs"))).isEmpty();
    }
  }

  private void takesPart(GradientReporter reporter) throws Exception {
    report(reporter, "m", "monday");
    report(reporter, "n", "monday");
    report(reporter, "s", "monday");
    others();
    Condition.await("three events", () -> events(person).size() == 3);
    assertThat(events(person)).allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
    Account account = reporter.account();
    assertThat(account.getSpent().getReports()).isEqualTo(3);
    assertThat(account.getModelsList()).extracting(Account.OnModel::getModelId).contains("m", "s");
    assertThat(spent()).isEqualTo(account.getSpent().getEpsilon());
  }

  private double spent() {
    JsonObject ledger = ofPerson("ledger --json").succeeded().json();
    return ledger.getAsJsonObject("spent").get("epsilon").getAsDouble();
  }

  /**
   * Stops and resumes the person.
   *
   * @param later sees the account anew; another reporter asks for it at most once a minute
   */
  private void stopsAndResumes(
      GradientReporter reporter, GradientReporter later, LocalLedger device) throws Exception {
    assertThat(ofPerson("stop").out()).startsWith("1 person is stopped");
    assertThat(ofPerson("stop").code()).as("the same again").isZero();
    Condition.await("the stop", () -> reporter.account().getStopped());
    // By the gateway; or before it is drawn, if the account was asked for more than a minute ago.
    assertThat(catchThrowable(() -> report(reporter, "m", "tuesday")))
        .satisfiesAnyOf(
            refusal -> assertThat(refusal).hasCauseInstanceOf(PersonStoppedException.class),
            refusal -> assertThat(refusal).isInstanceOf(JobRefusedException.class));
    assertThat(device.pending()).isEmpty();

    assertThat(ofPerson("resume").out()).startsWith("1 person is resumed");
    Condition.await("the resumption", () -> !reporter.account().getStopped());
    report(later, "m", "wednesday");
    Condition.await(
        "the fourth event", // the brokers may have compacted the first
        () -> events(person).stream().anyMatch(event -> event.getUserTotals().getReports() == 4));
    assertThat(reporter.account().getSpent().getReports()).isEqualTo(4);
  }

  private void isDeleted() throws Exception {
    croupier("erase --user typo").failed("no event on topic croupier.accounting", "--anyway");
    assertThat(ofPerson("erase --totals").err()).contains("--totals needs --events");

    double spent = spent();
    CommandRun events = ofPerson("erase --events");
    assertThat(events.out())
        .contains("of 3 keys", "by an ERASED event", "what remains", "until it finds none");
    Condition.await(
        "the event of the erasure",
        () -> events(person).stream().anyMatch(event -> event.getOutcome() == Outcome.ERASED));
    assertThat(spent()).as("the totals stay").isEqualTo(spent);
    assertThat(ofPerson("erase --events --totals").out())
        .contains("of 0 keys", "finds none", "until it fails because the user has no event")
        .doesNotContain("ERASED", "what remains");
    Condition.await("no event", () -> ofPerson("ledger").code() != 0);
    ofPerson("erase --events --totals")
        .failed("no event on topic croupier.accounting, which is right after an erasure");
  }

  /** What retention does later. */
  private void deleteRecords(Set<String> topics) throws Exception {
    try (Admin admin = Admin.create(kafka)) {
      for (String topic : topics) {
        Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records(topic)) {
          all.put(
              new TopicPartition(topic, record.partition()),
              RecordsToDelete.beforeOffset(record.offset() + 1));
        }
        admin.deleteRecords(all).all().get();
      }
    }
  }

  private String get(URI address) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
  }

  /** The names of all metrics of the job's operators, from its cluster. */
  private String jobMetrics() throws Exception {
    StringBuilder metrics = new StringBuilder();
    String id = first("/jobs", "jobs", "id").get(0);
    for (String vertex : first("/jobs/" + id, "vertices", "id")) {
      String path = "/jobs/" + id + "/vertices/" + vertex + "/metrics";
      String names = get(job.resolve(path));
      metrics.append(names);
    }
    assertThat(metrics.toString()).contains("ledger");
    return metrics.toString();
  }

  /** A field of each element of a list. */
  private List<String> first(String path, String list, String field) throws Exception {
    JsonArray elements =
        JsonParser.parseString(get(job.resolve(path))).getAsJsonObject().getAsJsonArray(list);
    return elements.asList().stream()
        .map(JsonElement::getAsJsonObject)
        .map(element -> element.get(field).getAsString())
        .toList();
  }
}
