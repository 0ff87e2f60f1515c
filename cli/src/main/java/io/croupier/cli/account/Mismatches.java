package io.croupier.cli.account;

import io.croupier.schemas.VisibleText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Records that differ from what was computed again: their number, and what is wrong with some. */
final class Mismatches {
  private static final int DESCRIBED = 20;

  private final List<String> first = new ArrayList<>();
  private long count;

  /** Adds one; only the first {@value #DESCRIBED} are described. */
  void add(Supplier<String> description) {
    if (++count <= DESCRIBED) {
      first.add(VisibleText.name(description.get()));
    }
  }

  long count() {
    return count;
  }

  /**
   * A line that counts them, and the descriptions; or nothing.
   *
   * @param all how many records there are
   * @param wrong which records they are, and what is wrong with them
   */
  List<String> lines(long all, String wrong) {
    if (count == 0) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    lines.add("MISMATCH: %s of %s %s:".formatted(Digits.count(count), Digits.count(all), wrong));
    lines.addAll(first);
    return lines;
  }
}
