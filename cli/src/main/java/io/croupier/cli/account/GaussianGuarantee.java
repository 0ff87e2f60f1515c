package io.croupier.cli.account;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.ZeroConcentratedDp;
import io.croupier.accounting.tree.TreeRelease;
import java.math.RoundingMode;

/**
 * What one Gaussian mechanism, or several as one, guarantees.
 *
 * @param zeta squared sensitivity in clipping norms, under the relation; negative: not known
 * @param epsilon at delta, exactly
 * @param epsilonRenyi at delta, by Renyi DP
 */
record GaussianGuarantee(
    long zeta,
    double mu,
    double epsilon,
    double epsilonRenyi,
    double delta,
    RelationOption relation) {
  private static final long UNKNOWN = -1;

  /** Of trees. */
  static GaussianGuarantee of(TreeRelease release, double delta, RelationOption relation) {
    return new GaussianGuarantee(
        release.zeta(),
        release.mu(),
        release.epsilon(delta),
        release.epsilonRenyi(delta),
        delta,
        relation);
  }

  /** Of mu-GDP, at a delta. */
  static GaussianGuarantee of(double mu, double delta, RelationOption relation) {
    double logDelta = StrictMath.log(delta);
    return new GaussianGuarantee(
        UNKNOWN,
        mu,
        GaussianDp.epsilon(mu, logDelta),
        ZeroConcentratedDp.epsilon(Math.nextUp(mu * mu / 2), logDelta),
        delta,
        relation);
  }

  /** Of mu-GDP, at an epsilon. A delta below the least double is told as that. */
  static GaussianGuarantee atEpsilon(double mu, double epsilon, RelationOption relation) {
    double logDelta = GaussianDp.logDelta(epsilon, mu);
    double delta = Math.max(Double.MIN_VALUE, StrictMath.exp(logDelta));
    double renyi = ZeroConcentratedDp.epsilon(Math.nextUp(mu * mu / 2), logDelta);
    return new GaussianGuarantee(UNKNOWN, mu, epsilon, renyi, delta, relation);
  }

  /** For programs. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    if (zeta == UNKNOWN) {
      json.add("zeta", JsonNull.INSTANCE);
    } else {
      json.addProperty("zeta", zeta);
    }
    json.add("mu", Json.number(mu));
    json.add("epsilon", Json.number(epsilon));
    json.add("epsilonRenyi", Json.number(epsilonRenyi));
    json.addProperty("delta", delta);
    json.addProperty("relation", relation.toString());
    return json;
  }

  private Table table() {
    Table table = new Table("", "rounded", "all digits");
    if (zeta != UNKNOWN) {
      table.row("zeta", Digits.count(zeta), Long.toString(zeta));
    }
    return table
        .row("mu", Digits.rounded(mu), Digits.all(mu))
        .row("epsilon", Digits.rounded(epsilon), Digits.all(epsilon))
        .row("epsilon by Renyi DP", Digits.rounded(epsilonRenyi), Digits.all(epsilonRenyi))
        .row("delta", Digits.rounded(delta), Digits.all(delta))
        .row("relation", relation.toString(), "");
  }

  /** The table, and what it means. */
  String text() {
    return String.join(System.lineSeparator(), table().text(), "", sentence());
  }

  private String sentence() {
    return "If %s, any event's probability grows from p to at most exp(%s) p + %s; and vice versa."
        .formatted(
            relation.meaning(),
            Digits.sixDigits(epsilon, RoundingMode.CEILING),
            Digits.sixDigits(delta, RoundingMode.CEILING));
  }
}
