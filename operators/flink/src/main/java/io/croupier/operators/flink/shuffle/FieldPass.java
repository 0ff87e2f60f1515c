package io.croupier.operators.flink.shuffle;

import java.io.IOException;

/**
 * One pass over the fields of a record, in a fixed order. Each method receives a field's value and
 * returns the value that the field has after the pass: a writer writes it and returns it, a reader
 * ignores it and returns the value that it reads, a copier returns it. So one line for each field
 * describes all three.
 *
 * <p>All objects may be null. Texts are well-formed UTF-16.
 */
public interface FieldPass {

  /**
   * Returns the pass for a field that was added in a version. In a record of an earlier version it
   * keeps its initial value.
   */
  FieldPass since(int version);

  /** An integer that is mostly small. */
  int integer(int value) throws IOException;

  /** A number that is mostly small. */
  long number(long value) throws IOException;

  /** A number that is mostly large: a digest or a time. */
  long fixed(long value) throws IOException;

  /** A real number. */
  double real(double value) throws IOException;

  /** A flag. */
  boolean flag(boolean value) throws IOException;

  /**
   * A constant of an enum.
   *
   * @param constants all of them, by ordinal
   */
  <E extends Enum<E>> E constant(E value, E[] constants) throws IOException;

  /** A text. */
  String text(String value) throws IOException;

  /** A text that many records share; a reader returns the same object for them. */
  String name(String value) throws IOException;

  /** Bytes. */
  byte[] bytes(byte[] value) throws IOException;

  /** Integers, each of which is mostly near the one before it. */
  int[] integers(int[] value) throws IOException;

  /** Numbers, each of which is mostly near the one before it. */
  long[] numbers(long[] value) throws IOException;

  /** Texts that many records share. */
  String[] texts(String[] value) throws IOException;

  /** Arrays of bytes. */
  byte[][] byteArrays(byte[][] value) throws IOException;

  /** Numbers that are mostly large. */
  long[] fixedNumbers(long[] value) throws IOException;

  /** A record within this one; it has the version of this one. */
  <R> R record(R value, RecordFormat<R> format) throws IOException;

  /** Records within this one. */
  <R> R[] records(R[] value, RecordFormat<R> format) throws IOException;
}
