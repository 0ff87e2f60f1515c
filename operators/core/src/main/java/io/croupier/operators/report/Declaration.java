package io.croupier.operators.report;

import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The mechanism that a {@link Report} declares, in the report's fields. Each constant is named as
 * its mechanism.
 */
public enum Declaration {
  UNDISCLOSED,
  L2_LAPLACE,
  COORDINATE_LAPLACE,
  GAUSSIAN,
  CENTRAL,
  PRIV_UNIT,
  RANDOMISED_RESPONSE,
  HASHED_RESPONSE;

  private static final Map<String, Declaration> BY_NAME =
      Arrays.stream(values())
          .collect(
              Collectors.toUnmodifiableMap(
                  declaration -> declaration.name().toLowerCase(Locale.ROOT), Function.identity()));

  /**
   * Returns the mechanism that a report declares; it shares the report's taus.
   *
   * @throws IllegalArgumentException if a parameter is out of range
   */
  public static Mechanism of(Report report) {
    return switch (report.declaration) {
      case UNDISCLOSED -> UndisclosedNoise.UNDISCLOSED;
      case CENTRAL -> CentralNoise.CENTRAL;
      case L2_LAPLACE ->
          new L2LaplaceMechanism(report.level, isNoisedEverywhere(report) ? report.dimension : 0);
      case GAUSSIAN -> new GaussianMechanism(report.level);
      case PRIV_UNIT -> new PrivUnitMechanism(report.level, report.candidates, report.top);
      case RANDOMISED_RESPONSE -> new RandomisedResponseMechanism(report.level, report.levelIsMu);
      case HASHED_RESPONSE -> new HashedResponseMechanism(report.level, report.candidates);
      case COORDINATE_LAPLACE ->
          new CoordinateLaplaceMechanism(
              ByteBuffer.wrap(report.taus).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer(),
              report.clip,
              report.dimension - report.taus.length / Double.BYTES);
    };
  }

  private static boolean isNoisedEverywhere(Report report) {
    return report.form == VectorForm.DENSE || report.form == VectorForm.GRID;
  }

  /** Declares a mechanism in a report, whose taus are copied. */
  public static void declare(Mechanism mechanism, Report report) {
    byte[] taus = {};
    if (mechanism instanceof CoordinateLaplaceMechanism laplace) {
      taus = new byte[laplace.count() * Double.BYTES];
      ByteBuffer.wrap(taus).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer().put(laplace.taus());
    }
    declare(mechanism, taus, report);
  }

  /**
   * Declares a mechanism in a report.
   *
   * @param taus those of the mechanism, as the report keeps them; empty if it has none
   */
  static void declare(Mechanism mechanism, byte[] taus, Report report) {
    report.declaration =
        Objects.requireNonNull(
            BY_NAME.get(mechanism.name()), "no declaration has the mechanism's name");
    report.taus = taus;
    report.level = mechanism.level();
    if (mechanism instanceof PrivUnitMechanism unit) {
      report.candidates = unit.candidates();
      report.top = unit.top();
    }
    if (mechanism instanceof HashedResponseMechanism response) {
      report.candidates = response.groups();
    }
    if (mechanism instanceof RandomisedResponseMechanism response) {
      report.levelIsMu = response.isMu();
    }
    if (mechanism instanceof CoordinateLaplaceMechanism laplace) {
      report.clip = laplace.clip();
    }
  }
}
