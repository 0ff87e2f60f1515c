package io.croupier.cli.account;

import com.google.gson.JsonObject;
import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.ZeroConcentratedDp;
import io.croupier.accounting.tree.TreeRelease;
import io.croupier.cli.io.Table;
import java.math.RoundingMode;

/**
 * The guarantee of one Gaussian mechanism, or of the composition of several.
 *
 * @param zeta squared sensitivity under the relation, in units of the squared clipping norm; null
 *     if unknown
 * @param epsilon at delta, exact
 * @param epsilonRenyi at delta, by Renyi DP
 */
record GaussianGuarantee(
    Long zeta,
    double mu,
    double epsilon,
    double epsilonRenyi,
    double delta,
    RelationOption relation) {
  /** The guarantee of a tree release at a delta. */
  static GaussianGuarantee of(TreeRelease release, double delta, RelationOption relation) {
    return new GaussianGuarantee(
        release.zeta(),
        release.mu(),
        release.epsilon(delta),
        release.epsilonRenyi(delta),
        delta,
        relation);
  }

  /** The guarantee of mu-GDP at a delta. */
  static GaussianGuarantee of(double mu, double delta, RelationOption relation) {
    double logDelta = StrictMath.log(delta);
    return new GaussianGuarantee(
        null,
        mu,
        GaussianDp.epsilon(mu, logDelta),
        ZeroConcentratedDp.epsilon(Math.nextUp(mu * mu / 2), logDelta),
        delta,
        relation);
  }

  /** The guarantee of mu-GDP at an epsilon. A delta below the least double is rounded up to it. */
  static GaussianGuarantee atEpsilon(double mu, double epsilon, RelationOption relation) {
    double logDelta = GaussianDp.logDelta(epsilon, mu);
    double delta = Math.max(Double.MIN_VALUE, StrictMath.exp(logDelta));
    double renyi = ZeroConcentratedDp.epsilon(Math.nextUp(mu * mu / 2), logDelta);
    return new GaussianGuarantee(null, mu, epsilon, renyi, delta, relation);
  }

  /** The JSON form, with all digits. */
  JsonObject json() {
    return Json.of(this).getAsJsonObject();
  }

  private Table table() {
    Table table = new Table("", "rounded", "all digits");
    if (zeta != null) {
      table.row("zeta", Digits.count(zeta), zeta.toString());
    }
    return table
        .row("mu", Digits.rounded(mu), Digits.all(mu))
        .row("epsilon", Digits.rounded(epsilon), Digits.all(epsilon))
        .row("epsilon by Renyi DP", Digits.rounded(epsilonRenyi), Digits.all(epsilonRenyi))
        .row("delta", Digits.rounded(delta), Digits.all(delta))
        .row("relation", relation.toString(), "");
  }

  /** The table and its meaning in words. */
  String text() {
    return String.join(System.lineSeparator(), table().text(), "", sentence());
  }

  private String sentence() {
    return ("If %s, the probability of any event grows from p to at most exp(%s) p + %s, and vice"
            + " versa.")
        .formatted(
            relation.meaning(),
            Digits.sixDigits(epsilon, RoundingMode.CEILING),
            Digits.sixDigits(delta, RoundingMode.CEILING));
  }
}
