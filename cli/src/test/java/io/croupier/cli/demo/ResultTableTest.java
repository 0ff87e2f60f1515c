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
  void saysWhatItCostAndWhatWasTheSame() {
    String text = new ResultTable(Comparisons.ofTheUsualLearners()).text();

    assertThat(text)
        .endsWith(
            "This comparison spent 8 per learner, 56 per person;"
                + " a real deployment runs one learner.")
        .contains(
            "28,155 people, one report of each; gradients clipped at 0.25; l2_laplace noise,"
                + " epsilon = 8; one report a round",
            "(last) of the last iterate, on all 28,155 people's data");
  }

  @Test
  void whatIsUndisclosedIsCountedAndNeverANumber() {
    String text = new ResultTable(Comparisons.withUndisclosedReports()).text();

    assertThat(text.lines().filter(line -> line.endsWith(" 8 or undisclosed "))).hasSize(7);
    assertThat(text)
        .contains(
            "epsilon = 8, undisclosed by 5,631 of them; one report",
            "BANCO refused 5,631 undisclosed reports (DECLARATION).")
        .endsWith(
            "This comparison spent 8 or an undisclosed amount per learner,"
                + " 56 or an undisclosed amount per person;"
                + " a real deployment runs one learner. Undisclosed are 39,417 reports,"
                + " up to 7 of one person: only their senders know the cost.");
  }

  @Test
  void whatRawReportsTaughtStandsApartAndSaysWhoSeesThem() {
    String text = new ResultTable(Comparisons.withRawReports()).text();

    assertThat(text.lines().skip(10).limit(4).map(line -> line.replaceAll(" +", " ").trim()))
        .containsExactly(
            "non-private optimum | - | 0.518 | 0.740 | - | - | no privacy",
            "raw reports, noised by the job: | | | | | | at delta 1e-5",
            "DP-FTRL, BLT, step 1 | learning rate 1 | 0.676 | 0.735 | 0.776 | 0.730 | 8",
            "DP-FTRL, tree, step 1 | learning rate 1 | 0.676 | 0.735 | 0.776 | 0.730 | 8");
    assertThat(text)
        .contains(
            "in 32 rounds 28,128 people each sent their raw gradients to the job",
            "whoever runs the job, its checkpoints and the raw-gradients topic sees them",
            "learning rate was chosen in advance",
            "DP-FTRL, tree, step 1: epsilon 8 at delta 1e-5, by noise 2.94 times",
            "together spent epsilon 12.26 at delta 1e-5")
        .endsWith(
            "This comparison spent 8 per learner, 56 per person;"
                + " a real deployment runs one learner.");
    String page = CurvePage.render(Comparisons.withRawReports());
    assertThat(page.indexOf("\"label\":\"LDP-SGD, step 1000\""))
        .as("colours of rows are those of curves")
        .isPositive()
        .isLessThan(page.indexOf("\"label\":\"DP-FTRL, BLT, step 1\""));
  }

  @Test
  void aNumberIsJudgedByItsExplainedVariance() {
    String text = new ResultTable(Comparisons.of(Simulation.linear(100, 1))).text();

    assertThat(text).contains("R² (last)", "R² (the share of the variance that is explained)");
  }
}
