package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.job.CroupierJob;
import io.croupier.job.JobConfig;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Shell scripts take part in a real job, those of the README first of all: what it shows is what is
 * run. Where python3 or kcat isn't installed, its test is skipped, saying so.
 */
class ReportE2ECase {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> LINKS = List.of("croupier", "examples");
  private static final Pattern BLOCK = Pattern.compile("```\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path directory;
  private EmbeddedBroker broker;
  private JobClient job;

  @BeforeEach
  void start() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("kafka"));
    String address = broker.bootstrapServers();
    Path models = ROOT.resolve("examples/models.yaml");
    assertThat(Croupier.run("topics", "create", "--kafka", address)).isZero();
    assertThat(Croupier.run("models", "apply", models.toString(), "--kafka", address)).isZero();
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
            JobConfig.of(
                Map.of("kafka.bootstrap.servers", address, "checkpoint.interval", "250 ms")));
    for (String name : LINKS) {
      Files.createSymbolicLink(directory.resolve(name), ROOT.resolve(name));
    }
  }

  @AfterEach
  void stop() throws Exception {
    if (job != null) {
      job.cancel().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    broker.close();
    for (String name : LINKS) {
      Files.delete(directory.resolve(name));
    }
  }

  private record Outcomes(int code, String out) {}

  /** Runs a script in the test's directory, standard error with its output. */
  private Outcomes bash(String script) throws Exception {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                "bash",
                "-e",
                "-o",
                "pipefail",
                "-c",
                script.replace("localhost:9092", broker.bootstrapServers()))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return new Outcomes(process.exitValue(), Files.readString(output));
  }

  private String succeed(String script) throws Exception {
    Outcomes outcome = bash(script);
    assertThat(outcome.code).as("%s%n%s", script, outcome.out).isZero();
    return outcome.out;
  }

  private static boolean isInstalled(String program) throws InterruptedException {
    try {
      return new ProcessBuilder(program, program.equals("kcat") ? "-V" : "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** The scripts of a section, up to the next heading. */
  private static List<String> scripts(String heading) throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    String section = readme.substring(readme.indexOf("\n" + heading + "\n") + heading.length() + 2);
    return BLOCK
        .matcher(section.substring(0, section.indexOf("\n#")))
        .results()
        .map((MatchResult block) -> block.group(1))
        .toList();
  }

  private ModelSnapshot awaitUpdate(Predicate<ModelSnapshot> wanted) throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    List<ModelSnapshot> found = new ArrayList<>();
    try (ModelSubscriber subscriber =
        new ModelSubscriber(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            "croupier.updates",
            update -> {
              if (seen.getCount() > 0 && wanted.test(update)) {
                found.add(update);
                seen.countDown();
              }
            })) {
      assertThat(seen.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(subscriber).isNotNull();
    }
    return found.get(0);
  }

  private List<AccountingEvent> events() {
    List<AccountingEvent> events = new ArrayList<>();
    CommittedRecords.forEach(
        Map.of("bootstrap.servers", broker.bootstrapServers()),
        "croupier.accounting",
        record -> {
          try {
            events.add(AccountingEvent.parseFrom(record.value()));
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    return events;
  }

  private static boolean isDemo(ModelSnapshot update) {
    return update.modelId().equals("demo");
  }

  @Test
  void theReadmesPipesTeachTheModel() throws Exception {
    assumeTrue(isInstalled("python3"), "Skipped: python3 isn't installed");
    List<String> scripts = scripts("## Report");
    assertThat(scripts).hasSize(3);

    String sent = succeed(scripts.get(0));
    String piped = succeed(scripts.get(1));
    String replayed = succeed(scripts.get(2));

    assertThat(sent)
        .contains("1 sent and acknowledged. In the ledger: 1 reports, epsilon 1 of 20.0.")
        .contains("1 sent and acknowledged. In the ledger: 2 reports, epsilon 2 of 20.0.");
    assertThat(piped).contains("3 sent and acknowledged. In the ledger: 5 reports, epsilon 5");
    assertThat(replayed).contains("1 printed", "\"round\":\"1\"", "\"used\":\"1\"");
    ModelSnapshot last = awaitUpdate(update -> isDemo(update) && update.used() == 5);
    assertThat(last.weights()).isNotEqualTo(new double[3]);
    assertThat(events())
        .hasSize(5)
        .allMatch(event -> event.getOutcome() == Outcome.ADMITTED)
        .allMatch(event -> event.getUserId().equals("ada"));
  }

  @Test
  void whatTheLedgerOrTheTopicForbidsIsNotSent() throws Exception {
    awaitUpdate(ReportE2ECase::isDemo);
    String report =
        " | ./croupier report --kafka localhost:9092 --model demo --user bob --ledger bob.ledger"
            + " --mechanism gaussian --mu 0.5";

    Outcomes limited = bash("printf '[1,0,0]\\n[1,0,0]\\n[1,0,0]\\n'" + report + " --limit-mu 0.8");
    Outcomes unpublished = bash("echo '{\"gradient\": [1,0,0], \"round\": 99}'" + report);
    Outcomes unledgered =
        bash("echo '[1,0,0]'" + report.replace("--ledger bob.ledger", "--without-ledger"));
    Outcomes unknown =
        bash("echo '[1,0,0]'" + report.replace("--model demo", "--model demo --set kafka.acks=1"));

    assertThat(limited.code).isEqualTo(1);
    assertThat(limited.out)
        .contains("the limit is the square of mu = 0.8", "Not reported: line 3")
        .contains("2 sent and acknowledged. In the ledger: 2 reports, mu 0.707107 of 0.8.");
    assertThat(unpublished.code).isEqualTo(1);
    assertThat(unpublished.out).contains("line 1: 'round' 99 is none of the", "2 reports");
    assertThat(unledgered.code).isEqualTo(1);
    assertThat(unledgered.out).contains("--without-ledger is for printing");
    assertThat(unknown.code).isEqualTo(1);
    assertThat(unknown.out).contains("acks is 1; it must be all");
    awaitUpdate(update -> isDemo(update) && update.used() == 2);
    assertThat(events()).hasSize(2).allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
  }

  @Test
  void theReadmesKcatRecipesWork() throws Exception {
    assumeTrue(isInstalled("kcat"), "Skipped: kcat isn't installed");
    List<String> scripts = scripts("### With kcat");
    assertThat(scripts).hasSize(2);

    succeed(scripts.get(0));
    awaitUpdate(update -> isDemo(update) && update.used() == 1);
    succeed("echo none | kcat -P -b localhost:9092 -t croupier.gradients -k eve");
    AccountingEvent event = events().get(0);
    while (deadLetters() == 0) {
      Thread.onSpinWait();
    }
    String listed = succeed(scripts.get(1));

    assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
    assertThat(event.getUserId()).isEqualTo("ada");
    assertThat(listed).containsPattern("demo, \\d+ bytes, at \\d+").containsPattern("eve .*=.+");
    String left = succeed("./croupier models list --kafka localhost:9092");
    assertThat(left).contains("clicks-sgd").doesNotContain("demo");
  }

  private int deadLetters() {
    List<byte[]> keys = new ArrayList<>();
    CommittedRecords.forEach(
        Map.of("bootstrap.servers", broker.bootstrapServers()),
        "croupier.dead-letters",
        record -> keys.add(record.key()));
    return keys.size();
  }
}
