package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.NoiseMechanism;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlainLinesTest {

  @Test
  void printsTheProgressOfEveryModel() {
    PlainLines lines =
        new PlainLines(
            ComparedLearner.parse(List.of("banco", "ldp-sgd:3", "dp-ftrl-tree:1")),
            new DemoParameters(NoiseMechanism.L2_LAPLACE, 8, 0, 0.25, 1, 28_155, 1),
            "accuracy",
            System.out);

    String text =
        lines.lines(
            List.of(
                new ModelStatus(12_000, 0, 1, 2, 60, 123, new CurvePoint(12_000, 0.56123, 0.7104)),
                new ModelStatus(12_050, 0, 0, 0, 0, 7, null),
                new ModelStatus(12_033, 0, 0, 0, 0, 7, null)),
            2250.4);

    assertThat(text.lines())
        .containsExactly(
            "12,050 of 28,155 people have reported; 2,250 reports/s",
            "  BANCO                  71.0 % right, loss 0.561, publication 123",
            "  LDP-SGD, step 3        waiting",
            "  DP-FTRL, tree, step 1  waiting");
  }
}
