package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.data.Score;
import io.croupier.cli.data.Simulation;
import io.croupier.cli.watch.Result;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultTableTest {

  @Test
  void showsEveryLearnerBetweenDoingNothingAndTheOptimum() {
    String text = new ResultTable(Comparisons.ofTheUsualLearners()).text();

    assertThat(
            text.lines().filter(line -> line.contains("|")).map(line -> line.replaceAll(" ", "")))
        .containsExactly(
            "learner|chosenbyhand|loss|accuracy|estimated|epsilonspent",
            "doingnothing|-|0.693|0.500|-|0",
            "combined|nothing|0.527|0.735|0.70to0.76|8",
            "blackbox|nothing|0.531|0.735|0.70to0.76|8",
            "blackbox,clip1|clip1|0.580|0.735|0.70to0.76|8",
            "blackbox,clip0.25|clip0.25|0.532|0.735|0.70to0.76|8",
            "blackbox,clip0.1|clip0.1|0.600|0.735|0.70to0.76|8",
            "BANCO|clip0.25,noiselevel|0.558|0.735|0.70to0.76|8",
            "coordinate-wise|clip0.25|0.541|0.735|0.70to0.76|8",
            "LDP-SGD,step0.1|clip0.25,step0.1|0.676|0.735|0.70to0.76|8",
            "-lastweights||0.776|0.730||",
            "LDP-SGD,step10|clip0.25,step10|0.523|0.735|0.70to0.76|8",
            "-lastweights||0.623|0.730||",
            "non-privateoptimum|-|0.518|0.740|-|noprivacy");
  }

  @Test
  void theResultComesFirst() {
    assertThat(new ResultTable(Comparisons.ofTheUsualLearners()).text().lines())
        .first()
        .isEqualTo(
            "28,155 people at epsilon 8, combined: loss 0.527, between 0.693 without a model and"
                + " 0.518 without privacy.");
  }

  @Test
  void nothingLearnedIsStatedSo() {
    Comparison comparison = Comparisons.ofTheUsualLearners();
    assertThat(
            new Comparison(
                    comparison.data(),
                    comparison.terms(),
                    new Score(0.5, 0.5),
                    comparison.optimum(),
                    comparison.results(),
                    comparison.reconciliation(),
                    Map.of(),
                    Map.of())
                .headline())
        .isEqualTo(
            "28,155 people at epsilon 8, combined: nothing learned. Its loss is 0.527, without a"
                + " model 0.500, without privacy 0.518.");
  }

  @Test
  void wideIntervalsAreTooFewAnswers() {
    Comparison comparison = Comparisons.ofTheUsualLearners();
    LearnerResult first = comparison.results().get(0);
    LearnerResult unsure =
        new LearnerResult(
            first.comparedLearner(),
            first.average(),
            first.lastIterate(),
            first.curve(),
            first.spent(),
            first.clip(),
            false,
            List.of(first.estimates().get(0).toBuilder().setLow(0.2).setHigh(0.71).build()));

    assertThat(
            new ResultTable(
                    new Comparison(
                        comparison.data(),
                        comparison.terms(),
                        comparison.nothing(),
                        comparison.optimum(),
                        List.of(unsure),
                        comparison.reconciliation(),
                        Map.of(),
                        Map.of()))
                .text())
        .contains("|   too few |");
  }

  @Test
  void fitsIntoAHundredColumns() {
    for (Comparison comparison :
        List.of(Comparisons.withRawReports(), Comparisons.withUndisclosedReports())) {
      assertThat(new ResultTable(comparison).text().lines().filter(line -> line.contains("|")))
          .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100));
    }
  }

  @Test
  void thePageHasTheSameResultAndTheCostFirst() {
    Result result = new ResultTable(Comparisons.withRawReports()).result();

    assertThat(result.headline()).startsWith("28,155 people at epsilon 8, combined: ");
    assertThat(result.rows()).hasSize(18);
    assertThat(result.rows().get(1).modelId()).isEqualTo("combined");
    assertThat(result.rows().get(1).cells()).startsWith("combined", "nothing", "0.527");
    assertThat(result.notes().get(0)).startsWith("Epsilon spent by this comparison: 8 per learner");
  }

  @Test
  void printsCostAndSharedParameters() {
    String text = new ResultTable(Comparisons.ofTheUsualLearners()).text();

    assertThat(text)
        .endsWith(
            "Epsilon spent by this comparison: 8 per learner, 72 per person; a real deployment runs"
                + " one learner.")
        .contains(
            "28,155 people, one report from each; l2_laplace noise, epsilon = 8; at"
                + " least one report per round; averages of polynomial degree 3.",
            "black box: the job found the clip, 0.2135 at the end, from people who were asked"
                + " for one randomised bit instead of a gradient.",
            "where marked so, on the data of all 28,155 people.");
  }

  @Test
  void showsWhatAnOperatorWithoutRawDataKnows() {
    assertThat(new ResultTable(Comparisons.ofTheUsualLearners()).text())
        .contains(
            "Accuracy, estimated: the 95 % interval from people who answer by one randomised bit"
                + " instead of a gradient, worth 563 answers of equal age");
  }

  @Test
  void everyAdmittedReportIsInOneColumn() {
    Reconciliation reconciliation =
        new Reconciliation(
            true,
            Map.of(),
            MaxSpend.NOTHING,
            0,
            List.of(),
            List.of(
                new Reconciliation.Admissions(
                    "black box", 28_155, new ModelStatus(27_590, 560, 5, 0, 0, 300, null))),
            List.of(),
            List.of());

    assertThat(
            reconciliation
                .admissionsTable()
                .lines()
                .map(line -> line.replaceAll(" +", " ").trim())
                .filter(line -> line.contains("|")))
        .containsExactly(
            "reports to | admitted | used | answered | dropped | in an open round",
            "black box | 28,155 | 27,590 | 560 | 5 | 0");
  }

  @Test
  void statesThatAModelFoundNoClip() {
    Comparison found = Comparisons.ofTheUsualLearners();
    LearnerResult first = found.results().get(0);
    LearnerResult scouting =
        new LearnerResult(
            first.comparedLearner(),
            found.nothing(),
            found.nothing(),
            first.curve(),
            first.spent(),
            1,
            true,
            List.of());
    Comparison comparison =
        new Comparison(
            found.data(),
            found.terms(),
            found.nothing(),
            found.optimum(),
            List.of(scouting),
            found.reconciliation(),
            Map.of(),
            Map.of());
    assertThat(comparison.notes())
        .contains(
            "combined: the model only searched for its clip, and took no gradient: it published too"
                + " few times (a longer --duration has more publications), or too few people were"
                + " asked, or disclosed their noise.");
  }

  @Test
  void saysWhetherScalingUsedEverybodysData() {
    Comparison comparison = Comparisons.ofTheUsualLearners();
    String scaling = "Features are scaled with everybody's data, by the largest norm of a row;";
    assertThat(new ResultTable(comparison).text()).contains(scaling);
    assertThat(new ResultTable(comparison).result().notes())
        .anyMatch(note -> note.startsWith(scaling));
  }

  @Test
  void undisclosedReportsAreCounted() {
    String text = new ResultTable(Comparisons.withUndisclosedReports()).text();

    assertThat(text.lines().filter(line -> line.endsWith(" 8 or undisclosed "))).hasSize(9);
    assertThat(text)
        .contains(
            "epsilon = 8, undisclosed by 5,631 of them; at least one report",
            "BANCO refused 5,631 undisclosed reports (DECLARATION).")
        .endsWith(
            "Epsilon spent by this comparison: 8 or an undisclosed amount per learner, 72 or an"
                + " undisclosed amount per person; a real deployment runs one learner. 50,679"
                + " reports are undisclosed, up to 9 of one person; only their senders know"
                + " their cost.");
  }

  @Test
  void learnersOfRawReportsAreSeparateWithANoteOnAccess() {
    String text = new ResultTable(Comparisons.withRawReports()).text();

    assertThat(text.lines().skip(16).limit(6).map(line -> line.replaceAll(" +", " ").trim()))
        .containsExactly(
            "non-private optimum | - | 0.518 | 0.740 | - | no privacy",
            "noise by the job: | | | | | at delta 1e-5",
            "DP-FTRL, BLT, step 1 | clip 0.25, step 1 | 0.676 | 0.735 | - | 8",
            "- last weights | | 0.776 | 0.730 | |",
            "DP-FTRL, tree, step 1 | clip 0.25, step 1 | 0.676 | 0.735 | - | 8",
            "- last weights | | 0.776 | 0.730 | |");
    assertThat(text)
        .contains(
            "in 32 rounds, 28,128 people each sent a raw gradient to the job",
            "Operators of the job, of its checkpoints and of the raw-gradients topic can read",
            "learning rate was chosen in advance",
            "DP-FTRL, tree, step 1: epsilon 8 at delta 1e-5, with noise multiplier 2.94",
            "together spent epsilon 12.26 at delta 1e-5")
        .endsWith(
            "Epsilon spent by this comparison: 8 per learner, 72 per person; a real deployment runs"
                + " one learner.");
  }

  @Test
  void numericTargetsHaveExplainedVariance() {
    String text = new ResultTable(Comparisons.of(Simulation.linear(100, 1))).text();

    assertThat(text)
        .contains("|    R² |", "R² (the share of the explained variance)")
        .doesNotContain("estimated");
  }

  @Test
  void anonymousReportsHaveTwoEpsilons() {
    Comparison local = Comparisons.ofTheUsualLearners();
    LearnerResult result = local.results().get(1);
    String modelId = result.comparedLearner().modelId();
    Comparison comparison =
        new Comparison(
            local.data(),
            local.terms(),
            local.nothing(),
            local.optimum(),
            List.of(result),
            local.reconciliation(),
            Map.of(),
            Map.of(modelId, new WindowGuarantee(28_155, 2, 0.0575085, 1e-6)));
    assertThat(comparison.headline())
        .startsWith("28,155 people at local epsilon 2, central epsilon 0.05751 at delta 1e-6, ");
    assertThat(new ResultTable(comparison).text().lines())
        .anyMatch(line -> line.matches(" learner .* local epsilon .* central .* reports *"))
        .anyMatch(line -> line.matches(" black box.* 2 \\| +0\\.05751 \\| +1e-6 \\| +28,155 *"))
        .anyMatch(line -> line.matches(" non-private .* no privacy \\| +no privacy .*"))
        .noneMatch(line -> line.contains("estimated"));
  }
}
