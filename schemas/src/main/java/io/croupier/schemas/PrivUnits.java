package io.croupier.schemas;

/** What makes a {@link PrivUnit} well-formed. */
public final class PrivUnits {
  /** Largest epsilon. */
  public static final double MOST_EPSILON = 16;

  private PrivUnits() {}

  /** Whether epsilon, candidates and top are in their ranges. */
  public static boolean isWellFormed(PrivUnit mechanism) {
    return mechanism.getEpsilon() > 0
        && mechanism.getEpsilon() <= MOST_EPSILON
        && areCandidates(mechanism.getCandidates())
        && isTop(mechanism);
  }

  /** Whether an index names one of the candidates. */
  public static boolean isIndex(int index, PrivUnit mechanism) {
    return index >= 0 && index < mechanism.getCandidates();
  }

  private static boolean areCandidates(int candidates) {
    return candidates == 64 || candidates == 256 || candidates == 1024 || candidates == 4096;
  }

  private static boolean isTop(PrivUnit mechanism) {
    return mechanism.getTop() >= 1 && mechanism.getTop() <= mechanism.getCandidates() / 2;
  }

  static void check(String path, PrivUnit mechanism, Violations violations) {
    violations.require(
        mechanism.getEpsilon() > 0 && mechanism.getEpsilon() <= MOST_EPSILON,
        path + ".epsilon",
        mechanism.getEpsilon(),
        "above 0 and at most 16");
    violations.require(
        areCandidates(mechanism.getCandidates()),
        path + ".candidates",
        mechanism.getCandidates(),
        "64, 256, 1024 or 4096");
    violations.require(
        isTop(mechanism), path + ".top", mechanism.getTop(), "from 1 to half the candidates");
  }
}
