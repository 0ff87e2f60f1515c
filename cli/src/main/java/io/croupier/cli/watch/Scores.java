package io.croupier.cli.watch;

import java.util.List;
import java.util.Map;

/**
 * How good the models of a demonstration are, which only somebody with everybody's data knows.
 *
 * @param fitName name of the second score, such as accuracy
 * @param nothing the scores of zero weights
 * @param optimum the best scores, computed without privacy
 * @param recommended the model whose curve the charts emphasize; empty for none
 * @param models the models, in the order of the page
 * @param fractions those of the categories of each statistic, by its name; may be empty
 */
public record Scores(
    String fitName,
    Point nothing,
    Point optimum,
    String recommended,
    List<ScoredModel> models,
    Map<String, List<Double>> fractions) {

  /** Copies list and map. */
  public Scores {
    models = List.copyOf(models);
    fractions = Map.copyOf(fractions);
  }

  /**
   * The scores of one publication.
   *
   * @param used number of reports that it had used
   */
  public record Point(long used, double loss, double fit) {}

  /**
   * A model's scores so far.
   *
   * @param label its name for readers
   * @param points by growing {@code used}
   */
  public record ScoredModel(String modelId, String label, List<Point> points) {

    /** Copies the list. */
    public ScoredModel {
      points = List.copyOf(points);
    }
  }
}
