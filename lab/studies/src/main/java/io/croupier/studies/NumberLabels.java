package io.croupier.studies;

import java.util.Locale;

/** Numbers as tables and legends show them. */
final class NumberLabels {
  private NumberLabels() {}

  /** Three significant digits. */
  static String short3(double value) {
    if (value == 0 || Double.isInfinite(value) || Double.isNaN(value)) {
      return value == 0 ? "0" : Double.isNaN(value) ? "-" : value > 0 ? "none" : "-none";
    }
    double size = Math.abs(value);
    if (size < 1e-3 || size >= 1e4) {
      return String.format(Locale.ROOT, "%.2e", value);
    }
    int digits = Math.max(0, 2 - (int) Math.floor(Math.log10(size)));
    String fixed = String.format(Locale.ROOT, "%." + digits + "f", value);
    return fixed.contains(".") ? fixed.replaceAll("0+$", "").replaceAll("\\.$", "") : fixed;
  }

  /** One significant digit. */
  static String exponent(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.0e", value);
  }

  static String fixed(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }

  static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f%%", 100 * share);
  }
}
