package io.croupier.studies;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

/**
 * Runs the trials of a study on several threads. Every trial has its own seed, so the results don't
 * depend on the number of threads.
 */
final class Runner implements AutoCloseable {
  private final ExecutorService threads;
  private final LongConsumer progress;

  Runner(int threads, LongConsumer progress) {
    this.threads = Executors.newFixedThreadPool(threads);
    this.progress = progress;
  }

  /** The results of the cells, in their order. */
  List<CellResult> run(List<Cell> cells, long seed) throws InterruptedException {
    List<Callable<Trial.Risk[][]>> trials = new ArrayList<>();
    for (int c = 0; c < cells.size(); c++) {
      Cell cell = cells.get(c);
      for (int r = 0; r < cell.replications(); r++) {
        long trialSeed = SeededRandom.seed(seed, c, r);
        trials.add(() -> new Trial(cell, trialSeed).run(progress));
      }
    }
    List<Trial.Risk[][]> risks = all(trials);
    List<CellResult> results = new ArrayList<>();
    int next = 0;
    for (Cell cell : cells) {
      List<Trial.Risk[][]> own = risks.subList(next, next += cell.replications());
      results.add(new CellResult(cell, own.toArray(Trial.Risk[][][]::new)));
    }
    return results;
  }

  /** The results of independent trials, in their order. */
  <T> List<T> all(List<Callable<T>> trials) throws InterruptedException {
    List<Future<T>> futures = trials.stream().map(threads::submit).toList();
    List<T> results = new ArrayList<>();
    for (Future<T> future : futures) {
      results.add(get(future));
    }
    return results;
  }

  /** Receives the amount of work done, in the unit of {@link Study#work}. */
  LongConsumer progress() {
    return progress;
  }

  private static <T> T get(Future<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a trial failed: " + e.getCause(), e.getCause());
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
