package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A rebuild from a topic that the broker has compacted, after the loss of all state. */
@Tag("thorough")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CompactedRebuildITCase {
  private static final int USERS = 4;
  private static final int REPORTS = 5;
  private static final double EPSILON = 0.25;

  @TempDir private Path directory;
  private EmbeddedBroker broker;
  private TestTopics testTopics;
  private final ModelSpec spec = OneHotReports.spec("m", USERS, USERS);

  @BeforeEach
  void start() throws Exception {
    broker =
        EmbeddedBroker.start(directory.resolve("broker"), Map.of("log.cleaner.backoff.ms", "200"));
    testTopics = new TestTopics(broker, "compacted");
    testTopics.publish(spec);
    testTopics.flush();
  }

  @AfterEach
  void stop() throws Exception {
    testTopics.close();
    broker.close();
  }

  @Test
  void theNewestEventsAndUpdatesAreEnough() throws Exception {
    compact();
    RestartedJob job = new RestartedJob(directory);
    job.start(testTopics.settings(), LedgerStart.REQUIRE_STATE);
    ModelUpdate last = testTopics.awaitUpdate("m", update -> update.getRound() == 0);
    for (int sequence = 0; sequence < REPORTS; sequence++) {
      last = round(last, sequence);
    }
    assertThat(last.getAverageList()).anyMatch(weight -> weight != 0);
    awaitEvents(REPORTS - 1, USERS);
    job.cancel();
    List<AccountingEvent> newest = awaitCompaction(USERS);
    assertThat(newest).extracting(AccountingEvent::getSequence).containsOnly(REPORTS - 1L);

    job.start(testTopics.settings(), LedgerStart.REBUILD);
    long continued = last.getRound() + 1;
    ModelUpdate first = testTopics.awaitUpdate("m", update -> update.getRound() == continued);
    assertThat(first.getWeightsList()).isEqualTo(last.getAverageList());
    assertThat(first.getUsed()).isEqualTo(USERS * REPORTS);
    // Below the newest number, which is all that is known of the device.
    testTopics.send(report(first, 0, 1));
    testTopics.flush();
    AccountingEvent older = awaitEvents(1, 1).get(0);
    assertThat(older.getOutcome()).isEqualTo(Outcome.REFUSED_SEQUENCE);
    assertThat(older.getHighestSequence()).isEqualTo(REPORTS - 1);
    round(first, REPORTS);
    List<AccountingEvent> later = awaitEvents(REPORTS, USERS);
    job.cancel();
    assertThat(later).hasSize(USERS);
    for (AccountingEvent event : later) {
      int refused = event.getUserId().equals("person-0") ? 1 : 0;
      assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(event.getUserTotals().getReports()).isEqualTo(REPORTS + 1 + refused);
      assertThat(event.getModelTotals().getEpsilon()).isEqualTo(EPSILON * (REPORTS + 1 + refused));
    }
  }

  /** A report without a device to no model changes no account with a model, as an erasure does. */
  @Test
  void anErasureIsEnough() throws Exception {
    compact();
    RestartedJob job = new RestartedJob(directory);
    job.start(testTopics.settings(), LedgerStart.REQUIRE_STATE);
    testTopics.awaitUpdate("m", update -> update.getRound() == 0);
    for (int sequence = 0; sequence < 2; sequence++) {
      testTopics.send(withoutDevice(sequence, "m"));
    }
    testTopics.send(withoutDevice(2, "none"));
    testTopics.flush();
    awaitEvents(2, 1);
    testTopics.send(testTopics.topics.erasures(), "person-0", null);
    testTopics.flush();
    awaitEvent(event -> event.getOutcome() == Outcome.ERASED);
    testTopics.send(withoutDevice(3, "none"));
    testTopics.flush();
    awaitEvents(3, 1);
    job.cancel();
    assertThat(awaitCompaction(3))
        .extracting(AccountingEvent::getOutcome)
        .containsExactly(Outcome.ADMITTED, Outcome.ERASED, Outcome.REFUSED_UNKNOWN_MODEL);

    job.start(testTopics.settings(), LedgerStart.REBUILD);
    testTopics.send(withoutDevice(4, "m"));
    testTopics.flush();
    AccountingEvent later = awaitEvents(4, 1).get(0);
    job.cancel();
    assertThat(later.getUserTotals().getReports()).isEqualTo(5);
    // What was spent on each model is erased, so it may have been everything.
    assertThat(later.getModelTotals().getReports()).isEqualTo(4);
  }

  private GradientReport withoutDevice(int sequence, String modelId) {
    return OneHotReports.report(spec, 0, 0).toBuilder()
        .setSequence(sequence)
        .setModelId(modelId)
        .clearDeviceId()
        .build();
  }

  private void awaitEvent(Predicate<AccountingEvent> wanted) throws Exception {
    while (testTopics.events().stream().noneMatch(wanted)) {
      Thread.sleep(50);
    }
  }

  /** Of such events, the newest of a user lacks the other models and devices. */
  @Test
  void eventsOfAnEarlierReleaseMustNotBeCompacted() throws Exception {
    AccountingEvent event = new LedgerHistory(spec, 1, 1, testTopics.topics.gradients()).last();
    testTopics.send(testTopics.topics.accounting(), event.getUserId(), event.toByteArray());
    testTopics.flush();
    RestartedJob job = new RestartedJob(directory);
    job.start(testTopics.settings(), LedgerStart.REBUILD);
    job.cancel();

    compact();
    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(() -> job.start(testTopics.settings(), LedgerStart.REBUILD))
        .withMessageContainingAll(
            testTopics.topics.accounting() + " is compacted", "release 0.2.0 or earlier")
        .withMessageNotContaining(event.getUserId());
    Map<String, String> limited = testTopics.settings();
    limited.put("limits.user.epsilon", "4");
    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(() -> job.start(limited, LedgerStart.NEW));
  }

  /** Sends one report of each user, about an update, and waits until they are one round. */
  private ModelUpdate round(ModelUpdate update, int sequence) throws Exception {
    for (int user = 0; user < USERS; user++) {
      testTopics.send(report(update, user, sequence));
    }
    testTopics.flush();
    return testTopics.awaitUpdate(
        "m",
        next -> next.getRound() > update.getRound() && next.getUsed() == update.getUsed() + USERS);
  }

  private GradientReport report(ModelUpdate update, int user, int sequence) {
    return OneHotReports.report(spec, update.getRound(), user, "person-" + user, sequence, EPSILON);
  }

  /**
   * Waits for the events with a number, none of which has a later one of its key. The ledger's
   * transaction may be committed after that of the learner.
   */
  private List<AccountingEvent> awaitEvents(long sequence, int events) throws Exception {
    List<AccountingEvent> found = List.of();
    while (found.size() < events) {
      Thread.sleep(50);
      found =
          testTopics.events().stream().filter(event -> event.getSequence() == sequence).toList();
    }
    return found;
  }

  /** Only closed segments are compacted, so every event begins a segment. */
  private void compact() throws Exception {
    ConfigResource topic =
        new ConfigResource(ConfigResource.Type.TOPIC, testTopics.topics.accounting());
    Map<String, String> config =
        Map.of(
            TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT,
            TopicConfig.SEGMENT_MS_CONFIG, "1",
            TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.001");
    List<AlterConfigOp> changes = new ArrayList<>();
    config.forEach(
        (key, value) ->
            changes.add(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
    try (Admin admin = testTopics.admin()) {
      admin.incrementalAlterConfigs(Map.of(topic, changes)).all().get();
    }
  }

  /** Waits until no more events than these are left. */
  private List<AccountingEvent> awaitCompaction(int most) throws Exception {
    List<AccountingEvent> events = testTopics.events();
    while (events.size() > most) {
      Thread.sleep(100);
      events = testTopics.events();
    }
    return events;
  }
}
