package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.client.GradientReporter;
import io.croupier.client.KafkaReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.NotChosenException;
import io.croupier.client.Rows;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.loss.LogisticLoss;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first example of docs/build/clients.md in a project of its own, with the page's POM and
 * commands: it reports a day once, however often it runs, at a model that publishes each second.
 * Its local repository is the builder's, but for this project's artefacts, which are those of this
 * build.
 */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ClientExampleE2ECase {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Duration EXAMPLE =
      Duration.ofSeconds(Integer.getInteger("example.seconds", 120));
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Offline, libraries of others have the versions of this build. */
  private static final String VERSIONS =
      """
        <dependencyManagement>
          <dependencies>
            <dependency>
              <groupId>io.croupier</groupId>
              <artifactId>croupier-parent</artifactId>
              <version>0.3.0</version>
              <type>pom</type>
              <scope>import</scope>
            </dependency>
          </dependencies>
        </dependencyManagement>
      """;

  @TempDir private Path directory;
  private Path project;

  private String page() throws IOException {
    return Files.readString(HOME.resolve("docs/build/clients.md"), UTF_8);
  }

  /** The first block of a language on the page. */
  private String block(String language) throws IOException {
    String begin = "```" + language + "\n";
    String from = page().substring(page().indexOf(begin) + begin.length());
    return from.substring(0, from.indexOf("```"));
  }

  private void makeProject() throws IOException {
    project = Files.createDirectory(directory.resolve("project"));
    Files.writeString(
        project.resolve("pom.xml"),
        block("xml").replace("  <dependencies>", VERSIONS + "  <dependencies>"));
    String code = Files.readString(HOME.resolve("examples/java/ReportWellbeing.java"), UTF_8);
    assertThat(block("java")).isEqualTo(code);
    Files.writeString(project.resolve("ReportWellbeing.java"), code);
  }

  /**
   * Links to all that the builder's repository has, and the artefacts that an install would add.
   */
  private Path repository() throws IOException {
    Path from =
        Path.of(
            System.getProperty(
                "settings.localRepository",
                Path.of(System.getProperty("user.home"), ".m2/repository").toString()));
    Path to = Files.createDirectory(directory.resolve("repository"));
    link(from, to, "io");
    Path io = Files.createDirectory(to.resolve("io"));
    if (Files.isDirectory(from.resolve("io"))) {
      link(from.resolve("io"), io, "croupier");
    }
    Path ours = Files.createDirectory(io.resolve("croupier"));
    install(ours, "parent", HOME);
    install(ours, "schemas", HOME.resolve("schemas"));
    install(ours, "privacy", HOME.resolve("privacy"));
    install(ours, "client", HOME.resolve("devices/java"));
    return to;
  }

  private static void link(Path from, Path to, String except) throws IOException {
    try (Stream<Path> groups = Files.list(from)) {
      for (Path group : groups.toList()) {
        if (Files.isDirectory(group) && !group.getFileName().toString().equals(except)) {
          Files.createSymbolicLink(to.resolve(group.getFileName()), group);
        }
      }
    }
  }

  private static void install(Path group, String module, Path folder) throws IOException {
    String name = "croupier-" + module;
    Path version = Files.createDirectories(group.resolve(name).resolve("0.3.0"));
    Files.copy(folder.resolve("pom.xml"), version.resolve(name + "-0.3.0.pom"));
    Path jar = folder.resolve("target").resolve(name + "-0.3.0.jar");
    if (Files.exists(jar)) {
      Files.copy(jar, version.resolve(jar.getFileName()));
    }
  }

  /** Runs a command line in the project's folder; returns its output. */
  private String run(String... command) throws Exception {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .directory(project.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    process.destroyForcibly();
    String printed = Files.readString(output, UTF_8);
    assertThat(ended).as(printed).isTrue();
    assertThat(process.exitValue()).as(printed).isZero();
    return printed;
  }

  /** Reports of other people, so that the model publishes, until it is closed. */
  private static final class People implements AutoCloseable {
    private final Thread thread = new Thread(this::report, "people");
    private final Map<String, Object> kafka;
    private volatile boolean closed;

    /** The newest round that they have seen. */
    private volatile long round;

    People(Map<String, Object> kafka) {
      this.kafka = kafka;
      thread.start();
    }

    private void report() {
      try (ModelSubscriber models = new ModelSubscriber(kafka, "croupier.updates");
          Producer<byte[], byte[]> producer =
              new KafkaProducer<>(KafkaReportTransport.producerProperties(kafka))) {
        KafkaReportTransport transport = new KafkaReportTransport(producer, "croupier.gradients");
        for (int person = 0; !closed; person++) {
          ModelSnapshot model = models.await("wellbeing-1", PATIENCE);
          round = model.round();
          Rows rows = Rows.of(new double[] {1, 0, 0, 0, 1, 0}, person % 2, new LogisticLoss());
          try {
            var unused =
                new GradientReporter(
                        transport, LocalLedger.inMemory("person-" + person, Limit.NONE))
                    .respond(
                        model, rows.at(model, DataKey.of("day")), model.calibration(1).privUnit(2));
          } catch (NotChosenException e) {
            // The round asks other people.
          }
          TimeUnit.MILLISECONDS.sleep(100);
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      closed = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static List<GradientReport> reportsOf(String user, String kafka) throws IOException {
    List<GradientReport> reports = new ArrayList<>();
    CommittedRecords.forEach(
        Map.of("bootstrap.servers", kafka),
        "croupier.gradients",
        record -> reports.add(report(record.value())));
    reports.removeIf(report -> !report.getUserId().equals(user));
    return reports;
  }

  private static GradientReport report(byte[] bytes) {
    try {
      return GradientReport.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theDayIsReportedOnceHoweverOftenTheExampleRuns() throws Exception {
    makeProject();
    assertThat(page()).contains("mvn dependency:build-classpath -Dmdep.outputFile=classpath\n");
    run(
        "mvn",
        "-o",
        "-q",
        "-Dmaven.repo.local=" + repository(),
        "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:build-classpath",
        "-Dmdep.outputFile=classpath");
    String command =
        page()
            .lines()
            .filter(line -> line.contains(" ReportWellbeing.java "))
            .findFirst()
            .orElseThrow();

    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("kafka"))) {
      String address = broker.bootstrapServers();
      CommandRun.croupier("topics create --kafka " + address).succeeded();
      CommandRun.croupier("models apply ../examples/wellbeing.yaml --kafka " + address).succeeded();
      JobClient job =
          CroupierJob.submit(
              StreamExecutionEnvironment.createLocalEnvironment(1, new Configuration()),
              JobConfig.of(
                  Map.of(
                      "kafka.bootstrap.servers", address,
                      "checkpoint.interval", "1 s",
                      "flink.restart-strategy.type", "none")),
              LedgerStart.NEW);
      try (People people = new People(Map.of("bootstrap.servers", address))) {
        String example = command.replace("localhost:9092", address);
        assertThat(run("bash", "-c", example)).contains("Sent for round ");
        long first = people.round;
        long end = System.nanoTime() + EXAMPLE.toNanos();
        int runs = 0;
        do {
          assertThat(run("bash", "-c", example))
              .contains(
                  "data of this key were reported to model wellbeing-1 once, and they may be once");
          runs++;
        } while (System.nanoTime() < end);
        System.out.printf(
            "The example ran %d more times in %d rounds%n", runs, people.round - first);
        // So another report would have been possible.
        assertThat(people.round).isGreaterThan(first);
        assertThat(reportsOf("ada", address)).hasSize(1);
      } finally {
        job.cancel().get(5, TimeUnit.MINUTES);
      }
    }
  }
}
