package io.croupier.client;

import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** The publications of one model read so far: the newest, and the terms of earlier ones. */
final class Publications {
  private final NavigableMap<Long, RoundTerms> rounds = new TreeMap<>();
  private ModelSnapshot newest;

  void add(ModelSnapshot snapshot) {
    newest = snapshot;
    // After a change of its spec, a model publishes a round again.
    rounds.put(snapshot.round(), snapshot.terms());
    if (rounds.size() > Staleness.MOST_PUBLICATIONS) {
      rounds.pollFirstEntry();
    }
  }

  ModelSnapshot newest() {
    return newest;
  }

  Optional<RoundTerms> terms(long round) {
    return Optional.ofNullable(rounds.get(round));
  }

  int newerThan(ModelSnapshot snapshot) {
    return rounds.tailMap(snapshot.round(), false).size();
  }
}
