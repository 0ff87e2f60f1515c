package io.croupier.cli.ledger;

import com.google.gson.JsonObject;
import io.croupier.cli.account.Json;
import io.croupier.operators.ledger.Totals;
import io.croupier.schemas.Spend;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The distributions of pure epsilons and, separately, of mus. */
final class SpendDistribution {
  private final TreeMap<Double, Long> epsilons = new TreeMap<>();
  private final TreeMap<Double, Long> mus = new TreeMap<>();

  void add(Spend spent) {
    epsilons.merge(spent.getEpsilon(), 1L, Long::sum);
    mus.merge(spent.getMu(), 1L, Long::sum);
  }

  /**
   * The printed histograms; empty ones are left out.
   *
   * @param whose what each spend belongs to, in words: {@code person} or {@code report}
   */
  List<String> text(String whose) {
    List<String> text = new ArrayList<>();
    Histogram ofEpsilons = ofEpsilons();
    Histogram ofMus = ofMus();
    if (!ofEpsilons.bins().isEmpty()) {
      text.add("Epsilon spent, by " + whose + ":");
      text.add(ofEpsilons.text());
    }
    if (!ofMus.bins().isEmpty()) {
      text.add("Mu spent, by " + whose + ":");
      text.add(ofMus.text());
    }
    return text;
  }

  /** The JSON form. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    json.add("epsilon", Json.of(ofEpsilons().bins()));
    json.add("mu", Json.of(ofMus().bins()));
    return json;
  }

  private Histogram ofEpsilons() {
    return Histogram.of(epsilons, Totals.LARGEST_EPSILON);
  }

  private Histogram ofMus() {
    return Histogram.of(mus, Totals.LARGEST_MU);
  }
}
