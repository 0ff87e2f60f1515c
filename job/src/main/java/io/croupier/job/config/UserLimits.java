package io.croupier.job.config;

import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.NumberText;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoublePredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The settings that limit what one user may spend on all models together. */
public final class UserLimits {
  private static final Pattern DAYS = Pattern.compile("([1-9][0-9]{0,2}) ?d");

  private UserLimits() {}

  /**
   * Reads the limits; an unset setting is no limit.
   *
   * @throws IllegalArgumentException if a value is invalid
   */
  static Limits of(Map<String, String> settings) {
    Limits.Builder limits = Limits.newBuilder();
    if (isSet(ConfigKey.LIMITS_USER_EPSILON, settings)) {
      limits.setEpsilon(limit(ConfigKey.LIMITS_USER_EPSILON, settings, ModelSpecs.LEAST_EPSILON));
    }
    if (isSet(ConfigKey.LIMITS_USER_MU, settings)) {
      limits.setMu(limit(ConfigKey.LIMITS_USER_MU, settings, ModelSpecs.LEAST_MU));
    }
    if (isSet(ConfigKey.LIMITS_USER_DELTA, settings)) {
      limits.setDelta(
          number(
              ConfigKey.LIMITS_USER_DELTA,
              settings,
              delta -> delta > 0 && delta < 1,
              "above 0 and below 1"));
    }
    if (isSet(ConfigKey.LIMITS_USER_REPORTS, settings)) {
      limits.setReports(count(ConfigKey.LIMITS_USER_REPORTS, settings));
    }
    if (isSet(ConfigKey.LIMITS_USER_PER, settings)) {
      limits.setPerDays(days(settings.get(ConfigKey.LIMITS_USER_PER.key()), limit(limits.build())));
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
    lines.put(
        ConfigKey.LIMITS_USER_PER.key(),
        limits.hasPerDays() ? limits.getPerDays() + "d" : "(for life)");
    return lines;
  }

  private static String text(boolean set, String limit) {
    return set ? limit : "(no limit)";
  }

  private static boolean isSet(ConfigKey key, Map<String, String> settings) {
    return settings.containsKey(key.key());
  }

  private static double limit(ConfigKey key, Map<String, String> settings, double least) {
    return number(
        key, settings, limit -> limit >= least && Double.isFinite(limit), "of at least " + least);
  }

  private static double number(
      ConfigKey key, Map<String, String> settings, DoublePredicate valid, String right) {
    String text = settings.get(key.key());
    try {
      double value = NumberText.parseDouble(text.strip());
      if (valid.test(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The exception below covers this case, too.
    }
    throw new IllegalArgumentException(
        "%s is '%s'; it must be a finite number %s, or left out".formatted(key.key(), text, right));
  }

  private static int days(String text, boolean limited) {
    Matcher days = DAYS.matcher(text.strip());
    if (!days.matches() || Integer.parseInt(days.group(1)) > ModelSpecs.MAX_PERIOD_DAYS) {
      throw new IllegalArgumentException(
          "%s is '%s'; it must be a number of days from 1 to %d, such as '30d', or left out"
              .formatted(ConfigKey.LIMITS_USER_PER.key(), text, ModelSpecs.MAX_PERIOD_DAYS));
    }
    if (!limited) {
      throw new IllegalArgumentException(
          "%s is '%s', the period of limits, but there are none; set %s, %s or %s, or leave it out"
              .formatted(
                  ConfigKey.LIMITS_USER_PER.key(),
                  text,
                  ConfigKey.LIMITS_USER_EPSILON.key(),
                  ConfigKey.LIMITS_USER_MU.key(),
                  ConfigKey.LIMITS_USER_REPORTS.key()));
    }
    return Integer.parseInt(days.group(1));
  }

  private static long count(ConfigKey key, Map<String, String> settings) {
    String text = settings.get(key.key());
    try {
      long value = NumberText.parseLong(text.strip());
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
