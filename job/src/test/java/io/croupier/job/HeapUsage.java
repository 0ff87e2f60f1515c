package io.croupier.job;

import java.lang.management.ManagementFactory;

/** The heap's size in use. */
final class HeapUsage {
  private static final int COLLECTIONS = 5;

  private HeapUsage() {}

  /**
   * Used bytes, as the least of a few samples, since memory that a checkpoint or a fetch occupies
   * briefly is no leak.
   */
  static long afterCollection() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }
}
