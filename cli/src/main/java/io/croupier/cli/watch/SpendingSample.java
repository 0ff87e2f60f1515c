package io.croupier.cli.watch;

import com.google.gson.JsonObject;
import io.croupier.schemas.Left;
import io.croupier.schemas.Spend;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The newest totals of people, in bounded memory: of all people as long as they are few, later of a
 * random sample of them. A person is a key, uniformly distributed over 64 bits. Once there are too
 * many, the sample keeps the people whose key begins with a zero, then with two zeros, and so on:
 * so each person is in it always or, from some time on, never. Not safe for use by several threads.
 */
final class SpendingSample {
  private static final int SHARES = 10;
  private static final double NEAR = 0.9;
  private static final int MOST_BINS = 12;

  /**
   * A person's totals.
   *
   * @param mu of all reports, with pure epsilons counted as the mu that they imply
   * @param epsilonAtDelta NaN where limits set no delta
   * @param share of the limit that is nearest, from 0 to 1; NaN without a limit
   */
  private record PersonTotals(double epsilon, double mu, double epsilonAtDelta, double share) {}

  private final int most;
  private final Map<Long, PersonTotals> people = new HashMap<>();
  private int zeros;

  /** An empty sample of at most {@code most} people. */
  SpendingSample(int most) {
    this.most = most;
  }

  /** Replaces the totals of a person. */
  void put(long key, Spend totals, Left left) {
    if (!isSampled(key)) {
      return;
    }
    people.put(
        key,
        new PersonTotals(
            totals.getEpsilon(),
            totals.hasMuOfAll() ? totals.getMuOfAll() : totals.getMu(),
            totals.hasEpsilonAtDelta() ? totals.getEpsilonAtDelta() : Double.NaN,
            share(totals, left)));
    while (people.size() > most) {
      zeros++;
      people.keySet().removeIf(other -> !isSampled(other));
    }
  }

  /** Forgets a person. */
  void remove(long key) {
    people.remove(key);
  }

  private boolean isSampled(long key) {
    return Long.numberOfLeadingZeros(key) >= zeros;
  }

  /** With how many zeros the keys of all people in the sample begin. */
  int zeros() {
    return zeros;
  }

  /**
   * Adds the people with a limit whose keys begin with so many zeros.
   *
   * @param near whether each is near a limit
   */
  void addLimited(Map<Long, Boolean> near, int leadingZeros) {
    people.forEach(
        (key, spent) -> {
          if (!Double.isNaN(spent.share) && Long.numberOfLeadingZeros(key) >= leadingZeros) {
            near.merge(key, spent.share >= NEAR, Boolean::logicalOr);
          }
        });
  }

  /** The largest share of a limit that is spent. Each limit has its own kind of sum. */
  private static double share(Spend spent, Left left) {
    double share = Double.NaN;
    if (left.hasEpsilon()) {
      share = larger(share, spent.getEpsilon(), left.getEpsilon());
    }
    if (left.hasMu()) {
      double mu = spent.hasMuOfAll() ? spent.getMuOfAll() : spent.getMu();
      share = larger(share, mu * mu, left.getMu() * left.getMu());
    }
    if (left.hasEpsilonAtDelta()) {
      share = larger(share, spent.getEpsilonAtDelta(), left.getEpsilonAtDelta());
    }
    if (left.hasReports()) {
      share = larger(share, (double) spent.getReports(), (double) left.getReports());
    }
    if (left.hasParticipations()) {
      share = larger(share, (double) spent.getParticipations(), left.getParticipations());
    }
    return share;
  }

  private static double larger(double share, double spent, double left) {
    double next = left > 0 ? spent / (spent + left) : 1;
    return share >= next ? share : next;
  }

  /**
   * How near people are to their limits, and histograms of what they spent.
   *
   * @param oneIn one in how many people is in the sample
   * @param shares people by the tenth of a limit that they have spent
   */
  private record SpendingView(
      int people,
      long oneIn,
      List<CostHistogram> costs,
      long limited,
      long near,
      List<Long> shares) {}

  /**
   * A histogram of a cost that somebody has.
   *
   * @param beyond how many have a sum that is too large for an account, which is infinite in
   *     records
   */
  private record CostHistogram(String name, long beyond, double width, List<Long> bins) {}

  /** What the page shows of the sample. */
  JsonObject json() {
    List<CostHistogram> costs = new ArrayList<>();
    addCost(costs, "epsilon", PersonTotals::epsilon);
    addCost(costs, "mu", PersonTotals::mu);
    addCost(costs, "epsilon at delta", PersonTotals::epsilonAtDelta);
    long[] shares = new long[SHARES];
    long limited = 0;
    long near = 0;
    for (PersonTotals spent : people.values()) {
      if (!Double.isNaN(spent.share)) {
        limited++;
        near += spent.share >= NEAR ? 1 : 0;
        shares[Math.min(SHARES - 1, (int) (spent.share * SHARES))]++;
      }
    }
    SpendingView spending =
        new SpendingView(people.size(), 1L << zeros, costs, limited, near, boxed(shares));
    return PageNumbers.json(spending).getAsJsonObject();
  }

  private void addCost(
      List<CostHistogram> costs, String name, ToDoubleFunction<PersonTotals> cost) {
    double[] values = people.values().stream().mapToDouble(cost).toArray();
    double[] finite = Arrays.stream(values).filter(Double::isFinite).toArray();
    long beyond = Arrays.stream(values).filter(Double::isInfinite).count();
    double largest = Arrays.stream(finite).max().orElse(0);
    if (!(largest > 0) && beyond == 0) {
      return;
    }
    double width = largest > 0 ? width(largest) : 1;
    long[] counts = new long[bin(largest, width) + 1];
    for (double value : finite) {
      counts[Math.min(counts.length - 1, bin(value, width))]++;
    }
    costs.add(new CostHistogram(name, beyond, width, boxed(counts)));
  }

  private static List<Long> boxed(long[] counts) {
    return Arrays.stream(counts).boxed().toList();
  }

  /** A bin includes its upper end but not its lower one, since spends are rounded up. */
  private static int bin(double value, double width) {
    return (int) Math.max(0, Math.ceil(value / width * (1 - 1e-9)) - 1);
  }

  /** The least width of 1, 2 or 5 times a power of ten with which the bins suffice. */
  private static double width(double largest) {
    // Only a forged event has a total so small that the power would be 0.
    double power = Math.max(Double.MIN_NORMAL, Math.pow(10, Math.floor(Math.log10(largest)) - 1));
    while (true) {
      for (int factor : new int[] {1, 2, 5}) {
        if (bin(largest, factor * power) < MOST_BINS) {
          return factor * power;
        }
      }
      power *= 10;
    }
  }
}
