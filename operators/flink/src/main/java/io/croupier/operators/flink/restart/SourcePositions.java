package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LedgerMark;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The highest offset of each source partition. */
public final class SourcePositions {
  /** The offset of a partition without a known position. */
  static final long NONE = -1;

  /** As many as an accounting event may name. */
  private static final int MOST_PARTITIONS = 1_000_000;

  private final Map<String, long[]> byTopic = new TreeMap<>();

  /** The positions of all reports that the marks of a state contain. */
  static SourcePositions judged(List<LedgerMark> marks) {
    SourcePositions judged = new SourcePositions();
    for (LedgerMark mark : marks) {
      for (int i = 0; i < mark.topics.length; i++) {
        judged.raise(mark.topics[i], mark.partitions[i], mark.judged[i]);
      }
    }
    return judged;
  }

  /** Adds a position. */
  void raise(String topic, int partition, long offset) {
    long[] offsets = byTopic.get(topic);
    if (offsets == null || offsets.length <= partition) {
      int known = offsets == null ? 0 : offsets.length;
      offsets = known == 0 ? new long[partition + 1] : Arrays.copyOf(offsets, partition + 1);
      Arrays.fill(offsets, known, offsets.length, NONE);
      byTopic.put(topic, offsets);
    }
    offsets[partition] = Math.max(offsets[partition], offset);
  }

  /** Adds all positions of {@code other}. */
  void raise(SourcePositions other) {
    other.forEach(this::raise);
  }

  /** Returns the highest offset, or {@link #NONE}. */
  long highest(String topic, int partition) {
    long[] offsets = byTopic.get(topic);
    return offsets == null || offsets.length <= partition ? NONE : offsets[partition];
  }

  /** Returns the number of partitions with a known position. */
  int size() {
    int[] size = {0};
    forEach((topic, partition, offset) -> size[0]++);
    return size[0];
  }

  /** Visits every partition with a known position, in order. */
  void forEach(PositionVisitor visitor) {
    byTopic.forEach(
        (topic, offsets) -> {
          for (int partition = 0; partition < offsets.length; partition++) {
            if (offsets[partition] != NONE) {
              visitor.visit(topic, partition, offsets[partition]);
            }
          }
        });
  }

  /** Writes all positions. */
  void write(DataOutput out) throws IOException {
    out.writeInt(byTopic.size());
    for (Map.Entry<String, long[]> topic : byTopic.entrySet()) {
      out.writeUTF(topic.getKey());
      out.writeInt(topic.getValue().length);
      for (long offset : topic.getValue()) {
        out.writeLong(offset);
      }
    }
  }

  /**
   * Reads what {@link #write} has written.
   *
   * @throws IOException if it has not
   */
  static SourcePositions read(DataInput in) throws IOException {
    SourcePositions positions = new SourcePositions();
    int topics = in.readInt();
    for (int i = 0; i < topics; i++) {
      String topic = in.readUTF();
      int partitions = in.readInt();
      if (partitions < 0 || partitions > MOST_PARTITIONS) {
        throw new IOException("it has " + partitions + " partitions of a topic");
      }
      long[] offsets = new long[partitions];
      for (int partition = 0; partition < partitions; partition++) {
        offsets[partition] = in.readLong();
      }
      positions.byTopic.put(topic, offsets);
    }
    return positions;
  }

  /** Visits a partition and its highest offset. */
  @FunctionalInterface
  public interface PositionVisitor {
    /** Receives one partition. */
    void visit(String topic, int partition, long offset);
  }
}
