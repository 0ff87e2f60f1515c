package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class EntrantTest {

  private static final Terms TERMS = new Terms(4, 0, 0.25, 10, 100, 1);

  @Test
  void theUsualLearnersAreFourWithoutAndThreeWithAStepSize() {
    List<Entrant> usual = Entrant.parse(List.of(Entrant.USUAL.split(",")));

    assertThat(usual)
        .extracting(Entrant::modelId)
        .containsExactly(
            "adaptive-radius",
            "banco",
            "black-box",
            "coordinate-wise",
            "ldp-sgd-0.1",
            "ldp-sgd-10",
            "ldp-sgd-1000");
    assertThat(usual)
        .extracting(Entrant::byHand)
        .containsExactly(
            "nothing",
            "strongest noise",
            "nothing",
            "nothing",
            "step size 0.1",
            "step size 10",
            "step size 1000");
  }

  @Test
  void specsFollowTheTerms() {
    ModelSpec banco = spec("banco");
    assertThat(banco.getDimension()).isEqualTo(8);
    assertThat(banco.getGradientBound()).isEqualTo(0.25);
    assertThat(banco.getReportsPerRound()).isEqualTo(10);
    assertThat(banco.getAveraging().getPolynomial().getDegree()).isEqualTo(3);
    assertThat(banco.getBanco().getStrongestNoise().getL2Laplace().getEpsilon()).isEqualTo(4);

    assertThat(spec("adaptive-radius").hasAveraging()).isFalse();
    assertThat(spec("adaptive-radius").hasAdaptiveRadius()).isTrue();
    assertThat(spec("black-box").hasBlackBox()).isTrue();
    assertThat(spec("coordinate-wise").hasCoordinateWise()).isTrue();
    assertThat(spec("coordinate-wise").getGradientBound()).isEqualTo(0.25);
    assertThat(spec("coordinate-wise").getAveraging().getPolynomial().getDegree()).isEqualTo(3);
    assertThat(spec("ldp-sgd:0.5").getLdpSgd().getStepSize()).isEqualTo(0.5);
    assertThat(spec("ldp-sgd:0.5").getLdpSgd().getDecay()).isEqualTo(0.5);
  }

  @Test
  void whatIsNoLearnerIsNamed() {
    assertRefused(List.of("sgd"), "'sgd' is not one of adaptive-radius, banco");
    assertRefused(List.of("ldp-sgd"), "'ldp-sgd' is not one of");
    assertRefused(List.of("ldp-sgd:fast"), "'fast' is not a number");
    assertRefused(List.of("ldp-sgd:-1"), "positive and finite");
    assertRefused(List.of("ldp-sgd:NaN"), "positive and finite");
    assertRefused(List.of("banco", "banco"), "'banco' is named twice");
    assertRefused(List.of(), "at least one");
  }

  private static ModelSpec spec(String name) {
    return Entrant.parse(List.of(name)).get(0).spec(8, TERMS);
  }

  private static void assertRefused(List<String> names, String part) {
    assertThatThrownBy(() -> Entrant.parse(names))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("--learners")
        .hasMessageContaining(part);
  }
}
