package io.croupier.operators.ledger;

import io.croupier.accounting.tree.ParticipationLimits;

/**
 * The single charge of one user for all participations that a model's limits allow. Keyed state, a
 * Flink POJO.
 *
 * <p>It contains the loosest limit of each kind under which the user took part, so all
 * participations of the user satisfy these limits, whatever limits were in force in between. Size:
 * 52 bytes.
 *
 * <p>It identifies the mechanism that was charged, since another mechanism has other noise. A later
 * model of the same name and the same mechanism needs no charge of its own: its rounds follow its
 * predecessor's, the count of participations continues, and separate releases of the earlier and
 * the later rows reveal no more than one release of all rows (no entry of C is negative).
 *
 * <p>Invariants: (1) all fields are 0 while nothing was charged; (2) {@link #zeta} is at least that
 * of the limits at the horizon.
 */
public final class WholeCharge {
  /** m of the mechanism. */
  public int buffers;

  /** n of the mechanism. */
  public long horizon;

  /** Number of sums that a report enters. */
  public int sums;

  /** sigma of the mechanism. */
  public double noiseMultiplier;

  /** The most participations that were allowed. */
  public int maxParticipations;

  /** The least separation that was required. */
  public long minSeparation;

  /**
   * The charge: at least a quarter of the squared sensitivity under replace-one. Older charges for
   * least squares, before the bound was tightened, are 2 where they would be 1.125 now; they stay.
   */
  public double zeta;

  /** Creates an empty charge; the serialiser needs it. */
  public WholeCharge() {}

  /** Returns whether both charge the same mechanism. */
  boolean sameMechanism(WholeCharge other) {
    return buffers == other.buffers
        && horizon == other.horizon
        && sums == other.sums
        && noiseMultiplier == other.noiseMultiplier;
  }

  /** Returns whether these limits allow everything that the other's allow. */
  boolean allowsAllOf(WholeCharge other) {
    return maxParticipations >= other.maxParticipations && minSeparation <= other.minSeparation;
  }

  /** Returns the limits. */
  ParticipationLimits limits() {
    return new ParticipationLimits(maxParticipations, minSeparation);
  }

  /** Returns the charge when this one follows {@code before}: the difference, rounded up. */
  double zetaAfter(WholeCharge before) {
    if (!sameMechanism(before)) {
      return zeta;
    }
    return zeta > before.zeta ? Math.nextUp(zeta - before.zeta) : 0;
  }
}
