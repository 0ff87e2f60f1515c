package io.croupier.bench.study;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

/**
 * Runs the trials of a study on several threads. Every trial has a seed of its own, so the results
 * don't depend on how many threads there are.
 */
final class Runner implements AutoCloseable {
  private final ExecutorService threads;
  private final LongConsumer progress;

  Runner(int threads, LongConsumer progress) {
    this.threads = Executors.newFixedThreadPool(threads);
    this.progress = progress;
  }

  /** The results of the cells, in their order. */
  List<Result> run(List<Cell> cells, long seed) throws InterruptedException {
    List<List<Future<Trial.Risk[][]>>> futures = new ArrayList<>();
    for (int c = 0; c < cells.size(); c++) {
      Cell cell = cells.get(c);
      List<Future<Trial.Risk[][]>> trials = new ArrayList<>();
      for (int r = 0; r < cell.replications(); r++) {
        long trialSeed = Dice.seed(seed, c, r);
        trials.add(threads.submit(() -> new Trial(cell, trialSeed).run(progress)));
      }
      futures.add(trials);
    }
    List<Result> results = new ArrayList<>();
    for (int c = 0; c < cells.size(); c++) {
      Trial.Risk[][][] risks = new Trial.Risk[cells.get(c).replications()][][];
      for (int r = 0; r < risks.length; r++) {
        risks[r] = get(futures.get(c).get(r));
      }
      results.add(new Result(cells.get(c), risks));
    }
    return results;
  }

  private static Trial.Risk[][] get(Future<Trial.Risk[][]> future) throws InterruptedException {
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
