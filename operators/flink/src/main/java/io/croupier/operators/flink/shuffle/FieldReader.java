package io.croupier.operators.flink.shuffle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;

/** Reads the fields of a record. */
final class FieldReader implements FieldPass {
  /** A power of two. More names than this share places, and are then created more than once. */
  private static final int NAMES = 64;

  private static final int MOST_SHIFT = 63;
  private static final byte[] NO_BYTES = {};
  private static final int[] NO_INTEGERS = {};
  private static final long[] NO_NUMBERS = {};

  private final String[] names = new String[NAMES];
  private final byte[][] nameBytes = new byte[NAMES][];
  private byte[] buffer = new byte[64];
  private DataInputView in;
  private int recordVersion;

  /** Sets where the next record comes from, and its version. */
  void from(DataInputView source, int version) {
    if (in != source) { // with the G1 collector, a stored reference costs a memory fence
      in = source;
    }
    recordVersion = version;
  }

  @Override
  public FieldPass since(int version) {
    return recordVersion < version ? FieldCopier.SHARING : this;
  }

  private long varint() throws IOException {
    long value = 0;
    for (int shift = 0; shift <= MOST_SHIFT; shift += 7) {
      byte next = in.readByte();
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IOException("A record is damaged: a number has no end");
  }

  private long zigzag() throws IOException {
    long value = varint();
    return value >>> 1 ^ -(value & 1);
  }

  /** Returns a length, or -1 for null. */
  private int length() throws IOException {
    return (int) (varint() - 1);
  }

  @Override
  public int integer(int value) throws IOException {
    return (int) zigzag();
  }

  @Override
  public long number(long value) throws IOException {
    return zigzag();
  }

  @Override
  public long fixed(long value) throws IOException {
    return in.readLong();
  }

  @Override
  public double real(double value) throws IOException {
    return in.readByte() == 0 ? 0 : Double.longBitsToDouble(in.readLong());
  }

  @Override
  public boolean flag(boolean value) throws IOException {
    return in.readByte() != 0;
  }

  @Override
  public <E extends Enum<E>> E constant(E value, E[] constants) throws IOException {
    int ordinal = length();
    if (ordinal >= constants.length) {
      throw new IOException("A record is damaged, or of a later release: constant " + ordinal);
    }
    return ordinal < 0 ? null : constants[ordinal];
  }

  /** Reads as many bytes into the buffer. */
  private void fill(int length) throws IOException {
    if (length > buffer.length) {
      buffer = new byte[Math.max(length, 2 * buffer.length)];
    }
    in.readFully(buffer, 0, length);
  }

  @Override
  public String text(String value) throws IOException {
    int length = length();
    if (length <= 0) {
      return length < 0 ? null : "";
    }
    fill(length);
    return new String(buffer, 0, length, UTF_8);
  }

  @Override
  public String name(String value) throws IOException {
    int length = length();
    if (length <= 0) {
      return length < 0 ? null : "";
    }
    fill(length);
    int hash = 0;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + buffer[i];
    }
    int place = (hash ^ hash >>> 16) & NAMES - 1;
    byte[] known = nameBytes[place];
    if (known == null || !Arrays.equals(known, 0, known.length, buffer, 0, length)) {
      nameBytes[place] = Arrays.copyOf(buffer, length);
      names[place] = new String(buffer, 0, length, UTF_8);
    }
    return names[place];
  }

  @Override
  public byte[] bytes(byte[] value) throws IOException {
    int length = length();
    if (length <= 0) {
      return length < 0 ? null : NO_BYTES;
    }
    byte[] read = new byte[length];
    in.readFully(read);
    return read;
  }

  @Override
  public int[] integers(int[] value) throws IOException {
    int length = length();
    if (length <= 0) {
      return length < 0 ? null : NO_INTEGERS;
    }
    int[] read = new int[length];
    long last = 0;
    for (int i = 0; i < length; i++) {
      last += zigzag();
      read[i] = (int) last;
    }
    return read;
  }

  @Override
  public long[] numbers(long[] value) throws IOException {
    int length = length();
    if (length <= 0) {
      return length < 0 ? null : NO_NUMBERS;
    }
    long[] read = new long[length];
    long last = 0;
    for (int i = 0; i < length; i++) {
      last += zigzag();
      read[i] = last;
    }
    return read;
  }

  @Override
  public String[] texts(String[] value) throws IOException {
    int length = length();
    if (length < 0) {
      return null;
    }
    String[] read = new String[length];
    for (int i = 0; i < length; i++) {
      read[i] = name(null);
    }
    return read;
  }

  @Override
  public byte[][] byteArrays(byte[][] value) throws IOException {
    int length = length();
    if (length < 0) {
      return null;
    }
    byte[][] read = new byte[length][];
    for (int i = 0; i < length; i++) {
      read[i] = bytes(null);
    }
    return read;
  }

  @Override
  public long[] fixedNumbers(long[] value) throws IOException {
    int length = length();
    if (length <= 0) {
      return length < 0 ? null : NO_NUMBERS;
    }
    long[] read = new long[length];
    for (int i = 0; i < length; i++) {
      read[i] = in.readLong();
    }
    return read;
  }

  @Override
  public <R> R record(R value, RecordFormat<R> format) throws IOException {
    if (!flag(false)) {
      return null;
    }
    R read = format.initial().get();
    format.pass().over(this, read, read);
    return read;
  }

  @Override
  public <R> R[] records(R[] value, RecordFormat<R> format) throws IOException {
    int length = length();
    if (length < 0) {
      return null;
    }
    R[] read = format.array().apply(length);
    for (int i = 0; i < length; i++) {
      read[i] = record(null, format);
    }
    return read;
  }
}
