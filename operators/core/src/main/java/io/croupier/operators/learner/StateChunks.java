package io.croupier.operators.learner;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A state as named byte strings of bounded size, so that no value in a store contains a whole
 * vector. Numbers and counts are one chunk each; vectors are cut into chunks of {@value
 * #VALUES_PER_CHUNK} values named {@code name/0}, {@code name/1}, .... {@link Sections} are one
 * chunk each, named {@code name:0}, {@code name:1}, ..., and only those that changed are written.
 * Little-endian.
 *
 * <p>A part whose name is not in the store keeps its initial value, so fields can be added to a
 * state.
 */
public final class StateChunks {
  static final int VALUES_PER_CHUNK = 8192;
  private static final char SECTION = ':';

  private StateChunks() {}

  /**
   * Returns a visitor that passes every part to {@code out}, as new arrays; of sections, only those
   * that are unsaved, which it marks as saved.
   */
  public static LearnerState.Visitor writer(BiConsumer<String, byte[]> out) {
    return writer(out, name -> false);
  }

  /**
   * Returns a visitor that passes every part to {@code out}, except vectors for whose names {@code
   * isStored} returns true; it is called once for each.
   */
  public static LearnerState.Visitor writer(
      BiConsumer<String, byte[]> out, Predicate<String> isStored) {
    return new Writer(out, isStored);
  }

  /**
   * Returns a visitor that restores every part from {@code in}, which returns null for unknown
   * names.
   */
  public static LearnerState.Visitor reader(Function<String, byte[]> in) {
    return new Reader(in);
  }

  /** Returns whether a chunk is a section of a part. */
  public static boolean isSection(String name) {
    int end = name.length();
    while (end > 0 && Character.isDigit(name.charAt(end - 1))) {
      end--;
    }
    return end < name.length() && end > 0 && name.charAt(end - 1) == SECTION;
  }

  private static String section(String name, int section) {
    return name + SECTION + section;
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  private static int chunks(int length) {
    return (length + VALUES_PER_CHUNK - 1) / VALUES_PER_CHUNK;
  }

  private static int start(int chunk) {
    return chunk * VALUES_PER_CHUNK;
  }

  private static int size(int chunk, int length) {
    return Math.min(VALUES_PER_CHUNK, length - start(chunk));
  }

  private record Writer(BiConsumer<String, byte[]> out, Predicate<String> isStored)
      implements LearnerState.Visitor {

    @Override
    public double scalar(String name, double value) {
      out.accept(name, bytes(Double.doubleToRawLongBits(value)));
      return value;
    }

    @Override
    public long count(String name, long value) {
      out.accept(name, bytes(value));
      return value;
    }

    @Override
    public void vector(String name, double[] values) {
      if (isStored.test(name)) {
        return;
      }
      for (int c = 0; c < chunks(values.length); c++) {
        byte[] bytes = new byte[Long.BYTES * size(c, values.length)];
        ByteBuffer.wrap(bytes)
            .order(ByteOrder.LITTLE_ENDIAN)
            .asDoubleBuffer()
            .put(values, start(c), size(c, values.length));
        out.accept(name + "/" + c, bytes);
      }
    }

    @Override
    public void counts(String name, long[] values) {
      if (isStored.test(name)) {
        return;
      }
      for (int c = 0; c < chunks(values.length); c++) {
        byte[] bytes = new byte[Long.BYTES * size(c, values.length)];
        ByteBuffer.wrap(bytes)
            .order(ByteOrder.LITTLE_ENDIAN)
            .asLongBuffer()
            .put(values, start(c), size(c, values.length));
        out.accept(name + "/" + c, bytes);
      }
    }

    @Override
    public void sections(String name, Sections sections) {
      for (int i = 0; i < sections.count(); i++) {
        if (sections.isUnsaved(i)) {
          long[] values = sections.read(i);
          byte[] bytes = new byte[Long.BYTES * values.length];
          ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().put(values);
          out.accept(section(name, i), bytes);
          sections.saved(i);
        }
      }
    }
  }

  private record Reader(Function<String, byte[]> in) implements LearnerState.Visitor {

    private ByteBuffer read(String name, int values) {
      byte[] bytes = in.apply(name);
      if (bytes == null) {
        return null;
      }
      if (bytes.length != values * Long.BYTES) {
        throw new IllegalStateException(
            "State '%s' has %d bytes where %d were expected"
                .formatted(name, bytes.length, values * Long.BYTES));
      }
      return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public double scalar(String name, double value) {
      ByteBuffer bytes = read(name, 1);
      return bytes == null ? value : bytes.getDouble();
    }

    @Override
    public long count(String name, long value) {
      ByteBuffer bytes = read(name, 1);
      return bytes == null ? value : bytes.getLong();
    }

    @Override
    public void vector(String name, double[] values) {
      for (int c = 0; c < chunks(values.length); c++) {
        ByteBuffer bytes = read(name + "/" + c, size(c, values.length));
        if (bytes != null) {
          bytes.asDoubleBuffer().get(values, start(c), size(c, values.length));
        }
      }
    }

    @Override
    public void counts(String name, long[] values) {
      for (int c = 0; c < chunks(values.length); c++) {
        ByteBuffer bytes = read(name + "/" + c, size(c, values.length));
        if (bytes != null) {
          bytes.asLongBuffer().get(values, start(c), size(c, values.length));
        }
      }
    }

    @Override
    public void sections(String name, Sections sections) {
      for (int i = 0; i < sections.count(); i++) {
        byte[] bytes = in.apply(section(name, i));
        if (bytes != null) {
          long[] values = new long[bytes.length / Long.BYTES];
          ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(values);
          sections.restore(i, values);
        }
      }
    }
  }
}
