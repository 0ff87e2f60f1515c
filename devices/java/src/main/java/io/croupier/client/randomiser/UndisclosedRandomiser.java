package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.noise.SecureBits;
import io.croupier.schemas.SubExponential;

/**
 * The noise of another randomiser, or custom noise, without disclosure: the report gets the same
 * noise, but declares nothing about it. Only the sender knows its cost, so only the device's ledger
 * accounts it. Learners that require a declaration refuse such a report; refused or not, its
 * privacy is spent. A release of {@link PrivUnitRandomiser} can't be undisclosed: its form and
 * length reveal its level.
 *
 * @param disclosing the randomiser that clips and adds the noise
 */
public record UndisclosedRandomiser(GridRandomiser disclosing) implements GridRandomiser {

  /**
   * Custom noise, for gradients clipped to L2 norm G. It is made symmetric, rounded to the grid,
   * and saturates at 32 bits.
   *
   * <p>If it fails, or isn't finite, {@link #randomise} throws an {@link IllegalStateException}, or
   * the exception of the noise; then no report is released, and no privacy is spent.
   *
   * @param gradientBound G, L2; positive
   * @param dimension d, at least 1
   * @param gridExponent the model's e
   * @throws IllegalArgumentException if an argument is out of range, or the noise, by its stated
   *     properties, doesn't fit the grid
   */
  public static UndisclosedRandomiser of(
      double gradientBound, int dimension, int gridExponent, SymmetricNoise noise) {
    return new UndisclosedRandomiser(
        new OwnRandomiser(
            new GradientGrid(gradientBound, dimension, gridExponent), noise, new SecureBits()));
  }

  @Override
  public int dimension() {
    return disclosing.dimension();
  }

  @Override
  public double gradientBound() {
    return disclosing.gradientBound();
  }

  @Override
  public int gridExponent() {
    return disclosing.gridExponent();
  }

  @Override
  public GridRandomiser fitted(double gradientBound, int gridExponent) {
    return new UndisclosedRandomiser(disclosing.fitted(gradientBound, gridExponent));
  }

  @Override
  public double directionalVariance() {
    return disclosing.directionalVariance();
  }

  @Override
  public SubExponential subExponential() {
    return disclosing.subExponential();
  }

  @Override
  public ReleaseCost cost() {
    return disclosing.cost().unsaid();
  }

  @Override
  public Mechanism mechanism() {
    return UndisclosedNoise.UNDISCLOSED;
  }

  @Override
  public int[] randomise(double[] gradient) {
    return disclosing.randomise(gradient);
  }
}
