package io.croupier.operators.report;

import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.view.ExampleView;

/**
 * One observation, in a raw report.
 *
 * @param x features as little-endian doubles, of any value in a raw report
 * @param y label, of any value in a raw report
 */
@SuppressWarnings("ArrayRecordComponent") // no two are compared
public record ExampleContent(byte[] x, double y) implements Gradient {

  /**
   * Reads an example.
   *
   * @param isRaw whether the report declares central noise; then its outcome must not depend on
   *     values
   * @return null unless the message is well-formed and packed
   */
  static ExampleContent read(ExampleView example, boolean isRaw) {
    byte[] x = Runs.packed(example.getXList(), example.getUnknownFields(), Double.BYTES);
    return x.length > 0
            && example.hasY()
            && (isRaw || (PackedVectors.areFinite(x) && Double.isFinite(example.getY())))
        ? new ExampleContent(x, example.getY())
        : null;
  }

  @Override
  public String name() {
    return "example";
  }

  @Override
  public int dimension() {
    return x.length / Double.BYTES;
  }

  /** Without the observation. */
  @Override
  public String toString() {
    return "ExampleContent";
  }
}
