package io.croupier.client.randomiser;

import io.croupier.noise.SecureBits;
import io.croupier.schemas.SubExponential;
import io.croupier.schemas.Undisclosed;
import io.croupier.schemas.view.GradientReportView;

/**
 * The noise of another randomiser, or of a person's own making, unsaid: a report is noised just as
 * that one would, and discloses nothing of it. What it costs is known to its sender alone, so
 * nobody else can keep the account; learners that must know the noise refuse such a report, and
 * refused or not, it is spent.
 *
 * @param disclosing clips and adds the noise
 */
public record UndisclosedRandomiser(Randomiser disclosing) implements Randomiser {

  /**
   * Noise of a person's own making, for gradients clipped to L2 norm G. It is made symmetric,
   * rounded to the grid, and saturates at 32 bits.
   *
   * <p>If it fails, or isn't finite, {@link #randomise} throws an {@link IllegalStateException}, or
   * what the noise threw; nothing is released then, nor spent.
   *
   * @param gradientBound G, L2; positive
   * @param dimension d, at least 1
   * @param gridExponent e, of the model
   * @throws IllegalArgumentException if an argument is out of range, or the noise doesn't fit the
   *     grid, by what it says of itself
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
  public double directionalVariance() {
    return disclosing.directionalVariance();
  }

  @Override
  public SubExponential subExponential() {
    return disclosing.subExponential();
  }

  @Override
  public Cost cost() {
    return disclosing.cost().unsaid();
  }

  @Override
  public void declareIn(GradientReportView.Builder report) {
    report.setUndisclosed(Undisclosed.getDefaultInstance());
  }

  @Override
  public int[] randomise(double[] gradient) {
    return disclosing.randomise(gradient);
  }
}
