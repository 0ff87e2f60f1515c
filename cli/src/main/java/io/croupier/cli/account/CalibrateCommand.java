package io.croupier.cli.account;

import com.google.gson.JsonObject;
import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.anonymity.WindowComposition;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.tree.TreeRelease;
import io.croupier.cli.InputException;
import io.croupier.cli.NoiseMechanism;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Computes the noise that a guarantee requires. */
@Command(
    name = "calibrate",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Computes the noise that a guarantee requires.",
      "",
      "The result is rounded towards more privacy, and is printed with the setting to use:",
      "- with --steps or --order: the noise multiplier of tree aggregation;",
      "- with --delta: the mu of Gaussian noise, for each of --reports;",
      "- with --reports and no --delta: the epsilon of each report."
    },
    footer = {
      "",
      "Try:",
      "  croupier calibrate --epsilon 4 --delta 1e-6 --steps 1600",
      "  croupier calibrate --epsilon 4 --delta 1e-6",
      "  croupier calibrate --epsilon 4 --reports 100",
      "  croupier calibrate --epsilon 2 --reports 1 --dimension 8 --people 28155",
      "  croupier calibrate --epsilon 4 --delta 1e-6 --reports 10 --dimension 20"
    })
public final class CalibrateCommand implements Callable<Integer> {
  private static final int MU_DIGITS = 10;
  private static final double ANONYMOUS_DELTA = 1e-6;

  @Spec private CommandSpec spec;

  @Option(
      names = "--epsilon",
      paramLabel = "E",
      required = true,
      description = "Upper bound on the total epsilon of one person, in nats.")
  private double epsilon;

  @Option(
      names = "--delta",
      paramLabel = "D",
      description = "Delta of the guarantee; by default 0 (pure epsilon).")
  private Double delta;

  @Option(
      names = "--reports",
      paramLabel = "N",
      description = "Number of equal reports that share the guarantee (default: 1).")
  private Long reports;

  @Option(
      names = "--dimension",
      paramLabel = "D",
      description = {
        "Number of coordinates of a report's gradient. Prints the mechanism with the least error,"
            + " and the error of each mechanism with this guarantee."
      })
  private Integer dimension;

  @Option(
      names = "--people",
      paramLabel = "N",
      description = {
        "People who send as many reports, for reports of pure epsilon. Prints the central epsilon of a"
            + " person if reports carried no identity, at a delta of 1e-6 (docs/theory/anonymity.md)."
      })
  private Long people;

  @Mixin private TreeOptions trees;

  @Option(
      names = "--relation",
      paramLabel = "RELATION",
      description = {
        "Neighbouring relation: ${COMPLETION-CANDIDATES} (default: zero-out for trees; reports"
            + " support only replace-one)."
      })
  private RelationOption relation;

  @Option(names = "--json", description = "Prints JSON, with all digits.")
  private boolean json;

  /**
   * A result.
   *
   * @param json the numbers, with all digits
   * @param text the number and where to configure it, in words
   */
  private record Found(JsonObject json, String text) {}

  @Override
  public Integer call() {
    OptionChecks.positive("--epsilon", epsilon);
    if (delta != null) {
      OptionChecks.probability("--delta", delta);
    }
    if (reports != null) {
      OptionChecks.atLeast("--reports", reports, 1);
    }
    if (dimension != null) {
      OptionChecks.dimension("--dimension", dimension);
    }
    if (people != null) {
      checkPeople();
    }
    Found found = trees.areGiven() ? noiseMultiplier() : ofReports();
    spec.commandLine().getOut().println(json ? Json.text(found.json()) : found.text());
    return 0;
  }

  private void checkPeople() {
    if (trees.areGiven() || delta != null || reports == null) {
      throw new InputException(
          "--people is for reports of pure epsilon: give --reports, and neither --delta nor trees");
    }
    OptionChecks.atLeast("--people", people, 2);
    if (reports > WindowComposition.MOST_WINDOWS) {
      throw OptionChecks.refusal(
          "--reports",
          reports,
          "be at most %d with --people".formatted(WindowComposition.MOST_WINDOWS));
    }
  }

  private Found noiseMultiplier() {
    if (delta == null) {
      throw new InputException(
          "--steps and --order require --delta, such as 1e-6, since the noise"
              + " of trees is Gaussian");
    }
    if (dimension != null) {
      throw new InputException("--dimension is for reports, not for trees");
    }
    if (reports != null) {
      throw new InputException(
          "--reports is for noise added on devices; for trees use --participations");
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
            ("Noise multiplier: %s. Set it as noiseMultiplier of the model's learner (dpFtrl,"
                    + " dpFtrlLeastSquares, dpFtrlParameterFree).")
                .formatted(Digits.sixDigits(least, RoundingMode.CEILING)),
            "",
            guarantee.text(),
            sensitivity.sentence(of.neighbours()));
    return new Found(object, text);
  }

  private Found ofReports() {
    if (relation == RelationOption.ZERO_OUT) {
      throw new InputException(
          "--relation is zero-out; it must be replace-one for the noise of reports");
    }
    if (delta == null && reports == null) {
      throw new InputException(
          "Give --steps T or --order FILE for trees, --delta D for Gaussian noise, or --reports N"
              + " for reports of pure epsilon");
    }
    long count = reports == null ? 1 : reports;
    return delta == null ? pure(count) : gaussian(count);
  }

  /** Rounds as the ledger does: the total mu to six decimals, its squares to units of 1e-12. */
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
          ("--epsilon is %s; at delta %s that is a mu of %s, too little for %s reports: the square"
                  + " of each share must be at least 1e-12")
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
            ("Each report, %s in all: mu %s. Declare it as gaussian: {mu}; the noise has standard"
                    + " deviation 2G / mu.")
                .formatted(Digits.count(count), each.toPlainString()),
            ("To enforce the total, set limits: {mu: %s} in the model's spec. A limit of epsilon"
                    + " and delta is enforced by a filter, which admits less.")
                .formatted(mu.stripTrailingZeros().toPlainString()),
            "",
            guarantee.text());
    return dimension == null
        ? new Found(object, text)
        : compared(
            object,
            text,
            MechanismErrors.ofMu(
                dimension, each.doubleValue(), mechanism -> shares(count, each, mechanism)));
  }

  private PureShares shares(long count, BigDecimal mu, NoiseMechanism mechanism) {
    return PureShares.of(
        epsilon,
        StrictMath.log(delta),
        count,
        share(count).doubleValue(),
        mu.doubleValue(),
        level -> mechanism.loss(dimension, level));
  }

  /** Pure epsilons add up as decimals in units of 1e-9, as in the ledger. */
  private BigDecimal share(long count) {
    return BigDecimal.valueOf(epsilon).divide(BigDecimal.valueOf(count), 9, RoundingMode.FLOOR);
  }

  private Found pure(long count) {
    BigDecimal each = share(count);
    if (each.signum() == 0) {
      throw new InputException(
          "--reports is %d; an epsilon of %s is too little, since each share must be at least 1e-9"
              .formatted(count, Digits.all(epsilon)));
    }
    JsonObject object = new JsonObject();
    object.addProperty("epsilon", epsilon);
    object.addProperty("delta", 0);
    object.addProperty("relation", RelationOption.REPLACE_ONE.toString());
    object.addProperty("reports", count);
    object.addProperty("epsilonOfReport", each.stripTrailingZeros());
    boolean privUnit = each.doubleValue() <= PrivUnitLaw.MOST_EPSILON;
    String text =
        String.join(
            System.lineSeparator(),
            ("Each report, %s in all: epsilon %s. Declare it as %sl2Laplace:"
                    + " {epsilon}, or as coordinateLaplace with taus whose L2 norm (clip L2) or sum"
                    + " (clip COORDINATES) is at most that.%s")
                .formatted(
                    Digits.count(count),
                    each.stripTrailingZeros().toPlainString(),
                    privUnit ? "privUnit: {epsilon, ..}, as " : "",
                    privUnit ? "" : " The largest epsilon of privUnit is 16."),
            "To enforce the total, set limits: {epsilon: %s} in the model's spec."
                .formatted(Digits.all(epsilon)));
    String all = people == null ? text : text + System.lineSeparator() + central(each, object);
    return dimension == null
        ? new Found(object, all)
        : compared(object, all, MechanismErrors.ofEpsilon(dimension, each.doubleValue()));
  }

  /** Of priv_unit if the dimension is known, otherwise of any mechanism of this epsilon. */
  private String central(BigDecimal each, JsonObject object) {
    if (!(each.doubleValue() >= AnonymousReports.LEAST_EPSILON
        && each.doubleValue() <= PrivUnitLaw.MOST_EPSILON)) {
      throw new InputException(
          "--people is for epsilons from 0.0001 to 16 of a report; this one is "
              + each.stripTrailingZeros().toPlainString());
    }
    boolean isKnown = dimension != null;
    AnonymousReports anonymous =
        new AnonymousReports(
            isKnown ? AnonymousMechanism.PRIV_UNIT : AnonymousMechanism.RANDOMISED_RESPONSE,
            isKnown ? dimension : 0,
            people,
            1,
            reports,
            ANONYMOUS_DELTA);
    double central = anonymous.central(each.doubleValue(), 1);
    object.addProperty("people", people);
    object.addProperty("centralEpsilonWithoutIdentity", central);
    object.addProperty("deltaWithoutIdentity", ANONYMOUS_DELTA);
    return ("If %s carried no identity, and each of %s people sent one in each of %s: central"
            + " epsilon %s at delta %s.")
        .formatted(
            isKnown ? "reports of privUnit" : "the reports",
            Digits.count(people),
            reports == 1 ? "1 window" : Digits.count(reports) + " windows",
            Digits.sixDigits(central, RoundingMode.CEILING),
            Digits.all(ANONYMOUS_DELTA));
  }

  private static Found compared(JsonObject object, String text, MechanismErrors errors) {
    errors.addTo(object);
    return new Found(object, String.join(System.lineSeparator(), text, "", errors.text()));
  }
}
