package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.cli.models.ModelsTopic;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.KeptAverage;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The operators' commands, against a real broker; every test uses its own prefix. */
class CommandsITCase {

  private static final String TAPS =
      "- {modelId: taps, dimension: 3, gradientBound: 1, blackBox: {}}\n";
  private static final String CLICKS =
      "- {modelId: clicks, dimension: 2, gradientBound: 1e-09, blackBox: {}, limits: {epsilon:"
          + " 4}}\n";
  private static final String FINDS =
      "- {modelId: finds, dimension: 2, blackBox: {}, adaptiveClip: {size: GRADIENT, initial:"
          + " 2.5}}\n";

  @TempDir private static Path directory;
  private static EmbeddedBroker broker;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.start(directory.resolve("kafka"));
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @Test
  void topicsAreCreatedOnce() {
    Outcome first = croupier("topics", "create", "--prefix", "once", "--partitions", "2");
    Outcome second = croupier("topics", "create", "--prefix", "once");

    assertThat(first.code).isZero();
    assertThat(first.out).contains("created  once.gradients", "created  once.accounting");
    assertThat(second.code).isZero();
    assertThat(second.out).contains("exists   once.gradients").doesNotContain("created");
  }

  @Test
  void modelsAreAppliedListedAndRetired() throws Exception {
    croupier("topics", "create", "--prefix", "life");

    Outcome applied = apply("life", TAPS + CLICKS);
    assertThat(applied.code).isZero();
    assertThat(applied.out).contains("created    taps", "created    clicks");

    Outcome again = apply("life", TAPS + CLICKS.replace("epsilon: 4", "epsilon: 6"));
    assertThat(again.code).isZero();
    assertThat(again.out).contains("unchanged  taps", "changed    clicks");

    Outcome listed = croupier("models", "list", "--prefix", "life");
    assertThat(listed.out)
        .containsPattern("taps +\\| blackBox +\\| +3")
        .containsPattern("clicks +\\| blackBox +\\| +2")
        .contains("epsilon 6.0");

    Outcome retired = croupier("models", "retire", "taps", "--prefix", "life");
    assertThat(retired.code).isZero();
    assertThat(retired.out).contains("retired    taps");
    assertThat(models("life").current()).containsOnlyKeys("clicks");

    Outcome log = croupier("models", "log", "--prefix", "life");
    assertThat(log.err).isEmpty();
    String author = System.getProperty("user.name");
    assertThat(log.out.lines().skip(2))
        .satisfiesExactly(
            line -> assertThat(line).contains(author, "taps", "created"),
            line -> assertThat(line).contains(author, "clicks", "created"),
            line -> assertThat(line).contains("clicks", "limits.epsilon 4.0 -> 6.0"),
            line -> assertThat(line).contains(author, "taps", "retired"));
  }

  @Tag("ci")
  @Test
  void aModelIsRolledBackUntilThatEnds() throws Exception {
    croupier("topics", "create", "--prefix", "back");
    String kept = "- {modelId: taps, dimension: 1, gradientBound: 1, blackBox: {}%s}\n";
    apply("back", kept.formatted(", history: {averages: 2, everyRounds: 10}"));
    ModelUpdate update =
        ModelUpdate.newBuilder()
            .setModelId("taps")
            .setRound(25)
            .addKeptAverages(KeptAverage.newBuilder().setRound(10).setPublishedAtMs(1000))
            .addKeptAverages(KeptAverage.newBuilder().setRound(20).setPublishedAtMs(2000))
            .build();
    new TopicWriter(Map.of("bootstrap.servers", broker.bootstrapServers()), "back.updates")
        .send(
            List.of(
                new ProducerRecord<>(
                    "back.updates", "taps".getBytes(UTF_8), update.toByteArray())));

    assertThat(rollBack().out)
        .containsSubsequence("1970-01-01T00:00:01Z", " 10 ", "1970-01-01T00:00:02Z", " 20 ");
    assertThat(rollBack("--round", "15").err)
        .contains("Model 'taps' doesn't keep the average of round 15; it keeps those of [10, 20]");
    Outcome served = rollBack("--round", "10", "--by", "ada");
    assertThat(served.out).contains("the average of round 10");
    assertThat(served.err).contains("the model drops the average of round 10 next");
    assertThat(models("back").current().get("taps").getServedRound()).isEqualTo(10);
    assertThat(apply("back", kept.formatted(", history: {averages: 2, everyRounds: 10}")).out)
        .contains("unchanged  taps");
    assertThat(rollBack("--end").out).contains("its newest average");
    assertThat(models("back").current().get("taps").hasServedRound()).isFalse();
    assertThat(croupier("models", "log", "--model", "taps", "--json", "--prefix", "back").out)
        .containsSubsequence(
            "\"change\": \"created\"",
            "\"by\": \"ada\"",
            "\"servedRound none -> 10\"",
            "\"servedRound\": \"10\"",
            "\"servedRound 10 -> none\"");
  }

  private static Outcome rollBack(String... options) {
    List<String> all = new ArrayList<>(List.of("models", "roll-back", "taps", "--prefix", "back"));
    all.addAll(List.of(options));
    return croupier(all.toArray(String[]::new));
  }

  @Tag("thorough")
  @Test
  void deprecatedNamesAreAcceptedWithAWarning() throws Exception {
    croupier("topics", "create", "--prefix", "former");
    String former = TAPS.replace("blackBox", "adaptiveRadius");

    Outcome applied = apply("former", former);
    assertThat(applied.code).isZero();
    assertThat(applied.out).contains("created    taps");
    assertThat(applied.err).contains("taps: adaptiveRadius is a deprecated name of blackBox");
    assertThat(models("former").current().get("taps").hasAdaptiveRadius()).isTrue();
    assertThat(croupier("models", "list", "--prefix", "former").out)
        .containsPattern("taps +\\| blackBox +\\| +3");

    Outcome replaced =
        apply("former", croupier("models", "list", "--json", "--prefix", "former").out);
    assertThat(replaced.out).contains("changed    taps");
    assertThat(replaced.err).doesNotContain("deprecated");
    assertThat(models("former").current().get("taps").hasBlackBox()).isTrue();
  }

  @Tag("thorough")
  @Test
  void jsonListsCanBeAppliedAgain() throws Exception {
    croupier("topics", "create", "--prefix", "json");
    apply("json", TAPS + CLICKS + FINDS);

    Outcome listed = croupier("models", "list", "--json", "--prefix", "json");

    assertThat(listed.out).contains("\"adaptiveClip\"", "\"GRADIENT\"");
    assertThat(apply("json", listed.out).out)
        .contains("unchanged  taps", "unchanged  clicks", "unchanged  finds");
  }

  @Tag("thorough")
  @Test
  void theClipOfAModelIsListedAndFixed() throws Exception {
    croupier("topics", "create", "--prefix", "finds");
    assertThat(apply("finds", FINDS).out).contains("created    finds");
    assertThat(models("finds").current().get("finds").getAdaptiveClip())
        .isEqualTo(
            AdaptiveClip.newBuilder().setSize(AdaptiveClip.Size.GRADIENT).setInitial(2.5).build());

    assertThat(croupier("models", "list", "--prefix", "finds").out)
        .containsPattern("finds +\\| blackBox +\\| +2 +\\| +adaptive +\\|");
    Outcome changed = apply("finds", FINDS.replace("2.5", "3"));
    assertThat(changed.code).isEqualTo(1);
    assertThat(changed.out).contains("refused    finds", "adaptiveClip");
    Outcome both = apply("finds", FINDS.replace("dimension", "gradientBound: 1, dimension"));
    assertThat(both.code).isEqualTo(1);
    assertThat(both.err).contains("line 1, model 'finds': gradientBound is 1.0");
  }

  @Tag("ci")
  @Test
  void nothingIsPublishedIfOneModelIsRefused() throws Exception {
    croupier("topics", "create", "--prefix", "refused");
    apply("refused", TAPS);

    Outcome outcome = apply("refused", CLICKS + TAPS.replace("dimension: 3", "dimension: 4"));

    assertThat(outcome.code).isEqualTo(1);
    assertThat(outcome.out).contains("created    clicks", "refused    taps", "dimension");
    assertThat(outcome.err).contains("Nothing was published.");
    assertThat(models("refused").current()).containsOnlyKeys("taps");
    assertThat(models("refused").current().get("taps").getDimension()).isEqualTo(3);
  }

  @Tag("ci")
  @Test
  void anInvalidSpecDoesNotReplaceTheGoodOne() throws Exception {
    croupier("topics", "create", "--prefix", "invalid");
    apply("invalid", TAPS);

    Outcome outcome = apply("invalid", TAPS.replace("gradientBound: 1", "gradientBound: -1"));

    assertThat(outcome.code).isEqualTo(1);
    assertThat(outcome.err).contains("invalid.yaml, line 1, model 'taps': gradientBound is -1.0");
    assertThat(models("invalid").current().get("taps").getGradientBound()).isEqualTo(1);
  }

  /**
   * Models and updates skip it and continue with the others; accounts end with its position, since
   * a sum without it might be wrong.
   */
  @Tag("thorough")
  @Test
  void recordsOfOtherProgramsAreSkippedOrNamed() throws Exception {
    Map<String, String> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    croupier("topics", "create", "--prefix", "foreign");
    apply("foreign", TAPS);
    ModelSpec taps = models("foreign").current().get("taps");
    models("foreign").publish(List.of(taps.toBuilder().setGradientBound(-1).build()), "somebody");
    byte[] update =
        ModelUpdate.newBuilder()
            .setModelId("taps")
            .setRound(0)
            .setGradientBound(1)
            .setGridExponent(-16)
            .addWeights(1)
            .addAverage(1)
            .build()
            .toByteArray();
    for (String topic : List.of("foreign.models", "foreign.updates", "foreign.accounting")) {
      new TopicWriter(kafka, topic)
          .send(
              List.of(
                  new ProducerRecord<>(topic, 0, "taps".getBytes(UTF_8), new byte[] {-1, -1}),
                  new ProducerRecord<>(topic, 0, "other".getBytes(UTF_8), new byte[0])));
    }
    new TopicWriter(kafka, "foreign.updates")
        .send(List.of(new ProducerRecord<>("foreign.updates", "taps".getBytes(UTF_8), update)));

    assertThat(models("foreign").current().get("taps")).isEqualTo(taps);
    Outcome followed =
        croupier("follow", "--prefix", "foreign", "--model", "taps", "--updates", "1");
    assertThat(followed.code).as(followed.err).isZero();
    assertThat(followed.out).contains("\"modelId\":\"taps\"");
    Outcome ledger = croupier("ledger", "--top", "1", "--prefix", "foreign");
    assertThat(ledger.code).isEqualTo(1);
    assertThat(ledger.err)
        .contains(
            "foreign.accounting, partition 0, offset 0: the record is not an AccountingEvent");
  }

  @Tag("ci")
  @Test
  void unknownModelsAreNotRetired() throws Exception {
    croupier("topics", "create", "--prefix", "absent");
    apply("absent", TAPS);

    Outcome outcome = croupier("models", "retire", "taps", "tips", "--prefix", "absent");

    assertThat(outcome.code).isEqualTo(1);
    assertThat(outcome.err).contains("No such model: tips", "Current models: taps");
    assertThat(models("absent").current()).containsOnlyKeys("taps");
  }

  @Test
  void missingTopicsAreReportedAndNotCreated() {
    Outcome outcome = croupier("models", "list", "--prefix", "nowhere");

    assertThat(outcome.code).isEqualTo(1);
    assertThat(outcome.err)
        .contains("Topic nowhere.models doesn't exist", "croupier topics create");
  }

  private static Outcome apply(String prefix, String models) throws Exception {
    Path file = Files.writeString(directory.resolve(prefix + ".yaml"), models);
    return croupier("models", "apply", file.toString(), "--prefix", prefix);
  }

  private static ModelsTopic models(String prefix) {
    return new ModelsTopic(
        Map.of("bootstrap.servers", broker.bootstrapServers()), prefix + ".models");
  }

  private record Outcome(int code, String out, String err) {}

  private static Outcome croupier(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--kafka", broker.bootstrapServers()));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        Croupier.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int code = commandLine.execute(all.toArray(String[]::new));
    return new Outcome(code, out.toString(), err.toString());
  }
}
