package io.croupier.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers to questions, and to the size of a clip that the job finds, instead of gradients. */
class AnsweringRunsTest extends ReportCommandRuns {
  /** No question is asked with probability 1e-7 for each ledger; the bit is clear. */
  @Test
  void rowsAnswerTheQuestionInsteadOfAGradient() throws IOException {
    // The average predicts 1 for both rows.
    write("rows.csv", "a,b,y\n1,1,1\n1,0,0\n");
    String data = "--label y --loss logistic --data " + path("rows.csv");

    Run run =
        run("", "--model asks --each-row " + FORGET + CLEAR + data)
            .succeeded("2 printed, 2 of them answers to questions. In the ledger: 2 reports");
    assertThat(run.reports())
        .extracting(
            report -> report.getAnswer().getQuestion(), report -> report.getAnswer().getBit())
        .containsExactly(tuple("right", true), tuple("right", false));
    assertThat(run.reports())
        .allMatch(report -> report.getRandomisedResponse().getEpsilon() == 1e12);
    Run gaussian = run("", "--model asks --mechanism gaussian --mu 2 " + FORGET + data);
    assertThat(gaussian.reports().get(0).getRandomisedResponse().getMu()).isEqualTo(2);
  }

  /** Another group than that of the category is released with probability 2.3e-7. */
  @Test
  void aCategoryIsReportedInsteadOfAGradient() throws IOException {
    String clear = "--model counts --mechanism l2-laplace --epsilon 16 " + FORGET;
    Run south =
        run("[0.5, 0]\n", clear + "--category region=south ")
            .succeeded(
                "1 printed, 1 of them answers to questions. In the ledger: 1 report, epsilon 16");
    assertThat(south.reports())
        .extracting(report -> report.getVote().getIndex())
        .containsExactly(1);
    assertThat(south.reports().get(0).getHashedResponse().getGroups()).isEqualTo(3);
    Run unknown =
        run("[0.5, 0]\n", clear + "--category region=moon ")
            .succeeded(
                "Warning: the value of --category region is none of its categories, and counts as"
                    + " 'other', the last");
    assertThat(unknown.err()).doesNotContain("moon");
    assertThat(south.err()).doesNotContain("Warning");
    assertThat(unknown.reports())
        .extracting(report -> report.getVote().getIndex())
        .containsExactly(2);
    run("[0.5, 0]\n", clear).succeeded("0 printed, 1 not chosen. In the ledger: 0 reports");
  }

  /**
   * It needs neither data nor standard input. Another group is released with probability 2.3e-7.
   */
  @Test
  void aModelWithoutALearnerTakesACategory() throws IOException {
    String options = "--model alone --epsilon 16 " + FORGET;
    Run south =
        run("no gradient", options + "--category region=south ")
            .succeeded("1 printed, 1 of them answers", "1 report, epsilon 16");
    assertThat(south.reports())
        .singleElement()
        .matches(report -> report.getVote().getIndex() == 1)
        .matches(report -> report.getHashedResponse().getEpsilon() == 16);
    Run without =
        run("[0.5, 0]\n", options)
            .failed("--category NAME=VALUE is missing: it must be given, since model 'alone' has");
    run("", options + "--category region=south --label y --loss logistic --data rows.csv")
        .failed("--data, --label and --loss must be left out, since model");
    assertThat(without.reports()).isEmpty();
  }

  /** A report of a name that the model lacks would never be asked for. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          counts | region=south --category regoin=south | --category regoin: model 'counts' has no such statistic; it has: region
          alone | day=monday | --category day: model 'alone' has no such statistic; it has: region
          taps | day=monday | --category day: model 'taps' has no such statistic; it has: none
          alone | =south | --category lacks a name; it must be NAME=VALUE
          alone | south | --category lacks a name; it must be NAME=VALUE
          alone | region=south --category region=north | --category region is given twice; a person has one
          """)
  void aCategoryIsOneOfAStatisticOfTheModel(String model, String category, String message)
      throws IOException {
    Run run =
        run("[0, 0]", "--model " + model + " --epsilon 1 --category " + category + " " + FORGET)
            .failed(message);
    assertThat(run.reports()).isEmpty();
  }

  @Test
  void aTextBeyondTheAlphabetCountsAsAnEmptyOneWithAWarning() {
    write(
        "texts.yaml",
        "- {modelId: m, statistics: [{name: words, prefixes: {alphabet: a-z, length: 3, top: 2}}]}");
    String options = FORGET + "--epsilon 1 --model m --models " + path("texts.yaml");
    for (String text : List.of("four", "A")) {
      run("", options + " --category words=" + text)
          .succeeded(
              "Warning: the value of --category words is too long or has letters beyond its"
                  + " alphabet, and counts as an empty text");
    }
    assertThat(run("", options + " --category words=abc").err()).doesNotContain("Warning");
  }

  /** The other bit is released with probability 1.1e-7. */
  @Test
  void aTextThatIsNoNumberCountsAsTheLowerEndWithAWarning() throws IOException {
    String options = "--model minutes --epsilon 16 --category minutes=%s " + FORGET;
    Run number = run("", options.formatted("8.5"));
    assertThat(number.reports()).singleElement().matches(report -> report.getAnswer().getBit());
    assertThat(number.err()).doesNotContain("Warning");
    for (String text : List.of("abc-77341", "8,5", "NaN")) {
      Run run =
          run("", options.formatted(text))
              .succeeded(
                  "Warning: the value of --category minutes is no number, and counts as 7.0, the"
                      + " lower");
      assertThat(run.reports()).singleElement().matches(report -> !report.getAnswer().getBit());
      assertThat(run.err()).doesNotContain(text + " ");
    }
  }

  /** A vote for each line would let one person count as many. */
  @Test
  void aPersonVotesOnceInARound() throws IOException {
    Run run =
        run(
                "[0.5, 0]\n[0.25, 0]\n{\"gradient\": [0, 0], \"round\": 1}\n[0, 0.5]\n",
                "--model counts --mechanism l2-laplace --epsilon 16 --category region=south "
                    + FORGET)
            .succeeded("2 printed, 2 of them answers to questions, 2 not chosen. In the ledger: 2");
    assertThat(run.reports()).extracting(GradientReport::getRound).containsExactly(0L, 1L);
    assertThat(run.reports()).allMatch(GradientReport::hasVote);
  }

  @Test
  void aRowHasNoCategory() throws IOException {
    write("rows.csv", "a,b,y\n1,1,1\n1,0,0\n");
    String data = "--model counts --label y --loss logistic --data " + path("rows.csv") + " ";
    String south = "--mechanism l2-laplace --epsilon 16 --category region=south " + FORGET;
    assertThat(
            run("", data + "--each-row " + south)
                .failed("--category is not for --each-row")
                .reports())
        .isEmpty();
    assertThat(run("", data + south).reports()).singleElement().matches(GradientReport::hasVote);
  }

  @Test
  void aLineIsNotChosenWhereAQuestionIsAsked() throws IOException {
    run("[0.5, 0]\n", "--model asks " + FORGET + CLEAR).succeeded("0 printed, 1 not chosen");
  }

  /** The bit of an answer could only follow a declared level. */
  @Test
  void anUndisclosedReportAnswersNoQuestion() throws IOException {
    write("rows.csv", "a,b,y\n1,1,1\n1,0,0\n");
    String data = "--each-row --label y --loss logistic --data " + path("rows.csv") + " ";
    assertThat(
            run("", "--model asks --undisclosed " + data + FORGET + CLEAR)
                .succeeded("0 printed, 2 not chosen. In the ledger: 0 reports")
                .reports())
        .isEmpty();
  }

  @Test
  void aQuestionThatTheDataCannotAnswerIsNotAnswered() throws IOException {
    write("rows.csv", "a,b,y\n1,1,2.75\n");
    String data = "--label y --loss squared --data " + path("rows.csv") + " ";
    run("", "--model asks " + data + FORGET + CLEAR)
        .succeeded("0 printed, 1 not chosen. In the ledger: 0 reports");
  }

  /** The first round of such a model asks for sizes alone; the bits are clear. */
  @Test
  void rowsAnswerForTheirSizes() throws IOException {
    // Sizes 1 * ||x||: 5, 2 and 3.
    write("rows.csv", "a,b,y\n3,4,1\n2,0,0\n0,3,1\n");
    String data = "--model finds --label y --loss logistic --data " + path("rows.csv") + " ";

    Run each =
        run("", FORGET + CLEAR + data + "--each-row")
            .succeeded("3 printed, 3 of them answers to questions. In the ledger: 3 reports");
    Run mean = run("", FORGET + CLEAR + data);

    assertThat(each.reports())
        .extracting(
            report -> report.getAnswer().getQuestion(), report -> report.getAnswer().getBit())
        .containsExactly(tuple("clip", true), tuple("clip", false), tuple("clip", false));
    assertThat(mean.reports()).hasSize(1);
    assertThat(mean.reports().get(0).getAnswer().getBit()).as("10 / 3 > 3").isTrue();
    assertThat(mean.reports()).noneMatch(GradientReport::hasGradientBound);
  }

  @Test
  void linesAnswerForTheirSizes() throws IOException {
    String lines =
        """
        {"gradient": [9, 9], "size": 2.9}
        {"gradient": [0, 0], "size": 3.1}
        {"gradient": [0, 0], "size": NaN}
        {"gradient": [0, 0], "size": -1}
        """;
    Run run = run(lines, "--model finds " + FORGET + CLEAR).succeeded();
    assertThat(run.reports())
        .extracting(report -> report.getAnswer().getBit())
        .containsExactly(false, true, true, true);
    String gradients =
        """
        [0.6, 0.79]
        [0.6, 0.81]
        {"gradient": [1, 1], "size": 0.1}
        """;
    Run norms = run(gradients, "--model norms " + FORGET + CLEAR);
    assertThat(norms.reports())
        .extracting(report -> report.getAnswer().getBit())
        .containsExactly(false, true, false);
  }

  @Test
  void aLineWithoutTheRequiredSizeIsAnError() throws IOException {
    for (String line : List.of("[0.111, 0]", "{\"gradient\": [0.111, 0], \"round\": 0}")) {
      Run run =
          run(line, "--model finds " + FORGET + CLEAR)
              .failed("line 1: 'size' is missing; the clip of model 'finds' bounds FEATURES");
      assertThat(run.reports()).isEmpty();
      assertThat(run.err()).doesNotContain("0.111");
    }
    String late = "{\"gradient\": [0, 0], \"size\": 1, \"round\": 4}";
    run(late, "--model finds " + FORGET + CLEAR)
        .failed("'round' is 4; without Kafka it must be 0 for a model with adaptiveClip");
    assertThat(run("{\"gradient\": [0.5, 0], \"size\": 9}", FORGET + CLEAR).reports())
        .singleElement()
        .satisfies(
            report -> assertThat(report.getGrid().getValuesList()).containsExactly(1 << 15, 0));
  }

  @Test
  void undisclosedReportsAnswerForNoSize() {
    run("[1, 0]\n", "--model norms --undisclosed " + FORGET + CLEAR)
        .succeeded("0 printed, 1 not chosen. In the ledger: 0 reports");
  }

  @Test
  void theLabelAndTheLossAreThoseThatTheModelPredicts() throws Exception {
    write("rows.csv", "fit,walked,y\nno,10,1\n");
    String data = "--model fit --data " + path("rows.csv") + " " + FORGET + CLEAR;
    for (String options : List.of("", "--label fit ")) {
      Run run = run("", options + data).succeeded();
      assertThat(run.reports())
          .singleElement()
          .satisfies(
              report ->
                  assertThat(report.getGrid().getValuesList()).containsExactly(1 << 15, 1 << 15));
    }
    run("", "--label y " + data)
        .failed(
            "--label is y, but model 'fit' predicts fit, true or false, by the hinge loss; leave the"
                + " option out");
    run("", "--loss squared " + data).failed("--loss is squared, but model 'fit' predicts");
    run("", data.replace("--model fit", "--model taps --label y"))
        .failed("--loss is missing; it must be given for a model without predicts");
  }

  @Test
  void lossesAndClipsThatDontFitAMovingClipAreRefused() {
    write("rows.csv", "a,b,y\n1,1,1\n");
    String data = " --label y --data " + path("rows.csv") + " " + FORGET + NOISE;
    run("", "--model finds --loss squared" + data)
        .failed("--loss squared: the model's clip bounds the size FEATURES");
    run("", "--model norms --loss huber-mallows" + data)
        .failed("--loss huber-mallows: the model's clip moves");
    for (String model :
        List.of("--model finds --loss huber-mallows", "--model norms --loss squared")) {
      Run run = run("", model + data).succeeded();
      assertThat(
              run.err()
                  .contains("Warning: the slope of --loss huber-mallows is up to 1.345, above"))
          .isEqualTo(model.contains("huber"));
    }
    String noise = "--mechanism coordinate-laplace --epsilon 1 --clip COORDINATES ";
    run("[1, 0]", "--model norms " + noise + FORGET)
        .failed("takes --clip L2 for a model whose clip moves");
  }
}
