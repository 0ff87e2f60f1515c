package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The default max_staleness, counted in visible publications. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@Tag("thorough")
class StalenessITCase extends FollowedJob {
  private static final long NEVER_PUBLISHED = 1_000_000;

  private int sent;

  StalenessITCase() {
    super("staleness", "100 ms");
  }

  @Test
  void aReportIsUsedEightPublicationsLaterAndDroppedAfterNine() throws Exception {
    ModelSpec spec = OneHotReports.spec("m", 1, 1);
    assertThat(ModelSpecs.maxStaleness(spec)).isEqualTo(8);
    testTopics.publish(spec);
    testTopics.flush();
    updates.await("m", update -> true);
    // Round 8 is the newest, and round 0 eight publications behind it.
    for (long round = 0; round < 8; round++) {
      assertThat(send(spec, round).getRound()).isEqualTo(round + 1);
    }

    ModelUpdate used = send(spec, 0);
    assertThat(used.getOpen()).isEqualTo(1);
    assertThat(used.getRound()).as("no report has named round 8 yet").isEqualTo(8);
    assertThat(LearningScenario.dropped(used)).isZero();
    ModelUpdate next = send(spec, 8);
    assertThat(next.getRound()).isEqualTo(9);
    assertThat(next.getUsed()).isEqualTo(10);

    // Another checkpoint: after it, the learner also counts round 9 as visible.
    ModelUpdate unpublished = send(spec, NEVER_PUBLISHED);
    assertThat(unpublished.getDroppedUnpublished()).isOne();
    assertThat(unpublished.getRound()).isEqualTo(9);

    ModelUpdate stale = send(spec, 0);
    assertThat(stale.getDroppedStale()).isOne();
    assertThat(stale.getUsed()).isEqualTo(10);
    assertThat(stale.getRound()).isEqualTo(9);
    assertThat(stale.getWeightsList()).isEqualTo(next.getWeightsList());

    assertThat(send(spec, 1).getOpen()).as("eight behind").isEqualTo(1);
    List<AccountingEvent> events = testTopics.awaitEvents("m", sent);
    assertThat(events).as("what is dropped is accounted for").hasSize(sent);
    assertThat(events).allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
    assertThat(events)
        .extracting(event -> event.getModelTotals().getUndisclosed())
        .as("and charged")
        .containsOnly(1L);
  }

  @Test
  void anAnswerIsUsedEightPublicationsLaterAndDroppedAfterNine() throws Exception {
    ModelSpec.Builder asking = OneHotReports.spec("m", 1, 1).toBuilder();
    asking.addQuestionsBuilder().setName("right").getAccuracyBuilder();
    ModelSpec spec = asking.build();
    testTopics.publish(spec);
    testTopics.flush();
    updates.await("m", update -> true);
    for (long round = 0; round < 8; round++) {
      assertThat(send(spec, round).getRound()).isEqualTo(round + 1);
    }

    ModelUpdate answered = answer(spec, 0);
    assertThat(answered.getAnswers()).isOne();
    assertThat(answered.getEstimates(0).getAnswers()).isOne();
    assertThat(answered.getUsed()).isEqualTo(8);
    assertThat(send(spec, 8).getRound()).isEqualTo(9);
    // Another checkpoint: after it, the learner also counts round 9 as visible.
    assertThat(answer(spec, NEVER_PUBLISHED).getDroppedUnpublished()).isOne();

    ModelUpdate stale = answer(spec, 0);
    assertThat(stale.getDroppedStale()).isOne();
    assertThat(stale.getAnswers()).isOne();
    assertThat(answer(spec, 1).getAnswers()).as("eight behind").isEqualTo(2);
    List<AccountingEvent> events = testTopics.awaitEvents("m", sent);
    assertThat(events).as("what is dropped is accounted for").hasSize(sent);
    assertThat(events).allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
    assertThat(events.stream().filter(event -> event.getSpent().getEpsilon() == 1))
        .as("and charged")
        .hasSize(4);
  }

  /** Sends another user's report that names {@code round}; returns the update that counts it. */
  private ModelUpdate send(ModelSpec spec, long round) throws Exception {
    return send(OneHotReports.report(spec, round, 0).toBuilder());
  }

  /** The same for an answer to the model's question. */
  private ModelUpdate answer(ModelSpec spec, long round) throws Exception {
    GradientReport.Builder report = OneHotReports.report(spec, round, 0).toBuilder();
    report.getAnswerBuilder().setQuestion("right").setBit(true);
    report.getRandomisedResponseBuilder().setEpsilon(1);
    return send(report);
  }

  private ModelUpdate send(GradientReport.Builder report) throws Exception {
    testTopics.send(report.setUserId("person-" + sent++).build());
    testTopics.flush();
    return updates.await(
        "m", update -> LearningScenario.taken(update) + update.getAnswers() == sent);
  }
}
