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
            "learner|right|loss|chosenbyhand|epsilonspent",
            "guessing|50.0%|0.693|-|0",
            "combined|73.5%|0.527|nothing|8",
            "blackbox|73.5%|0.531|nothing|8",
            "blackbox,clip1|73.5%|0.580|clip1|8",
            "blackbox,clip0.25|73.5%|0.532|clip0.25|8",
            "blackbox,clip0.1|73.5%|0.600|clip0.1|8",
            "BANCO|73.5%|0.558|clip0.25,noiselevel|8",
            "coordinate-wise|73.5%|0.541|clip0.25|8",
            "LDP-SGD,step0.1|73.5%|0.676|clip0.25,step0.1|8",
            "LDP-SGD,step10|73.5%|0.523|clip0.25,step10|8",
            "withoutprivacy|74.0%|0.518|-|noprivacy");
  }

  @Test
  void theResultComesFirst() {
    assertThat(new ResultTable(Comparisons.ofTheUsualLearners()).text().lines())
        .first()
        .isEqualTo("28,155 people at epsilon 8, combined: 73.5 % right; without privacy 74.0 %");
    assertThat(Comparisons.ofTheUsualLearners().headline())
        .isEqualTo(
            "28,155 people at epsilon 8, combined: 73.5 % right; without privacy 74.0 % right,"
                + " guessing 50.0 %.");
  }

  @Test
  void nothingLearnedIsStatedSo() {
    Comparison comparison = Comparisons.ofTheUsualLearners();
    Score nothing = new Score(0.5, 0.5);
    assertThat(
            Comparisons.with(comparison, nothing, comparison.results(), Map.of(), Map.of())
                .headline())
        .isEqualTo(
            "28,155 people at epsilon 8, combined: 73.5 % right; without privacy 74.0 % right,"
                + " guessing 50.0 %. Nothing was learned (loss 0.527; 0.500 without a model): the"
                + " noise hides what 28,155 people teach in 297 publications. More people, a longer"
                + " --duration or a larger --epsilon help.");
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

    Result result = new ResultTable(Comparisons.with(comparison, unsure)).result();
    assertThat(result.rows().get(1).cells()).contains("too few");
  }

  @Test
  void fitsIntoEightyColumns() {
    assertThat(new ResultTable(Comparisons.ofTheUsualLearners()).text().lines())
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
  }

  @Test
  void thePageHasTheSameResultAndTheCostFirst() {
    Result result = new ResultTable(Comparisons.withRawReports()).result();

    assertThat(result.headline()).startsWith("28,155 people at epsilon 8, combined: ");
    assertThat(result.rows()).hasSize(18);
    assertThat(result.rows().get(1).modelId()).isEqualTo("combined");
    assertThat(result.rows().get(1).cells()).startsWith("combined", "73.5 %", "0.527", "nothing");
    assertThat(result.notes().get(0)).startsWith("Epsilon spent by this comparison: 8 per learner");
  }

  @Test
  void printsCostAndSharedParameters() {
    List<String> notes = new ResultTable(Comparisons.ofTheUsualLearners()).result().notes();

    assertThat(notes)
        .startsWith(
            "Epsilon spent by this comparison: 8 per learner, 72 per person; a real deployment runs"
                + " one learner. At epsilon 8, any report is at most 3000 times as likely with one"
                + " person's data as with another's.");
    assertThat(String.join("\n", notes))
        .contains(
            "28,155 people, one report from each; l2_laplace noise, epsilon = 8; at"
                + " least one report per round; averages of polynomial degree 3.",
            "black box: the job found the clip, 0.2135 at the end, from people who were asked"
                + " for one randomised bit instead of a gradient.",
            "where marked so, on the data of all 28,155 people.");
  }

  @Test
  void showsWhatAnOperatorWithoutRawDataKnows() {
    assertThat(String.join("\n", Comparisons.ofTheUsualLearners().notes()))
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
    assertThat(Comparisons.with(found, scouting).notes())
        .contains(
            "combined: the model only searched for its clip, and took no gradient: it published too"
                + " few times (a longer --duration has more publications), or too few people were"
                + " asked, or disclosed their noise.");
  }

  @Test
  void saysWhetherScalingUsedEverybodysData() {
    Comparison comparison = Comparisons.ofTheUsualLearners();
    String scaling = "Features are scaled with everybody's data, by the largest norm of a row;";
    assertThat(new ResultTable(comparison).result().notes())
        .anyMatch(note -> note.startsWith(scaling));
  }

  @Test
  void undisclosedReportsAreCounted() {
    Result result = new ResultTable(Comparisons.withUndisclosedReports()).result();

    assertThat(result.rows().stream().filter(row -> row.cells().contains("8 or undisclosed")))
        .hasSize(9);
    assertThat(String.join("\n", result.notes()))
        .contains(
            "epsilon = 8, undisclosed by 5,631 of them; at least one report",
            "BANCO refused 5,631 undisclosed reports (DECLARATION).",
            "Epsilon spent by this comparison: 8 or an undisclosed amount per learner, 72 or an"
                + " undisclosed amount per person; a real deployment runs one learner.",
            "50,679 reports are undisclosed, up to 9 of one person; only their senders know"
                + " their cost.");
  }

  @Test
  void learnersOfRawReportsAreSeparateWithANoteOnAccess() {
    Result result = new ResultTable(Comparisons.withRawReports()).result();

    assertThat(result.rows().stream().skip(12).map(Result.Row::cells))
        .containsExactly(
            List.of("without privacy", "74.0 %", "0.518", "-", "-", "no privacy"),
            List.of("noise by the job:", "", "", "", "", "at delta 1e-5"),
            List.of("DP-FTRL, BLT, step 1", "73.5 %", "0.676", "clip 0.25, step 1", "-", "8"),
            List.of("- last weights", "73.0 %", "0.776", "", "", ""),
            List.of("DP-FTRL, tree, step 1", "73.5 %", "0.676", "clip 0.25, step 1", "-", "8"),
            List.of("- last weights", "73.0 %", "0.776", "", "", ""));
    assertThat(String.join("\n", result.notes()))
        .contains(
            "in 32 rounds, 28,128 people each sent a raw gradient to the job",
            "Operators of the job, of its checkpoints and of the raw-gradients topic can read",
            "learning rate was chosen in advance",
            "DP-FTRL, tree, step 1: epsilon 8 at delta 1e-5, with noise multiplier 2.94",
            "together spent epsilon 12.26 at delta 1e-5");
  }

  @Test
  void numericTargetsHaveExplainedVariance() {
    Comparison comparison = Comparisons.of(Simulation.linear(100, 1));

    assertThat(comparison.headline()).endsWith(", combined: R² 0.735; without privacy R² 0.740.");
    assertThat(new ResultTable(comparison).text()).contains("|    R² |").doesNotContain("right");
    assertThat(String.join("\n", comparison.notes()))
        .contains("R² (the share of the explained variance)");
  }

  @Test
  void anonymousReportsHaveTwoEpsilons() {
    Comparison local = Comparisons.ofTheUsualLearners();
    LearnerResult result = local.results().get(1);
    String modelId = result.comparedLearner().modelId();
    Comparison comparison =
        Comparisons.with(
            local,
            local.nothing(),
            List.of(result),
            Map.of(),
            Map.of(modelId, new WindowGuarantee(28_155, 2, 0.0575085, 1e-6)));
    assertThat(comparison.headline())
        .startsWith("28,155 people at local epsilon 2, central epsilon 0.05751 at delta 1e-6, ");
    assertThat(new ResultTable(comparison).text().lines())
        .anyMatch(line -> line.matches(" learner .* local epsilon .* central .* reports *"))
        .anyMatch(line -> line.matches(" black box.* 2 \\| +0\\.05751 \\| +1e-6 \\| +28,155 *"))
        .anyMatch(line -> line.matches(" without privacy .* no privacy \\| +no privacy .*"))
        .noneMatch(line -> line.contains("estimated"));
  }
}
