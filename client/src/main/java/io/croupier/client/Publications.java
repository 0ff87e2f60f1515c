package io.croupier.client;

import java.util.NavigableSet;
import java.util.TreeSet;

/** The publications of one model read so far: the newest, and the rounds of earlier ones. */
final class Publications {
  private final NavigableSet<Long> rounds = new TreeSet<>();
  private ModelSnapshot newest;

  void add(ModelSnapshot snapshot) {
    newest = snapshot;
    // After a change of its spec, a model publishes a round again.
    rounds.add(snapshot.round());
    if (rounds.size() > Staleness.MOST_PUBLICATIONS) {
      rounds.pollFirst();
    }
  }

  ModelSnapshot newest() {
    return newest;
  }

  boolean contain(long round) {
    return rounds.contains(round);
  }

  int newerThan(ModelSnapshot snapshot) {
    return rounds.tailSet(snapshot.round(), false).size();
  }
}
