package io.croupier.operators.central;

import io.croupier.accounting.tree.ParticipationLimits;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Finds optimal buffered linear Toeplitz noise for one participation, and keeps what it has found:
 * a spec is checked and then used, and other models may have the same noise. It keeps the last
 * {@value #MOST} results, of less than a kilobyte each.
 *
 * <p>Not safe for use by several threads.
 */
public final class BltSearches {
  static final int MOST = 64;

  private final Map<Question, BltNoise> found =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, BltNoise> eldest) {
          return size() > MOST;
        }
      };

  private record Question(int buffers, long horizon) {}

  /**
   * Returns the same noise as {@link BltNoise#optimal} for a single participation.
   *
   * @throws IllegalArgumentException if an argument is out of range
   */
  public BltNoise optimal(int buffers, long horizon) {
    Question question = new Question(buffers, horizon);
    BltNoise noise = found.get(question);
    if (noise == null) {
      noise = BltNoise.optimal(buffers, horizon, ParticipationLimits.ONCE);
      found.put(question, noise);
    }
    return noise;
  }
}
