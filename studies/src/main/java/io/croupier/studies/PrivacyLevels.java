package io.croupier.studies;

import java.util.Arrays;

/** The privacy level of each person, in the order of reports. */
@FunctionalInterface
interface PrivacyLevels {

  double[] draw(int people, SeededRandom random);

  /** The same for all. */
  static PrivacyLevels all(double level) {
    return (people, random) -> filled(people, level);
  }

  /** The first {@code count} differ from all others. */
  static PrivacyLevels first(int count, double level, double others) {
    return (people, random) -> {
      double[] drawn = filled(people, others);
      Arrays.fill(drawn, 0, Math.min(count, people), level);
      return drawn;
    };
  }

  /** {@code count} people at random places differ from all others. */
  static PrivacyLevels scattered(int count, double level, double others) {
    return (people, random) -> {
      double[] drawn = filled(people, others);
      for (int left = Math.min(count, people); left > 0; ) {
        int place = random.below(people);
        if (drawn[place] != level) {
          drawn[place] = level;
          left--;
        }
      }
      return drawn;
    };
  }

  private static double[] filled(int people, double level) {
    double[] levels = new double[people];
    Arrays.fill(levels, level);
    return levels;
  }
}
