package io.croupier.noise;

/**
 * The groups to which a public seed assigns categories, the same on every platform and, by
 * docs/theory/counting.md, in every language. They protect nothing: a report of a group is private
 * because of how the group is drawn, whatever it contains.
 *
 * <p>The group of category j is floor(u N 2^-32), u the upper 32 bits of mix(seed + g (2j + 1)),
 * the state from which {@link CandidateVectors} expands vector j. Over all seeds, each group has a
 * category with probability 1 / N up to 2^-32, and two categories share a group with probability 1
 * / N as far as the generator is a random function.
 */
public final class SeededGroups {
  private SeededGroups() {}

  /**
   * The group of a category.
   *
   * @param category at least 0
   * @param groups N, at least 1
   * @return from 0 to N - 1
   */
  public static int group(long seed, int category, int groups) {
    long upper = CandidateVectors.start(seed, category) >>> 32;
    return (int) ((upper * groups) >>> 32);
  }
}
