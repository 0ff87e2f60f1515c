package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.cli.NoiseMechanism;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoWindowTest {
  private static final ModelSpec SPEC =
      ModelSpec.newBuilder()
          .setModelId("m")
          .setDimension(8)
          .setGradientBound(0.25)
          .setBlackBox(BlackBox.getDefaultInstance())
          .build();

  /** With anonymous reports of epsilon 2. */
  static final ModelSpec CENSUS = window(300).in(SPEC);

  private static DemoWindow window(int people, String... learners) {
    return DemoWindow.of(
        new DemoParameters(NoiseMechanism.PRIV_UNIT, 2, 0, 0.25, 1, people, 1),
        ComparedLearner.parse(List.of(learners)));
  }

  private static DemoWindow window(int people) {
    return window(people, "combined:0.25");
  }

  /** 281 people report at a publication, to each model. */
  @Test
  void aPublicationHasTimeForItsPeople() {
    assertThat(window(28_155).in(SPEC).getRoundTimeoutMs()).isEqualTo(562);
    ModelSpec two = window(28_155, "combined:0.25", "black-box:0.25").in(SPEC);
    assertThat(two.getRoundTimeoutMs()).isEqualTo(1124);
    assertThat(two.getReportsPerRound()).isEqualTo(562);
  }

  @ParameterizedTest
  @CsvSource({"200, 8", "400, 8", "1000, 20", "5000, 100", "28155, 100"})
  void everyPublicationHasAReport(int people, int publications) {
    DemoWindow window = window(people);
    assertThat(window.publications()).isEqualTo(publications);
    double withoutReport = publications * Math.pow(1 - 1.0 / publications, people);
    assertThat(withoutReport).isLessThan(3e-11);
    assertThat(ModelSpecs.violations(window.in(SPEC))).isEmpty();
  }

  @Test
  void noWindowLeavesTheSpecAsItIs() {
    assertThat(DemoWindow.NONE.isOpen()).isFalse();
    assertThat(DemoWindow.NONE.in(SPEC)).isEqualTo(SPEC);
  }

  /** The census at epsilon 2, as 'account anonymity' computes it. */
  @Test
  void aWindowGuaranteesWhatTheAccountantComputes() {
    ModelSpec spec = window(28_155).in(SPEC);
    WindowGuarantee all = WindowGuarantee.of(spec, 28_155);
    assertThat(all.reports()).isEqualTo(28_155);
    assertThat(all.local()).isEqualTo(2);
    assertThat(all.delta()).isEqualTo(1e-6);
    assertThat(all.central()).isEqualTo(0.057508588191105436, within(1e-12));
    assertThat(WindowGuarantee.of(spec, 20_000).central()).isGreaterThan(all.central());
    assertThat(WindowGuarantee.of(spec, 1).central()).isLessThanOrEqualTo(2);
    assertThat(WindowGuarantee.of(spec, 0).central()).isEqualTo(2);
  }
}
