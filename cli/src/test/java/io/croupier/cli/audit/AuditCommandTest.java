package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.CommandRun;
import io.croupier.cli.audit.Experiment.Draws;
import io.croupier.client.randomiser.GaussianRandomiser;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The command is not seeded. Three audits refute a correct mechanism with a probability of at most
 * 1e-10 each. The patterns for measured variances and for the share of odd steps hold within at
 * least 9 standard deviations of 200,000 releases, so a run of this class fails by chance with a
 * probability below 1e-9. The tests assert no particular power of an audit.
 */
class AuditCommandTest {

  private static CommandRun run(String arguments) {
    return CommandRun.of(new AuditCommand(), arguments);
  }

  private static AbstractStringAssert<?> assertAudited(String arguments) {
    return assertThat(run(arguments).succeeded().out());
  }

  /** Of 100,000 releases the bound is 0.9 and more, but for a probability below 1e-9. */
  @Tag("thorough")
  @Test
  void privUnitShowsNearlyAllOfItsEpsilon() {
    assertAudited(
            "--mechanism priv-unit --epsilon 1 --samples 100000 --confidence 0.9999999999"
                + " --dimension 2")
        .containsPattern("epsilon +\\| +at most 1\\.000 \\| +at least 0\\.9\\d+ +\\| not refuted")
        .containsPattern("mean along the gradient +\\| +1\\.000 \\| +[01]\\.\\d+ \\+- 0\\.\\d+")
        .contains("candidates closest to g; of 100,000 releases each")
        .contains("Not refuted: priv-unit, epsilon 1.000, d 2. This is not a proof.");
  }

  @Test
  void auditsTheBitOfAnAnswer() {
    assertAudited("--answer --mu 1 --samples 100000")
        .containsPattern("mu +\\| +at most 1\\.000 \\| +at least 0\\.9\\d+ +\\| not refuted")
        .containsPattern(
            "probability of the true bit +\\| +0\\.6915 \\| +0\\.\\d+ \\| not refuted");
  }

  @Tag("ci")
  @Test
  void auditsTheVoteForACategory() {
    assertAudited("--categories 32 --epsilon 2 --samples 100000")
        .containsPattern("epsilon +\\| +at most 2\\.000 \\| +at least 1\\.\\d+ +\\| not refuted")
        .containsPattern(
            "probability of the own group +\\| +0\\.5135 \\| +0\\.\\d+ \\| not refuted")
        .contains("Not refuted: vote, epsilon 2.000, 32 categories in 8 groups.");
  }

  @Tag("ci")
  @Test
  void printsClaimsAndMeasurements() {
    assertAudited(
            "--mechanism l2-laplace --epsilon 2 --dimension 3 --gradient-bound 0.5 --samples 100000"
                + " --confidence 0.9999999999")
        .containsPattern("epsilon +\\| +at most 2\\.000 \\| +at least [\\d.]+ +\\| not refuted")
        .containsPattern("variance along an axis +\\| +1\\.000 \\| +[01]\\.\\d+ \\+- 0\\.\\d+ \\|")
        .containsPattern("epsilon, at 95 % +\\| +\\| +at least [\\d.]+ +\\| refutes nothing")
        .containsPattern(
            "odd multiples of the grid step +\\| +half \\| +0\\.(49|50)\\d\\d \\+- 0\\.00")
        .containsPattern(
            "Event: .+\\. Occurrences in 50,000 releases each: [0-9,]+ for [gh],"
                + " [0-9,]+ for [gh]\\.")
        .contains("Not refuted: l2-laplace, epsilon 2.000, d 3. This is not a proof.");

    assertAudited(
            "--mechanism coordinate-laplace --taus 1.5,Infinity,0.5 --clip coordinates --samples"
                + " 100000 --confidence 0.9999999999")
        .containsPattern("epsilon +\\| +at most 2\\.000 \\| +at least [\\d.]+ +\\| not refuted")
        // 2 (2 G / tau)^2 for the least tau.
        .containsPattern("variance along an axis +\\| +32\\.00 \\| +3\\d\\.\\d+ \\+- \\d+")
        .contains(
            "Not refuted: coordinate-laplace, clip COORDINATES, epsilon 2.000, d 3. This is not",
            "Not refuted: coordinate 2 of coordinate-laplace, clip COORDINATES, epsilon 0.5000, d"
                + " 3.");

    assertAudited(
            "--mechanism coordinate-laplace --taus 1.5,2 --samples 100000 --confidence"
                + " 0.9999999999")
        .containsPattern(
            "epsilon +\\| +at most 2\\.500 \\| +at least [12]\\.\\d{3} +\\| not refuted")
        .contains(
            "Not refuted: coordinate-laplace, clip L2, epsilon 2.500, d 2. This is not a proof.")
        .doesNotContain("coordinate 0 of");

    assertAudited(
            "--mechanism gaussian --mu 1 --samples 100001 --threads 3 --grid-exponent -4"
                + " --confidence 0.9999999999")
        .containsPattern("mu +\\| +at most 1\\.000 \\| +at least [\\d.]+ ");
  }

  @Test
  void refutationsArePrintedAndSetTheExitCode() throws Exception {
    Claim claim = Claim.of(new GaussianRandomiser(1, 1, -16, 1));
    Audit audit = new Audit("gaussian", claim, 20_000);
    Finding finding =
        audit.run(Draws.read(20_000, 1e-6), () -> audit.releases(Mutant.gaussian(claim, 1, 3)));
    StringWriter out = new StringWriter();

    int code = AuditCommand.print(List.of(finding), new PrintWriter(out));

    assertThat(code).isEqualTo(1);
    assertThat(out.toString())
        .containsPattern("mu +\\| +at most 1\\.000 \\| +at least 1\\.\\d+ +\\| REFUTED")
        .containsPattern("REFUTED: gaussian, mu 1\\.000, d 1: its mu is at least 1\\.\\d+; its var")
        .contains("A true claim is refuted with a probability of at most 1.000e-06.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          L2 --samples 99999 | --samples is 99999; it must be from 100000 to
          L2 --confidence 1 | --confidence is 1.0; it must be from 0.5 to
          L2 --confidence NaN | --confidence is NaN
          L2 --threads 0 | --threads is 0; it must be at least 1
          L2 --dimension 0 | dimension is 0; it must be at least 1
          L2 --gradient-bound -1 | gradientBound is -1.0; it must be
          L2 --grid-exponent 1 | --grid-exponent is 1; a step of 2^1 exceeds G
          L2 --grid-exponent -30 | gridExponent -24 would do
          --mechanism gaussian --epsilon 1 | --mechanism gaussian requires --mu
          --mechanism gaussian --taus 1 | --mechanism gaussian requires --mu
          --mechanism coordinate-laplace --taus 1,1 --dimension 3 | --dimension is 3; it must be the number of --taus, 2
          --mechanism coordinate-laplace --taus Infinity | --taus are all Infinity; at least one must be finite
          --mechanism coordinate-laplace --taus 1,Infinity | taus[1] is Infinity; it must be finite with the clip L2
          --mechanism gaussian --mu 1 --clip L2 | --clip applies only to coordinate-laplace; --mechanism gaussian clips to L2 norm
          --mechanism coordinate-laplace --taus 1,-1 | coordinate_laplace.taus[1] is -1.0: it must be above 0
          --mechanism priv-unit --epsilon 1 --grid-exponent -3 | priv-unit has none
          --mechanism priv-unit --epsilon 17 | epsilon is 17.0
          --answer --epsilon 1 --dimension 2 | it releases one bit
          --answer --taus 1 | one bit
          --answer --epsilon -1 | epsilon is -1.0
          --epsilon 1 | one of --mechanism, --answer and --categories
          --categories 4 --mu 1 | it releases one group
          --categories 1 --epsilon 1 | categories is 1; it must be from 2 to 4096
          """)
  void invalidInputIsReported(String arguments, String message) {
    run(arguments.replace("L2 --", "--mechanism l2-laplace --epsilon 1 --")).assertRefused(message);
  }

  @Test
  void wrongArgumentsAreReported() {
    assertThat(run("--mechanism l2-laplace").code()).isEqualTo(2);
    assertThat(run("--mechanism none --mu 1").err())
        .contains("l2-laplace", "coordinate-laplace", "gaussian");
  }
}
