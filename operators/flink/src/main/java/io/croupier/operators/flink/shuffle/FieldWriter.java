package io.croupier.operators.flink.shuffle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes the fields of a record. They are collected in a buffer: some targets take as long for one
 * byte as for a record.
 */
final class FieldWriter implements FieldPass {
  private static final int BUFFER_BYTES = 512;
  private static final int MOST_VARINT_BYTES = 10;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final byte[] NO_BYTES = {};

  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int length;
  private DataOutputView out;

  /** The last name, which many records share. */
  private String lastName = "";

  private byte[] lastNameBytes = NO_BYTES;

  /** Begins a record with a byte. */
  void begin(int first, DataOutputView target) {
    if (out != target) { // with the G1 collector, a stored reference costs a memory fence
      out = target;
    }
    buffer[0] = (byte) first;
    length = 1;
  }

  /** Ends the record. */
  void end() throws IOException {
    out.write(buffer, 0, length);
    length = 0;
  }

  /** Makes room for a few bytes. */
  private void reserve(int bytes) throws IOException {
    if (BUFFER_BYTES - length < bytes) {
      end();
    }
  }

  private void octet(int value) throws IOException {
    reserve(1);
    buffer[length++] = (byte) value;
  }

  @Override
  public FieldPass since(int version) {
    return this;
  }

  private void varint(long value) throws IOException {
    reserve(MOST_VARINT_BYTES);
    int at = length;
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      buffer[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[at++] = (byte) rest;
    length = at;
  }

  private void zigzag(long value) throws IOException {
    varint(value << 1 ^ value >> 63);
  }

  @Override
  public int integer(int value) throws IOException {
    zigzag(value);
    return value;
  }

  @Override
  public long number(long value) throws IOException {
    zigzag(value);
    return value;
  }

  @Override
  public long fixed(long value) throws IOException {
    reserve(Long.BYTES);
    LONG.set(buffer, length, value);
    length += Long.BYTES;
    return value;
  }

  @Override
  public double real(double value) throws IOException {
    long bits = Double.doubleToRawLongBits(value);
    octet(bits == 0 ? 0 : 1);
    if (bits != 0) {
      fixed(bits);
    }
    return value;
  }

  @Override
  public boolean flag(boolean value) throws IOException {
    octet(value ? 1 : 0);
    return value;
  }

  /** Constants are only added, after all others; the state's fields.txt lists their order. */
  @Override
  @SuppressWarnings("EnumOrdinal")
  public <E extends Enum<E>> E constant(E value, E[] constants) throws IOException {
    varint(value == null ? 0 : 1 + value.ordinal());
    return value;
  }

  @Override
  public String text(String value) throws IOException {
    bytes(value == null ? null : value.getBytes(UTF_8));
    return value;
  }

  @Override
  public String name(String value) throws IOException {
    if (value == null || value.isEmpty()) {
      return text(value);
    }
    if (!value.equals(lastName)) {
      lastName = value;
      lastNameBytes = value.getBytes(UTF_8);
    }
    bytes(lastNameBytes);
    return value;
  }

  @Override
  public byte[] bytes(byte[] value) throws IOException {
    if (value == null) {
      varint(0);
      return null;
    }
    varint(1L + value.length);
    if (value.length <= BUFFER_BYTES - length) {
      System.arraycopy(value, 0, buffer, length, value.length);
      length += value.length;
    } else {
      end();
      out.write(value);
    }
    return value;
  }

  @Override
  public int[] integers(int[] value) throws IOException {
    if (value == null) {
      varint(0);
      return null;
    }
    varint(1L + value.length);
    long last = 0;
    for (int next : value) {
      zigzag(next - last);
      last = next;
    }
    return value;
  }

  @Override
  public long[] numbers(long[] value) throws IOException {
    if (value == null) {
      varint(0);
      return null;
    }
    varint(1L + value.length);
    long last = 0;
    for (long next : value) {
      zigzag(next - last);
      last = next;
    }
    return value;
  }

  @Override
  public String[] texts(String[] value) throws IOException {
    if (value == null) {
      varint(0);
      return null;
    }
    varint(1L + value.length);
    for (String text : value) {
      text(text);
    }
    return value;
  }

  @Override
  public byte[][] byteArrays(byte[][] value) throws IOException {
    if (value == null) {
      varint(0);
      return null;
    }
    varint(1L + value.length);
    for (byte[] bytes : value) {
      bytes(bytes);
    }
    return value;
  }

  @Override
  public long[] fixedNumbers(long[] value) throws IOException {
    if (value == null) {
      varint(0);
      return null;
    }
    varint(1L + value.length);
    for (long next : value) {
      fixed(next);
    }
    return value;
  }

  @Override
  public <R> R record(R value, RecordFormat<R> format) throws IOException {
    flag(value != null);
    if (value != null) {
      format.pass().over(this, value, value);
    }
    return value;
  }

  @Override
  public <R> R[] records(R[] value, RecordFormat<R> format) throws IOException {
    if (value == null) {
      varint(0);
      return null;
    }
    varint(1L + value.length);
    for (R next : value) {
      record(next, format);
    }
    return value;
  }
}
