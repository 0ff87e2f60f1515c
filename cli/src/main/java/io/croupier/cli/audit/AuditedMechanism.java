package io.croupier.cli.audit;

/** A mechanism under audit, which maps a gradient to a release. */
@FunctionalInterface
interface AuditedMechanism {

  /**
   * Releases a gradient once.
   *
   * @param gradient shape [d], not modified
   * @return multiples of the grid's step, shape [d]
   */
  int[] release(double[] gradient);
}
