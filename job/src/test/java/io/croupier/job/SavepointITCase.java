package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
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
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * This release restores savepoints of earlier ones. Each is stored in a directory with the records
 * of the topics at that time, and with the outputs of that release for further reports, which it
 * processed without a stop: accounts and guarantees must be the same, bit for bit, and central
 * models but for their noise. {@code -Dkeep=VERSION} creates a savepoint of this release instead.
 *
 * <p>Local models can't be the same. Releases up to 0.2.0 took a step whenever enough reports had
 * arrived; now all reports between two publications are one step, and bettors have another state.
 * So the test compares counts, the beginning of each model, and a model whose reports are one round
 * in every release.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SavepointITCase extends KeptStateFixture {
  private static final Path KEPT = Path.of("src", "test", "resources", "savepoints");

  /**
   * Tolerance for central models with negligible noise: several hundred standard deviations of the
   * noise, which isn't seeded.
   */
  private static final double NOISE = 1e-6;

  /** Tolerance for weights that are equal but for rounding. */
  private static final double ROUNDING = 1e-9;

  @Override
  String prefix() {
    return "kept";
  }

  @Test
  @EnabledIfSystemProperty(named = "keep", matches = ".+")
  void keepsASavepoint() throws Exception {
    SavepointScenario scenario = new SavepointScenario(testTopics, System.getProperty("keep"));
    start(LedgerStart.REQUIRE_STATE, Map.of());
    scenario.prelude();
    TestJobs.cancel(job);
    start(
        LedgerStart.REBUILD, Map.of("flink.execution.checkpointing.data-inline-threshold", "1 mb"));
    scenario.first();
    // All transactions are committed, so the state contains none that another broker would lack.
    String savepoint = savepoint();
    Map<RecordLocation, ConsumerRecord<byte[], byte[]>> before =
        committed(testTopics.topics.deadLetters());
    assertThat(newest(testTopics.updates("seconds")).getOpen())
        .as("so that its timer is in the state")
        .isEqualTo(1);
    scenario.second();
    Map<RecordLocation, ConsumerRecord<byte[], byte[]>> after =
        committed(testTopics.topics.deadLetters());
    after.keySet().removeAll(before.keySet());
    checkOutcomes(scenario);

    Path kept = KEPT.resolve(System.getProperty("keep"));
    FileUtils.deleteDirectory(kept.toFile());
    FileUtils.copyDirectory(Path.of(URI.create(savepoint)).toFile(), kept.toFile());
    KeptRecords.write(kept.resolve(BEFORE), before.values());
    KeptRecords.write(kept.resolve(AFTER), after.values());
  }

  static Stream<Path> keptSavepoints() throws IOException {
    return releases(KEPT);
  }

  static Stream<Path> earliestSavepoint() throws IOException {
    return keptSavepoints().limit(1);
  }

  static Stream<Path> laterSavepoints() throws IOException {
    return keptSavepoints().skip(1);
  }

  static Stream<Arguments> keptSavepointsInEveryBackend() throws IOException {
    return keptSavepoints()
        .flatMap(
            release ->
                Stream.of(arguments(release, 2, "hashmap"), arguments(release, 1, "rocksdb")));
  }

  @ParameterizedTest
  @MethodSource("earliestSavepoint")
  @DisabledIfSystemProperty(named = "keep", matches = ".+")
  void continuesFromTheEarliestSavepoint(Path release) throws Exception {
    continueFrom(release, 2, "hashmap");
  }

  @Tag("ci")
  @ParameterizedTest
  @MethodSource("laterSavepoints")
  @DisabledIfSystemProperty(named = "keep", matches = ".+")
  void continuesFromALaterSavepoint(Path release) throws Exception {
    continueFrom(release, 2, "hashmap");
  }

  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("keptSavepoints")
  @DisabledIfSystemProperty(named = "keep", matches = ".+")
  void continuesWithOneSubtaskAndRocksDb(Path release) throws Exception {
    continueFrom(release, 1, "rocksdb");
  }

  private void continueFrom(Path release, int parallelism, String backend) throws Exception {
    Path kept = KEPT.resolve(release);
    KeptRecords.lay(testTopics, KeptRecords.read(kept.resolve(BEFORE)));
    SavepointScenario scenario = new SavepointScenario(testTopics, release.toString());
    scenario.recallFirst();

    try (LoggedWarnings ours = new LoggedWarnings("io.croupier");
        LoggedWarnings ofTheSink = new LoggedWarnings("org.apache.flink.connector.kafka.sink")) {
      restore(kept, parallelism, backend);
      scenario.second();
      for (String model : SavepointScenario.local()) {
        long taken = scenario.admitted(model);
        testTopics.awaitUpdate(
            model,
            update -> LearningScenario.taken(update) == taken && JournalCheck.isQuiet(update));
      }
      assertThat(ours.messages()).allMatch(KeptRecords::isOfLaidTopics);
      assertThat(ofTheSink.messages()).isEmpty();
    }

    checkOutcomes(scenario);
    checkTotals();
    Map<String, List<ModelUpdate>> before = updates(KeptRecords.read(kept.resolve(BEFORE)));
    for (String model : SavepointScenario.local()) {
      JournalCheck.check(
          testTopics, model, (int) scenario.admitted(model), before.get(model).size());
      checkBeginning(release.toString(), model, before.get(model));
    }
    NoiseTree.check(testTopics.updates("tree"), 2, "a kept savepoint");
    List<ProducerRecord<byte[], byte[]>> after = KeptRecords.read(kept.resolve(AFTER));
    checkEvents(release.toString(), after);
    checkGuarantees(after);
    checkModels(after);
  }

  /** Totals and windows in the savepoint itself: all its reports are sent again, then changed. */
  @Tag("thorough")
  @ParameterizedTest(name = "{0}, parallelism {1}, {2}")
  @MethodSource("keptSavepointsInEveryBackend")
  @DisabledIfSystemProperty(named = "keep", matches = ".+")
  void recognisesReportsFromBefore(Path release, int parallelism, String backend) throws Exception {
    Path kept = KEPT.resolve(release);
    List<ProducerRecord<byte[], byte[]>> before = KeptRecords.read(kept.resolve(BEFORE));
    KeptRecords.lay(testTopics, before);
    restore(kept, parallelism, backend);
    Topics topics = testTopics.topics;
    Map<String, AccountingEvent> totals = new HashMap<>();
    List<AccountingEvent> judged = events(before);
    judged.forEach(event -> totals.put(event.getUserId(), event));

    List<GradientReport> reports = of(before, topics.gradients(), GradientReport.parser());
    reports.addAll(of(before, topics.rawGradients(), GradientReport.parser()));
    assertThat(reports).hasSameSizeAs(judged);
    // Only the highest number of this user was rebuilt.
    reports.removeIf(report -> report.getUserId().equals("rob"));
    List<AccountingEvent> resent = judged(reports);
    assertThat(resent).extracting(AccountingEvent::getOutcome).containsOnly(Outcome.DUPLICATE);
    for (AccountingEvent event : resent) {
      assertThat(event.getUserTotals()).isEqualTo(totals.get(event.getUserId()).getUserTotals());
    }
    assertThat(totals.get("ann").getUserTotals().getEpsilon()).isEqualTo(5 * 0.5 + 3 * 1);
    assertThat(totals.get("bob").getUserTotals().getUndisclosed()).isEqualTo(8);
    assertThat(totals.get("gus").getUserTotals().getMu()).isEqualTo(3);

    List<GradientReport> changed =
        reports.stream().map(report -> report.toBuilder().setCreatedAtMs(1).build()).toList();
    List<AccountingEvent> conflicts = judged(changed);
    assertThat(conflicts)
        .extracting(AccountingEvent::getOutcome)
        .containsOnly(Outcome.REFUSED_SEQUENCE);
    // Noise that has left the device is spent, once more for each of the eight reports.
    assertThat(conflicts)
        .filteredOn(event -> event.getUserId().equals("ann"))
        .extracting(event -> event.getUserTotals().getEpsilon())
        .hasSize(8)
        .contains(2 * (5 * 0.5 + 3 * 1));
  }

  /** Sends reports, and returns their events. */
  private List<AccountingEvent> judged(List<GradientReport> reports) throws Exception {
    Topics topics = testTopics.topics;
    Set<Position> before = new HashSet<>();
    for (AccountingEvent event : testTopics.events()) {
      before.add(event.getSource());
    }
    reports.forEach(testTopics::send);
    testTopics.flush();
    testTopics.awaitRecords(topics.accounting(), before.size() + reports.size());
    List<AccountingEvent> events = testTopics.events();
    assertThat(events).hasSize(before.size() + reports.size());
    events.removeIf(event -> before.contains(event.getSource()));
    return events;
  }

  /** Every report is accounted once, with the expected outcome. */
  private void checkOutcomes(SavepointScenario scenario) throws Exception {
    Map<String, List<Outcome>> outcomes = new TreeMap<>();
    for (AccountingEvent event : testTopics.events()) {
      outcomes
          .computeIfAbsent(event.getUserId(), user -> new ArrayList<>())
          .add(event.getOutcome());
    }
    assertThat(outcomes).isEqualTo(scenario.outcomes());
  }

  /** Recomputes the totals of both acts. */
  private void checkTotals() throws Exception {
    Map<String, Spend> totals = new HashMap<>();
    Map<String, Spend> modelTotals = new HashMap<>();
    for (AccountingEvent event : testTopics.events()) {
      totals.put(event.getUserId(), event.getUserTotals());
      modelTotals.put(event.getUserId(), event.getModelTotals());
    }
    assertThat(totals.get("ann").getEpsilon()).isEqualTo(10 * 0.5 + 5 * 1 + 0.25);
    assertThat(totals.get("ann").getReports()).isEqualTo(16);
    assertThat(totals.get("gus").getMu())
        .isCloseTo(Math.sqrt(4 * 1.5 * 1.5 + 4 * 2 * 2 + 4 * 4), within(1e-12));
    assertThat(totals.get("bob").getUndisclosed()).isEqualTo(14);
    assertThat(totals.get("pia").getUnbounded()).isEqualTo(9);
    assertThat(modelTotals.get("faithful-tree").getParticipations()).isEqualTo(2);
  }

  /** Every event equals that of a run without a stop: see {@link EarlierCosts}. */
  private void checkEvents(String release, List<ProducerRecord<byte[], byte[]>> after)
      throws Exception {
    Map<Position, AccountingEvent> events = new HashMap<>();
    for (AccountingEvent event : testTopics.events()) {
      events.put(event.getSource(), event);
    }
    for (AccountingEvent expected : events(after)) {
      AccountingEvent actual = events.get(expected.getSource());
      EarlierCosts.check(release, expected, actual);
    }
  }

  private void checkGuarantees(List<ProducerRecord<byte[], byte[]>> after) throws Exception {
    List<GuaranteeEvent> guarantees = testTopics.guarantees();
    for (String model : SavepointScenario.central()) {
      assertThat(guarantees)
          .filteredOn(event -> event.getModelId().equals(model))
          .extracting(GuaranteeEvent::getRound)
          .containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
    }
    for (GuaranteeEvent expected :
        of(after, testTopics.topics.guarantees(), GuaranteeEvent.parser())) {
      GuaranteeEvent actual =
          guarantees.stream()
              .filter(event -> event.getModelId().equals(expected.getModelId()))
              .filter(event -> event.getRound() == expected.getRound())
              .findFirst()
              .orElseThrow();
      assertThat(actual).isEqualTo(expected);
    }
  }

  /**
   * The first update after the savepoint continues the rounds and counts. A bettor of release 0.2.0
   * has no bet yet that reports could settle, so it publishes its average. Reports that waited in
   * the open round are in the first one.
   */
  private void checkBeginning(String release, String model, List<ModelUpdate> before)
      throws Exception {
    ModelUpdate last = before.get(before.size() - 1);
    ModelUpdate first =
        testTopics.updates(model).stream()
            .filter(update -> update.getRound() > last.getRound())
            .findFirst()
            .orElseThrow();
    assertThat(first.getRound()).as(model).isEqualTo(last.getRound() + 1);
    assertThat(first.getUsed()).as(model).isGreaterThanOrEqualTo(last.getUsed() + last.getOpen());
    assertThat(LearningScenario.dropped(first)).as(model).isEqualTo(0);
    if (release.equals("0.2.0") && !SavepointScenario.ldpSgd().contains(model)) {
      double[] average = doubles(last.getAverageList());
      assertThat(doubles(first.getWeightsList()))
          .as(model)
          .containsExactly(average, within(ROUNDING));
      assertThat(doubles(first.getAverageList()))
          .as(model)
          .containsExactly(average, within(ROUNDING));
    }
  }

  /**
   * A local model with a single round, and every central model, equals that of a run without a
   * stop, except for noise, which is drawn anew.
   */
  private void checkModels(List<ProducerRecord<byte[], byte[]>> after) throws Exception {
    Map<String, List<ModelUpdate>> updates = updates(after);
    for (String model : SavepointScenario.ofOneRound()) {
      ModelUpdate expected = newest(updates.get(model));
      ModelUpdate actual = newest(testTopics.updates(model));
      assertThat(actual.getRound()).as(model).isEqualTo(1).isEqualTo(expected.getRound());
      assertThat(actual.getUsed()).as(model).isEqualTo(expected.getUsed());
      assertThat(doubles(actual.getWeightsList()))
          .as(model)
          .containsExactly(doubles(expected.getWeightsList()), within(ROUNDING));
      assertThat(doubles(actual.getAverageList()))
          .as(model)
          .containsExactly(doubles(expected.getAverageList()), within(ROUNDING));
    }
    for (String model : SavepointScenario.central()) {
      if (!model.equals("tree")) {
        assertThat(doubles(newest(testTopics.updates(model)).getWeightsList()))
            .as(model)
            .containsExactly(doubles(newest(updates.get(model)).getWeightsList()), within(NOISE));
      }
    }
  }

  private Map<String, List<ModelUpdate>> updates(List<ProducerRecord<byte[], byte[]>> records)
      throws Exception {
    return of(records, testTopics.topics.updates(), ModelUpdate.parser()).stream()
        .collect(Collectors.groupingBy(ModelUpdate::getModelId));
  }

  private static ModelUpdate newest(List<ModelUpdate> updates) {
    return updates.get(updates.size() - 1);
  }

  private static double[] doubles(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private List<AccountingEvent> events(List<ProducerRecord<byte[], byte[]>> records)
      throws InvalidProtocolBufferException {
    List<AccountingEvent> events = new ArrayList<>();
    for (ProducerRecord<byte[], byte[]> record : records) {
      if (record.topic().equals(testTopics.topics.accounting())) {
        events.add(AccountingEvents.read(record.key(), record.value()));
      }
    }
    return events;
  }

  private static <T> List<T> of(
      List<ProducerRecord<byte[], byte[]>> records, String topic, Parser<T> parser)
      throws InvalidProtocolBufferException {
    List<T> messages = new ArrayList<>();
    for (ProducerRecord<byte[], byte[]> record : records) {
      if (record.topic().equals(topic) && record.value() != null) {
        messages.add(parser.parseFrom(record.value()));
      }
    }
    return messages;
  }

  private void restore(Path kept, int parallelism, String backend) throws Exception {
    start(
        LedgerStart.REQUIRE_STATE,
        Map.of(
            "parallelism",
            String.valueOf(parallelism),
            "flink.state.backend.type",
            backend,
            JobFixture.STATE,
            kept.toUri().toString()));
  }

  @Override
  void start(LedgerStart ledger, Map<String, String> more) throws Exception {
    Map<String, String> all = new HashMap<>(more);
    all.put("journal.enabled", "true");
    // All reports of the script name round 0.
    all.put("publication.hold", "1 ms");
    super.start(ledger, all);
  }
}
