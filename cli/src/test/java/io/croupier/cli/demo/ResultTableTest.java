package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.data.Simulation;
import org.junit.jupiter.api.Test;

class ResultTableTest {

  @Test
  void showsEveryLearnerBetweenDoingNothingAndTheOptimum() {
    String text = new ResultTable(Comparisons.ofTheUsualLearners()).text();

    assertThat(
            text.lines().filter(line -> line.contains("|")).map(line -> line.replaceAll(" ", "")))
        .containsExactly(
            "learner|chosenbyhand|loss|accuracy|loss(last)|accuracy(last)|epsilonspent",
            "doingnothing|-|0.693|0.500|-|-|0",
            "adaptiveradius|nothing|0.531|0.735|-|-|8",
            "BANCO|strongestnoise|0.558|0.735|-|-|8",
            "blackbox|nothing|0.535|0.735|-|-|8",
            "coordinate-wise|nothing|0.541|0.735|-|-|8",
            "LDP-SGD,step0.1|stepsize0.1|0.676|0.735|0.776|0.730|8",
            "LDP-SGD,step10|stepsize10|0.523|0.735|0.623|0.730|8",
            "LDP-SGD,step1000|stepsize1000|1.396|0.735|1.496|0.730|8",
            "non-privateoptimum|-|0.518|0.740|-|-|noprivacy");
  }

  @Test
  void printsCostAndSharedParameters() {
    String text = new ResultTable(Comparisons.ofTheUsualLearners()).text();

    assertThat(text)
        .endsWith(
            "Epsilon spent by this comparison: 8 per learner, 56 per person; a real deployment runs"
                + " one learner.")
        .contains(
            "28,155 people, one report from each; gradients clipped at 0.25; l2_laplace noise,"
                + " epsilon = 8; one report per round",
            "where marked (last), on the data of all 28,155 people.");
  }

  @Test
  void showsWhatAnOperatorWithoutRawDataKnows() {
    assertThat(new ResultTable(Comparisons.ofTheUsualLearners()).text())
        .contains(
            "adaptive radius: accuracy, as estimated from 1,234 people, each by one randomised bit"
                + " instead of a gradient, worth 563 answers of equal age: 0.73 +- 0.03 (95 %); in truth 0.735.");
  }

  @Test
  void undisclosedReportsAreCounted() {
    String text = new ResultTable(Comparisons.withUndisclosedReports()).text();

    assertThat(text.lines().filter(line -> line.endsWith(" 8 or undisclosed "))).hasSize(7);
    assertThat(text)
        .contains(
            "epsilon = 8, undisclosed by 5,631 of them; one report",
            "BANCO refused 5,631 undisclosed reports (DECLARATION).")
        .endsWith(
            "Epsilon spent by this comparison: 8 or an undisclosed amount per learner, 56 or an"
                + " undisclosed amount per person; a real deployment runs one learner. 39,417"
                + " reports are undisclosed, up to 7 of one person; only their senders know"
                + " their cost.");
  }

  @Test
  void learnersOfRawReportsAreSeparateWithANoteOnAccess() {
    String text = new ResultTable(Comparisons.withRawReports()).text();

    assertThat(text.lines().skip(10).limit(4).map(line -> line.replaceAll(" +", " ").trim()))
        .containsExactly(
            "non-private optimum | - | 0.518 | 0.740 | - | - | no privacy",
            "raw reports, noised by the job: | | | | | | at delta 1e-5",
            "DP-FTRL, BLT, step 1 | learning rate 1 | 0.676 | 0.735 | 0.776 | 0.730 | 8",
            "DP-FTRL, tree, step 1 | learning rate 1 | 0.676 | 0.735 | 0.776 | 0.730 | 8");
    assertThat(text)
        .contains(
            "in 32 rounds, 28,128 people each sent a raw gradient to the job",
            "Operators of the job, of its checkpoints and of the raw-gradients topic can read",
            "learning rate was chosen in advance",
            "DP-FTRL, tree, step 1: epsilon 8 at delta 1e-5, with noise multiplier 2.94",
            "together spent epsilon 12.26 at delta 1e-5")
        .endsWith(
            "Epsilon spent by this comparison: 8 per learner, 56 per person; a real deployment runs"
                + " one learner.");
    String page = CurvePage.render(Comparisons.withRawReports());
    assertThat(page.indexOf("\"label\":\"LDP-SGD, step 1000\""))
        .as("colours of rows are those of curves")
        .isPositive()
        .isLessThan(page.indexOf("\"label\":\"DP-FTRL, BLT, step 1\""));
  }

  @Test
  void numericTargetsHaveExplainedVariance() {
    String text = new ResultTable(Comparisons.of(Simulation.linear(100, 1))).text();

    assertThat(text).contains("R² (last)", "R² (the share of the explained variance)");
  }
}
