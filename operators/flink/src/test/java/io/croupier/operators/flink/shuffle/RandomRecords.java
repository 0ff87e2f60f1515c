package io.croupier.operators.flink.shuffle;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Records with random values in all fields, found by reflection. */
final class RandomRecords {
  private static final String LETTERS = "aZ0 -\u00e4\u0416\u4e16\ud83c\udfb2\0";

  private RandomRecords() {}

  /** The fields that a record carries. */
  static List<Field> fields(Class<?> type) {
    return Arrays.stream(type.getFields())
        .filter(field -> (field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0)
        .toList();
  }

  /** A record with random values in all fields. */
  static <T> T record(Supplier<T> initial, Random random) {
    T record = initial.get();
    fields(record.getClass()).forEach(field -> set(field, record, value(field.getType(), random)));
    return record;
  }

  static void set(Field field, Object record, Object value) {
    try {
      field.set(record, value);
    } catch (IllegalAccessException e) {
      throw new AssertionError("A field that is not public: " + field, e);
    }
  }

  static Object get(Field field, Object record) {
    try {
      return field.get(record);
    } catch (IllegalAccessException e) {
      throw new AssertionError("A field that is not public: " + field, e);
    }
  }

  /** A random value, of every magnitude; null, if it may be. */
  static Object value(Class<?> type, Random random) {
    if (type == int.class) {
      return (int) number(random);
    }
    if (type == long.class) {
      return number(random);
    }
    if (type == double.class) {
      return random.nextInt(4) == 0 ? 0.0 : Double.longBitsToDouble(random.nextLong());
    }
    if (type == byte.class) {
      return (byte) random.nextInt();
    }
    if (type == boolean.class) {
      return random.nextBoolean();
    }
    if (random.nextInt(10) == 0) {
      return null;
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
    }
    if (type == String.class) {
      return text(random);
    }
    if (isRecord(type)) {
      return record(() -> create(type), random);
    }
    if (type.isArray()) {
      Object array = Array.newInstance(type.getComponentType(), random.nextInt(5));
      for (int i = 0; i < Array.getLength(array); i++) {
        Array.set(array, i, value(type.getComponentType(), random));
      }
      return array;
    }
    throw new AssertionError("A field of a type that no serializer knows: " + type);
  }

  /** Whether a type is a record within a record. */
  private static boolean isRecord(Class<?> type) {
    return type.getName().startsWith("io.croupier.") && !type.isEnum();
  }

  private static Object create(Class<?> type) {
    try {
      return type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("A record that can't be created: " + type, e);
    }
  }

  /** Returns a value with the same fields that can be compared and printed. */
  static Object comparable(Object value) {
    if (value instanceof Object[] array) {
      return Arrays.stream(array).map(RandomRecords::comparable).toArray();
    }
    if (value == null || !isRecord(value.getClass())) {
      return value;
    }
    Map<String, String> all = new TreeMap<>();
    for (Field field : fields(value.getClass())) {
      all.put(field.getName(), text(comparable(get(field, value))));
    }
    return all;
  }

  /** Returns the text of a comparable value. */
  static String text(Object value) {
    String text = Arrays.deepToString(new Object[] {value});
    return text.substring(1, text.length() - 1).replace("\0", "\\0");
  }

  private static String text(Random random) {
    int[] letters = LETTERS.codePoints().toArray();
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(100); i > 0; i--) {
      text.appendCodePoint(letters[random.nextInt(letters.length)]);
    }
    return text.toString();
  }

  private static long number(Random random) {
    return random.nextLong() >> random.nextInt(64);
  }
}
