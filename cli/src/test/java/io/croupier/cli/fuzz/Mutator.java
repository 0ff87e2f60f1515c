package io.croupier.cli.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Mutates valid inputs: flips bits, cuts, repeats and mixes pieces, and inserts lengths and numbers
 * at the ends of their range, unusual doubles, brackets and anchors. The same seed gives the same
 * inputs.
 */
final class Mutator {
  private static final int MOST_BYTES = 4096;

  /** Size of a record of the brokers' default limit; one input of so many has this size. */
  private static final int MOST_BYTES_OF_LONG = 1 << 20;

  private static final int LONG_ONE_OF = 2000;

  private static final long[] NUMBERS = {
    0,
    1,
    -1,
    0x7f,
    0x80,
    0x3fff,
    Short.MAX_VALUE,
    1 << 20,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    0xffffffffL,
    1L << 32,
    1L << 53,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };
  private static final double[] DOUBLES = {
    0.0,
    -0.0,
    1,
    -1,
    0.1,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.MIN_VALUE,
    Double.MIN_NORMAL,
    Double.MAX_VALUE,
    -Double.MAX_VALUE,
    1e-9,
    1e9,
    1e308
  };
  private static final List<byte[]> WORDS =
      List.of(
              "[",
              "]",
              "{",
              "}",
              ":",
              "\n",
              "- ",
              "&a ",
              "*a",
              "? ",
              "!!",
              "\"",
              "'",
              "${",
              "\\u0000",
              ".inf",
              ".nan",
              "null",
              "1e999",
              "-1",
              "2147483648",
              "9223372036854775808",
              "<<: *a",
              "a: &a [*a]",
              "[[[[[[[[[[[[[[[[",
              "{a: {a: {a: {a: ",
              "limits",
              "dimension",
              "true")
          .stream()
          .map(word -> word.getBytes(UTF_8))
          .toList();

  private final SplittableRandom random;
  private final List<byte[]> corpus;

  Mutator(long seed, List<byte[]> corpus) {
    random = new SplittableRandom(seed);
    this.corpus = List.copyOf(corpus);
  }

  /** The next input; occasionally a valid one. */
  byte[] next() {
    byte[] bytes = corpus.get(random.nextInt(corpus.size()));
    int times = random.nextInt(5);
    for (int i = 0; i < times; i++) {
      bytes = mutate(bytes);
    }
    bytes = bytes.length > MOST_BYTES ? Arrays.copyOf(bytes, MOST_BYTES) : bytes;
    return random.nextInt(LONG_ONE_OF) == 0 ? lengthen(bytes) : bytes;
  }

  /**
   * Inserts many copies of a small piece, half of the time as a field with the correct length. This
   * detects quadratic time, and an object for every two bytes.
   */
  private byte[] lengthen(byte[] bytes) {
    byte[] piece =
        switch (random.nextInt(4)) {
          case 0 -> new byte[] {(byte) (random.nextInt(4) << 3 | 2), 0};
          case 1 -> WORDS.get(random.nextInt(WORDS.size()));
          case 2 -> new byte[] {(byte) random.nextInt(), (byte) random.nextInt()};
          default -> {
            int from = random.nextInt(bytes.length + 1);
            yield Arrays.copyOfRange(bytes, from, from + Math.min(64, bytes.length - from));
          }
        };
    byte[] run = new byte[random.nextInt(1 << 14, MOST_BYTES_OF_LONG - MOST_BYTES)];
    for (int i = 0; piece.length > 0 && i < run.length; i++) {
      run[i] = piece[i % piece.length];
    }
    int at = random.nextInt(bytes.length + 1);
    if (random.nextBoolean()) {
      return splice(bytes, at, 0, run);
    }
    byte[] field = splice(varint(run.length), varint(run.length).length, 0, run);
    byte[] tag = varint(random.nextInt(1, 25) << 3 | 2);
    return splice(
        bytes, random.nextBoolean() ? at : bytes.length, 0, splice(tag, tag.length, 0, field));
  }

  private byte[] mutate(byte[] bytes) {
    int at = random.nextInt(bytes.length + 1);
    int length = random.nextInt(Math.min(16, bytes.length - at) + 1);
    return switch (random.nextInt(12)) {
      case 0 -> flip(bytes);
      case 1 -> splice(bytes, at, length, new byte[0]);
      case 2 -> Arrays.copyOf(bytes, at);
      case 3 -> splice(bytes, at, 0, piece(corpus.get(random.nextInt(corpus.size()))));
      case 4 -> splice(bytes, at, 0, Arrays.copyOfRange(bytes, at, at + length));
      case 5 -> splice(bytes, at, random.nextInt(2), new byte[] {(byte) random.nextInt()});
      case 6 -> splice(bytes, at, random.nextInt(2), varint(number()));
      case 7 -> overwrite(bytes, at, bigEndian(number(), 4));
      case 8 -> overwrite(bytes, at, bigEndian(number(), 8));
      case 9 -> {
        long odd = Double.doubleToRawLongBits(DOUBLES[random.nextInt(DOUBLES.length)]);
        yield overwrite(bytes, at, bigEndian(Long.reverseBytes(odd), 8));
      }
      case 10 ->
          splice(bytes, at, random.nextInt(2) * length, WORDS.get(random.nextInt(WORDS.size())));
      default -> {
        // A field without contents: a tag and a length far beyond the input.
        byte[] tag = {(byte) (random.nextInt(16) << 3 | 2)};
        yield splice(splice(bytes, at, 0, varint(number())), at, 0, tag);
      }
    };
  }

  private long number() {
    return NUMBERS[random.nextInt(NUMBERS.length)];
  }

  private byte[] flip(byte[] bytes) {
    byte[] flipped = bytes.clone();
    if (flipped.length > 0) {
      flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return flipped;
  }

  private byte[] piece(byte[] bytes) {
    int from = random.nextInt(bytes.length + 1);
    return Arrays.copyOfRange(bytes, from, from + random.nextInt(bytes.length - from + 1));
  }

  private static byte[] overwrite(byte[] bytes, int at, byte[] value) {
    return splice(bytes, at, Math.min(value.length, bytes.length - at), value);
  }

  private static byte[] bigEndian(long value, int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[count - 1 - i] = (byte) (value >>> (8 * i));
    }
    return bytes;
  }

  private static byte[] splice(byte[] bytes, int at, int removed, byte[] inserted) {
    int gone = Math.min(removed, bytes.length - at);
    byte[] result = new byte[bytes.length - gone + inserted.length];
    System.arraycopy(bytes, 0, result, 0, at);
    System.arraycopy(inserted, 0, result, at, inserted.length);
    System.arraycopy(bytes, at + gone, result, at + inserted.length, bytes.length - at - gone);
    return result;
  }

  private static byte[] varint(long value) {
    byte[] bytes = new byte[10];
    int length = 0;
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
    return Arrays.copyOf(bytes, length);
  }
}
