package io.croupier.cli.demo;

import io.croupier.cli.CommandRun;
import org.junit.jupiter.api.Test;

/** Invalid options are reported before anything is started. */
class DemoCommandTest {

  @Test
  void invalidInputIsReported() {
    assertRefused("--epsilon is 0.0; it must be positive", "--epsilon 0");
    assertRefused("--epsilon is NaN", "--epsilon NaN");
    assertRefused("--undisclosed is 1.5; it must be from 0 to 1", "--undisclosed 1.5");
    assertRefused("--undisclosed is -0.1", "--undisclosed -0.1");
    assertRefused("--undisclosed is NaN", "--undisclosed NaN");
    assertRefused("--clip is -1.0", "--clip -1");
    assertRefused("--duration is 0.0", "--duration 0");
    assertRefused("--round-size is 0; it must be at least 1", "--round-size 0");
    assertRefused("--users is 28156; it must be from 1 to 28,155", "--users 28156");
    assertRefused("--users is 0", "--data linear --users 0");
    assertRefused("requires --label COLUMN", "--data people.csv");
    assertRefused("--label applies only to a CSV file", "--label wage");
    assertRefused("--features applies only to a CSV file", "--features models.yaml");
    assertRefused(
        "--features ../examples/models.yaml: it must have one model with features, and has 0",
        "--data people.csv --label bought --features ../examples/models.yaml");
    assertRefused("'sgd' is not one of", "--learners sgd");
    assertRefused("demo drift requires at least 100 people", "drift --users 99");
    assertRefused(
        "demo drift: the learner 'combined' is not for a drift", "drift --learners combined");
    assertRefused("demo statistics is not for gaussian", "statistics --mechanism gaussian");
    assertRefused("demo anonymous requires at least 200 people, got 199", "anonymous --users 199");
    assertRefused(
        "demo anonymous: the learner 'black box' takes no anonymous reports",
        "anonymous --learners black-box");
    assertRefused("demo anonymous is not for l2-laplace", "anonymous --mechanism l2-laplace");
    assertRefused("demo anonymous is not for --record", "anonymous --record nowhere");
    assertRefused("demo anonymous is not for --record", "--duration 9 anonymous");
    assertRefused("no such directory", "--page nowhere/page.html");
    assertRefused("can't be written", "--page .");
    assertRefused(
        "--data and --page are the same file, ../README.md, which would be overwritten",
        "--data ../README.md --label bought --page ../README.md");
    assertRefused("--epsilon is 17.0; it must be at most 16.0 for priv-unit", "--epsilon 17");
    assertRefused(
        "--epsilon: epsilon 1.0E-6 requires noise",
        "--epsilon 1e-6 --mechanism l2-laplace --learners black-box");
    assertRefused("--epsilon: clipNorm 0.25 times noiseMultiplier", "--all --epsilon 1e-6");
    assertRefused("--all is for the usual comparison", "--all drift");
    assertRefused(
        "--record: raw reports are never recorded", "--learners dp-ftrl-tree:1 --record nowhere");
    assertRefused("--record: src is not empty", "--record src");
  }

  private static void assertRefused(String message, String arguments) {
    CommandRun.of(new DemoCommand(), arguments).assertRefused(message);
  }
}
