package io.croupier.operators.flink.shuffle;

/** Copies the fields of a record. No operator changes an array that it has received or emitted. */
final class FieldCopier implements FieldPass {
  static final FieldCopier INSTANCE = new FieldCopier();

  private FieldCopier() {}

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
    return value;
  }

  @Override
  public int[] integers(int[] value) {
    return value;
  }

  @Override
  public long[] numbers(long[] value) {
    return value;
  }

  @Override
  public String[] texts(String[] value) {
    return value;
  }

  @Override
  public byte[][] byteArrays(byte[][] value) {
    return value;
  }
}
