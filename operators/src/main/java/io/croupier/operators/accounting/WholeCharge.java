package io.croupier.operators.accounting;

import io.croupier.accounting.tree.ParticipationLimits;

/**
 * What one user has been charged for all participations that a model's limits allow, at once: keyed
 * state, a Flink POJO.
 *
 * <p>It holds the loosest limits under which the user took part, of each kind: whatever limits were
 * in between, all that the user did keeps to these. Size: 52 bytes.
 *
 * <p>Which mechanism was charged is part of it, since another one's noise is another's. A later
 * model of the same name and the same mechanism needs no charge of its own: its rounds come after
 * its predecessor's, participations are counted on, and two releases of earlier and of later rows
 * tell no more than one of all (no entry of C is negative).
 *
 * <p>Invariants: (1) all is 0 while nothing was charged; (2) {@link #zeta} is at least that of the
 * limits at the horizon.
 */
public final class WholeCharge {
  /** m of the mechanism. */
  public int buffers;

  /** n of the mechanism. */
  public long horizon;

  /** Sums that a report enters. */
  public int sums;

  /** sigma of the mechanism. */
  public double noiseMultiplier;

  /** The most participations that were allowed. */
  public int maxParticipations;

  /** The least separation that was asked for. */
  public long minSeparation;

  /**
   * What was charged: a quarter of the squared sensitivity under replace-one, or more. Of least
   * squares, charges of before their bound was tightened are 2 where they would be 1.125 now; they
   * stay.
   */
  public double zeta;

  /** Creates the state of no charge: for the serialiser. */
  public WholeCharge() {}

  /** Whether both are of the same mechanism. */
  boolean sameMechanism(WholeCharge other) {
    return buffers == other.buffers
        && horizon == other.horizon
        && sums == other.sums
        && noiseMultiplier == other.noiseMultiplier;
  }

  /** Whether everything that the limits of the other allow is allowed by these. */
  boolean allowsAllOf(WholeCharge other) {
    return maxParticipations >= other.maxParticipations && minSeparation <= other.minSeparation;
  }

  /** The limits. */
  ParticipationLimits limits() {
    return new ParticipationLimits(maxParticipations, minSeparation);
  }

  /** What is charged when this follows the other: the difference, rounded up. */
  double zetaAfter(WholeCharge before) {
    if (!sameMechanism(before)) {
      return zeta;
    }
    return zeta > before.zeta ? Math.nextUp(zeta - before.zeta) : 0;
  }
}
