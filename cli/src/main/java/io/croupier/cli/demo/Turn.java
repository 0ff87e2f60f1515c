package io.croupier.cli.demo;

import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * When the labels of a demonstration turn over. Each person reports once, so those who come before
 * the turn have other labels than those who come after it.
 *
 * @param before the data up to the turn
 * @param after the data from the turn on
 * @param people number of people who report before the turn
 */
record Turn(DataSet before, DataSet after, long people) {

  /** The labels stay as they are. */
  static Turn never(DataSet data) {
    return new Turn(data, data, Long.MAX_VALUE);
  }

  /** The labels turn over after half of the people. */
  static Turn halfway(DataSet data, int people) {
    return new Turn(data, data.turned(), people / 2);
  }

  boolean happens() {
    return people < Long.MAX_VALUE;
  }

  /** The problem after so many people; scores are those of the labels that hold by then. */
  Problem problem(long come) {
    return (come < people ? before : after).problem();
  }

  /** What the demonstration prints of each learner, one sentence each; none without a turn. */
  List<String> notes(List<LearnerResult> results, double nothing) {
    List<String> notes = new ArrayList<>();
    if (happens()) {
      notes.add(
          ("After %s all labels turned over; the scores above are those of the turned labels. A"
                  + " learner has recovered when its loss stays below the middle between doing"
                  + " nothing and its loss before the turn.")
              .formatted(NumberFormats.people(people)));
      results.forEach(result -> notes.add(note(result, nothing)));
    }
    return notes;
  }

  private String note(LearnerResult result, double nothing) {
    double reached = reached(result.curve());
    String start =
        "%s: loss %s before the turn,"
            .formatted(result.comparedLearner().label(), NumberFormats.score(reached));
    if (!(reached < nothing)) {
      return start + " nothing to recover.";
    }
    OptionalLong reports = recovery(result.curve(), (reached + nothing) / 2);
    return reports.isPresent()
        ? "%s recovered after %s reports."
            .formatted(start, NumberFormats.count(reports.getAsLong()))
        : start + " not recovered.";
  }

  /** The last loss before the turn; NaN without one. */
  private double reached(List<CurvePoint> curve) {
    double loss = Double.NaN;
    for (CurvePoint point : curve) {
      loss = point.people() < people ? point.loss() : loss;
    }
    return loss;
  }

  /** The reports after the turn from which on the loss stays at most {@code level}. */
  private OptionalLong recovery(List<CurvePoint> curve, double level) {
    OptionalLong since = OptionalLong.empty();
    for (CurvePoint point : curve) {
      if (point.people() >= people) {
        boolean isBelow = point.loss() <= level;
        if (!isBelow) {
          since = OptionalLong.empty();
        } else if (since.isEmpty()) {
          since = OptionalLong.of(point.people() - people);
        }
      }
    }
    return since;
  }
}
