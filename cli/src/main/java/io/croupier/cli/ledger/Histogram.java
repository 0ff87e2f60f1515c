package io.croupier.cli.ledger;

import io.croupier.cli.account.Digits;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.apache.commons.lang3.StringUtils;

/**
 * A histogram with at most ten bins, whose width is 1, 2 or 5 times a power of ten. A bin includes
 * its upper end but not its lower one, since spends are rounded up. Sums that are too large for an
 * account, which are infinite, have a bin of their own at the end.
 *
 * @param bins from the first to the last non-empty one, including empty ones between them
 */
record Histogram(List<Bin> bins) {
  private static final int MOST_BINS = 10;
  private static final int WIDTH = 40;

  /** The number of values in an interval, {@code above} excluded and {@code upTo} included. */
  record Bin(double above, double upTo, long count) {}

  /**
   * The histogram of the positive values; others are left out.
   *
   * @param counts the number of occurrences of each value
   * @param largest the largest sum that an account can contain
   */
  static Histogram of(SortedMap<Double, Long> counts, double largest) {
    List<Bin> bins = ofFinite(counts.subMap(Double.MIN_VALUE, Double.POSITIVE_INFINITY));
    if (counts.containsKey(Double.POSITIVE_INFINITY)) {
      long beyond = counts.get(Double.POSITIVE_INFINITY);
      bins.add(new Bin(largest, Double.POSITIVE_INFINITY, beyond));
    }
    return new Histogram(List.copyOf(bins));
  }

  private static List<Bin> ofFinite(SortedMap<Double, Long> positive) {
    List<Bin> bins = new ArrayList<>();
    if (positive.isEmpty()) {
      return bins;
    }
    BigDecimal width = width(positive.firstKey(), positive.lastKey());
    long first = bin(positive.firstKey(), width);
    long last = bin(positive.lastKey(), width);
    long[] sums = new long[(int) (last - first) + 1];
    positive.forEach((value, count) -> sums[(int) (bin(value, width) - first)] += count);
    for (int i = 0; i < sums.length; i++) {
      BigDecimal above = width.multiply(BigDecimal.valueOf(first + i));
      bins.add(new Bin(above.doubleValue(), above.add(width).doubleValue(), sums[i]));
    }
    return bins;
  }

  private static BigDecimal width(double least, double most) {
    double spread = most > least ? most - least : most;
    BigDecimal power = BigDecimal.ONE.scaleByPowerOfTen((int) Math.floor(Math.log10(spread)) - 1);
    for (BigDecimal width = power; ; width = width.scaleByPowerOfTen(1)) {
      for (int factor : new int[] {1, 2, 5}) {
        BigDecimal candidate = width.multiply(BigDecimal.valueOf(factor));
        if (bin(most, candidate) - bin(least, candidate) < MOST_BINS) {
          return candidate;
        }
      }
    }
  }

  private static long bin(double value, BigDecimal width) {
    return BigDecimal.valueOf(value)
        .divide(width, 0, RoundingMode.CEILING)
        .subtract(BigDecimal.ONE)
        .longValue();
  }

  /** One line per bin, with a bar for its count. */
  String text() {
    long most = bins.stream().mapToLong(Bin::count).max().orElse(1);
    int edge = 0;
    int digits = 0;
    for (Bin bin : bins) {
      edge = Math.max(edge, Math.max(text(bin.above()).length(), text(bin.upTo()).length()));
      digits = Math.max(digits, Digits.count(bin.count()).length());
    }
    List<String> lines = new ArrayList<>();
    for (Bin bin : bins) {
      int length = (int) Math.ceil((double) bin.count() * WIDTH / most);
      String line =
          " above %s up to %s | %s | %s"
              .formatted(
                  StringUtils.leftPad(text(bin.above()), edge),
                  StringUtils.leftPad(text(bin.upTo()), edge),
                  StringUtils.leftPad(Digits.count(bin.count()), digits),
                  "#".repeat(length));
      lines.add(line.stripTrailing());
    }
    return String.join(System.lineSeparator(), lines);
  }

  private static String text(double edge) {
    return Digits.all(edge);
  }
}
