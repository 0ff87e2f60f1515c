package io.croupier.cli.data;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A data set and the prediction problem on it.
 *
 * @param name short, for headings
 * @param description one sentence: who the people are and what is predicted
 * @param features the name of each coordinate
 * @param scaling one sentence: how the features were scaled, and whether with everybody's data
 * @param problem losses and gradients
 * @param clip default length at which gradients are clipped
 * @param scale by which all features are multiplied; 1 in the usual units
 * @param categories columns of words, by name: the value of each person
 * @param notes further information for the user, one sentence each
 */
public record DataSet(
    String name,
    String description,
    List<String> features,
    String scaling,
    Problem problem,
    double clip,
    double scale,
    Map<String, List<String>> categories,
    List<String> notes) {

  /** The same data in other units: all features are multiplied by a factor. */
  public DataSet times(double factor) {
    if (factor == 1) {
      return this;
    }
    List<String> scaled = new ArrayList<>(notes);
    scaled.add("All features are multiplied by %s.".formatted(factor));
    return new DataSet(
        name,
        description,
        features,
        scaling,
        problem.times(factor),
        clip,
        factor * scale,
        categories,
        scaled);
  }

  /** The same data with the labels turned over. */
  public DataSet turned() {
    return new DataSet(
        name, description, features, scaling, problem.turned(), clip, scale, categories, notes);
  }

  /** Copies the lists; the columns must not change. */
  public DataSet {
    features = List.copyOf(features);
    categories = Collections.unmodifiableMap(new LinkedHashMap<>(categories));
    notes = List.copyOf(notes);
  }
}
