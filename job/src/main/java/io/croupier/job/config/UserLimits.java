package io.croupier.job.config;

import io.croupier.schemas.Limits;
import java.util.Map;
import java.util.TreeMap;

/** The settings that limit what one user may spend on all models together. */
public final class UserLimits {
  private UserLimits() {}

  /**
   * Reads the limits; an unset or empty setting is no limit.
   *
   * @throws IllegalArgumentException if a value is invalid
   */
  static Limits of(Map<String, String> settings) {
    Limits.Builder limits = Limits.newBuilder();
    if (isSet(ConfigKey.LIMITS_USER_EPSILON, settings)) {
      limits.setEpsilon(
          number(ConfigKey.LIMITS_USER_EPSILON, settings, Double.POSITIVE_INFINITY, ""));
    }
    if (isSet(ConfigKey.LIMITS_USER_MU, settings)) {
      limits.setMu(number(ConfigKey.LIMITS_USER_MU, settings, Double.POSITIVE_INFINITY, ""));
    }
    if (isSet(ConfigKey.LIMITS_USER_DELTA, settings)) {
      limits.setDelta(number(ConfigKey.LIMITS_USER_DELTA, settings, 1, " and below 1"));
    }
    if (isSet(ConfigKey.LIMITS_USER_REPORTS, settings)) {
      limits.setReports(count(ConfigKey.LIMITS_USER_REPORTS, settings));
    }
    return limits.build();
  }

  /**
   * Whether {@code limits} contains a limit; a delta alone only selects how totals are reported.
   */
  public static boolean limit(Limits limits) {
    return !limits.toBuilder().clearDelta().build().equals(Limits.getDefaultInstance());
  }

  /** Each limit by its key, as text. */
  static Map<String, String> describe(Limits limits) {
    Map<String, String> lines = new TreeMap<>();
    lines.put(
        ConfigKey.LIMITS_USER_EPSILON.key(),
        text(limits.hasEpsilon(), Double.toString(limits.getEpsilon())));
    lines.put(
        ConfigKey.LIMITS_USER_MU.key(), text(limits.hasMu(), Double.toString(limits.getMu())));
    lines.put(
        ConfigKey.LIMITS_USER_DELTA.key(),
        text(limits.hasDelta(), Double.toString(limits.getDelta())));
    lines.put(
        ConfigKey.LIMITS_USER_REPORTS.key(),
        text(limits.hasReports(), Long.toString(limits.getReports())));
    return lines;
  }

  private static String text(boolean set, String limit) {
    return set ? limit : "(no limit)";
  }

  private static boolean isSet(ConfigKey key, Map<String, String> settings) {
    return !settings.getOrDefault(key.key(), "").isBlank();
  }

  private static double number(
      ConfigKey key, Map<String, String> settings, double below, String right) {
    String text = settings.get(key.key());
    try {
      double value = Double.parseDouble(text.strip());
      if (value > 0 && value < below) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The exception below covers this case, too.
    }
    throw new IllegalArgumentException(
        "%s is '%s'; it must be a finite number above 0%s, or left out"
            .formatted(key.key(), text, right));
  }

  private static long count(ConfigKey key, Map<String, String> settings) {
    String text = settings.get(key.key());
    try {
      long value = Long.parseLong(text.strip());
      if (value >= 1) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The exception below covers this case, too.
    }
    throw new IllegalArgumentException(
        "%s is '%s'; it must be a whole number of at least 1, or left out"
            .formatted(key.key(), text));
  }
}
