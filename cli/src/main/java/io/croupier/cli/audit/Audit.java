package io.croupier.cli.audit;

import java.util.List;

/**
 * Tests the claim of noise on a grid by releases of two neighbouring gradients.
 *
 * <p>One half of the releases chooses the event and the other half tests it, so the confidence is
 * valid for any number of candidate events. A false alarm has a probability of at most that
 * requested: half of it is for the event, a quarter each for the variance and the grid.
 *
 * <p>Takes O(d) time per release, and 16 bytes per release for each statistic.
 */
final class Audit implements Experiment<int[], Audit> {
  private final String promise;
  private final Claim claim;
  private final HalfSample choosing;
  private final HalfSample judging;
  private final NoiseCheck noise;

  /**
   * @param promise name of the claim
   * @param pairs of releases, at least 16
   */
  Audit(String promise, Claim claim, int pairs) {
    this(promise, claim, new HalfSample((pairs + 1) / 2), new HalfSample(pairs / 2));
  }

  private Audit(String promise, Claim claim, HalfSample choosing, HalfSample judging) {
    this.promise = promise;
    this.claim = claim;
    this.choosing = choosing;
    this.judging = judging;
    noise = new NoiseCheck(claim);
  }

  /** Returns the releases of a mechanism. */
  Releases<int[]> releases(AuditedMechanism mechanism) {
    double[] g = claim.pair().gradient(1);
    double[] h = claim.pair().gradient(-1);
    return sign -> mechanism.release(sign > 0 ? g : h);
  }

  @Override
  public Audit another() {
    return new Audit(promise, claim, choosing, judging);
  }

  @Override
  public void add(int index, int[] ofG, int[] ofH) {
    HalfSample half = index % 2 == 0 ? choosing : judging;
    half.set(1, index / 2, ofG, claim.pair());
    half.set(-1, index / 2, ofH, claim.pair());
    noise.add(ofG, 1);
    noise.add(ofH, -1);
  }

  /** The halves are the same for all threads. */
  @Override
  public void add(Audit other) {
    noise.add(other.noise);
  }

  @Override
  public Finding finding(int pairs, double falseAlarm) {
    Event event = EventSearch.best(claim.guarantee(), choosing, falseAlarm / 2);
    EventCount count = event.count(claim.guarantee(), judging);
    List<String> names = event.sign() > 0 ? List.of("g", "h") : List.of("h", "g");
    String evidence =
        Finding.format(
            "Event: %s %s %s. Occurrences in %,d releases each: %,d for %s, %,d for %s.",
            event.statistic().formula(),
            event.sign() > 0 ? ">=" : "<=",
            Finding.number(Math.scalb(event.threshold(), claim.gridExponent())),
            count.trials(),
            count.seen(),
            names.get(0),
            count.seenOfOther(),
            names.get(1));
    return new Finding(
        promise,
        ", d " + claim.pair().dimension(),
        claim.level(),
        count,
        falseAlarm,
        evidence,
        noise.checks(claim.variance(), falseAlarm / 4));
  }
}
