package io.croupier.cli.audit;

/** What is audited: a gradient goes in, its release comes out. */
@FunctionalInterface
interface AuditedMechanism {

  /**
   * Releases a gradient once.
   *
   * @param gradient shape [d], left as it is
   * @return multiples of the grid's step, shape [d]
   */
  int[] release(double[] gradient);
}
