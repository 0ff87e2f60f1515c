package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.cli.models.ModelsTopic;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.KeptAverage;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    croupier("topics create --prefix once --partitions 2")
        .printed("created  once.gradients", "created  once.accounting");
    CommandRun second = croupier("topics create --prefix once").printed("exists   once.gradients");
    assertThat(second.out()).doesNotContain("created");
  }

  @Test
  void modelsAreAppliedListedAndRetired() throws Exception {
    croupier("topics create --prefix life");

    apply("life", TAPS + CLICKS).printed("created    taps", "created    clicks");

    apply("life", TAPS + CLICKS.replace("epsilon: 4", "epsilon: 6"))
        .printed("unchanged  taps", "changed    clicks");

    assertThat(croupier("models list --prefix life").out())
        .containsPattern("taps +\\| blackBox +\\| +3")
        .containsPattern("clicks +\\| blackBox +\\| +2")
        .contains("epsilon 6.0");

    croupier("models retire taps --prefix life").printed("retired    taps");
    assertThat(models("life").current()).containsOnlyKeys("clicks");

    CommandRun log = croupier("models log --prefix life");
    assertThat(log.err()).isEmpty();
    String author = System.getProperty("user.name");
    assertThat(log.out().lines().skip(2))
        .satisfiesExactly(
            line -> assertThat(line).contains(author, "taps", "created"),
            line -> assertThat(line).contains(author, "clicks", "created"),
            line -> assertThat(line).contains("clicks", "limits.epsilon 4.0 -> 6.0"),
            line -> assertThat(line).contains(author, "taps", "retired"));
  }

  @Tag("ci")
  @Test
  void aModelIsRolledBackUntilThatEnds() throws Exception {
    croupier("topics create --prefix back");
    String kept = "- {modelId: taps, dimension: 1, gradientBound: 1, blackBox: {}%s}\n";
    apply("back", kept.formatted(", history: {averages: 2, everyRounds: 10}"));
    ModelUpdate update =
        ModelUpdate.newBuilder()
            .setModelId("taps")
            .setRound(25)
            .addKeptAverages(KeptAverage.newBuilder().setRound(10).setPublishedAtMs(1000))
            .addKeptAverages(KeptAverage.newBuilder().setRound(20).setPublishedAtMs(2000))
            .build();
    send("back.updates", "taps", update.toByteArray());

    assertThat(rollBack("").out())
        .containsSubsequence("1970-01-01T00:00:01Z", " 10 ", "1970-01-01T00:00:02Z", " 20 ");
    assertThat(rollBack(" --round 15").err())
        .contains("Model 'taps' doesn't keep the average of round 15; it keeps those of [10, 20]");
    assertThat(rollBack(" --round 10 --by ada").printed("the average of round 10").err())
        .contains("the model drops the average of round 10 next");
    assertThat(models("back").current().get("taps").getServedRound()).isEqualTo(10);
    assertThat(apply("back", kept.formatted(", history: {averages: 2, everyRounds: 10}")).out())
        .contains("unchanged  taps");
    assertThat(rollBack(" --end").out()).contains("its newest average");
    assertThat(models("back").current().get("taps").hasServedRound()).isFalse();
    assertThat(croupier("models log --model taps --json --prefix back").out())
        .containsSubsequence(
            "\"change\": \"created\"",
            "\"by\": \"ada\"",
            "\"servedRound none -> 10\"",
            "\"servedRound\": \"10\"",
            "\"servedRound 10 -> none\"");
  }

  private static CommandRun rollBack(String options) {
    return croupier("models roll-back taps --prefix back" + options);
  }

  @Tag("thorough")
  @Test
  void deprecatedNamesAreAcceptedWithAWarning() throws Exception {
    croupier("topics create --prefix former");
    String former = TAPS.replace("blackBox", "adaptiveRadius");

    assertThat(apply("former", former).printed("created    taps").err())
        .contains("taps: adaptiveRadius is a deprecated name of blackBox");
    assertThat(models("former").current().get("taps").hasAdaptiveRadius()).isTrue();
    assertThat(croupier("models list --prefix former").out())
        .containsPattern("taps +\\| blackBox +\\| +3");

    CommandRun replaced = apply("former", croupier("models list --json --prefix former").out());
    assertThat(replaced.out()).contains("changed    taps");
    assertThat(replaced.err()).doesNotContain("deprecated");
    assertThat(models("former").current().get("taps").hasBlackBox()).isTrue();
  }

  @Tag("thorough")
  @Test
  void jsonListsCanBeAppliedAgain() throws Exception {
    croupier("topics create --prefix json");
    apply("json", TAPS + CLICKS + FINDS);

    CommandRun listed = croupier("models list --json --prefix json");

    assertThat(listed.out()).contains("\"adaptiveClip\"", "\"GRADIENT\"");
    assertThat(apply("json", listed.out()).out())
        .contains("unchanged  taps", "unchanged  clicks", "unchanged  finds");
  }

  @Tag("thorough")
  @Test
  void theClipOfAModelIsListedAndFixed() throws Exception {
    croupier("topics create --prefix finds");
    apply("finds", FINDS).printed("created    finds");
    assertThat(models("finds").current().get("finds").getAdaptiveClip())
        .isEqualTo(
            AdaptiveClip.newBuilder().setSize(AdaptiveClip.Size.GRADIENT).setInitial(2.5).build());

    assertThat(croupier("models list --prefix finds").out())
        .containsPattern("finds +\\| blackBox +\\| +2 +\\| +adaptive +\\|");
    assertThat(apply("finds", FINDS.replace("2.5", "3")).failed("Nothing was published.").out())
        .contains("refused    finds", "adaptiveClip");
    apply("finds", FINDS.replace("dimension", "gradientBound: 1, dimension"))
        .failed("line 1, model 'finds': gradientBound is 1.0");
  }

  @Tag("ci")
  @Test
  void nothingIsPublishedIfOneModelIsRefused() throws Exception {
    croupier("topics create --prefix refused");
    apply("refused", TAPS);

    String changed = CLICKS + TAPS.replace("dimension: 3", "dimension: 4");
    assertThat(apply("refused", changed).failed("Nothing was published.").out())
        .contains("created    clicks", "refused    taps", "dimension");
    assertThat(models("refused").current()).containsOnlyKeys("taps");
    assertThat(models("refused").current().get("taps").getDimension()).isEqualTo(3);
  }

  @Tag("ci")
  @Test
  void anInvalidSpecDoesNotReplaceTheGoodOne() throws Exception {
    croupier("topics create --prefix invalid");
    apply("invalid", TAPS);

    apply("invalid", TAPS.replace("gradientBound: 1", "gradientBound: -1"))
        .failed("invalid.yaml, line 1, model 'taps': gradientBound is -1.0");
    assertThat(models("invalid").current().get("taps").getGradientBound()).isEqualTo(1);
  }

  /**
   * Models and updates skip it and continue with the others; accounts end with its position, since
   * a sum without it might be wrong.
   */
  @Tag("thorough")
  @Test
  void recordsOfOtherProgramsAreSkippedOrNamed() throws Exception {
    croupier("topics create --prefix foreign");
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
      send(topic, "taps", new byte[] {-1, -1});
      send(topic, "other", new byte[0]);
    }
    send("foreign.updates", "taps", update);

    assertThat(models("foreign").current().get("taps")).isEqualTo(taps);
    croupier("follow --prefix foreign --model taps --updates 1").printed("\"modelId\":\"taps\"");
    croupier("ledger --top 1 --prefix foreign")
        .failed("foreign.accounting, partition 0, offset 0: the record is not an AccountingEvent");
  }

  /** The job would refuse the model, and charge people for their reports to it. */
  @Tag("ci")
  @Test
  void modelsWhoseRecordsDontFitAreNotPublished() throws Exception {
    croupier("topics create --prefix narrow");
    TopicSettings.set(kafka(), "narrow.raw-gradients", Map.of("max.message.bytes", "10000"));

    assertThat(
            apply(
                    "narrow",
                    TAPS + "- {modelId: wide, dimension: 9000, gradientBound: 1, blackBox: {}}\n")
                .failed("Nothing was published.")
                .out())
        .contains("dimension is 9000: its reports take up to", "topic accepts 10000;");
    assertThat(models("narrow").current()).isEmpty();
    apply("narrow", TAPS).succeeded();
  }

  @Tag("ci")
  @Test
  void modelsArePublishedUncheckedWhereTopicsArentSeen() throws Exception {
    croupier("topics create --prefix partial");
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka()))) {
      KafkaTopics.delete(admin, List.of("partial.raw-gradients"));
    }

    assertThat(apply("partial", TAPS).succeeded().err())
        .contains("isn't checked", "the right DescribeConfigs");
    assertThat(models("partial").current()).containsOnlyKeys("taps");
  }

  @Tag("ci")
  @Test
  void unknownModelsAreNotRetired() throws Exception {
    croupier("topics create --prefix absent");
    apply("absent", TAPS);

    croupier("models retire taps tips --prefix absent")
        .failed("No such model: tips", "Current models: taps");
    assertThat(models("absent").current()).containsOnlyKeys("taps");
  }

  @Test
  void missingTopicsAreReportedAndNotCreated() {
    croupier("models list --prefix nowhere")
        .failed("Topic nowhere.models doesn't exist", "croupier topics create");
  }

  private static CommandRun apply(String prefix, String models) throws Exception {
    Path file = Files.writeString(directory.resolve(prefix + ".yaml"), models);
    return croupier("models apply %s --prefix %s".formatted(file, prefix));
  }

  private static ModelsTopic models(String prefix) {
    return new ModelsTopic(kafka(), prefix + ".models");
  }

  /** Writes a record to the first partition. */
  private static void send(String topic, String key, byte[] value) {
    new TopicWriter(kafka(), topic)
        .send(List.of(new ProducerRecord<>(topic, 0, key.getBytes(UTF_8), value)));
  }

  private static Map<String, String> kafka() {
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  private static CommandRun croupier(String line) {
    return CommandRun.croupier(line + " --kafka " + broker.bootstrapServers());
  }
}
