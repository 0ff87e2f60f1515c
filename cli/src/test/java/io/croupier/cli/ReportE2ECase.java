package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.cli.replay.TopicFollower;
import io.croupier.client.ModelSnapshot;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Shell scripts take part in a real job, including the documented ones, which are run as printed.
 * Tests that need python3 or kcat are skipped with a message if it isn't installed.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ReportE2ECase {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final List<String> LINKS = List.of("croupier", "examples", "cli");
  private static final Pattern BLOCK = Pattern.compile("```\n(.*?)```", Pattern.DOTALL);

  /** Code of a page that names its language is no script. */
  private static final Pattern OTHER_CODE = Pattern.compile("(?ms)^```\\w+\n.*?^```\n");

  @TempDir private Path directory;
  private EmbeddedBroker broker;
  private JobClient job;

  @BeforeEach
  void start() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("kafka"));
    String address = broker.bootstrapServers();
    Path models = ROOT.resolve("examples/models.yaml");
    CommandRun.croupier("topics create --kafka " + address).succeeded();
    CommandRun.croupier("models apply %s --kafka %s".formatted(models, address)).succeeded();
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
            JobConfig.of(
                Map.of(
                    "kafka.bootstrap.servers", address,
                    "checkpoint.interval", "250 ms",
                    // A late report may arrive alone: no other one answers the last publication.
                    "publication.hold", "1 s")));
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

  /** Runs a script in the test's directory; what it prints is in {@code out}, its errors, too. */
  private CommandRun bash(String script) throws Exception {
    Path output = directory.resolve("output");
    String here = script.replace("localhost:9092", broker.bootstrapServers());
    Process process =
        new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", here)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return new CommandRun(process.exitValue(), Files.readString(output), "", null);
  }

  private String succeed(String script) throws Exception {
    CommandRun run = bash(script);
    assertThat(run.code()).as("%s%n%s", script, run.out()).isZero();
    return run.out();
  }

  /** The scripts of a section of a page, up to the next heading. */
  private static List<String> scripts(String name, String heading) throws IOException {
    String page = OTHER_CODE.matcher(Files.readString(ROOT.resolve(name)) + "\n#").replaceAll("");
    String section = page.substring(page.indexOf("\n" + heading + "\n") + heading.length() + 2);
    return BLOCK
        .matcher(section.substring(0, section.indexOf("\n#")))
        .results()
        .map((MatchResult block) -> block.group(1))
        .toList();
  }

  /** The only script of a section. */
  private static String script(String name, String heading) throws IOException {
    assertThat(scripts(name, heading)).hasSize(1);
    return scripts(name, heading).get(0);
  }

  /** Waits for an update of the model demo that satisfies {@code wanted}; returns the newest. */
  private ModelSnapshot awaitDemo(Predicate<ModelSnapshot> wanted) throws Exception {
    return ModelUpdates.await(kafka(), "croupier.updates", "demo", PATIENCE, wanted);
  }

  private Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  /** Waits until a topic has the given number of records. */
  private List<ConsumerRecord<byte[], byte[]>> awaitRecords(String topic, int size)
      throws Exception {
    try (TopicFollower<ConsumerRecord<byte[], byte[]>> follower =
        new TopicFollower<>(kafka(), topic, record -> record)) {
      follower.await(size + " records", () -> follower.read().size() >= size);
      return follower.read();
    }
  }

  private List<AccountingEvent> awaitEvents(int size) throws Exception {
    List<AccountingEvent> events = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : awaitRecords("croupier.accounting", size)) {
      events.add(AccountingEvents.read(record.key(), record.value()));
    }
    return events;
  }

  @Tag("ci")
  @Test
  void theDocumentedPipesTrainTheModel() throws Exception {
    assumeTrue(Programs.succeeds("python3", "--version"), "Skipped: python3 isn't installed");
    List<String> scripts = scripts("docs/build/report.md", "## Report");
    assertThat(scripts).hasSize(3);

    String sent = succeed(scripts.get(0));
    String piped = succeed(scripts.get(1));
    String replayed = succeed(scripts.get(2));

    assertThat(sent)
        .contains("1 sent. In the ledger: 1 report, epsilon 1 of 20.")
        .contains("1 sent. In the ledger: 2 reports, epsilon 2 of 20.");
    assertThat(piped).contains("3 sent. In the ledger: 5 reports, epsilon 5");
    assertThat(replayed).contains("1 printed", "\"round\":\"1\"", "\"used\":\"1\"");
    ModelSnapshot last = awaitDemo(update -> update.used() == 5);
    // On a grid of 2^-16, all three sums of noisy gradients are 0 with a probability below 1e-16.
    assertThat(last.weights()).isNotEqualTo(new double[3]);
    assertThat(awaitEvents(5))
        .hasSize(5)
        .allMatch(event -> event.getOutcome() == Outcome.ADMITTED)
        .allMatch(event -> event.getUserId().equals("ada"));
  }

  /** The job and the commands count without a learner, as the page has it. */
  @Tag("thorough")
  @Test
  void theDocumentedCountNeedsNoLearner() throws Exception {
    assertThat(succeed(script("docs/build/statistics.md", "## A first count")))
        .contains("created", "1 sent, 1 of them answers to questions. In the ledger: 1 report")
        .contains("screens, round ", "answers, ", "  screen: ", "  minutes: ");

    ModelSnapshot second =
        ModelUpdates.await(
            kafka(), "croupier.updates", "screens", PATIENCE, update -> update.round() == 1);
    assertThat(second.answers()).isOne();
    assertThat(second.used()).isOne();
    assertThat(second.weights()).isEmpty();
    assertThat(awaitEvents(1))
        .singleElement()
        .matches(event -> event.getOutcome() == Outcome.ADMITTED)
        .matches(event -> event.getModelId().equals("screens"))
        .matches(event -> event.getSpent().getEpsilon() == 2);
    String list = succeed("./croupier models list --kafka localhost:9092");
    assertThat(list).containsPattern("screens +\\| none +\\| +0");
  }

  @Tag("thorough")
  @Test
  void theDocumentedExperimentBegins() throws Exception {
    assertThat(succeed(script("docs/build/experiment.md", "## Two arms")))
        .contains("created", "1 sent, 1 of them answers to questions")
        .contains("offer, round ", "  outcome: ");
    ModelUpdates.await(
        kafka(), "croupier.updates", "offer", PATIENCE, update -> update.round() == 1);
    assertThat(
            succeed(
                "./croupier follow --kafka localhost:9092 --model offer --updates 1 --format text"))
        .containsPattern("a-bought: .*; at every look .*, from 0.000 to 1.000 ");
  }

  @Tag("thorough")
  @Test
  void theModelOfTheDocumentedWayIsPublished() throws Exception {
    assertThat(succeed(script("docs/build/model.md", "## 3. Write the spec")))
        .contains("created", "wellbeing-1");
    // Its first updates ask all devices for sizes.
    assertThat(succeed(script("docs/build/model.md", "## 5. Watch it learn, and use it")))
        .contains("\"modelId\":\"wellbeing-1\"", "\"questionProbability\":1", "\"average\"")
        .contains("\"features\":[{\"name\":\"one\",\"intercept\":{}}");

    // A device scales the columns that the features name, and reports a size.
    assertThat(succeed(script("docs/build/model.md", "### From another program")))
        .containsPattern("(?m)^1 sent[,.] .*In the ledger: 1 report, epsilon 1 of 20\\.( |$)");
    assertThat(succeed(script("docs/build/model.md", "### From a JVM app")))
        .containsPattern("(?m)^Sent for round \\d+: SIZE$");
  }

  @Tag("thorough")
  @Test
  void chargedReportsArriveAndForbiddenOnesAreNotSent() throws Exception {
    awaitDemo(update -> true);
    String kafka = " | ./croupier report --kafka localhost:9092";
    String person = " --model demo --user bob --ledger bob.ledger --mechanism gaussian --mu 0.5";

    CommandRun full =
        bash(
            "echo '[1,0,0]' | ./croupier report --models examples/models.yaml"
                + person
                + " >/dev/full");
    CommandRun limited =
        bash("printf '[1,0,0]\\n[1,0,0]\\n[1,0,0]\\n'" + kafka + person + " --limit-mu 0.8");
    CommandRun unpublished = bash("echo '{\"gradient\": [1,0,0], \"round\": 99}'" + kafka + person);

    assertThat(full.code()).isEqualTo(1);
    assertThat(full.out()).contains("can't be printed", "mu 0.5. Not acknowledged: 1");
    assertThat(limited.code()).isEqualTo(1);
    assertThat(limited.out())
        .contains("the limit is the square of mu = 0.8", "line 3 and what follows")
        .contains("1 sent, 1 already reported, after 1 from an earlier run.")
        .contains("In the ledger: 2 reports, mu 0.707107 of 0.8.");
    assertThat(unpublished.code()).isEqualTo(1);
    assertThat(unpublished.out()).contains("line 1: 'round' is 99, which is not", "0 sent. In");
    awaitDemo(update -> update.used() == 2);
    assertThat(awaitEvents(2))
        .hasSize(2)
        .allMatch(event -> event.getOutcome() == Outcome.ADMITTED)
        .allMatch(event -> event.getUserId().equals("bob"));
  }

  @Tag("thorough")
  @Test
  void theReadmesKcatRecipesWork() throws Exception {
    assumeTrue(
        Programs.succeeds("kcat", "-V") && Programs.succeeds("python3", "--version"),
        "Skipped: kcat or python3 isn't installed");
    List<String> scripts = scripts("docs/build/report.md", "### With kcat");
    assertThat(scripts).hasSize(2);

    // Round 0 is too old from here on.
    Path strict = directory.resolve("strict.yaml");
    Files.writeString(
        strict, "- {modelId: demo, dimension: 3, gradientBound: 1, maxStaleness: 0, blackBox: {}}");
    String apply = "models apply %s --kafka %s".formatted(strict, broker.bootstrapServers());
    CommandRun.croupier(apply).succeeded();
    succeed(
        "echo '[1,0,0]' | ./croupier report --kafka localhost:9092 --model demo --user bob"
            + " --ledger bob.ledger --mechanism gaussian --mu 0.5");
    assertThat(awaitDemo(update -> update.used() == 1).round()).isEqualTo(1);

    succeed(scripts.get(0));
    assertThat(awaitDemo(update -> update.used() == 2).droppedStale()).isZero();
    succeed("echo none | kcat -P -b localhost:9092 -t croupier.gradients -k eve");
    succeed("echo mallory:none | kcat -P -b localhost:9092 -t croupier.models -K :");
    List<AccountingEvent> events = awaitEvents(2);
    assertThat(awaitRecords("croupier.dead-letters", 2)).hasSize(2);
    String listed = succeed(scripts.get(1));

    assertThat(events).allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
    assertThat(events)
        .extracting(AccountingEvent::getUserId)
        .containsExactlyInAnyOrder("ada", "bob");
    // The letter of what may be a raw gradient has no key.
    assertThat(listed)
        .containsPattern("demo, \\d+ bytes, at \\d+")
        .containsPattern("(?m)^ croupier-reason=.+,croupier-topic=croupier.gradients,")
        .containsPattern("(?m)^mallory croupier-reason=.+,croupier-topic=croupier.models,")
        .doesNotContain("eve");
    String left = succeed("./croupier models list --kafka localhost:9092");
    assertThat(left).contains("clicks-sgd").doesNotContain("demo");
  }
}
