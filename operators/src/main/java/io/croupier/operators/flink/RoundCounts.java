package io.croupier.operators.flink;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The reports that a subtask has seen of each named round and gradient bound, by which bundles are
 * kept apart. A report may name any round, and any bound that its model may ever have, so the
 * number of counts is bounded: once it is reached, the half with the lowest ranks is dropped, of
 * equal ranks the least recently named.
 *
 * <p>The rank of a round is its count plus the highest rank that had been dropped when the round
 * was last named (the ageing of least-frequently-used caches, Arlitt et al. 2000). So rounds of old
 * publications are dropped in time, however many reports they had. A round with n reports is only
 * dropped after at least about n / 2 times as many reports as there may be counts have named other
 * rounds, published or not, since its last report.
 *
 * <p>Adding a report costs amortised O(log of the number of counts) if it names another round than
 * the one before, else O(1). Not thread-safe.
 */
final class RoundCounts {
  private final int most;
  private final Map<NamedRound, Count> counts = new LinkedHashMap<>(16, 0.75f, true);
  private NamedRound lastNamed = new NamedRound("", -1, 0);
  private Count lastCount = new Count();

  /** The highest rank of a dropped count. */
  private long floor;

  private record NamedRound(String modelId, long round, double gradientBound) {

    boolean is(String otherModelId, long otherRound, double otherBound) {
      return round == otherRound && gradientBound == otherBound && modelId.equals(otherModelId);
    }
  }

  private static final class Count {
    private long reports;
    private long rank;
  }

  /**
   * Creates an instance without counts.
   *
   * @param most the most rounds that are counted at the same time, at least 2
   */
  RoundCounts(int most) {
    this.most = most;
  }

  /** Counts a report; returns how many reports of its round and bound were counted before. */
  long add(String modelId, long round, double gradientBound) {
    if (!lastNamed.is(modelId, round, gradientBound)) {
      lastNamed = new NamedRound(modelId, round, gradientBound);
      lastCount = count(lastNamed);
    }
    lastCount.rank = floor + lastCount.reports + 1;
    return lastCount.reports++;
  }

  private Count count(NamedRound named) {
    Count count = counts.get(named);
    if (count == null) {
      if (counts.size() >= most) {
        dropHalf();
      }
      count = new Count();
      counts.put(named, count);
    }
    return count;
  }

  /** The sort is stable, and the map lists the least recently named rounds first. */
  private void dropHalf() {
    List<Map.Entry<NamedRound, Count>> lowest = new ArrayList<>(counts.entrySet());
    lowest.sort(Comparator.comparingLong(entry -> entry.getValue().rank));
    for (Map.Entry<NamedRound, Count> entry : lowest.subList(0, counts.size() / 2)) {
      floor = entry.getValue().rank;
      counts.remove(entry.getKey());
    }
  }

  /** Returns the number of rounds that are counted. */
  int size() {
    return counts.size();
  }
}
