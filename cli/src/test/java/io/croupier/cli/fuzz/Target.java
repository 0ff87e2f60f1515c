package io.croupier.cli.fuzz;

import java.util.List;

/**
 * Something that reads bytes that others wrote.
 *
 * @param share of all inputs that it is given, in thousandths
 * @param corpus valid inputs
 * @param bytesPerByte most that it may allocate for a byte of input
 * @param reader what reads
 */
record Target(String name, int share, List<byte[]> corpus, int bytesPerByte, Reader reader) {

  /** Reads an input, and refuses it in the documented way only. */
  @FunctionalInterface
  interface Reader {

    /** Says why the input is refused; empty if it isn't. Whatever this throws is a finding. */
    String read(byte[] input) throws Exception;
  }

  @Override
  public String toString() {
    return name;
  }
}
