package io.croupier.simulation;

/** What must not happen in any world. */
final class WorldFinding extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int invariant;

  /**
   * Creates a finding.
   *
   * @param invariant the number of the promise in the README, from 1
   */
  WorldFinding(int invariant, String what) {
    super("(" + invariant + ") " + what);
    this.invariant = invariant;
  }

  WorldFinding(int invariant, String what, Throwable cause) {
    this(invariant, what);
    initCause(cause);
  }

  int invariant() {
    return invariant;
  }
}
