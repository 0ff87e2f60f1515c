package io.croupier.client.randomiser;

import io.croupier.schemas.SubExponential;
import io.croupier.schemas.Undisclosed;
import io.croupier.schemas.view.GradientReportView;

/**
 * The noise of another randomiser, unsaid: a report is noised just as that one would, and discloses
 * nothing of it. What it costs is known to its sender alone, so nobody else can keep the account;
 * learners that must know the noise refuse such a report, and refused or not, it is spent.
 *
 * @param disclosing clips and adds the noise
 */
public record UndisclosedRandomiser(Randomiser disclosing) implements Randomiser {

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
  public void declareIn(GradientReportView.Builder report) {
    report.setUndisclosed(Undisclosed.getDefaultInstance());
  }

  @Override
  public int[] randomise(double[] gradient) {
    return disclosing.randomise(gradient);
  }
}
