package io.croupier.client;

import java.util.NavigableSet;
import java.util.TreeSet;

/** The publications of one model that were read: the newest, and the rounds of those before. */
final class Publications {
  private final NavigableSet<Long> rounds = new TreeSet<>();
  private ModelSnapshot newest;

  void add(ModelSnapshot snapshot) {
    newest = snapshot;
    // A spec that changes has a round published again.
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
