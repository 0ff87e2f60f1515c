package io.croupier.cli.audit;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Draws releases of two neighbouring gradients and tests a claim on them.
 *
 * <p>One half of the releases chooses the event and the other half tests it, so the confidence is
 * valid for any number of candidate events. A false alarm has a probability of at most 1 -
 * confidence: half of it is for the event, a quarter each for the variance and the grid.
 *
 * <p>Takes O(d) time per release, and 16 bytes per release for each statistic.
 */
final class Audit {
  private static final int STEP = 4096;

  private final Claim claim;
  private final double falseAlarm;
  private final HalfSample choosing;
  private final HalfSample judging;
  private final int threads;

  /**
   * @param samples releases of either gradient, at least 16
   * @param confidence between 0 and 1
   * @param threads at least 1
   */
  Audit(Claim claim, int samples, double confidence, int threads) {
    this.claim = claim;
    this.falseAlarm = 1 - confidence;
    this.threads = threads;
    choosing = new HalfSample(samples / 2);
    judging = new HalfSample(samples / 2);
  }

  /**
   * Runs the audit.
   *
   * @param promise name of the claim
   * @param mechanisms called in this thread, once per drawing thread
   * @param progress receives the number of further releases drawn; called from any thread
   */
  Finding run(String promise, Supplier<AuditedMechanism> mechanisms, IntConsumer progress)
      throws InterruptedException, ExecutionException {
    NoiseCheck noise = new NoiseCheck(claim);
    Slices.draw(
            threads,
            choosing.size(),
            mechanisms,
            (mechanism, from, to) -> drawSlice(mechanism, from, to, progress))
        .forEach(noise::add);
    Event event = EventSearch.best(claim.guarantee(), choosing, falseAlarm / 2);
    EventCount count = event.count(claim.guarantee(), judging);
    String evidence =
        Finding.format(
            "Event: %s %s %s. Occurrences in %,d releases each: %,d for %s, %,d for %s.",
            event.statistic().formula(),
            event.sign() > 0 ? ">=" : "<=",
            Finding.number(Math.scalb(event.threshold(), claim.gridExponent())),
            count.trials(),
            count.seen(),
            event.sign() > 0 ? "g" : "h",
            count.seenOfOther(),
            event.sign() > 0 ? "h" : "g");
    return new Finding(
        promise,
        ", d " + claim.pair().dimension(),
        claim.level(),
        count,
        falseAlarm,
        evidence,
        noise.checks(claim.variance(), falseAlarm / 4));
  }

  private NoiseCheck drawSlice(AuditedMechanism mechanism, int from, int to, IntConsumer progress) {
    NoiseCheck noise = new NoiseCheck(claim);
    NeighbouringPair pair = claim.pair();
    double[] plus = pair.gradient(1);
    double[] minus = pair.gradient(-1);
    int counted = from;
    for (int i = from; i < to; i++) {
      for (HalfSample half : List.of(choosing, judging)) {
        int[] ofPlus = mechanism.release(plus);
        half.set(1, i, ofPlus, pair);
        noise.add(ofPlus, 1);
        int[] ofMinus = mechanism.release(minus);
        half.set(-1, i, ofMinus, pair);
        noise.add(ofMinus, -1);
      }
      if (i + 1 == to || (i + 1) % STEP == 0) {
        progress.accept(4 * (i + 1 - counted));
        counted = i + 1;
      }
    }
    return noise;
  }
}
