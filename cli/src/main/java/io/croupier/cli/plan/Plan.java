package io.croupier.cli.plan;

import io.croupier.accounting.Spends;
import io.croupier.accounting.anonymity.AnonymousWindow;
import io.croupier.accounting.anonymity.WindowComposition;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.cli.NoiseMechanism;
import io.croupier.cli.account.Digits;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Optional;

/**
 * What people would teach a model by reports of {@code priv_unit}, and what it costs each of them.
 *
 * @param features d, the number of weights
 * @param mechanism of each report
 * @param noise its squared error, in units of the squared gradient bound
 * @param reports of each person
 * @param untrained loss without a model
 * @param best loss that raw data would reach, below {@code untrained}
 */
public record Plan(
    int features, Mechanism mechanism, double noise, long reports, double untrained, double best) {
  private static final LearningLaw LAW = LearningLaw.OF_COMBINED;

  /** The gain of the census of the demo: 0.693 - 0.518. */
  private static final double USUAL_GAIN = 0.175;

  private static final double HALF = 0.5;
  private static final double PICOS = 1e12;
  private static final double MOST_COUNT = 1e15;
  private static final MathContext TWO_DIGITS = new MathContext(2, RoundingMode.CEILING);

  /** A plan for reports of an epsilon. */
  static Plan of(int features, double epsilon, long reports, double untrained, double best) {
    Mechanism mechanism = NoiseMechanism.PRIV_UNIT.of(features, epsilon);
    return new Plan(features, mechanism, noise(features, mechanism), reports, untrained, best);
  }

  double epsilon() {
    return mechanism.level();
  }

  /** The share of the gain that so many people don't teach. */
  Band missed(double people) {
    return LAW.missed(people * signalOfPerson());
  }

  /** The loss of the model that so many people teach. */
  Band loss(double people) {
    return missed(people).map(missed -> best + missed * gain());
  }

  /** The number of people who teach a model of this loss, which is between the two others. */
  Band people(double loss) {
    return LAW.signal((loss - best) / gain()).map(signal -> signal / signalOfPerson());
  }

  private double gain() {
    return untrained - best;
  }

  private double signalOfPerson() {
    return reports * LearningLaw.signal(features, gain(), noise);
  }

  private static double noise(int features, Mechanism mechanism) {
    return mechanism.squaredError(new GradientSpace(features, 1, 0));
  }

  /** The sum of the epsilons of so many reports, rounded up. */
  double epsilon(long number) {
    return spends(number).pure();
  }

  /** The least epsilon of so many reports at a delta. */
  double epsilon(long number, double delta) {
    return spends(number).least(StrictMath.log(delta)).epsilon();
  }

  private Spends spends(long number) {
    Spends spends = new Spends();
    spends.addPure(mechanism.cost().loss(), number);
    return spends;
  }

  /** The rho that the ledger charges for so many reports. */
  double rho(long number) {
    return DecimalUnits.multiply(mechanism.cost().rhoPicos(), number) / PICOS;
  }

  /** The mu that the ledger charges for so many reports. */
  double mu(long number) {
    return Math.sqrt(DecimalUnits.multiply(mechanism.cost().pureMuSquaredPicos(), number) / PICOS);
  }

  /**
   * The central epsilon of a person, if reports carried no identity, and each person sent one in
   * each of as many windows as they have reports.
   *
   * @param people at least 2
   */
  double central(long people, double delta) {
    AnonymousWindow window = AnonymousWindow.of(mechanism.cost().loss(), people, 1);
    return reports == 1
        ? window.epsilon(delta)
        : WindowComposition.of(Map.of(window, reports)).epsilon(delta);
  }

  /**
   * Why people are too few, in words, and how many would do in 9 of 10 cases; empty if they may
   * teach a model half of what raw data, as hard as the census, would.
   *
   * @param mechanism of one report of each person
   * @param level its epsilon, for the words
   */
  public static Optional<String> tooFew(
      long people, int features, Mechanism mechanism, double level) {
    double each = LearningLaw.signal(features, USUAL_GAIN, noise(features, mechanism));
    if (LAW.missed(people * each).low() < HALF) {
      return Optional.empty();
    }
    return Optional.of(
        "%s people at epsilon %s can't teach %s features; some %s could"
            .formatted(
                Digits.count(people),
                Digits.all(level),
                Digits.count(features),
                count(LAW.signal(HALF).high() / each)));
  }

  /** A number of people or days, rounded up to two digits. */
  static String count(double number) {
    return number < MOST_COUNT
        ? Digits.count(new BigDecimal(Math.ceil(number)).round(TWO_DIGITS).longValue())
        : "more than 10^15";
  }
}
