package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.cli.NoiseMechanism;
import io.croupier.schemas.ModelSpec;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DemoParametersTest {

  @Test
  void aShareOfThePeopleDoesNotDeclareNoise() {
    assertThat(undisclosed(0, 28_155)).isZero();
    assertThat(undisclosed(0.2, 28_155)).isEqualTo(5_631);
    assertThat(undisclosed(0.29, 100)).isEqualTo(29);
    assertThat(undisclosed(1, 28_155)).isEqualTo(28_155);
    assertThat(terms(0.2, 28_155).undisclosedPeople()).isEqualTo(5_631);
  }

  @Test
  void undisclosedPeopleAreSpreadOverTheOrder() {
    DemoParameters parameters = terms(0.2, 1000);

    for (int from = 0; from < 1000; from += 5) {
      assertThat(IntStream.range(from, from + 5).filter(parameters::isUndisclosed).count()).isOne();
    }
  }

  @Test
  void deltaIsAPowerOfTenBelowOneInAsManyPeople() {
    assertThat(terms(0, 300).deltaInWords()).isEqualTo("1e-5");
    assertThat(terms(0, 28_155).delta()).isEqualTo(1e-5);
    assertThat(terms(0, 1_000_000).delta()).isEqualTo(1e-7);
  }

  @Test
  void everyRoundHasAGroupOfItsOwn() {
    Rounds census = terms(0, 28_155).rounds();

    assertThat(census).isEqualTo(new Rounds(32, 879));
    assertThat(census.reports()).isEqualTo(28_128);
    assertThat(census.ofPlace(878)).isZero();
    assertThat(census.ofPlace(879)).isOne();
    assertThat(terms(0, 300).rounds()).isEqualTo(new Rounds(8, 37));
    assertThat(terms(0, 31).rounds()).isEqualTo(new Rounds(1, 31));
  }

  /** The grid of clip 0.25 has 2^16 steps; those of a moving clip have up to 2^17. */
  @Test
  void noiseMustFitTheGridOfItsModelOnly() {
    DemoParameters parameters =
        new DemoParameters(NoiseMechanism.L2_LAPLACE, 0.022, 0, 0.25, 1, 1000, 1);
    ModelSpec.Builder fixed = ModelSpec.newBuilder().setDimension(1000).setGradientBound(0.25);
    ModelSpec.Builder moving = ModelSpec.newBuilder().setDimension(1000);
    moving.getAdaptiveClipBuilder();

    assertThat(parameters.randomiser(fixed).gradientBound()).isEqualTo(0.25);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parameters.randomiser(moving))
        .withMessageContaining("on the grid of a moving clip");
  }

  private static long undisclosed(double share, int people) {
    return IntStream.range(0, people).filter(terms(share, people)::isUndisclosed).count();
  }

  private static DemoParameters terms(double share, int people) {
    return new DemoParameters(NoiseMechanism.L2_LAPLACE, 8, share, 0.25, 1, people, 1);
  }
}
