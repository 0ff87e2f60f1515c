package io.croupier.cli.account;

import com.google.gson.JsonObject;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.cli.NoiseMechanism;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The error that mechanisms of the same guarantee add to a gradient of d coordinates: E||release -
 * g||^2, in units of the squared gradient bound.
 */
final class MechanismErrors {
  private static final double LEAST_EPSILON = 1e-9;

  /** The errors are those before rounding to a grid. */
  private static final int ANY_GRID = 0;

  /** One mechanism. */
  private record MechanismError(String name, String level, double error) {}

  private final int dimension;
  private final GradientSpace space;
  private final List<MechanismError> errors = new ArrayList<>();
  private final JsonObject limits = new JsonObject();
  private final List<String> limitLines = new ArrayList<>();

  private MechanismErrors(int dimension) {
    this.dimension = dimension;
    space = new GradientSpace(dimension, 1, ANY_GRID);
  }

  /** Of reports of an epsilon. */
  static MechanismErrors ofEpsilon(int dimension, double epsilon) {
    MechanismErrors errors = new MechanismErrors(dimension);
    errors.addPure(mechanism -> epsilon);
    errors.sort();
    return errors;
  }

  /**
   * Of equal reports that share a guarantee of epsilon at a delta.
   *
   * @param mu of each report, if they are Gaussian
   * @param shares of each report of a pure mechanism
   */
  static MechanismErrors ofMu(
      int dimension, double mu, Function<NoiseMechanism, PureShares> shares) {
    MechanismErrors errors = new MechanismErrors(dimension);
    PureShares privUnit = shares.apply(NoiseMechanism.PRIV_UNIT);
    errors.addGaussian(mu);
    errors.addPure(
        mechanism ->
            mechanism == NoiseMechanism.PRIV_UNIT
                ? privUnit.composed()
                : shares.apply(mechanism).composed());
    errors.sort();
    errors.addLimit("mu", "of mu", privUnit.underMu());
    errors.addLimit("epsilonAndDelta", "of epsilon and delta", privUnit.underFilter());
    return errors;
  }

  private void addPure(ToDoubleFunction<NoiseMechanism> epsilon) {
    for (NoiseMechanism mechanism : NoiseMechanism.values()) {
      if (mechanism.isPure()) {
        double level = epsilon.applyAsDouble(mechanism);
        if (level >= LEAST_EPSILON) {
          errors.add(error(mechanism, level));
        }
      }
    }
  }

  private void addGaussian(double mu) {
    for (NoiseMechanism mechanism : NoiseMechanism.values()) {
      if (!mechanism.isPure()) {
        errors.add(error(mechanism, mu));
      }
    }
  }

  private MechanismError error(NoiseMechanism kind, double level) {
    Mechanism mechanism = kind.of(dimension, level);
    double declared = mechanism.level() > 0 ? mechanism.level() : level;
    return new MechanismError(
        kind.jsonName(),
        (kind.isPure() ? "epsilon " : "mu ") + Digits.all(declared),
        mechanism.squaredError(space));
  }

  private void addLimit(String key, String limit, double epsilon) {
    if (epsilon < LEAST_EPSILON) {
      return;
    }
    MechanismError under = error(NoiseMechanism.PRIV_UNIT, epsilon);
    JsonObject object = new JsonObject();
    object.addProperty("epsilonOfReport", Math.min(epsilon, PrivUnitLaw.MOST_EPSILON));
    object.addProperty("squaredError", under.error());
    limits.add(key, object);
    limitLines.add(
        "  limit %-20s %s, %s".formatted(limit, sixDigits(under.error()), under.level()));
  }

  private static String sixDigits(double error) {
    return Digits.sixDigits(error, RoundingMode.HALF_EVEN);
  }

  private void sort() {
    errors.sort(Comparator.comparingDouble(MechanismError::error));
  }

  /** Adds the errors, the least one first, and those of priv_unit under limits. */
  void addTo(JsonObject object) {
    JsonObject list = new JsonObject();
    errors.forEach(error -> list.addProperty(error.name(), error.error()));
    object.addProperty("dimension", dimension);
    object.addProperty("leastError", errors.get(0).name());
    object.add("squaredErrors", list);
    if (limits.size() > 0) {
      object.add("privUnitUnderLimits", limits);
    }
  }

  /** A sentence, and a line for each mechanism and limit, the least error first. */
  String text() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "Least error in %s dimensions: %s. E||release - g||^2 of a report, in units of G^2:"
            .formatted(Digits.count(dimension), errors.get(0).name()));
    for (MechanismError error : errors) {
      lines.add("  %-17s %s, %s".formatted(error.name(), sixDigits(error.error()), error.level()));
    }
    if (!limitLines.isEmpty()) {
      lines.add(
          "The epsilons above hold where the number and the levels of the reports are fixed in"
              + " advance. A limit in the model's spec admits as many reports of privUnit at:");
      lines.addAll(limitLines);
    }
    return String.join(System.lineSeparator(), lines);
  }
}
