package io.croupier.cli.report;

/** Gives other test packages access to lines of gradients. */
public final class LineReading {
  private LineReading() {}

  /** Parses the gradient of a line, which must have {@code dimension} coordinates. */
  public static double[] gradient(String line, int dimension) {
    return GradientLine.parse(line, dimension).gradient();
  }
}
