package io.croupier.cli.report;

import java.util.Locale;

/** What can hide a gradient. */
enum NoiseMechanism {
  L2_LAPLACE,
  COORDINATE_LAPLACE,
  GAUSSIAN;

  /** As on the command line: l2-laplace. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
