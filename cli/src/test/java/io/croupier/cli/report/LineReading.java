package io.croupier.cli.report;

/** Reads lines of gradients. */
public final class LineReading {
  private LineReading() {}

  /** The gradient of a line, which must have so many coordinates. */
  public static double[] gradient(String line, int dimension) {
    return GradientLine.parse(line, dimension).gradient();
  }
}
