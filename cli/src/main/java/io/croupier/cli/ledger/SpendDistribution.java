package io.croupier.cli.ledger;

import com.google.gson.JsonObject;
import io.croupier.schemas.Spend;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** How the sizes of spends are distributed: of pure epsilons, and apart from them of mus. */
final class SpendDistribution {
  private final TreeMap<Double, Long> epsilons = new TreeMap<>();
  private final TreeMap<Double, Long> mus = new TreeMap<>();

  void add(Spend spent) {
    epsilons.merge(spent.getEpsilon(), 1L, Long::sum);
    mus.merge(spent.getMu(), 1L, Long::sum);
  }

  /**
   * A histogram of each kind of which there are any.
   *
   * @param whose of whom or what they are, in words
   */
  List<String> text(String whose) {
    List<String> text = new ArrayList<>();
    Histogram ofEpsilons = Histogram.of(epsilons);
    Histogram ofMus = Histogram.of(mus);
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

  /** For programs. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    json.add("epsilon", Histogram.of(epsilons).json());
    json.add("mu", Histogram.of(mus).json());
    return json;
  }
}
