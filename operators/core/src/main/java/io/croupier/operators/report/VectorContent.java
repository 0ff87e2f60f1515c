package io.croupier.operators.report;

import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.view.SparseView;
import io.croupier.schemas.view.VectorView;
import java.util.Locale;

/**
 * A gradient, coordinate by coordinate.
 *
 * @param form dense, grid or sparse
 * @param dimension coordinates of the whole vector
 * @param values in the layout of the form; finite, except in a raw report
 * @param indices coordinates of sparse values, in the order received; otherwise empty
 */
@SuppressWarnings("ArrayRecordComponent") // no two are compared
public record VectorContent(VectorForm form, int dimension, byte[] values, int[] indices)
    implements Gradient {
  private static final int[] ALL = {};

  /** A vector that names each coordinate. */
  public static VectorContent whole(VectorForm form, byte[] values) {
    return new VectorContent(form, PackedVectors.count(form, values), values, ALL);
  }

  /**
   * Reads a dense vector.
   *
   * @param isRaw whether the report declares central noise; then its outcome must not depend on
   *     values
   * @return null unless the message is well-formed and packed
   */
  static VectorContent readDense(VectorView dense, boolean isRaw) {
    byte[] values = Runs.packed(dense.getValuesList(), dense.getUnknownFields(), Double.BYTES);
    return values.length > 0 && (isRaw || PackedVectors.areFinite(values))
        ? whole(VectorForm.DENSE, values)
        : null;
  }

  /** The same for one on the grid. */
  static VectorContent readGrid(VectorView grid) {
    byte[] values = Runs.packed(grid.getValuesList(), grid.getUnknownFields(), Integer.BYTES);
    return values.length > 0 ? whole(VectorForm.GRID, values) : null;
  }

  /** The same for a sparse one. */
  static VectorContent readSparse(SparseView sparse, boolean isRaw) {
    if (!sparse.getUnknownFields().isEmpty()
        || sparse.getDimension() < 1
        || !Runs.areWhole(sparse.getValuesList(), Double.BYTES)) {
      return null;
    }
    byte[] values = Runs.concatenate(sparse.getValuesList());
    int[] indices = new int[sparse.getIndicesCount()];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = sparse.getIndices(i);
    }
    return values.length == (long) Double.BYTES * indices.length
            && GradientReports.areIndices(indices, sparse.getDimension())
            && (isRaw || PackedVectors.areFinite(values))
        ? new VectorContent(VectorForm.SPARSE, sparse.getDimension(), values, indices)
        : null;
  }

  @Override
  public String name() {
    return form.name().toLowerCase(Locale.ROOT);
  }

  private boolean isSparse() {
    return form == VectorForm.SPARSE;
  }

  @Override
  public String objectionTo(Mechanism mechanism, ReportTerms terms) {
    if (isSparse() && !mechanism.hidesSparsity()) {
      return "the vector is sparse, so it reveals which coordinates it names, whatever the noise: it must"
          + " be undisclosed"
          + (terms.spec().hasAdaptiveClip()
              ? ""
              : ", or coordinate_laplace with the clip COORDINATES");
    }
    return mechanism instanceof CoordinateLaplaceMechanism laplace
        ? objectionToTaus(laplace, terms)
        : "";
  }

  private String objectionToTaus(CoordinateLaplaceMechanism mechanism, ReportTerms terms) {
    if (mechanism.clip() == DeclaredClip.COORDINATES) {
      if (terms.spec().hasBanco()) {
        return "the clip is COORDINATES: it must be L2, since BANCO bets on gradients whose L2 norm"
            + " is at most gradient_bound";
      }
      return terms.spec().hasAdaptiveClip()
          ? "the clip is COORDINATES: it must be L2, since adaptive_clip follows the norm of"
              + " gradients"
          : "";
    }
    if (isSparse()) {
      return "the vector is sparse, so the coordinates that it doesn't name are not private: the"
          + " clip must be COORDINATES";
    }
    return objectionToOpen(mechanism);
  }

  /** Why noise that leaves coordinates open guarantees nothing; empty if the clip allows it. */
  public static String objectionToOpen(CoordinateLaplaceMechanism mechanism) {
    return mechanism.clip() != DeclaredClip.COORDINATES && mechanism.openCoordinates() > 0
        ? "a tau is infinite, so the clip must be COORDINATES: scaled to an L2 norm, a coordinate"
            + " that is not private reveals the others"
        : "";
  }

  /** Without the values. */
  @Override
  public String toString() {
    return "VectorContent";
  }
}
