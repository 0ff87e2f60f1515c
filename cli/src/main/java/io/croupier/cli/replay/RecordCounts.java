package io.croupier.cli.replay;

import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the records of a file by their outcome. */
final class RecordCounts {
  private final Map<String, ModelVerdicts> byModel = new HashMap<>();
  private final ModelVerdicts ofOtherModels = new ModelVerdicts();
  private long reports;
  private long unreadable;
  private String firstUnreadable = "";

  /** The verdicts on the reports to one model. */
  static final class ModelVerdicts {
    private long admitted;
    private long duplicates;
    private long refused;

    private void count(Outcome outcome) {
      switch (outcome) {
        case ADMITTED -> admitted++;
        case DUPLICATE -> duplicates++;
        default -> refused++;
      }
    }

    /** Reports that the learner received. */
    long admitted() {
      return admitted;
    }

    /** Reports that had been judged before. */
    long duplicates() {
      return duplicates;
    }

    /** Reports that were refused, for any reason. */
    long refused() {
      return refused;
    }
  }

  /** Starts all counts at 0, with separate counts for each model of {@code specs}. */
  RecordCounts(List<ModelSpec> specs) {
    specs.forEach(spec -> byModel.put(spec.getModelId(), new ModelVerdicts()));
  }

  /** Counts a judged report. */
  void count(String modelId, Outcome outcome) {
    byModel.getOrDefault(modelId, ofOtherModels).count(outcome);
    reports++;
  }

  /** Counts a record that is not a report; keeps the sentence for the first one. */
  void countUnreadable(String sentence) {
    if (unreadable == 0) {
      firstUnreadable = sentence;
    }
    unreadable++;
  }

  /** The verdicts for a model that has a spec. */
  ModelVerdicts of(String modelId) {
    return byModel.get(modelId);
  }

  /** Reports to models without a spec. */
  long ofOtherModels() {
    return ofOtherModels.refused + ofOtherModels.duplicates;
  }

  /** All judged reports. */
  long reports() {
    return reports;
  }

  /** Records that are not reports. */
  long unreadable() {
    return unreadable;
  }

  /** Place and reason of the first such record; empty if there is none. */
  String firstUnreadable() {
    return firstUnreadable;
  }
}
