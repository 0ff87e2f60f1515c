package io.croupier.studies;

import java.util.Arrays;
import java.util.List;

/**
 * The size of a study.
 *
 * @param divisor of all numbers of people
 * @param replications instead of each study's own, or 0
 * @param designPoints size of the {@link Design}s
 */
record StudyScale(int divisor, int replications, int designPoints) {

  /** The scale of tests. */
  static StudyScale quick(int replications) {
    return new StudyScale(500, replications == 0 ? 2 : replications, 50);
  }

  /** The scale of the published results. */
  static StudyScale full(int replications) {
    return new StudyScale(1, replications, 4000);
  }

  int people(int full) {
    return Math.max(2, full / divisor);
  }

  int replications(int full) {
    return replications == 0 ? full : replications;
  }

  /** Ascending, each a number of rounds, no two the same. */
  List<Integer> checkpoints(int... full) {
    return Arrays.stream(full).map(this::people).distinct().boxed().toList();
  }
}
