package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.job.KeptRecords.RecordLocation;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.schemas.Spend;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * This release restores savepoints that earlier ones took in the middle of learning, each followed
 * by a backlog of reports that no job has read. Releases may group reports into rounds differently,
 * so the test compares models by their losses, and accounts bit for bit. Bettors of the releases up
 * to 0.2.0 had another state: they begin anew at their last average, and publish it. {@code
 * -Dkeep=VERSION} creates a savepoint of this release instead.
 */
@Tag("thorough")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class LearningSavepointITCase extends KeptStateFixture {
  private static final Path KEPT = Path.of("src", "test", "resources", "savepoints-in-learning");
  private static final String MODELS = "models.properties";

  private static final int BATCHES = 40;
  private static final int CENTRAL_ROUNDS = 10;
  private static final int OPEN_IN_CENTRAL_ROUND = 8;
  private static final int BACKLOG_OF_CENTRAL_ROUND = 4;

  /** Largest number of answers that a model needs until no round of it waits. */
  private static final int MOST_ANSWERS = 20;

  /**
   * Largest allowed increase of a published average's loss, in nats, from the savepoint to the end
   * of the test. The initial weights are 0.25 nats worse than the best ones.
   */
  private static final double MARGIN = 0.02;

  /**
   * Models whose initial wealth is far too large for a few rounds of many reports. The loss of
   * their first update alone is compared.
   */
  private static final Set<String> SUITS_SINGLE_REPORTS =
      Set.of("banco", "coordinate-wise", "black-box");

  /** Tolerance for weights that are equal but for rounding. */
  private static final double ROUNDING = 1e-9;

  /** Tolerance for the central model with negligible noise. */
  private static final double NOISE = 1e-6;

  /**
   * Largest number of reports that a model may drop. The oldest 1 of 16 reports of the backlog name
   * the oldest round that is not stale. They are, if the backlog takes longer than a checkpoint: a
   * publication follows, and becomes visible.
   */
  private static long mostDropped(String modelId) {
    return LearningScenario.backlog(modelId) / 8;
  }

  @Override
  String prefix() {
    return "learning";
  }

  private void setTimestampType(String type) throws Exception {
    AlterConfigOp set =
        new AlterConfigOp(
            new ConfigEntry(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, type),
            AlterConfigOp.OpType.SET);
    try (Admin admin = testTopics.admin()) {
      admin
          .incrementalAlterConfigs(
              Map.of(
                  new ConfigResource(ConfigResource.Type.TOPIC, testTopics.topics.gradients()),
                  List.of(set),
                  new ConfigResource(ConfigResource.Type.TOPIC, testTopics.topics.rawGradients()),
                  List.of(set)))
          .all()
          .get();
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "keep", matches = ".+")
  void keepsASavepoint() throws Exception {
    start(Map.of("flink.execution.checkpointing.data-inline-threshold", "1 mb"));
    try (LearningScenario scenario = new LearningScenario(testTopics, 1)) {
      learn(scenario);
      Map<String, ModelUpdate> kept = awaitAll(scenario);
      // All transactions are committed, so the state contains none that another broker would lack.
      String savepoint = savepoint();
      TestJobs.cancel(job);
      scenario.leaveBacklog(BACKLOG_OF_CENTRAL_ROUND);
      Map<RecordLocation, ConsumerRecord<byte[], byte[]>> before = committed();

      startFrom(savepoint, Map.of());
      Map<String, ModelUpdate> workedOff = awaitAll(scenario);
      Map<RecordLocation, ConsumerRecord<byte[], byte[]>> after = committed();
      after.keySet().removeAll(before.keySet());
      after.keySet().removeIf(location -> !location.topic().equals(testTopics.topics.accounting()));

      Path state = Path.of(URI.create(savepoint));
      try (Stream<Path> files = Files.list(state)) {
        assertThat(files).as("all state is inline").hasSize(1);
      }
      Path directory = KEPT.resolve(System.getProperty("keep"));
      FileUtils.deleteDirectory(directory.toFile());
      FileUtils.copyDirectory(state.toFile(), directory.toFile());
      KeptRecords.write(directory.resolve(BEFORE), before.values());
      KeptRecords.write(directory.resolve(AFTER), after.values());
      Files.write(directory.resolve(MODELS), describe(kept, workedOff), UTF_8);
    }
  }

  /** Plays the first half: models have learned much, and rounds are half full. */
  private static void learn(LearningScenario scenario) throws Exception {
    scenario.publish();
    for (int batch = 0; batch < BATCHES; batch++) {
      scenario.teach(75, 25);
      if (batch < CENTRAL_ROUNDS) {
        scenario.finishCentralRound();
      }
    }
    while (scenario.awaitTaken().get(LearningScenario.SEVERAL_A_ROUND).getOpen() == 0) {
      scenario.teach(3, 3);
    }
    scenario.answerCentral(OPEN_IN_CENTRAL_ROUND);
    double loss = loss(scenario.awaitTaken().get(LearningScenario.ADAPTIVE));
    double halfway = (LogisticProblem.LOSS_OF_NOTHING + LogisticProblem.leastLoss()) / 2;
    assertThat(loss).as("much better than nothing").isLessThan(halfway);
  }

  /**
   * The values with which later releases are compared, and this release's result for the backlog.
   */
  private static List<String> describe(
      Map<String, ModelUpdate> kept, Map<String, ModelUpdate> workedOff) {
    List<String> lines = new ArrayList<>();
    lines.add("# The newest updates that were visible at the savepoint; losses in nats.");
    lines.add("# Doing nothing has loss " + LogisticProblem.LOSS_OF_NOTHING);
    lines.add("# The least loss is " + LogisticProblem.leastLoss());
    for (Map.Entry<String, ModelUpdate> entry : kept.entrySet()) {
      String model = entry.getKey();
      ModelUpdate update = entry.getValue();
      ModelUpdate next = workedOff.get(model);
      long dropped = LearningScenario.dropped(next) - LearningScenario.dropped(update);
      lines.add("");
      lines.add(
          "# After its backlog of %d, with nothing after it: round %d, %d more dropped, loss %s"
              .formatted(LearningScenario.backlog(model), next.getRound(), dropped, loss(next)));
      lines.add("%s.round=%d".formatted(model, update.getRound()));
      lines.add("%s.used=%d".formatted(model, update.getUsed()));
      lines.add("%s.open=%d".formatted(model, update.getOpen()));
      lines.add("%s.dropped=%d".formatted(model, LearningScenario.dropped(update)));
      lines.add("%s.loss=%s".formatted(model, loss(update)));
    }
    return lines;
  }

  static Stream<Path> keptSavepoints() throws IOException {
    return releases(KEPT);
  }

  @ParameterizedTest
  @MethodSource("keptSavepoints")
  @DisabledIfSystemProperty(named = "keep", matches = ".+")
  void goesOnLearningWithOneSubtaskAndRocksDb(Path release) throws Exception {
    learnFrom(release, 1, "rocksdb", true);
  }

  @ParameterizedTest
  @MethodSource("keptSavepoints")
  @DisabledIfSystemProperty(named = "keep", matches = ".+")
  void goesOnLearningFromRecordsWithTheProducersTimes(Path release) throws Exception {
    learnFrom(release, 2, "hashmap", false);
  }

  /**
   * Goes on from a kept savepoint.
   *
   * @param appendTimes whether the restored records have the broker's times; otherwise they have
   *     their producers', as on the topics that the first release created
   */
  private void learnFrom(Path release, int parallelism, String backend, boolean appendTimes)
      throws Exception {
    Path kept = KEPT.resolve(release);
    List<ProducerRecord<byte[], byte[]>> before = KeptRecords.read(kept.resolve(BEFORE));
    if (!appendTimes) {
      setTimestampType("CreateTime");
    }
    KeptRecords.lay(testTopics, before);
    setTimestampType("LogAppendTime");
    try (LearningScenario scenario = new LearningScenario(testTopics, 2)) {
      for (ProducerRecord<byte[], byte[]> record : before) {
        if (isReport(record.topic())) {
          scenario.recall(GradientReport.parseFrom(record.value()));
        }
      }
      try (LoggedWarnings ours = new LoggedWarnings("io.croupier");
          LoggedWarnings ofTheSink = new LoggedWarnings("org.apache.flink.connector.kafka.sink")) {
        startFrom(
            kept.toUri().toString(),
            Map.of(
                "parallelism",
                String.valueOf(parallelism),
                "flink.state.backend.type",
                backend,
                // No second publication follows while the job reads the backlog.
                "publication.hold",
                "1 min"));
        continueLearning(scenario);
        assertThat(ours.messages()).allMatch(KeptRecords::isOfLaidTopics);
        assertThat(ofTheSink.messages()).isEmpty();
      }
      List<AccountingEvent> events = testTopics.events();
      checkSources(events);
      checkTotals(scenario, events);
      checkEvents(release.toString(), KeptRecords.read(kept.resolve(AFTER)), events);
      checkLocal(release.toString(), scenario, properties(kept.resolve(MODELS)), before);
      checkCentral(scenario);
    }
  }

  /** The job processes the backlog; then users answer the resulting updates. */
  private void continueLearning(LearningScenario scenario) throws Exception {
    scenario.awaitTaken();
    for (int batch = 0; batch < 8; batch++) {
      scenario.teach(20, 10);
    }
    // The first of these rounds was open in the savepoint.
    for (int round = 0; round < 3; round++) {
      scenario.finishCentralRound();
    }
    awaitAll(scenario);
    publishOpenRounds(scenario);
  }

  /** Answers each model's newest publication until no round waits for an answer. */
  private void publishOpenRounds(LearningScenario scenario) throws Exception {
    for (String model : LearningScenario.local()) {
      int answers = 0;
      while (!JournalCheck.isQuiet(scenario.awaitTaken().get(model))) {
        assertThat(++answers).as("answers to %s", model).isLessThan(MOST_ANSWERS);
        scenario.answerNewest(model, 1);
      }
    }
    awaitAll(scenario);
  }

  private boolean isReport(String topic) {
    return topic.equals(testTopics.topics.gradients())
        || topic.equals(testTopics.topics.rawGradients());
  }

  /** Every report is accounted once, and admitted. */
  private void checkSources(List<AccountingEvent> events) throws Exception {
    Set<Position> sent = new HashSet<>();
    Topics topics = testTopics.topics;
    KeptRecords.committed(testTopics, List.of(topics.gradients(), topics.rawGradients()))
        .values()
        .forEach(record -> sent.add(TestTopics.position(record)));
    Set<Position> judged = new HashSet<>();
    for (AccountingEvent event : events) {
      assertThat(judged.add(event.getSource())).as("once: %s", event.getSource()).isTrue();
      assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
    }
    assertThat(judged.equals(sent)).as("%d of %d", judged.size(), sent.size()).isTrue();
  }

  /** Recomputes the totals of all users' reports. */
  private static void checkTotals(LearningScenario scenario, List<AccountingEvent> events) {
    Map<String, AccountingEvent> last = new HashMap<>();
    events.forEach(event -> last.put(event.getUserId(), event));
    assertThat(last.keySet()).isEqualTo(scenario.byUser().keySet());
    scenario.byUser().forEach((user, reports) -> checkTotals(reports, last.get(user)));
  }

  private static void checkTotals(List<GradientReport> reports, AccountingEvent last) {
    double epsilon = 0;
    double squaredMu = 0;
    for (GradientReport report : reports) {
      epsilon += report.getL2Laplace().getEpsilon();
      for (double tau : report.getCoordinateLaplace().getTausList()) {
        epsilon += tau;
      }
      squaredMu += report.getGaussian().getMu() * report.getGaussian().getMu();
    }
    Spend totals = last.getUserTotals();
    assertThat(totals.getReports()).isEqualTo(reports.size());
    assertThat(totals.getEpsilon()).isEqualTo(epsilon);
    if (last.getModelId().equals(LearningScenario.CENTRAL)) {
      assertThat(last.getModelTotals().getParticipations()).isEqualTo(reports.size());
      assertThat(last.getModelTotals().getLastRound())
          .isEqualTo(reports.get(reports.size() - 1).getRound());
    } else {
      assertThat(totals.getMu()).isCloseTo(Math.sqrt(squaredMu), within(1e-9));
    }
  }

  /** Every event of the backlog equals that of the release which took the savepoint. */
  private static void checkEvents(
      String release, List<ProducerRecord<byte[], byte[]>> after, List<AccountingEvent> events)
      throws Exception {
    Map<Position, AccountingEvent> bySource = new HashMap<>();
    events.forEach(event -> bySource.put(event.getSource(), event));
    assertThat(after).isNotEmpty();
    for (ProducerRecord<byte[], byte[]> record : after) {
      AccountingEvent expected = AccountingEvents.read(record.key(), record.value());
      AccountingEvent actual = bySource.get(expected.getSource());
      EarlierCosts.check(release, expected, actual);
    }
  }

  private void checkLocal(
      String release,
      LearningScenario scenario,
      Properties kept,
      List<ProducerRecord<byte[], byte[]>> before)
      throws Exception {
    for (String model : LearningScenario.local()) {
      List<ModelUpdate> updates = scenario.updates(model);
      assertThat(updates).as(model).extracting(ModelUpdate::getRound).isSorted();
      assertThat(updates)
          .as("the savepoint's update of %s", model)
          .anySatisfy(update -> checkSavepointed(update, model, kept));
      int earlier = updatesOf(model, before);
      checkBeginning(updates.get(earlier), model, kept);
      if (release.equals("0.2.0") && !model.equals("ldp-sgd")) {
        checkAverage(updates.get(earlier - 1), updates.get(earlier), model);
      }
      ModelUpdate last = updates.get(updates.size() - 1);
      assertThat(LearningScenario.taken(last)).as(model).isEqualTo(scenario.to(model).size());
      assertThat(last.getRound()).as(model).isGreaterThan(number(kept, model + ".round"));
      assertThat(last.getUsed()).as(model).isGreaterThan(number(kept, model + ".used"));
      assertThat(last.getDroppedUnpublished()).as("all name publications: %s", model).isZero();
      assertThat(LearningScenario.dropped(last) - number(kept, model + ".dropped"))
          .as("dropped by %s", model)
          .isBetween(0L, mostDropped(model));
      for (ModelUpdate update : updates) {
        assertThat(LearningScenario.weights(update)).as(model).doesNotContain(Double.NaN);
        assertThat(loss(update)).as(model).isFinite();
      }
      if (!SUITS_SINGLE_REPORTS.contains(model)) {
        assertThat(loss(last))
            .as("loss of %s", model)
            .isLessThan(LogisticProblem.LOSS_OF_NOTHING)
            .isLessThan(Double.parseDouble(kept.getProperty(model + ".loss")) + MARGIN);
      }
      JournalCheck.check(testTopics, model, scenario.to(model).size(), earlier);
    }
  }

  private int updatesOf(String model, List<ProducerRecord<byte[], byte[]>> records) {
    return (int)
        records.stream()
            .filter(record -> record.topic().equals(testTopics.topics.updates()))
            .filter(record -> new String(record.key(), UTF_8).equals(model))
            .count();
  }

  /** The first update after a savepoint opens a round. */
  private static void checkBeginning(ModelUpdate first, String model, Properties kept) {
    assertThat(first.getRound()).as(model).isEqualTo(number(kept, model + ".round") + 1);
    assertThat(first.getUsed()).as(model).isGreaterThan(number(kept, model + ".used"));
  }

  /** A bettor of release 0.2.0 has no bet yet that reports could settle: it has its average. */
  private static void checkAverage(ModelUpdate before, ModelUpdate first, String model) {
    double[] average = LearningScenario.average(before);
    assertThat(LearningScenario.weights(first))
        .as(model)
        .containsExactly(average, within(ROUNDING));
    assertThat(LearningScenario.average(first))
        .as(model)
        .containsExactly(average, within(ROUNDING));
  }

  private static void checkSavepointed(ModelUpdate update, String model, Properties kept) {
    assertThat(update.getRound()).isEqualTo(number(kept, model + ".round"));
    assertThat(update.getUsed()).isEqualTo(number(kept, model + ".used"));
    assertThat(update.getOpen()).isEqualTo(number(kept, model + ".open"));
    assertThat(loss(update))
        .isCloseTo(Double.parseDouble(kept.getProperty(model + ".loss")), within(1e-12));
  }

  /** The open sum and the guarantees continue, and no report is dropped. */
  private void checkCentral(LearningScenario scenario) throws Exception {
    long rounds = CENTRAL_ROUNDS + 3;
    List<ModelUpdate> updates = scenario.updates(LearningScenario.CENTRAL);
    for (ModelUpdate update : updates) {
      assertThat(LearningScenario.weights(update))
          .as("round %d", update.getRound())
          .containsExactly(scenario.centralWeights(update.getRound()), within(NOISE));
    }
    ModelUpdate last = updates.get(updates.size() - 1);
    assertThat(last.getRound()).isEqualTo(rounds);
    assertThat(last.getUsed()).isEqualTo(rounds * LearningScenario.CENTRAL_GOAL);
    assertThat(LearningScenario.dropped(last)).isZero();
    assertThat(testTopics.guarantees())
        .extracting(GuaranteeEvent::getRound)
        .containsExactlyElementsOf(LongStream.rangeClosed(0, rounds).boxed().toList());
  }

  private static double loss(ModelUpdate update) {
    return LogisticProblem.loss(LearningScenario.average(update));
  }

  private static long number(Properties properties, String key) {
    return Long.parseLong(properties.getProperty(key));
  }

  private static Properties properties(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, UTF_8)) {
      properties.load(reader);
    }
    return properties;
  }

  /** Waits until every report is in its model and accounted for. */
  private Map<String, ModelUpdate> awaitAll(LearningScenario scenario) throws Exception {
    testTopics.flush();
    Map<String, ModelUpdate> newest = scenario.awaitTaken();
    testTopics.awaitRecords(testTopics.topics.accounting(), scenario.reports());
    for (Map.Entry<String, ModelUpdate> entry : newest.entrySet()) {
      testTopics.awaitJournal(entry.getKey(), scenario.to(entry.getKey()).size());
    }
    return newest;
  }

  private void startFrom(String savepoint, Map<String, String> more) throws Exception {
    Map<String, String> settings = new HashMap<>(SlowReading.settings());
    settings.put(JobFixture.STATE, savepoint);
    settings.putAll(more);
    start(settings);
  }

  private void start(Map<String, String> more) throws Exception {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("journal.enabled", "true");
    start(LedgerStart.REQUIRE_STATE, settings);
  }
}
