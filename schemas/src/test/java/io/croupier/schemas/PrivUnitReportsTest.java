package io.croupier.schemas;

import static io.croupier.schemas.Texts.changed;
import static io.croupier.schemas.Texts.report;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrivUnitReportsTest {
  private static final String GOOD =
      "candidate { dimension: 2 seed: 7 index: 63 } priv_unit { epsilon: 1 candidates: 64 top: 24 }";

  @Test
  void aCandidateWithItsDeclarationIsWellFormed() {
    assertThat(GradientReports.violations(report(GOOD))).isEmpty();
    assertThat(
            GradientReports.violations(
                report(
                    "candidate { dimension: 1 seed: 0 index: 0 }"
                        + " priv_unit { epsilon: 16 candidates: 4096 top: 2048 }")))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "index: 63 | index: 64 | candidate.index must be from 0 to priv_unit.candidates - 1",
        "index: 63 | index: -1 | candidate.index must be from 0 to priv_unit.candidates - 1",
        "index: 63 | | candidate.index is missing",
        "seed: 7 | | candidate.seed is missing",
        "dimension: 2 | | candidate.dimension is 0: it must be at least 1",
        "dimension: 2 | dimension: -1 | candidate.dimension is -1",
        "epsilon: 1 | epsilon: 0 | priv_unit.epsilon is 0.0: it must be above 0 and at most 16",
        "epsilon: 1 | epsilon: 16.5 | priv_unit.epsilon is 16.5",
        "epsilon: 1 | epsilon: nan | priv_unit.epsilon is NaN",
        "epsilon: 1 | epsilon: -1 | priv_unit.epsilon is -1.0",
        "candidates: 64 | candidates: 65 | priv_unit.candidates is 65: it must be 64, 256",
        "candidates: 64 | candidates: 16384 | priv_unit.candidates is 16384",
        "candidates: 64 | | priv_unit.candidates is missing: it must be 64, 256",
        "top: 24 | top: 0 | priv_unit.top is 0: it must be from 1 to half the candidates",
        "top: 24 | top: 33 | priv_unit.top is 33",
      })
  void saysWhatIsWrong(String good, String bad, String reason) {
    assertThat(Violation.text(GradientReports.violations(report(changed(GOOD, good, bad)))))
        .contains(reason);
  }

  /** The claim is about this construction: no other vector, and no other declaration. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dense { values: 1 } priv_unit { epsilon: 1 candidates: 64 top: 24 }",
        "grid { values: 1 } priv_unit { epsilon: 1 candidates: 64 top: 24 }",
        "sparse { dimension: 1 } priv_unit { epsilon: 1 candidates: 64 top: 24 }",
        "candidate { dimension: 2 seed: 7 index: 3 } l2_laplace { epsilon: 1 }",
        "candidate { dimension: 2 seed: 7 index: 3 } undisclosed {}",
        "candidate { dimension: 2 seed: 7 index: 3 } central {}",
        "candidate { dimension: 2 seed: 7 index: 3 } coordinate_laplace { taus: [1, 1] }",
      })
  void candidateAndPrivUnitOccurTogetherOnly(String text) {
    assertThat(GradientReports.violations(report(text))).isNotEmpty();
  }

  @Test
  void bancoMayNameItAsTheStrongestNoise() {
    String spec =
        Texts.COMMON
            + "banco { strongest_noise { priv_unit { epsilon: 1 candidates: 64 top: %s } } }";
    Texts.assertValid(spec.formatted(24));
    Texts.assertViolation(
        Texts.spec(spec.formatted(33)), "banco.strongest_noise.priv_unit.top is 33");
  }

  /** Ten bytes and their declaration, in any dimension. */
  @Test
  void aReportIsSmall() {
    GradientReport report =
        report(
            "candidate { dimension: 10000 seed: 18446744073709551615 index: 255 }"
                + " priv_unit { epsilon: 1 candidates: 256 top: 90 }");
    assertThat(report.getCandidate().getSerializedSize()).isEqualTo(15);
    assertThat(report.getPrivUnit().getSerializedSize()).isEqualTo(14);
  }
}
