package io.croupier.cli.report;

import java.util.Locale;

/** Noise mechanisms, as options name them. */
enum NoiseMechanism {
  PRIV_UNIT,
  L2_LAPLACE,
  COORDINATE_LAPLACE,
  GAUSSIAN;

  /** The name on the command line: {@code l2-laplace}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
