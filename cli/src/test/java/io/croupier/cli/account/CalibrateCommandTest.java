package io.croupier.cli.account;

import static io.croupier.cli.JsonFields.assertHas;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.google.gson.JsonObject;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.Spends;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.cli.CommandRun;
import io.croupier.cli.NoiseMechanism;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CalibrateCommandTest {

  private static CommandRun calibrate(String arguments) {
    return CommandRun.of(new CalibrateCommand(), arguments);
  }

  private static JsonObject json(String arguments) {
    return CommandRun.json(new CalibrateCommand(), arguments);
  }

  @ParameterizedTest
  @ValueSource(strings = {"zero-out", "replace-one"})
  void theNoiseOfTreesIsTheLeastThatKeepsEpsilon(String relation) {
    String trees =
        "--delta 1e-6 --steps 2000 --participations 4 --min-separation 99 --relation " + relation;
    JsonObject found = json("--epsilon 4 " + trees);
    double least = found.get("noiseMultiplier").getAsDouble();

    assertThat(found.keySet())
        .startsWith("zeta", "mu", "epsilon", "epsilonRenyi", "delta", "relation");
    assertThat(found.get("relation").getAsString()).isEqualTo(relation);
    assertThat(epsilonOf(trees, least)).isCloseTo(4, within(1e-9)).isLessThanOrEqualTo(4);
    assertThat(epsilonOf(trees, least * (1 - 1e-9))).isGreaterThan(4);
  }

  private static double epsilonOf(String trees, double noiseMultiplier) {
    return CommandRun.json(new TreeCommand(), trees + " --noise-multiplier " + noiseMultiplier)
        .get("epsilon")
        .getAsDouble();
  }

  @Test
  void outputIsRoundedTowardsPrivacyAndNamesTheSetting() {
    calibrate("--epsilon 4 --delta 1e-6 --steps 1600")
        .printed("Noise multiplier: 3.95846. Set it as noiseMultiplier of the model's");
    assertThat(json("--epsilon 4 --delta 1e-6 --steps 1600").get("noiseMultiplier").getAsDouble())
        .isLessThan(3.95846)
        .isGreaterThan(3.95845);
    assertHas(json("--epsilon 4 --delta 1e-6 --steps 1600 --trees 2"), "{zeta: 22}");

    assertHas(json("--epsilon 4 --delta 1e-6"), "{muOfReport: 0.837858}");
    calibrate("--epsilon 4 --delta 1e-6")
        .printed(
            "Each report, 1 in all: mu 0.837858. Declare it as gaussian: {mu}",
            "limits: {mu: 0.837858}");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 7, 100, 12345})
  void severalReportsShareTheGuarantee(long count) {
    JsonObject found = json("--epsilon 4 --delta 1e-6 --reports " + count);
    BigDecimal mu = found.get("mu").getAsBigDecimal();
    BigDecimal each = found.get("muOfReport").getAsBigDecimal();

    // As the ledger adds them.
    BigDecimal charged = each.pow(2).setScale(12, RoundingMode.CEILING);
    assertThat(charged.multiply(BigDecimal.valueOf(count))).isLessThanOrEqualTo(mu.pow(2));
    assertThat(each.doubleValue() * Math.sqrt((double) count))
        .isCloseTo(0.837858, withinPercentage(0.01));
    assertThat(found.get("epsilon").getAsDouble()).isLessThan(4).isGreaterThan(3.9999);
  }

  /** Errors of the golden table, d = 20 and epsilon 1: 123.5 and 1,680. */
  @Test
  void namesTheMechanismWithTheLeastError() {
    String pure = "--epsilon 10 --reports 10 --dimension 20";
    assertHas(json(pure), "{leastError: privUnit}");
    JsonObject errors = json(pure).getAsJsonObject("squaredErrors");
    assertThat(errors.get("privUnit").getAsDouble()).isBetween(123.53, 123.54);
    assertHas(errors, "{l2Laplace: 1680}");
    assertThat(errors.has("gaussian")).isFalse();
    assertThat(calibrate(pure).out())
        .contains("Least error in 20 dimensions: privUnit.")
        .containsPattern("privUnit +123\\.53\\d?, epsilon 1")
        .containsPattern("l2Laplace +1680, epsilon 1");

    // The largest epsilon of privUnit satisfies every larger one.
    String large = "--epsilon 20 --reports 1 --dimension 100";
    assertHas(json(large), "{leastError: privUnit}");
    assertThat(calibrate(large).out()).containsPattern("privUnit +[\\d.]+, epsilon 16");
  }

  /**
   * One large report: privUnit wins. Many small ones: Gaussian noise wins by pi / 2 where levels
   * are fixed in advance, and by pi^2 / 4 under a limit on mu. The default 256 candidates cost 1 %.
   */
  @Tag("thorough")
  @Test
  void manySmallReportsAtADeltaHaveLessErrorWithGaussianNoise() {
    assertHas(json("--epsilon 8 --delta 1e-6 --dimension 100"), "{leastError: privUnit}");
    JsonObject many = json("--epsilon 1 --delta 1e-6 --reports 10000 --dimension 1000");
    assertHas(many, "{leastError: gaussian}");
    JsonObject small = many.getAsJsonObject("squaredErrors");
    double gaussian = small.get("gaussian").getAsDouble();
    assertThat(small.get("privUnit").getAsDouble() / gaussian)
        .isCloseTo(Math.PI / 2, withinPercentage(1.5));
    JsonObject limits = many.getAsJsonObject("privUnitUnderLimits");
    JsonObject underMu = limits.getAsJsonObject("mu");
    JsonObject underFilter = limits.getAsJsonObject("epsilonAndDelta");
    assertThat(underMu.get("squaredError").getAsDouble() / gaussian)
        .isCloseTo(Math.PI * Math.PI / 4, withinPercentage(1.5));
    assertThat(underFilter.get("squaredError").getAsDouble() / gaussian)
        .isBetween(Math.PI / 2, Math.PI * Math.PI / 4);
    assertThat(underMu.get("epsilonOfReport").getAsDouble())
        .isLessThan(underFilter.get("epsilonOfReport").getAsDouble());
    assertThat(calibrate("--epsilon 1 --delta 1e-6 --reports 10000 --dimension 1000").out())
        .containsPattern("limit of mu +[\\d.e]+, epsilon 0\\.00")
        .containsPattern("limit of epsilon and delta +[\\d.e]+, epsilon 0\\.00");
  }

  /** By their own losses, both kinds of Laplace noise come close to Gaussian noise. */
  @Test
  void laplaceNoiseIsSharedByItsOwnLoss() {
    String many = "--epsilon 4 --delta 1e-6 --reports 100 --dimension 20";
    JsonObject errors = json(many).getAsJsonObject("squaredErrors");
    assertThat(errors.get("l2Laplace").getAsDouble()).isBetween(11_900.0, 12_050.0);
    assertThat(errors.get("coordinateLaplace").getAsDouble()).isBetween(25_000.0, 26_000.0);
    assertThat(errors.get("privUnit").getAsDouble()).isGreaterThan(16_000);
    assertThat(calibrate(many).out()).containsPattern("l2Laplace +[\\d.]+, epsilon 0\\.37[45]");
  }

  /**
   * The numbers of reports from which Gaussian noise has less error, as docs/reference/calibrate.md
   * states.
   */
  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"1, 12", "2, 14", "4, 15", "8, 19"})
  void gaussianNoiseWinsFromTheDocumentedNumberOfReports(double epsilon, int reports) {
    String guarantee = "--epsilon %s --delta 1e-6 --dimension 20 --reports ".formatted(epsilon);
    assertHas(json(guarantee + (reports - 1)), "{leastError: privUnit}");
    assertHas(json(guarantee + reports), "{leastError: gaussian}");
    // A limit on mu admits less privUnit, so that Gaussian noise has less error for one report.
    JsonObject one = json(guarantee + 1);
    assertThat(
            one.getAsJsonObject("privUnitUnderLimits")
                .getAsJsonObject("mu")
                .get("squaredError")
                .getAsDouble())
        .isGreaterThan(one.getAsJsonObject("squaredErrors").get("gaussian").getAsDouble());
  }

  /**
   * The level of a report at which both have the same error, as docs/reference/calibrate.md states.
   */
  @Test
  void bordersInRhoAndInMuAreThoseOfTheDocumentation() {
    assertThat(byRho(20, 1.6)).isLessThan(1);
    assertThat(byRho(20, 1.65)).isGreaterThan(1);
    assertThat(loss(20, 1.62).rho()).isCloseTo(0.84, within(0.01));
    assertThat(byRho(1000, 1.7)).isLessThan(1);
    assertThat(byRho(1000, 1.75)).isGreaterThan(1);
    assertThat(loss(1000, 1.74).rho()).isCloseTo(0.93, within(0.01));
    assertThat(byMu(20, 3.4)).isLessThan(1);
    assertThat(byMu(20, 3.6)).isGreaterThan(1);
    assertThat(loss(20, 3.5).mu()).isCloseTo(2.75, within(0.05));
    assertThat(byMu(1000, 3.85)).isLessThan(1);
    assertThat(byMu(1000, 4)).isGreaterThan(1);
    assertThat(loss(1000, 3.9).mu()).isCloseTo(2.95, within(0.05));
  }

  private static double byRho(int d, double epsilon) {
    return advantage(d, epsilon, loss(d, epsilon).rho());
  }

  private static double byMu(int d, double epsilon) {
    return advantage(d, epsilon, Math.pow(loss(d, epsilon).mu(), 2) / 2);
  }

  private static PureLoss loss(int d, double epsilon) {
    return NoiseMechanism.PRIV_UNIT.of(d, epsilon).cost().loss();
  }

  /** The error of Gaussian noise over that of privUnit, for one report of mu^2 / 2 = rho. */
  private static double advantage(int d, double epsilon, double rho) {
    PrivUnitLaw law = new PrivUnitLaws().best(d, epsilon, PrivUnitLaw.defaultCandidates(epsilon));
    return 2 * d / rho / law.squaredError();
  }

  /** What calibrate calls the epsilon of pure reports, account compose adds up to the total. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 10, 1000})
  void pureReportsAtADeltaComposeToTheGuarantee(long reports) {
    PureShares shares =
        PureShares.of(
            2,
            Math.log(1e-6),
            reports,
            2.0 / reports,
            0.4463 / Math.sqrt((double) reports),
            PureLoss::ofEpsilon);
    Spends spends = new Spends();
    spends.addPure(shares.composed(), reports);
    assertThat(spends.least(Math.log(1e-6)).epsilon()).isBetween(1.9999, 2.0 + 1e-9);
    assertThat(shares.underMu()).isLessThan(shares.composed());
    assertThat(shares.underFilter()).isLessThanOrEqualTo(shares.composed());
  }

  @Test
  void privUnitIsNotNamedBeyondItsLargestEpsilon() {
    calibrate("--epsilon 16 --reports 1")
        .printed("Declare it as privUnit: {epsilon, ..}, as l2Laplace: {epsilon}");
    calibrate("--epsilon 16.5 --reports 1")
        .printed("Declare it as l2Laplace: {epsilon}", "The largest epsilon of privUnit is 16.");
  }

  @Test
  void pureEpsilonsShareByDecimals() {
    assertHas(json("--epsilon 4 --reports 3"), "{epsilonOfReport: 1.333333333}");
    calibrate("--epsilon 1 --reports 10")
        .printed(
            "Each report, 10 in all: epsilon 0.1. Declare it as privUnit: {epsilon, ..}, as"
                + " l2Laplace:",
            "limits: {epsilon: 1}");
  }

  /** Golden: 0.0575085882 of priv_unit; randomised response bounds every other mechanism. */
  @Tag("thorough")
  @Test
  void centralEpsilonOfReportsWithoutIdentity() {
    JsonObject known = json("--epsilon 2 --reports 1 --dimension 8 --people 28155");
    assertThat(known.get("centralEpsilonWithoutIdentity").getAsDouble())
        .isCloseTo(0.0575085882, within(1e-9));
    calibrate("--epsilon 2 --reports 1 --dimension 8 --people 28155")
        .printed(
            "If reports of privUnit carried no identity, and each of 28,155 people sent one in each"
                + " of 1 window: central epsilon 0.0575086 at delta 1e-6.");
    JsonObject any = json("--epsilon 2 --reports 1 --people 1000");
    assertThat(any.get("centralEpsilonWithoutIdentity").getAsDouble())
        .isCloseTo(0.397087059, within(1e-8));
    JsonObject four = json("--epsilon 8 --reports 4 --dimension 8 --people 7038");
    assertThat(four.get("centralEpsilonWithoutIdentity").getAsDouble())
        .isCloseTo(0.253663, within(1e-5));
    assertThat(json("--epsilon 2 --reports 1").has("centralEpsilonWithoutIdentity")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --epsilon 1 --delta 0.1 --reports 2 --people 9 | --people is for reports of pure epsilon
          --epsilon 1 --people 9 | --people is for reports of pure epsilon
          --epsilon 1 --reports 1 --people 1 | --people is 1; it must be at least 2
          --epsilon 17 --reports 1 --people 9 | this one is 17
          --epsilon 20000 --reports 100001 --people 9 | --reports is 100001; it must be at most 100000 with --people
          --epsilon 4 | Give --steps T
          --epsilon -1 --delta 0.1 | --epsilon is -1.0; it must be positive
          --epsilon 1 --delta 0 | --delta is 0.0; it must be between
          --epsilon 1 --reports 0 | --reports is 0; it must be at least 1
          --epsilon 1 --steps 5 | --steps and --order require --delta
          --epsilon 1 --delta 0.1 --steps 5 --reports 3 | for trees use --part
          --epsilon 1 --delta 0.1 --relation zero-out | it must be replace-one for
          --epsilon 1e-9 --reports 2 | is too little, since each share
          --epsilon 1e-9 --delta 1e-9 --reports 2 | too little for 2 reports
          --epsilon 1 --delta 0.1 --steps 5 --dimension 3 | --dimension is for reports
          --epsilon 1 --reports 5 --dimension 0 | --dimension is 0; it must be from 1 to 67108864, the most that a model has
          --epsilon 1 --reports 5 --dimension 67108865 | --dimension is 67108865; it must be from 1 to 67108864
          """)
  void invalidInputIsReported(String arguments, String message) {
    calibrate(arguments).assertRefused(message);
  }

  @Test
  void epsilonIsRequired() {
    assertThat(calibrate("--delta 0.1").code()).isEqualTo(2);
  }
}
