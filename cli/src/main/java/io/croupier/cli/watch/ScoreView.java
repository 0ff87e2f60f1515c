package io.croupier.cli.watch;

import com.google.gson.JsonElement;
import java.util.List;
import java.util.Map;

/**
 * The scores of a demonstration, as the page shows them.
 *
 * @param nothing loss and fit
 * @param optimum loss and fit
 */
record ScoreView(
    String fitName,
    String recommended,
    List<Double> nothing,
    List<Double> optimum,
    List<ModelView> models,
    Map<String, List<Double>> fractions) {

  /**
   * A model's scores.
   *
   * @param points a curve; null if there are none, or the newest point is enough
   */
  private record ModelView(String id, String label, JsonElement points, JsonElement point) {}

  /**
   * The scores in JSON.
   *
   * @param whole whether they include the curves; otherwise they include the newest point of each
   */
  static JsonElement json(Scores scores, boolean whole) {
    return PageNumbers.json(
        new ScoreView(
            scores.fitName(),
            scores.recommended(),
            List.of(scores.nothing().loss(), scores.nothing().fit()),
            List.of(scores.optimum().loss(), scores.optimum().fit()),
            scores.models().stream().map(model -> view(model, whole)).toList(),
            scores.fractions()));
  }

  private static ModelView view(Scores.ScoredModel model, boolean whole) {
    List<Scores.Point> points = model.points();
    boolean scored = !points.isEmpty();
    Curve curve = new Curve();
    points
        .subList(scored && !whole ? points.size() - 1 : 0, points.size())
        .forEach(point -> curve.add((double) point.used(), point.loss(), point.fit()));
    return new ModelView(
        model.modelId(),
        model.label(),
        scored && whole ? curve.json() : null,
        scored && !whole ? curve.newest() : null);
  }
}
