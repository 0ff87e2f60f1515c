package io.croupier.operators.model;

import io.croupier.operators.learner.LearnerState;
import io.croupier.schemas.KeptAverage;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The averages of earlier rounds that a model keeps, as its spec's history wants, and the one that
 * updates contain after a roll-back. The learner doesn't use them.
 */
final class KeptAverages {
  private static final String SIZE = "kept";
  private static final String ROUNDS = "kept-rounds";
  private static final String TIMES = "kept-times";
  private static final String AVERAGE = "kept-average-";

  private final TreeMap<Long, EarlierAverage> kept = new TreeMap<>();

  /** Rounds whose averages are not saved yet. */
  private final Set<Long> unsaved = new HashSet<>();

  private ModelSpec spec;

  /** The average of a round. */
  private static final class EarlierAverage {
    /** When the round was published. */
    final long publishedAtMs;

    /** Shape [d]; never changed. */
    final double[] average;

    EarlierAverage(long publishedAtMs, double[] average) {
      this.publishedAtMs = publishedAtMs;
      this.average = average;
    }
  }

  /** Keeps nothing yet. */
  KeptAverages(ModelSpec spec) {
    this.spec = spec;
  }

  /** Follows another spec of the model: drops what it doesn't keep any more. */
  void follow(ModelSpec next) {
    spec = next;
    trim();
  }

  /**
   * Keeps the average of a round that is published for the first time, if the history wants it.
   *
   * @param average copied
   */
  void published(long round, long nowMs, double[] average) {
    if (spec.hasHistory() && round % ModelSpecs.historyEveryRounds(spec) == 0) {
      keep(round, nowMs, average);
      trim();
    }
  }

  /** Keeps what the last update of a model whose state is lost served after a roll-back. */
  void continueFrom(ModelUpdate last, double[] average) {
    long publishedAtMs =
        last.getKeptAveragesList().stream()
            .filter(earlier -> earlier.getRound() == last.getAverageRound())
            .mapToLong(KeptAverage::getPublishedAtMs)
            .findAny()
            .orElse(last.getPublishedAtMs());
    keep(last.getAverageRound(), publishedAtMs, average);
  }

  private void keep(long round, long publishedAtMs, double[] average) {
    kept.put(round, new EarlierAverage(publishedAtMs, average.clone()));
    unsaved.add(round);
  }

  /** Drops the oldest ones above the number in the spec; the served one stays. */
  private void trim() {
    Iterator<Long> oldest = kept.keySet().iterator();
    while (kept.size() > spec.getHistory().getAverages() && oldest.hasNext()) {
      long round = oldest.next();
      if (!isServed(round)) {
        oldest.remove();
        unsaved.remove(round);
      }
    }
  }

  private boolean isServed(long round) {
    return spec.hasServedRound() && spec.getServedRound() == round;
  }

  /** Returns why a roll-back has no effect, in words; empty if it has, or there is none. */
  Optional<String> obstacle() {
    if (!spec.hasServedRound() || kept.containsKey(spec.getServedRound())) {
      return Optional.empty();
    }
    return Optional.of(
        "served_round is %d, whose average the model doesn't keep, so that updates contain the newest one; it must be one of %s, or left out"
            .formatted(spec.getServedRound(), kept.keySet()));
  }

  /** Returns the average that readers are to be served; not a copy. */
  double[] served(double[] newest) {
    EarlierAverage served = spec.hasServedRound() ? kept.get(spec.getServedRound()) : null;
    return served == null ? newest : served.average;
  }

  /** Adds to an update what is kept, and which round's average it contains. */
  void describe(ModelUpdateView.Builder update) {
    if (!spec.hasHistory()) {
      return;
    }
    kept.forEach(
        (round, average) ->
            update.addKeptAverages(
                KeptAverage.newBuilder().setRound(round).setPublishedAtMs(average.publishedAtMs)));
    if (spec.hasServedRound() && kept.containsKey(spec.getServedRound())) {
      update.setAverageRound(spec.getServedRound());
    }
  }

  /** Passes on which averages are kept, and those that are new. */
  void save(LearnerState.Visitor writer) {
    if (!spec.hasHistory()) {
      return;
    }
    writer.count(SIZE, kept.size());
    writer.counts(ROUNDS, kept.keySet().stream().mapToLong(Long::longValue).toArray());
    writer.counts(
        TIMES, kept.values().stream().mapToLong(average -> average.publishedAtMs).toArray());
    unsaved.forEach(round -> writer.vector(AVERAGE + round, kept.get(round).average));
    unsaved.clear();
  }

  /** Restores what {@link #save} passed on over time. */
  void restore(LearnerState.Visitor reader, int dimension) {
    int size = (int) reader.count(SIZE, 0);
    long[] rounds = new long[size];
    reader.counts(ROUNDS, rounds);
    long[] times = new long[size];
    reader.counts(TIMES, times);
    for (int i = 0; i < size; i++) {
      double[] average = new double[dimension];
      reader.vector(AVERAGE + rounds[i], average);
      kept.put(rounds[i], new EarlierAverage(times[i], average));
    }
  }

  /** Returns whether a saved chunk is of an average that is no longer kept. */
  boolean isForgotten(String chunk) {
    if (!chunk.startsWith(AVERAGE)) {
      return !spec.hasHistory()
          && (chunk.equals(SIZE) || chunk.startsWith(ROUNDS) || chunk.startsWith(TIMES));
    }
    String round = chunk.substring(AVERAGE.length(), chunk.indexOf('/'));
    return !kept.containsKey(Long.parseLong(round));
  }
}
