package io.croupier.client.randomiser;

import com.google.protobuf.UnsafeByteOperations;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.view.GradientReportView;
import io.croupier.schemas.view.VectorView;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Adds noise to a gradient, on a grid.
 *
 * <p>A release is made in four steps, G being the gradient bound and 2^e the step of the grid. (1)
 * Clip to norm G: L2, or the largest coordinate's ({@link ClippingNorm}). (2) Round every
 * coordinate towards zero to the grid; the result has norm at most G exactly. (3) Draw noise on the
 * grid: from an exact discrete law, or ({@link L2LaplaceRandomiser}, custom noise) from a
 * continuous one, rounded to the nearest point. (4) Add the two as integers, and saturate at 32
 * bits. Saturation, and the rounding of noise, are post-processing and cost nothing.
 *
 * <p>Failure probability: a release overflows 32 bits, and so is saturated, with probability at
 * most 2^-40; a constructor refuses a level for which this doesn't hold. Noise is never redrawn:
 * whether the first draw overflows depends on the gradient, so a redraw would change the law from
 * the declared one. Saturation costs no privacy, and costs accuracy only when it occurs.
 *
 * <p>The scale of exact noise is rounded up to whole grid steps, so it may be up to one step larger
 * than its declaration implies.
 */
public sealed interface GridRandomiser extends Randomiser
    permits AdditiveRandomiser, UndisclosedRandomiser {

  /** e: released values are multiples of 2^e. */
  int gridExponent();

  @Override
  GridRandomiser fitted(double gradientBound, int gridExponent);

  /** Writes the declaration of this noise into a report. */
  default void declareIn(GradientReportView.Builder report) {
    Declarations.declare(mechanism(), report);
  }

  /**
   * Releases a gradient once, as {@link #release} does.
   *
   * @param gradient shape [d], not modified
   * @return the release as multiples of 2^e, shape [d], owned by the caller
   * @throws IllegalArgumentException if {@code gradient} has another shape; no privacy is spent
   *     then
   */
  int[] randomise(double[] gradient);

  @Override
  default void release(double[] gradient, GradientReportView.Builder report) {
    int[] steps = randomise(gradient);
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact(steps.length, Integer.BYTES))
            .order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(steps);
    report.setGrid(
        VectorView.newBuilder().addValues(UnsafeByteOperations.unsafeWrap(bytes)).build());
    declareIn(report);
  }
}
