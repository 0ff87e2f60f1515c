package io.croupier.studies;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What the trials of one problem ended with.
 *
 * @param ways first the fixed clips of which the best one is the oracle
 * @param fixed number of these
 * @param unit of the gradients
 * @param zero excess loss of doing nothing
 * @param runs by replication and way
 */
record ClipOutcomes(
    List<ClipWay> ways, int fixed, double unit, double zero, List<List<ClipTrial.Outcome>> runs) {

  Estimate excess(String label) {
    return excess(index(label));
  }

  private int index(String label) {
    return IntStream.range(0, ways.size())
        .filter(w -> ways.get(w).label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(label + " was not played"));
  }

  private Estimate excess(int way) {
    return Estimate.of(runs.stream().mapToDouble(run -> run.get(way).excess()).toArray());
  }

  private int best() {
    return IntStream.range(0, fixed)
        .boxed()
        .min(Comparator.comparingDouble(way -> excess(way).mean()))
        .orElseThrow();
  }

  /** Of the best fixed clip. */
  Estimate oracle() {
    return excess(best());
  }

  /** The best fixed clip in units of the gradients. */
  double bestClip() {
    return ways.get(best()).clip() / unit;
  }

  /** Excess over that of the best fixed clip. */
  double ratio(String label) {
    return excess(label).mean() / oracle().mean();
  }

  /** The same of doing nothing. */
  double ratioOfZero() {
    return zero / oracle().mean();
  }

  /** Geometric mean of the last clips in units of the gradients. */
  double lastClip(String label) {
    int way = index(label);
    Ratios clips = new Ratios();
    runs.forEach(run -> clips.add(run.get(way).clip() / unit));
    return clips.geometricMean();
  }

  boolean isLearnable() {
    return ratioOfZero() >= 2;
  }

  boolean isHopeless() {
    return ratioOfZero() < 1.2;
  }
}
