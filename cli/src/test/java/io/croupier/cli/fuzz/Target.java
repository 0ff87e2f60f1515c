package io.croupier.cli.fuzz;

import java.util.List;

/**
 * A parser of untrusted bytes.
 *
 * @param share of all inputs that it is given, in thousandths
 * @param corpus valid inputs
 * @param bytesPerByte most that it may allocate for a byte of input
 * @param reader what reads
 */
record Target(String name, int share, List<byte[]> corpus, int bytesPerByte, Reader reader) {

  /** Reads an input or refuses it in the documented way. */
  @FunctionalInterface
  interface Reader {

    /** Returns why the input is refused; empty if it isn't. Every exception is a finding. */
    String read(byte[] input) throws Exception;
  }

  @Override
  public String toString() {
    return name;
  }
}
