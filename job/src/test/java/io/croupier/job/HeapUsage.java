package io.croupier.job;

import java.lang.management.ManagementFactory;

/** How much of the heap is in use. */
final class HeapUsage {
  private static final int COLLECTIONS = 5;

  private HeapUsage() {}

  /** Bytes, the least of a few: what a checkpoint or a fetch holds at the moment is no leak. */
  static long afterCollection() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }
}
