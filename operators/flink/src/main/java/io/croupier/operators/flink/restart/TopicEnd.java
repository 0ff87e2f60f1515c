package io.croupier.operators.flink.restart;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
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
  private static final long serialVersionUID = 1;

  /** Not known. */
  public static final TopicEnd UNKNOWN = new TopicEnd(0, 0, List.of());

  /** Creates an end as state contains it. */
  static TopicEnd of(long idHigh, long idLow, long[] offsets) {
    return new TopicEnd(idHigh, idLow, Arrays.stream(offsets).boxed().toList());
  }

  /** Copies the offsets. */
  public TopicEnd {
    offsets = List.copyOf(offsets);
  }

  /** Returns whether this and the other one are ends of the same topic. */
  public boolean isOfSameTopic(TopicEnd other) {
    return idHigh == other.idHigh && idLow == other.idLow;
  }

  /** Returns the end of each partition. */
  long[] offsetArray() {
    return offsets.stream().mapToLong(Long::longValue).toArray();
  }

  /**
   * Returns the end before which both were written; {@link #UNKNOWN} unless both are ends of one
   * topic.
   */
  TopicEnd earlier(TopicEnd other) {
    if (!isOfSameTopic(other)) {
      return UNKNOWN;
    }
    List<Long> earlier = new ArrayList<>();
    for (int i = 0; i < Math.min(offsets.size(), other.offsets.size()); i++) {
      earlier.add(Math.min(offsets.get(i), other.offsets.get(i)));
    }
    return new TopicEnd(idHigh, idLow, earlier);
  }
}
