package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.Anonymous;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.WindowGuarantee;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The learner counts anonymous reports exactly once, and emits what each window guarantees. */
class AnonymousWindowsTest {
  private static final int PUBLICATIONS = 4;
  private static final int STALENESS = 2;

  private LearnerTasks learner;
  private long round;

  /** Of the model in training. */
  private long specOffset;

  private static Anonymous.Level level(double epsilon) {
    return Anonymous.Level.newBuilder()
        .setPrivUnit(Anonymous.GradientLevel.newBuilder().setEpsilon(epsilon))
        .build();
  }

  private static ModelSpec.Builder spec(String modelId) {
    return TestRecords.blackBox(modelId)
        .setMaxStaleness(STALENESS)
        .setAnonymous(
            Anonymous.newBuilder()
                .setPublications(PUBLICATIONS)
                .addLevels(level(2))
                .addLevels(level(4)));
  }

  private void start(Backend backend, Plan plan) throws Exception {
    round = 0;
    specOffset = 0;
    learner = new LearnerTasks(backend, plan);
    learner.publish(0, spec("m"));
    learner.barrier();
  }

  @AfterEach
  void close() {
    learner.close();
  }

  private void report(long ofRound, int level, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      report(ofRound, level + 1);
    }
  }

  private void report(long ofRound, int anonymousLevel) throws Exception {
    RoundSum sum = TestRecords.grid("m", ofRound, 1, 1);
    sum.specOffset = specOffset;
    sum.anonymousLevel = anonymousLevel;
    learner.report(sum);
  }

  /** The model publishes its next round, since a report with identity has come. */
  private void nextRound() throws Exception {
    report(round, 0);
    learner.barrier();
    round++;
    assertThat(learner.lastUpdate().getRound()).isEqualTo(round);
  }

  private void to(long next) throws Exception {
    while (round < next) {
      nextRound();
    }
  }

  private List<GuaranteeEvent> events() {
    return learner.outputs().stream()
        .filter(record -> record.destination == Destination.GUARANTEES)
        .map(AnonymousWindowsTest::event)
        .toList();
  }

  private static GuaranteeEvent event(OutboundRecord record) {
    try {
      assertThat(record.key).isEqualTo("m".getBytes(UTF_8));
      return GuaranteeEvent.parseFrom(record.value);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("no GuaranteeEvent", e);
    }
  }

  @ParameterizedTest
  @CsvSource({"HASH_MAP, NEVER_STOPPED", "ROCKS_DB, RESCALED"})
  void eachReportCountsOnceWhateverRestarts(Backend backend, Plan plan) throws Exception {
    start(backend, plan);
    report(0, 0, 3);
    to(2);
    report(2, 0, 4);
    report(2, 1, 5);
    to(4);
    report(3, 0, 6);
    report(4, 0, 7);
    to(5);
    // Two publications late, which is the last one that the model uses.
    report(3, 0, 1);
    assertThat(events()).as("the window may still receive reports").isEmpty();
    to(7);
    assertThat(events())
        .extracting(event -> event.getAnonymous().getWindow())
        .containsExactly(0L, 0L);
    assertThat(events())
        .extracting(event -> event.getAnonymous().getReports())
        .containsExactly(14L, 5L);
    assertThat(events())
        .extracting(event -> event.getAnonymous().getLocalEpsilon())
        .containsExactly(2.0, 4.0);
    assertThat(learner.stored("m")).contains("windows");
    to(11);
    assertThat(events()).hasSize(3);
    WindowGuarantee second = events().get(2).getAnonymous();
    assertThat(second.getWindow()).isOne();
    assertThat(second.getFirstRound()).isEqualTo(4);
    assertThat(second.getLastRound()).isEqualTo(7);
    assertThat(second.getReports()).isEqualTo(7);
    to(12);
    assertThat(learner.stored("m")).doesNotContain("windows");
    assertThat(events()).hasSize(3);
  }

  /** No device draws the publications from 2 on, and none reports with identity. */
  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"HASH_MAP, NEVER_STOPPED", "ROCKS_DB, RESCALED"})
  void aWindowEndsWithoutReports(Backend backend, Plan plan) throws Exception {
    start(backend, plan);
    report(0, 0, 3);
    to(1);
    report(1, 0, 2);
    to(2);
    while (round < PUBLICATIONS + STALENESS + 1) {
      assertThat(events()).isEmpty();
      learner.failedBarrier();
      learner.advanceTime(60_000);
      learner.barrier();
      round++;
      assertThat(learner.lastUpdate().getRound()).isEqualTo(round);
    }
    assertThat(events()).hasSize(1);
    assertThat(events().get(0).getAnonymous().getReports()).isEqualTo(5);
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(7);
    nextRound();
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(8);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({
    "HASH_MAP, RESTORED",
    "HASH_MAP, RESCALED",
    "ROCKS_DB, NEVER_STOPPED",
    "ROCKS_DB, RESTORED"
  })
  void otherBackendsAndPlans(Backend backend, Plan plan) throws Exception {
    eachReportCountsOnceWhateverRestarts(backend, plan);
    learner.close();
    aWindowEndsWithoutReports(backend, plan);
    learner.close();
    aWindowOfARetiredModelPromisesTheLocalEpsilon(backend, plan);
  }

  /** A report that the model doesn't use was visible all the same; a late one isn't counted. */
  @Test
  void droppedReportsCountUntilTheWindowIsOver() throws Exception {
    start(Backend.HASH_MAP, Plan.NEVER_STOPPED);
    to(3);
    report(0, 0, 2);
    assertThat(events()).isEmpty();
    nextRound();
    assertThat(learner.lastUpdate().getDroppedStale()).isEqualTo(2);
    to(6);
    report(3, 0, 5);
    to(7);
    assertThat(events()).hasSize(1);
    assertThat(events().get(0).getAnonymous().getReports()).isEqualTo(2);
    report(3, 0, 1);
    to(12);
    assertThat(events()).hasSize(1);
  }

  /** So one transaction has both: the counts leave the state with the event. */
  @Test
  void anEventOfAFailedCheckpointIsNotRepeatedByTheNext() throws Exception {
    start(Backend.HASH_MAP, Plan.NEVER_STOPPED);
    report(0, 0, 2);
    to(6);
    learner.failedBarrier();
    assertThat(events()).hasSize(1);
    learner.barrier();
    assertThat(events()).hasSize(1);
  }

  @Test
  void reportsWithIdentityDoNotCount() throws Exception {
    start(Backend.HASH_MAP, Plan.NEVER_STOPPED);
    to(20);
    assertThat(events()).isEmpty();
    assertThat(learner.stored("m")).doesNotContain("windows");
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"HASH_MAP, NEVER_STOPPED", "ROCKS_DB, RESCALED"})
  void aWindowOfARetiredModelPromisesTheLocalEpsilon(Backend backend, Plan plan) throws Exception {
    start(backend, plan);
    report(0, 0, 500);
    to(2);
    learner.retire(1, "m");
    learner.barrier();
    specOffset = 2;
    learner.publish(2, spec("m"));
    learner.barrier();
    round = learner.lastUpdate().getRound();
    assertThat(round).isEqualTo(3);
    to(5);
    report(5, 0, 2);
    to(9);
    report(9, 0, 500);
    to(15);
    assertThat(events())
        .extracting(event -> event.getAnonymous().getInterrupted())
        .containsExactly(true, true, false);
    assertThat(events())
        .extracting(event -> event.getAnonymous().getReports())
        .containsExactly(500L, 2L, 500L);
    assertThat(events().subList(0, 2))
        .extracting(event -> event.getAnonymous().getEpsilon())
        .containsExactly(2.0, 2.0);
    assertThat(events().get(2).getAnonymous().getEpsilon()).isLessThan(1);
  }
}
