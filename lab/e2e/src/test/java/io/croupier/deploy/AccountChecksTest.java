package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.ModelUpdate.Wait;
import io.croupier.schemas.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Consistent topics have no findings, and each kind of inconsistency is found. */
class AccountChecksTest {
  private static final int DIMENSION = 4;
  private static final Map<String, Long> SEQUENCES = Map.of("ada", 3L, "ben", 3L);
  private static final double THIRD = 1.0 / 3;

  private final List<AccountChecks.GradientRecord> reports = new ArrayList<>();
  private final List<AccountChecks.AccountingRecord> events = new ArrayList<>();
  private final List<ModelUpdate> updates = new ArrayList<>();
  private final List<Bundle> journal = new ArrayList<>();
  private final List<ModelUpdate> ofSizes = new ArrayList<>();
  private final List<Bundle> journalOfSizes = new ArrayList<>();

  AccountChecksTest() {
    updates.add(update(0, 0));
    for (int i = 0; i < 3; i++) {
      reports.add(
          new AccountChecks.GradientRecord("0:" + i, "ada", i + 1, LoadGenerator.ONCE, 0.01, i, 1));
      events.add(event(i, i + 1, Outcome.ADMITTED, i + 1));
      journal.add(bundle(i).toBuilder().setPublished(true).build());
    }
    updates.add(update(1, 1));
    updates.add(update(2, 2));
    updates.add(update(3, 3));
    addSizes();
  }

  /** An answer of epsilon 2, one that is late, and a gradient. */
  private void addSizes() {
    double[] epsilons = {2, 2, 0.01};
    double[] totals = {2, 4, 4.01};
    for (int i = 0; i < 3; i++) {
      String position = "1:" + i;
      reports.add(
          new AccountChecks.GradientRecord(
              position, "ben", i + 1, LoadGenerator.SIZES, epsilons[i], 0, 0));
      events.add(
          new AccountChecks.AccountingRecord(
              position, "ben", i + 1, Outcome.ADMITTED, i + 1, totals[i]));
      journalOfSizes.add(
          Bundle.newBuilder()
              .setOutcome(i == 1 ? Bundle.Outcome.DROPPED_STALE : Bundle.Outcome.TAKEN)
              .addPositions(Position.newBuilder().setPartition(1).setOffset(i))
              .build());
    }
    ofSizes.add(
        ModelUpdate.newBuilder()
            .setModelId(LoadGenerator.SIZES)
            .setRound(7)
            .setUsed(1)
            .setAnswers(1)
            .setDroppedStale(1)
            .setQuestionProbability(0.02)
            .build());
  }

  private static AccountChecks.AccountingRecord event(
      int offset, long sequence, Outcome outcome, long total) {
    return new AccountChecks.AccountingRecord(
        "0:" + offset, "ada", sequence, outcome, total, total / 100.0);
  }

  private static Bundle bundle(int... offsets) {
    Bundle.Builder bundle =
        Bundle.newBuilder().setNamedRound(offsets[0]).setOutcome(Bundle.Outcome.TAKEN);
    for (int offset : offsets) {
      bundle.addPositions(Position.newBuilder().setPartition(0).setOffset(offset));
    }
    return bundle.build();
  }

  private static ModelUpdate update(long round, int used) {
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder().setModelId(LoadGenerator.ONCE).setRound(round).setUsed(used);
    for (int i = 0; i < DIMENSION; i++) {
      update.addWeights(i < used ? -1 : 0);
    }
    return update.build();
  }

  private List<String> findings() {
    return AccountChecks.check(
        reports,
        events,
        SEQUENCES,
        Map.of(LoadGenerator.ONCE, updates, LoadGenerator.SIZES, ofSizes),
        Map.of(LoadGenerator.ONCE, journal, LoadGenerator.SIZES, journalOfSizes));
  }

  private void assertFindings(String... expected) {
    assertThat(findings()).containsExactly(expected);
  }

  @Test
  void balance() {
    assertFindings();
  }

  @Test
  void aResendIsADuplicate() {
    reports.add(new AccountChecks.GradientRecord("0:3", "ada", 3, LoadGenerator.ONCE, 0.01, 2, 1));
    events.add(event(3, 3, Outcome.DUPLICATE, 3));

    assertFindings();
  }

  @Test
  void missAReport() {
    events.remove(2);

    assertThat(findings())
        .contains(
            "no account of 0:2",
            "ada's report 3 is not admitted",
            "once counts 3 reports used, 0 answers and 0 open, of 2 admitted",
            "the journal of once has 0:2 as TAKEN; each position must occur once, as TAKEN",
            "coordinate 2 of once is -1.0, not 0.0: a report was not added exactly once");
  }

  @Test
  void accountAReportTwice() {
    events.add(event(2, 3, Outcome.ADMITTED, 4));

    assertThat(findings()).contains("two accounts of 0:2", "ada's report 3 is admitted twice");
  }

  @Test
  void accountAReportThatWasNotSent() {
    events.add(event(7, 4, Outcome.ADMITTED, 4));

    assertFindings("an account of 0:7, which has no report");
  }

  @Test
  void refuseAReport() {
    events.set(1, event(1, 2, Outcome.REFUSED_SEQUENCE, 2));

    assertThat(findings()).contains("ada's report 2 is REFUSED_SEQUENCE");
  }

  @Test
  void chargeAReportTwice() {
    events.set(2, event(2, 3, Outcome.ADMITTED, 4));

    assertFindings("ada's totals at 0:2 are 4 reports and epsilon 0.04, not 3 and 0.03");
  }

  @Test
  void showARoundTwice() {
    updates.add(update(3, 3));
    updates.add(update(2, 3));

    assertFindings(
        "round 3 of once is visible twice with 3 reports",
        "round 2 of once is visible after round 3",
        "the newest round of once is 2, and its journal published 3");
  }

  @Test
  void aModelThatWaitsShowsItsLastRoundWithMoreReports() {
    ModelUpdate waiting = update(2, 2).toBuilder().setOpen(1).setWaitsFor(Wait.ANSWER).build();
    updates.add(3, waiting);
    assertFindings();

    updates.add(3, waiting.toBuilder().setWaitsFor(Wait.VISIBILITY).build());
    assertThat(findings()).as("another reason").isEmpty();

    updates.add(3, updates.get(3));
    assertFindings("round 2 of once is visible twice with 3 reports");
  }

  @Test
  void aRoundThatWaitsInTheEndIsNotVisible() {
    journal.set(2, journal.get(2).toBuilder().setRoundHeld(true).build());
    updates.set(3, update(2, 2).toBuilder().setOpen(1).build());

    assertFindings();
  }

  @Test
  void showFewerReports() {
    updates.add(update(3, 3).toBuilder().setUsed(2).build());
    updates.add(update(3, 3));

    assertFindings("2 reports of once are visible after 3");
  }

  @Test
  void aRoundOfSeveralReportsIsTheirMean() {
    journal.clear();
    journal.add(bundle(0, 1));
    journal.add(bundle(2).toBuilder().setPublished(true).build());
    updates.clear();
    updates.add(meanOfThree(1).build());

    assertFindings();

    updates.set(0, meanOfThree(1).setWeights(1, -THIRD - THIRD).build());
    assertFindings(
        "coordinate 1 of once is %s, not %s: a report was not added exactly once"
            .formatted(-THIRD - THIRD, -THIRD));
  }

  private static ModelUpdate.Builder meanOfThree(long round) {
    ModelUpdate.Builder update = update(round, 3).toBuilder();
    for (int i = 0; i < 3; i++) {
      update.setWeights(i, -THIRD);
    }
    return update;
  }

  @Test
  void journalAReportTwiceOrNever() {
    journal.add(2, bundle(1));
    assertFindings("the journal of once has 0:1 as TAKEN; each position must occur once, as TAKEN");

    journal.remove(2);
    journal.remove(1);
    assertFindings(
        "the journal of once has no 0:1",
        "the newest round of once is 3, and its journal published 2",
        "coordinate 1 of once is -1.0, not 0.0: a report was not added exactly once");
  }

  @Test
  void dropAReport() {
    journal.set(1, bundle(1).toBuilder().setOutcome(Bundle.Outcome.DROPPED_STALE).build());

    assertThat(findings())
        .contains(
            "the journal of once has 0:1 as DROPPED_STALE; each position must occur once, as TAKEN");
  }

  @Test
  void journalAnAnswerTwiceOrNever() {
    journalOfSizes.add(journalOfSizes.get(0));
    assertFindings(
        "the journal of sizes has 1:0 as TAKEN; each position must occur once, as TAKEN or"
            + " DROPPED_STALE");

    journalOfSizes.remove(3);
    journalOfSizes.remove(0);
    assertFindings("the journal of sizes has no 1:0");
  }

  @Test
  void dropAGradientForItsClip() {
    journalOfSizes.set(
        2, journalOfSizes.get(2).toBuilder().setOutcome(Bundle.Outcome.DROPPED_BOUND).build());

    assertFindings(
        "the journal of sizes has 1:2 as DROPPED_BOUND; each position must occur once, as TAKEN"
            + " or DROPPED_STALE");
  }

  @Test
  void countLateAnswersOtherwiseThanTheJournal() {
    ofSizes.set(0, ofSizes.get(0).toBuilder().setDroppedStale(2).build());

    assertFindings(
        "sizes counts 1 reports used, 1 answers and 0 open, of 3 admitted",
        "sizes counts 2 late reports, and its journal 1");
  }

  @Test
  void searchForTheClipUntilTheEnd() {
    ofSizes.set(0, ofSizes.get(0).toBuilder().setQuestionProbability(1).build());

    assertFindings("sizes still searches for its clip");
  }

  @Test
  void chargeAnAnswerLikeAGradient() {
    events.set(4, new AccountChecks.AccountingRecord("1:1", "ben", 2, Outcome.ADMITTED, 2, 2.01));

    assertFindings("ben's totals at 1:1 are 2 reports and epsilon 2.01, not 2 and 4.0");
  }

  /** Beyond a million a total has more than 15 digits, and is rounded up. */
  @ParameterizedTest
  @CsvSource({
    "1000000.01, true",
    "1000000.0100000002, true",
    "1000000.0099999999, false",
    "1000000.0100000005, false"
  })
  void roundALargeTotalUp(double total, boolean isRight) {
    reports.set(
        0, new AccountChecks.GradientRecord("0:0", "ada", 1, LoadGenerator.ONCE, 1e6, 0, 1));
    for (int i = 0; i < 3; i++) {
      double rounded = i == 1 ? total : 1e6 + i / 100.0;
      events.set(
          i,
          new AccountChecks.AccountingRecord(
              "0:" + i, "ada", i + 1, Outcome.ADMITTED, i + 1, rounded));
    }

    List<String> findings = findings();
    assertThat(findings).hasSize(isRight ? 0 : 1);
    assertThat(findings).allMatch(finding -> finding.endsWith(", not 2 and 1000000.01"));
  }

  @Test
  void addAReportTwice() {
    updates.set(3, update(3, 3).toBuilder().setWeights(1, -2).build());

    assertFindings("coordinate 1 of once is -2.0, not -1.0: a report was not added exactly once");
  }
}
