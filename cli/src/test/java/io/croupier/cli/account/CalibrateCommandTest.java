package io.croupier.cli.account;

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
    CommandRun with =
        CommandRun.of(new TreeCommand(), trees + " --json --noise-multiplier " + least);
    assertThat(with.json().get("epsilon").getAsDouble()).isCloseTo(4, within(1e-9));
    assertThat(with.json().get("epsilon").getAsDouble()).isLessThanOrEqualTo(4);
    CommandRun below =
        CommandRun.of(
            new TreeCommand(), trees + " --json --noise-multiplier " + least * (1 - 1e-9));
    assertThat(below.json().get("epsilon").getAsDouble()).isGreaterThan(4);
  }

  @Test
  void outputIsRoundedTowardsPrivacyAndNamesTheSetting() {
    String out = calibrate("--epsilon 4 --delta 1e-6 --steps 1600").out();
    assertThat(out).contains("Noise multiplier: 3.95846. Set it as noiseMultiplier of the model's");
    assertThat(json("--epsilon 4 --delta 1e-6 --steps 1600").get("noiseMultiplier").getAsDouble())
        .isLessThan(3.95846)
        .isGreaterThan(3.95845);
    assertThat(json("--epsilon 4 --delta 1e-6 --steps 1600 --trees 2").get("zeta").getAsLong())
        .isEqualTo(22);

    assertThat(json("--epsilon 4 --delta 1e-6").get("muOfReport").getAsBigDecimal())
        .isEqualByComparingTo("0.837858");
    assertThat(calibrate("--epsilon 4 --delta 1e-6").out())
        .contains("Each report, 1 in all: mu 0.837858. Declare it as gaussian: {mu}")
        .contains("limits: {mu: 0.837858}");
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
    JsonObject pure = json("--epsilon 10 --reports 10 --dimension 20");
    assertThat(pure.get("leastError").getAsString()).isEqualTo("privUnit");
    JsonObject errors = pure.getAsJsonObject("squaredErrors");
    assertThat(errors.get("privUnit").getAsDouble()).isBetween(123.53, 123.54);
    assertThat(errors.get("l2Laplace").getAsDouble()).isEqualTo(1680);
    assertThat(errors.has("gaussian")).isFalse();
    assertThat(calibrate("--epsilon 10 --reports 10 --dimension 20").out())
        .contains("Least error in 20 dimensions: privUnit.")
        .containsPattern("privUnit +123\\.53\\d?, epsilon 1")
        .containsPattern("l2Laplace +1680, epsilon 1");

    // The largest epsilon of privUnit satisfies every larger one.
    JsonObject large = json("--epsilon 20 --reports 1 --dimension 100");
    assertThat(large.get("leastError").getAsString()).isEqualTo("privUnit");
    assertThat(calibrate("--epsilon 20 --reports 1 --dimension 100").out())
        .containsPattern("privUnit +[\\d.]+, epsilon 16");
    assertRefused("--dimension is for reports", "--epsilon 1 --delta 0.1 --steps 5 --dimension 3");
    assertRefused(
        "--dimension is 0; it must be from 1 to 67108864, the most that a model has",
        "--epsilon 1 --reports 5 --dimension 0");
    assertRefused(
        "--dimension is 67108865; it must be from 1 to 67108864",
        "--epsilon 1 --reports 5 --dimension 67108865");
  }

  /**
   * One large report: privUnit wins. Many small ones: Gaussian noise wins by pi / 2 where levels
   * are fixed in advance, and by pi^2 / 4 under a limit on mu. The default 256 candidates cost 1 %.
   */
  @Tag("thorough")
  @Test
  void manySmallReportsAtADeltaHaveLessErrorWithGaussianNoise() {
    assertThat(json("--epsilon 8 --delta 1e-6 --dimension 100").get("leastError").getAsString())
        .isEqualTo("privUnit");
    JsonObject many = json("--epsilon 1 --delta 1e-6 --reports 10000 --dimension 1000");
    assertThat(many.get("leastError").getAsString()).isEqualTo("gaussian");
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
    JsonObject errors =
        json("--epsilon 4 --delta 1e-6 --reports 100 --dimension 20")
            .getAsJsonObject("squaredErrors");
    assertThat(errors.get("l2Laplace").getAsDouble()).isBetween(11_900.0, 12_050.0);
    assertThat(errors.get("coordinateLaplace").getAsDouble()).isBetween(25_000.0, 26_000.0);
    assertThat(errors.get("privUnit").getAsDouble()).isGreaterThan(16_000);
    assertThat(calibrate("--epsilon 4 --delta 1e-6 --reports 100 --dimension 20").out())
        .containsPattern("l2Laplace +[\\d.]+, epsilon 0\\.37[45]");
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
    assertThat(json(guarantee + (reports - 1)).get("leastError").getAsString())
        .isEqualTo("privUnit");
    JsonObject found = json(guarantee + reports);
    assertThat(found.get("leastError").getAsString()).isEqualTo("gaussian");
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
    assertThat(calibrate("--epsilon 16 --reports 1").out())
        .contains("Declare it as privUnit: {epsilon, ..}, as l2Laplace: {epsilon}");
    assertThat(calibrate("--epsilon 16.5 --reports 1").out())
        .contains("Declare it as l2Laplace: {epsilon}")
        .contains("The largest epsilon of privUnit is 16.");
  }

  @Test
  void pureEpsilonsShareByDecimals() {
    BigDecimal pure = json("--epsilon 4 --reports 3").get("epsilonOfReport").getAsBigDecimal();
    assertThat(pure).isEqualByComparingTo("1.333333333");
    assertThat(calibrate("--epsilon 1 --reports 10").out())
        .contains(
            "Each report, 10 in all: epsilon 0.1. Declare it as privUnit: {epsilon, ..}, as"
                + " l2Laplace:")
        .contains("limits: {epsilon: 1}");
  }

  /** Golden: 0.0575085882 of priv_unit; randomised response bounds every other mechanism. */
  @Tag("thorough")
  @Test
  void centralEpsilonOfReportsWithoutIdentity() {
    JsonObject known = json("--epsilon 2 --reports 1 --dimension 8 --people 28155");
    assertThat(known.get("centralEpsilonWithoutIdentity").getAsDouble())
        .isCloseTo(0.0575085882, within(1e-9));
    assertThat(calibrate("--epsilon 2 --reports 1 --dimension 8 --people 28155").out())
        .contains(
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

  @Test
  void invalidInputIsReported() {
    String people = "--people is for reports of pure epsilon";
    assertRefused(people, "--epsilon 1 --delta 0.1 --reports 2 --people 9");
    assertRefused(people, "--epsilon 1 --people 9");
    assertRefused("--people is 1; it must be at least 2", "--epsilon 1 --reports 1 --people 1");
    assertRefused("this one is 17", "--epsilon 17 --reports 1 --people 9");
    assertRefused(
        "--reports is 100001; it must be at most 100000 with --people",
        "--epsilon 20000 --reports 100001 --people 9");
    assertRefused("Give --steps T", "--epsilon 4");
    assertRefused("--epsilon is -1.0; it must be positive", "--epsilon -1 --delta 0.1");
    assertRefused("--delta is 0.0; it must be between", "--epsilon 1 --delta 0");
    assertRefused("--reports is 0; it must be at least 1", "--epsilon 1 --reports 0");
    assertRefused("--steps and --order require --delta", "--epsilon 1 --steps 5");
    assertRefused("for trees use --part", "--epsilon 1 --delta 0.1 --steps 5 --reports 3");
    assertRefused("it must be replace-one for", "--epsilon 1 --delta 0.1 --relation zero-out");
    assertRefused("is too little, since each share", "--epsilon 1e-9 --reports 2");
    assertRefused("too little for 2 reports", "--epsilon 1e-9 --delta 1e-9 --reports 2");
    assertThat(calibrate("--delta 0.1").code()).isEqualTo(2);
  }

  private static void assertRefused(String message, String arguments) {
    calibrate(arguments).assertRefused(message);
  }
}
