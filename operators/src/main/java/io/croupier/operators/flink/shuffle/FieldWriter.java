package io.croupier.operators.flink.shuffle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import org.apache.flink.core.memory.DataOutputView;

/** Writes the fields of a record. */
final class FieldWriter implements FieldPass {
  private DataOutputView out;

  /** Sets where the next record goes. */
  void to(DataOutputView target) {
    out = target;
  }

  @Override
  public FieldPass since(int version) {
    return this;
  }

  private void varint(long value) throws IOException {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.writeByte((int) rest | 0x80);
      rest >>>= 7;
    }
    out.writeByte((int) rest);
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
    out.writeLong(value);
    return value;
  }

  @Override
  public double real(double value) throws IOException {
    long bits = Double.doubleToRawLongBits(value);
    out.writeByte(bits == 0 ? 0 : 1);
    if (bits != 0) {
      out.writeLong(bits);
    }
    return value;
  }

  @Override
  public boolean flag(boolean value) throws IOException {
    out.writeByte(value ? 1 : 0);
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
    return text(value);
  }

  @Override
  public byte[] bytes(byte[] value) throws IOException {
    if (value == null) {
      varint(0);
      return null;
    }
    varint(1L + value.length);
    out.write(value);
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
      out.writeLong(next);
    }
    return value;
  }

  @Override
  public <R> R record(R value, RecordFormat<R> format) throws IOException {
    flag(value != null);
    if (value != null) {
      format.pass(this, value, value);
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
