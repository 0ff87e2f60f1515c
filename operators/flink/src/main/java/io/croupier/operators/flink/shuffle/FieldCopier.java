package io.croupier.operators.flink.shuffle;

import java.io.IOException;
import java.util.Arrays;

/** Copies the fields of a record, and the records within it. */
final class FieldCopier implements FieldPass {
  /** Shares arrays: no operator changes an array that it has received or emitted. */
  static final FieldCopier SHARING = new FieldCopier(false);

  /** Copies arrays, since the owner of a record in state may change them. */
  static final FieldCopier CLONING = new FieldCopier(true);

  private final boolean cloning;

  private FieldCopier(boolean cloning) {
    this.cloning = cloning;
  }

  @Override
  public FieldPass since(int version) {
    return this;
  }

  @Override
  public int integer(int value) {
    return value;
  }

  @Override
  public long number(long value) {
    return value;
  }

  @Override
  public long fixed(long value) {
    return value;
  }

  @Override
  public double real(double value) {
    return value;
  }

  @Override
  public boolean flag(boolean value) {
    return value;
  }

  @Override
  public <E extends Enum<E>> E constant(E value, E[] constants) {
    return value;
  }

  @Override
  public String text(String value) {
    return value;
  }

  @Override
  public String name(String value) {
    return value;
  }

  @Override
  public byte[] bytes(byte[] value) {
    return cloning && value != null ? value.clone() : value;
  }

  @Override
  public int[] integers(int[] value) {
    return cloning && value != null ? value.clone() : value;
  }

  @Override
  public long[] numbers(long[] value) {
    return cloning && value != null ? value.clone() : value;
  }

  @Override
  public String[] texts(String[] value) {
    return cloning && value != null ? value.clone() : value;
  }

  @Override
  public byte[][] byteArrays(byte[][] value) {
    return cloning && value != null
        ? Arrays.stream(value).map(this::bytes).toArray(byte[][]::new)
        : value;
  }

  @Override
  public long[] fixedNumbers(long[] value) {
    return numbers(value);
  }

  @Override
  public <R> R record(R value, RecordFormat<R> format) throws IOException {
    if (value == null) {
      return null;
    }
    R copy = format.initial().get();
    format.pass().over(this, value, copy);
    return copy;
  }

  @Override
  public <R> R[] records(R[] value, RecordFormat<R> format) throws IOException {
    if (value == null) {
      return null;
    }
    R[] copies = format.array().apply(value.length);
    for (int i = 0; i < value.length; i++) {
      copies[i] = record(value[i], format);
    }
    return copies;
  }
}
