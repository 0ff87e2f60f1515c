package io.croupier.operators.flink.restart;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a topic ended at some time: every record that was written later has this offset or a higher
 * one.
 *
 * @param idHigh upper half of the topic's id, which changes if the topic is created again
 * @param idLow lower half of the topic's id
 * @param offsets the end of each partition; later partitions began at offset 0
 */
public record TopicEnd(long idHigh, long idLow, List<Long> offsets) implements Serializable {
  /** Not known. */
  public static final TopicEnd UNKNOWN = new TopicEnd(0, 0, List.of());

  /** Copies the offsets. */
  public TopicEnd {
    offsets = List.copyOf(offsets);
  }

  /** Returns whether this is the end of any topic. */
  public boolean isKnown() {
    return !equals(UNKNOWN);
  }

  /**
   * Returns the end before which both were written; {@link #UNKNOWN} unless both are ends of one
   * topic.
   */
  TopicEnd earlier(TopicEnd other) {
    if (idHigh != other.idHigh || idLow != other.idLow) {
      return UNKNOWN;
    }
    List<Long> earlier = new ArrayList<>();
    for (int i = 0; i < Math.min(offsets.size(), other.offsets.size()); i++) {
      earlier.add(Math.min(offsets.get(i), other.offsets.get(i)));
    }
    return new TopicEnd(idHigh, idLow, earlier);
  }

  /** Follows the end of a topic. */
  public interface Follower extends AutoCloseable {

    /** Starts to look the end up again, unless an earlier look-up still runs. Doesn't wait. */
    void lookUp();

    /** Returns the result of the last look-up that is complete. */
    TopicEnd last();

    /**
     * Returns how long open transactions have held back readers of committed records, as of the
     * last look-up; in milliseconds, 0 if none is held back.
     */
    long readersHeldMs();

    /** Ends a look-up that still runs. */
    @Override
    void close();
  }
}
