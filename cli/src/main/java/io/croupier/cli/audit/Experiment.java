package io.croupier.cli.audit;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * What pairs of releases, one of g and one of h, show of a claim: a sum over pairs, which several
 * threads count.
 *
 * @param <R> a release
 * @param <T> this type
 */
interface Experiment<R, T extends Experiment<R, T>> {
  /** Releases between two reports of progress. */
  int STEP = 1024;

  /** The releases of one thread. */
  @FunctionalInterface
  interface Releases<R> {

    /** Returns the next release of g, if {@code sign} is 1, or of h, if it is -1. */
    R next(int sign);

    /** Returns releases that another program made. */
    static <R> Releases<R> of(List<R> ofG, List<R> ofH) {
      Iterator<R> g = ofG.iterator();
      Iterator<R> h = ofH.iterator();
      return sign -> (sign > 0 ? g : h).next();
    }
  }

  /** Returns the same experiment without releases, for another thread. */
  T another();

  /**
   * Counts a pair.
   *
   * @param index from 0, each once, by any thread
   */
  void add(int index, R ofG, R ofH);

  /** Adds what another thread counted. */
  void add(T other);

  /**
   * Concludes.
   *
   * @param pairs that were counted
   * @param falseAlarm bound on the probability of refuting a true claim, half of it for the level
   */
  Finding finding(int pairs, double falseAlarm);

  /**
   * Draws all pairs, and concludes.
   *
   * @param draws how many, by how many threads
   * @param releases called in this thread, once for each drawing thread
   */
  default Finding run(Draws draws, Supplier<Releases<R>> releases)
      throws InterruptedException, ExecutionException {
    List<Callable<T>> slices = new ArrayList<>();
    for (int t = 0; t < draws.threads; t++) {
      Releases<R> own = releases.get();
      int from = (int) ((long) draws.pairs * t / draws.threads);
      int to = (int) ((long) draws.pairs * (t + 1) / draws.threads);
      slices.add(() -> draw(own, from, to, draws.progress));
    }
    T all = another();
    ExecutorService pool = Executors.newFixedThreadPool(draws.threads);
    try {
      for (Future<T> slice : pool.invokeAll(slices)) {
        all.add(slice.get());
      }
    } finally {
      pool.shutdownNow();
    }
    return all.finding(draws.pairs, draws.falseAlarm);
  }

  private T draw(Releases<R> releases, int from, int to, IntConsumer progress) {
    T counted = another();
    int unreported = 0;
    for (int i = from; i < to; i++) {
      counted.add(i, releases.next(1), releases.next(-1));
      unreported += 2;
      if (unreported == STEP || i + 1 == to) {
        progress.accept(unreported);
        unreported = 0;
      }
    }
    return counted;
  }

  /**
   * What is drawn.
   *
   * @param pairs of a release of g and one of h
   * @param falseAlarm bound on the probability of refuting a true claim
   * @param progress receives the number of further releases; called from any thread
   */
  record Draws(int pairs, int threads, double falseAlarm, IntConsumer progress) {

    /** Releases that are there already, which one thread reads. */
    static Draws read(int pairs, double falseAlarm) {
      return new Draws(pairs, 1, falseAlarm, n -> {});
    }
  }
}
