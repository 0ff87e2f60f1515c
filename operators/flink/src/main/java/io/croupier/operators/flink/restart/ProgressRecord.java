package io.croupier.operators.flink.restart;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import java.io.IOException;
import java.util.UUID;
import java.util.function.Predicate;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * A record of the progress topic, which is compacted: the newest record of a key is in force. It is
 * in the transaction whose other records it counts, and is written right before the barrier of a
 * checkpoint: no barrier is emitted until all subtasks run, so no subtask writes a record while
 * another one reads the topic at its start.
 *
 * <p>A key is one of three prefixes that end at its first {@code /}, followed by the index of a
 * subtask or a model as it is: different subtasks and models have different keys.
 */
public sealed interface ProgressRecord
    permits ProgressRecord.OfSubtask, VisibleOutputs.PublishedRound {

  /** Prefix of the keys of models. */
  String MODEL = "model/";

  /** The version of the values. */
  byte VERSION = 1;

  /**
   * What one subtask has written until a barrier.
   *
   * @param writer whose subtask
   * @param index the subtask's index
   * @param generation number of the run of this subtask, which no other run has
   * @param count how many of these records the run has written, this one included
   * @param judged what a ledger has judged in this run; empty for a learner
   */
  record OfSubtask(
      ProgressWriter writer, int index, long generation, long count, SourcePositions judged)
      implements ProgressRecord {

    /**
     * Returns whether a restored mark of this run contains the record.
     *
     * @param subtask whose mark it is
     * @param run generation of the mark's run
     * @param records how many records the run had written
     */
    boolean isWithin(int subtask, long run, long records) {
      return index == subtask && generation == run && count <= records;
    }

    @Override
    public OutboundRecord write() {
      DataOutputSerializer out = new DataOutputSerializer(256);
      try {
        out.writeByte(VERSION);
        out.writeLong(generation);
        out.writeLong(count);
        judged.write(out);
      } catch (IOException e) {
        throw new AssertionError("Memory can't be written", e);
      }
      return record(writer.prefix + index, out.getCopyOfBuffer());
    }
  }

  /** The operators that write records of their subtasks. */
  enum ProgressWriter {
    LEDGER("ledger/"),
    LEARNER("learner/");

    private final String prefix;

    ProgressWriter(String prefix) {
      this.prefix = prefix;
    }
  }

  /** Returns the record of the topic. */
  OutboundRecord write();

  /**
   * Returns the test whether restored state contains what a record states. Records of models and of
   * other operators pass: a sink of their operator commits or aborts their transactions.
   *
   * @param writer whose state it is
   * @param restored whether the state contains a record of this writer
   */
  static Predicate<ProgressRecord> listed(ProgressWriter writer, Predicate<OfSubtask> restored) {
    return record ->
        !(record instanceof OfSubtask subtask)
            || subtask.writer() != writer
            || restored.test(subtask);
  }

  /** Returns a number for a run of a subtask, which no other run has; never 0. */
  static long newGeneration() {
    return UUID.randomUUID().getMostSignificantBits();
  }

  /**
   * Reads a record.
   *
   * @throws IOException if no ledger or learner up to this release can have written it
   */
  static ProgressRecord read(byte[] key, byte[] value) throws IOException {
    if (key == null) {
      throw new IOException("it has no key");
    }
    String name = new String(key, UTF_8);
    DataInputDeserializer in = new DataInputDeserializer(value);
    byte version = in.readByte();
    if (version != VERSION) {
      throw new IOException("its version is " + version + ", not " + VERSION);
    }
    if (name.startsWith(MODEL)) {
      return new VisibleOutputs.PublishedRound(
          name.substring(MODEL.length()), in.readLong(), in.readLong());
    }
    for (ProgressWriter writer : ProgressWriter.values()) {
      if (name.startsWith(writer.prefix)) {
        return new OfSubtask(
            writer,
            index(name.substring(writer.prefix.length())),
            in.readLong(),
            in.readLong(),
            SourcePositions.read(in));
      }
    }
    throw new IOException("its key is not one of a model or a subtask");
  }

  private static int index(String text) throws IOException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IOException("its key doesn't end with the index of a subtask", e);
    }
  }

  /** Returns a record with a key of characters. */
  static OutboundRecord record(String key, byte[] value) {
    return new OutboundRecord(Destination.PROGRESS, key.getBytes(UTF_8), value);
  }
}
