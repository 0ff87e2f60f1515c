package io.croupier.gateway.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whether the server is about to stop, and the requests that wait for something that may never
 * happen, which then end. Safe for use by several threads.
 */
final class Drain {
  private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean begun;

  boolean hasBegun() {
    return begun;
  }

  /** Adds the end of a waiting request; runs it immediately if the server is about to stop. */
  void add(Runnable end) {
    waiting.add(end);
    if (begun && waiting.remove(end)) {
      end.run();
    }
  }

  /** Removes the end of a request that waits no longer. */
  void remove(Runnable end) {
    waiting.remove(end);
  }

  /** Ends the waiting requests, and each one that comes later. */
  void begin() {
    begun = true;
    for (Runnable end : Set.copyOf(waiting)) {
      if (waiting.remove(end)) {
        end.run();
      }
    }
  }
}
