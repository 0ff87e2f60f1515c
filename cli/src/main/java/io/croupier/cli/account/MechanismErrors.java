package io.croupier.cli.account;

import com.google.gson.JsonObject;
import io.croupier.accounting.PureDp;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What mechanisms of the same guarantee add to a gradient of d coordinates: E||release - g||^2, in
 * units of the squared gradient bound.
 */
final class MechanismErrors {
  private static final double LEAST_EPSILON = 1e-9;

  /** One mechanism. */
  private record MechanismError(String name, String level, double error) {}

  private final int dimension;
  private final List<MechanismError> errors = new ArrayList<>();

  private MechanismErrors(int dimension) {
    this.dimension = dimension;
  }

  /** Of reports of an epsilon. */
  static MechanismErrors ofEpsilon(int dimension, double epsilon) {
    MechanismErrors errors = new MechanismErrors(dimension);
    errors.addPure(epsilon);
    errors.sort();
    return errors;
  }

  /**
   * Of reports of a mu; pure ones have the largest epsilon that is worth no more, or the share of
   * the wanted epsilon, if that is larger.
   *
   * @param share of one report in the sum of pure epsilons
   */
  static MechanismErrors ofMu(int dimension, double mu, double share) {
    MechanismErrors errors = new MechanismErrors(dimension);
    errors.errors.add(
        new MechanismError("gaussian", "mu " + Digits.all(mu), 4 * dimension / (mu * mu)));
    double epsilon = Math.max(share, largestEpsilon(mu));
    if (epsilon >= LEAST_EPSILON) {
      errors.addPure(epsilon);
    }
    errors.sort();
    return errors;
  }

  /** A multiple of 1e-9; at most 1e6. */
  private static double largestEpsilon(double mu) {
    long low = 0;
    long high = 1_000_000_000_000_000L;
    while (high - low > 1) {
      long middle = (low + high) >>> 1;
      if (PureDp.mu(middle * 1e-9) <= mu) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return BigDecimal.valueOf(low, 9).doubleValue();
  }

  private void addPure(double epsilon) {
    String level = "epsilon " + Digits.all(epsilon);
    double d = dimension;
    errors.add(new MechanismError("l2Laplace", level, 4 * d * (d + 1) / (epsilon * epsilon)));
    if (epsilon <= PrivUnitLaw.MOST_EPSILON) {
      PrivUnitLaw law =
          new PrivUnitLaws().best(dimension, epsilon, PrivUnitLaw.defaultCandidates(epsilon));
      errors.add(new MechanismError("privUnit", level, law.squaredError()));
    }
  }

  private void sort() {
    errors.sort(Comparator.comparingDouble(MechanismError::error));
  }

  /** Adds a list, the least error first. */
  void addTo(JsonObject object) {
    JsonObject list = new JsonObject();
    errors.forEach(error -> list.addProperty(error.name(), error.error()));
    object.addProperty("dimension", dimension);
    object.addProperty("leastError", errors.get(0).name());
    object.add("squaredErrors", list);
  }

  /** A sentence and a line for each, the least error first. */
  String text() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "Least error in %s dimensions: %s. E||release - g||^2 of a report, in units of G^2:"
            .formatted(Digits.count(dimension), errors.get(0).name()));
    for (MechanismError error : errors) {
      lines.add(
          "  %-10s %s, %s"
              .formatted(
                  error.name(),
                  Digits.sixDigits(error.error(), RoundingMode.HALF_EVEN),
                  error.level()));
    }
    return String.join(System.lineSeparator(), lines);
  }
}
