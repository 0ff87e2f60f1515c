package io.croupier.cli.audit;

import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.noise.CandidateVectors;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Draws releases of g and of h = -g by priv-unit, g of the longest length along the first axis, and
 * compares them with its claim. The event is known beforehand: that the index is among the K
 * candidates of its seed that are closest to g. By its claim it is exp(epsilon) times as frequent
 * with g as with h, whose closest candidates are the opposites. The ranks are counted here, and not
 * taken from the randomiser.
 *
 * <p>A false alarm has a probability of at most 1 - confidence: half of it is for the event, a
 * quarter each for mean and variance.
 *
 * <p>O(N d) a release.
 */
final class CandidateAudit {
  private static final int STEP = 512;

  private final int samples;
  private final double confidence;
  private final int threads;

  /**
   * @param samples releases of either gradient
   * @param confidence between 0 and 1
   * @param threads at least 1
   */
  CandidateAudit(int samples, double confidence, int threads) {
    this.samples = samples;
    this.confidence = confidence;
    this.threads = threads;
  }

  /**
   * Runs the audit.
   *
   * @param randomisers one for each thread; asked for in this thread
   * @param progress called with how many more releases were drawn; by any thread
   */
  CandidateFinding run(Supplier<PrivUnitRandomiser> randomisers, IntConsumer progress)
      throws InterruptedException, ExecutionException {
    List<Callable<CandidateCounts>> slices = new ArrayList<>();
    PrivUnitRandomiser claimed = randomisers.get();
    for (int t = 0; t < threads; t++) {
      PrivUnitRandomiser randomiser = randomisers.get();
      int from = (int) ((long) samples * t / threads);
      int to = (int) ((long) samples * (t + 1) / threads);
      slices.add(() -> draw(randomiser, to - from, progress));
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      CandidateCounts counts = new CandidateCounts();
      for (Future<CandidateCounts> slice : pool.invokeAll(slices)) {
        counts.add(slice.get());
      }
      return new CandidateFinding(claimed, counts, samples, 1 - confidence);
    } finally {
      pool.shutdownNow();
    }
  }

  private static CandidateCounts draw(
      PrivUnitRandomiser randomiser, int releases, IntConsumer progress) {
    CandidateCounts counts = new CandidateCounts();
    double[] g = new double[randomiser.dimension()];
    double[] axis = new double[g.length + 1];
    axis[0] = 1;
    int done = 0;
    for (int i = 0; i < releases; i++) {
      for (int sign : new int[] {1, -1}) {
        g[0] = sign * randomiser.gradientBound();
        PrivUnitRandomiser.Choice choice = randomiser.choose(g);
        double height = height(choice.seed(), choice.index(), axis);
        boolean top = isTop(choice, axis, randomiser.law().candidates(), randomiser.law().top());
        counts.add(sign, top, height);
      }
      if ((i + 1) % STEP == 0 || i + 1 == releases) {
        progress.accept(2 * (i + 1 - done));
        done = i + 1;
      }
    }
    return counts;
  }

  private static double height(long seed, int index, double[] axis) {
    double height = CandidateVectors.height(seed, index / 2, axis);
    return index % 2 == 0 ? height : -height;
  }

  /** Whether a candidate is on the axis' side, and fewer than K pairs are higher than its own. */
  private static boolean isTop(
      PrivUnitRandomiser.Choice choice, double[] axis, int candidates, int top) {
    double own = height(choice.seed(), choice.index(), axis);
    if (own < 0) {
      return false;
    }
    int higher = 0;
    for (int pair = 0; pair < candidates / 2 && higher < top; pair++) {
      if (Math.abs(CandidateVectors.height(choice.seed(), pair, axis)) > own) {
        higher++;
      }
    }
    return higher < top;
  }

  /** What was drawn of both gradients. */
  static final class CandidateCounts {
    private int topOfPlus;
    private int topOfMinus;
    private double sum;
    private double squares;
    private double fourths;

    private void add(int sign, boolean top, double height) {
      if (top && sign > 0) {
        topOfPlus++;
      } else if (top) {
        topOfMinus++;
      }
      double along = sign * height;
      sum += along;
      squares += along * along;
      fourths += along * along * along * along;
    }

    private void add(CandidateCounts other) {
      topOfPlus += other.topOfPlus;
      topOfMinus += other.topOfMinus;
      sum += other.sum;
      squares += other.squares;
      fourths += other.fourths;
    }

    /** How often the event was seen, of g if {@code sign} is 1, or of h. */
    int top(int sign) {
      return sign > 0 ? topOfPlus : topOfMinus;
    }

    /** Sum over both of the candidates' heights, along the gradient. */
    double sum() {
      return sum;
    }

    double squares() {
      return squares;
    }

    double fourths() {
      return fourths;
    }
  }
}
