package io.croupier.cli.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Draws releases in several threads. */
final class Slices {
  private Slices() {}

  /** Draws the releases of one thread with a mechanism of its own. */
  @FunctionalInterface
  interface Slice<M, R> {
    R draw(M mechanism, int from, int to);
  }

  /**
   * Returns what each thread has drawn.
   *
   * @param mechanisms called in this thread, once for each of the others
   */
  static <M, R> List<R> draw(int threads, int samples, Supplier<M> mechanisms, Slice<M, R> slice)
      throws InterruptedException, ExecutionException {
    List<Callable<R>> slices = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      M mechanism = mechanisms.get();
      int from = (int) ((long) samples * t / threads);
      int to = (int) ((long) samples * (t + 1) / threads);
      slices.add(() -> slice.draw(mechanism, from, to));
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<R> drawn = new ArrayList<>();
      for (Future<R> future : pool.invokeAll(slices)) {
        drawn.add(future.get());
      }
      return drawn;
    } finally {
      pool.shutdownNow();
    }
  }
}
