package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import io.croupier.cli.NoiseMechanism;
import io.croupier.operators.ledger.CentralGuarantee;
import io.croupier.operators.report.DirectionalNoise;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.view.GradientReportView;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ComparedLearnerTest {
  private static final AdaptiveClip CLIP =
      AdaptiveClip.newBuilder().setSize(AdaptiveClip.Size.FEATURES).setSlopeRule(true).build();

  private static final DemoParameters TERMS =
      new DemoParameters(NoiseMechanism.L2_LAPLACE, 4, 0, 0.25, 10, 100, 1);

  @Test
  void theFirstTwoHaveNothingChosenByHand() {
    List<ComparedLearner> usual = ComparedLearner.parse(List.of(ComparedLearner.ALL.split(",")));

    assertThat(usual)
        .extracting(ComparedLearner::modelId)
        .containsExactly(
            "combined",
            "black-box",
            "black-box-1",
            "black-box-0.25",
            "black-box-0.1",
            "banco",
            "coordinate-wise",
            "ldp-sgd-0.1",
            "ldp-sgd-10",
            "dp-ftrl-tree-100",
            "dp-ftrl-blt-100");
    assertThat(usual)
        .extracting(learner -> learner.byHand(TERMS))
        .containsExactly(
            "nothing",
            "nothing",
            "clip 1",
            "clip 0.25",
            "clip 0.1",
            "clip 0.25, noise level",
            "clip 0.25",
            "clip 0.25, step 0.1",
            "clip 0.25, step 10",
            "clip 0.25, step 100",
            "clip 0.25, step 100");
    assertThat(usual.get(3).label()).isEqualTo("black box, clip 0.25");
  }

  @ParameterizedTest
  @EnumSource(NoiseMechanism.class)
  void bancoAcceptsTheNoiseOfAll(NoiseMechanism mechanism) {
    DemoParameters parameters = new DemoParameters(mechanism, 2, 0, 0.25, 1, 28_155, 1);
    ModelSpec spec = ComparedLearner.parse(List.of("banco")).get(0).spec(8, CLIP, parameters);
    GradientReportView.Builder view =
        GradientReportView.newBuilder()
            .setModelId("banco")
            .setRound(0)
            .setUserId("u")
            .setSequence(1);
    parameters.randomiser(spec).release(new double[8], view);
    Received decoded =
        new ReportDecoder()
            .decode(
                "u".getBytes(StandardCharsets.UTF_8),
                view.build().toByteArray(),
                false,
                Source.unknown(0));
    Report report = (Report) decoded;
    assertThat(report.mechanism().name()).isEqualToIgnoringCase(mechanism.name());
    assertThat(DirectionalNoise.of(spec).accepts(report.mechanism())).isTrue();
  }

  @Test
  void specsFollowTheTerms() {
    ModelSpec banco = spec("banco");
    assertThat(banco.getDimension()).isEqualTo(8);
    assertThat(banco.getGradientBound()).isEqualTo(0.25);
    assertThat(banco.getReportsPerRound()).isEqualTo(10);
    assertThat(banco.hasAveraging()).isFalse();
    assertThat(banco.getBanco().getStrongestNoise().getL2Laplace().getEpsilon()).isEqualTo(4);

    assertThat(spec("black-box").hasBlackBox()).isTrue();
    assertThat(spec("black-box").hasGradientBound()).isFalse();
    assertThat(spec("black-box").getAdaptiveClip()).isEqualTo(CLIP);
    assertThat(spec("black-box:3").hasBlackBox()).isTrue();
    assertThat(spec("black-box:3").hasAdaptiveClip()).isFalse();
    assertThat(spec("black-box:3").getGradientBound()).isEqualTo(3);
    assertThat(spec("combined").hasCombined()).isTrue();
    assertThat(spec("combined").hasAdaptiveClip()).isTrue();
    assertThat(spec("combined:3").getGradientBound()).isEqualTo(3);
    assertThat(spec("coordinate-wise").hasCoordinateWise()).isTrue();
    assertThat(spec("coordinate-wise").getGradientBound()).isEqualTo(0.25);
    assertThat(spec("ldp-sgd:0.5").getLdpSgd().getStepSize()).isEqualTo(0.5);
    assertThat(spec("ldp-sgd:0.5").getLdpSgd().getDecay()).isEqualTo(0.5);
  }

  @Test
  void allAveragesHaveTheSameDegree() {
    for (String name : ComparedLearner.ALL.split(",", -1)) {
      assertThat(ModelSpecs.violations(spec(name))).as(name).isEmpty();
      assertThat(ModelSpecs.averagingDegree(spec(name))).as(name).isEqualTo(3);
    }
  }

  @Test
  void rawReportsGetAtLeastTheNoiseOfTheirEpsilon() {
    for (int people : new int[] {1, 40, 300, 20_000, 28_155, 1_000_000}) {
      DemoParameters parameters =
          new DemoParameters(NoiseMechanism.L2_LAPLACE, 4, 0, 0.25, 10, people, 1);
      for (String name : List.of("dp-ftrl-tree:1", "dp-ftrl-blt:1")) {
        ComparedLearner comparedLearner = ComparedLearner.parse(List.of(name)).get(0);
        ModelSpec spec = comparedLearner.spec(8, CLIP, parameters);
        assertThat(ModelSpecs.violations(spec)).isEmpty();
        assertThat(spec.getLimits().getMaxParticipations()).isEqualTo(1);
        assertThat(comparedLearner.reports(parameters)).isBetween(people - 32, people);
        GuaranteeEvent all = CentralGuarantee.of(spec).event(parameters.rounds().count());
        assertThat(all.getReplaceOne().getEpsilon())
            .as("%s of %d people", name, people)
            .isBetween(3.999, 4.0);
        assertThat(all.getDelta()).isLessThanOrEqualTo(Math.pow(people, -1.1));
      }
    }
  }

  @Test
  void unknownLearnersAreReported() {
    assertRefused(List.of("sgd"), "'sgd' is not one of combined, combined:CLIP, black-box");
    for (String former : List.of("adaptive-radius", "adaptive-radius:1")) {
      assertRefused(List.of(former), "dp-ftrl-blt:STEP: black-box replaces it");
    }
    assertRefused(List.of("ldp-sgd"), "'ldp-sgd' is not one of");
    assertRefused(List.of("ldp-sgd:fast"), "'fast' is not a number");
    assertRefused(List.of("ldp-sgd:-1"), "positive and finite");
    assertRefused(List.of("ldp-sgd:NaN"), "'NaN' is not a number");
    assertRefused(List.of("dp-ftrl-blt:0"), "the step must be positive and finite");
    assertRefused(List.of("black-box:0"), "the clip must be positive and finite");
    assertRefused(List.of("banco:1"), "'banco:1' is not one of");
    assertRefused(List.of("banco", "banco"), "'banco' occurs twice");
    assertRefused(List.of(), "at least one");
  }

  private static ModelSpec spec(String name) {
    return ComparedLearner.parse(List.of(name)).get(0).spec(8, CLIP, TERMS);
  }

  private static void assertRefused(List<String> names, String part) {
    assertThatThrownBy(() -> ComparedLearner.parse(names))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("--learners")
        .hasMessageContaining(part);
  }
}
