package io.croupier.cli.account;

import com.google.gson.JsonObject;
import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.tree.TreeRelease;
import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** From a wanted guarantee to the noise that it takes. */
@Command(
    name = "calibrate",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Says which noise a wanted guarantee takes, rounded towards more privacy, and where that"
          + " number is to be put:",
      "- with --steps or --order, the noise multiplier of trees;",
      "- with --delta, the mu of Gaussian noise, of each report if there are several;",
      "- with --reports alone, the epsilon of each report."
    },
    footer = {
      "",
      "Try:",
      "  croupier calibrate --epsilon 4 --delta 1e-6 --steps 1600",
      "  croupier calibrate --epsilon 4 --delta 1e-6",
      "  croupier calibrate --epsilon 4 --reports 100"
    })
public final class CalibrateCommand implements Callable<Integer> {
  private static final int MU_DIGITS = 10;

  @Spec private CommandSpec spec;

  @Option(
      names = "--epsilon",
      paramLabel = "E",
      required = true,
      description = "The most that one person's data may cost in all, in nats.")
  private double epsilon;

  @Option(
      names = "--delta",
      paramLabel = "D",
      description = "But for such a probability. Without it: pure epsilon.")
  private Double delta;

  @Option(
      names = "--reports",
      paramLabel = "N",
      description = "How many equal reports it has to last for (default: 1).")
  private Long reports;

  @Mixin private TreeOptions trees;

  @Option(
      names = "--relation",
      paramLabel = "RELATION",
      description = {
        "Neighbours: ${COMPLETION-CANDIDATES} (default: zero-out for trees, else replace-one, the"
            + " only one for reports)."
      })
  private RelationOption relation;

  @Option(names = "--json", description = "For programs.")
  private boolean json;

  /**
   * What is found.
   *
   * @param json with all digits
   * @param text its number and where it goes, in words
   */
  private record Found(JsonObject json, String text) {}

  @Override
  public Integer call() {
    Log.toFile();
    OptionChecks.positive("--epsilon", epsilon);
    if (delta != null) {
      OptionChecks.probability("--delta", delta);
    }
    if (reports != null) {
      OptionChecks.atLeast("--reports", reports, 1);
    }
    Found found = trees.areGiven() ? noiseMultiplier() : ofReports();
    spec.commandLine().getOut().println(json ? Json.text(found.json()) : found.text());
    Log.discard();
    return 0;
  }

  private Found noiseMultiplier() {
    if (delta == null) {
      throw new InputException("Trees take a --delta, such as 1e-6: their noise is Gaussian");
    }
    if (reports != null) {
      throw new InputException(
          "--reports is for noise of the reports' own; for trees say --participations");
    }
    RelationOption of = relation == null ? RelationOption.ZERO_OUT : relation;
    Sensitivity sensitivity = trees.sensitivity();
    double least;
    GaussianGuarantee guarantee;
    try {
      least =
          TreeRelease.noiseMultiplier(sensitivity.ofAllTrees(), epsilon, delta, of.neighbours());
      guarantee = GaussianGuarantee.of(sensitivity.release(least, of.neighbours()), delta, of);
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
    JsonObject object = guarantee.json();
    object.addProperty("noiseMultiplier", least);
    sensitivity.addTo(object, of.neighbours(), false);
    String text =
        String.join(
            System.lineSeparator(),
            "Noise multiplier: %s, as noiseMultiplier of the model's learner (dpFtrl and its kin)."
                .formatted(Digits.sixDigits(least, RoundingMode.CEILING)),
            "",
            guarantee.text(),
            sensitivity.sentence(of.neighbours()));
    return new Found(object, text);
  }

  private Found ofReports() {
    if (relation == RelationOption.ZERO_OUT) {
      throw new InputException(
          "--relation is zero-out; the noise of reports is between any two people: replace-one");
    }
    if (delta == null && reports == null) {
      throw new InputException(
          "Calibrate what? Give --steps T for trees, --delta D for Gaussian noise, or --reports N"
              + " for reports of pure epsilon");
    }
    long count = reports == null ? 1 : reports;
    return delta == null ? pure(count) : gaussian(count);
  }

  /** As the ledger counts: mu of six decimals in all, squares in units of 1e-12. */
  private Found gaussian(long count) {
    BigDecimal mu =
        BigDecimal.valueOf(GaussianDp.mu(epsilon, StrictMath.log(delta)))
            .setScale(6, RoundingMode.FLOOR);
    BigDecimal each =
        mu.pow(2)
            .divide(BigDecimal.valueOf(count), 12, RoundingMode.FLOOR)
            .sqrt(new MathContext(MU_DIGITS, RoundingMode.FLOOR))
            .stripTrailingZeros();
    if (each.signum() == 0) {
      throw new InputException(
          ("--epsilon is %s; at delta %s that is a mu of %s, of which %s reports can't have a share:"
                  + " its square must be at least 1e-12")
              .formatted(
                  Digits.all(epsilon), Digits.all(delta), mu.toPlainString(), Digits.count(count)));
    }
    GaussianGuarantee guarantee =
        GaussianGuarantee.of(mu.doubleValue(), delta, RelationOption.REPLACE_ONE);
    JsonObject object = guarantee.json();
    object.addProperty("reports", count);
    object.addProperty("muOfReport", each);
    String text =
        String.join(
            System.lineSeparator(),
            ("Each of %s reports: mu %s, as gaussian: {mu} of its declaration, with noise of"
                    + " deviation 2G / mu.")
                .formatted(Digits.count(count), each.toPlainString()),
            ("A model holds everybody to it by limits: {mu: %s}; a limit of epsilon and delta goes"
                    + " by a filter, which admits less.")
                .formatted(mu.stripTrailingZeros().toPlainString()),
            "",
            guarantee.text());
    return new Found(object, text);
  }

  /** Pure epsilons add up as decimals, in units of 1e-9 as in the ledger. */
  private Found pure(long count) {
    BigDecimal each =
        BigDecimal.valueOf(epsilon).divide(BigDecimal.valueOf(count), 9, RoundingMode.FLOOR);
    if (each.signum() == 0) {
      throw new InputException(
          "--reports is %d; an epsilon of %s is not enough for so many, each of at least 1e-9"
              .formatted(count, Digits.all(epsilon)));
    }
    JsonObject object = new JsonObject();
    object.addProperty("epsilon", epsilon);
    object.addProperty("delta", 0);
    object.addProperty("relation", RelationOption.REPLACE_ONE.toString());
    object.addProperty("reports", count);
    object.addProperty("epsilonOfReport", each.stripTrailingZeros());
    String text =
        String.join(
            System.lineSeparator(),
            ("Each of %s reports: epsilon %s, as l2Laplace: {epsilon} of its declaration, or as what"
                    + " the taus of coordinateLaplace come to: their L2 norm with the clip L2, their"
                    + " sum with COORDINATES.")
                .formatted(Digits.count(count), each.stripTrailingZeros().toPlainString()),
            "A model holds everybody to it by limits: {epsilon: %s}."
                .formatted(Digits.all(epsilon)));
    return new Found(object, text);
  }
}
