package io.croupier.operators.report;

import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Statistics;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a model asks for, by its spec.
 *
 * @param hasLearner whether it takes gradients
 * @param takesExamples whether a gradient is an observation
 * @param questions that it asks, in their order
 * @param statistics for which it takes votes, in their order: the number of categories of each
 */
public record ReportTerms(
    ModelSpec spec,
    boolean hasLearner,
    boolean takesExamples,
    Set<String> questions,
    Map<String, Integer> statistics) {

  /** Returns those of a valid spec. */
  public static ReportTerms of(ModelSpec spec) {
    Set<String> questions = new LinkedHashSet<>();
    spec.getQuestionsList().forEach(question -> questions.add(question.getName()));
    Map<String, Integer> statistics = new LinkedHashMap<>();
    spec.getStatisticsList()
        .forEach(
            each -> {
              if (each.hasQuantiles()) {
                questions.add(each.getName());
              } else {
                statistics.put(each.getName(), Statistics.candidates(each));
              }
            });
    if (spec.hasAdaptiveClip()) {
      questions.add(AdaptiveClips.QUESTION);
    }
    return new ReportTerms(
        spec, ModelSpecs.hasLearner(spec), spec.hasDpFtrlLeastSquares(), questions, statistics);
  }

  static String text(Set<String> names) {
    return names.isEmpty() ? "none" : String.join(", ", names);
  }
}
