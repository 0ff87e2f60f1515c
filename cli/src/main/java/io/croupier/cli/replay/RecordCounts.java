package io.croupier.cli.replay;

import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts what became of the records of a file. */
final class RecordCounts {
  private final Map<String, ModelVerdicts> byModel = new HashMap<>();
  private final ModelVerdicts ofOtherModels = new ModelVerdicts();
  private long reports;
  private long unreadable;
  private String firstUnreadable = "";

  /** What the ledger said of the reports to one model. */
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

    /** Reports that went on to the learner. */
    long admitted() {
      return admitted;
    }

    /** Reports that were judged before. */
    long duplicates() {
      return duplicates;
    }

    /** Reports that were refused, for whatever reason. */
    long refused() {
      return refused;
    }
  }

  /** Counts from 0, for the models of {@code specs} one by one. */
  RecordCounts(List<ModelSpec> specs) {
    specs.forEach(spec -> byModel.put(spec.getModelId(), new ModelVerdicts()));
  }

  /** Counts a report that was judged. */
  void count(String modelId, Outcome outcome) {
    byModel.getOrDefault(modelId, ofOtherModels).count(outcome);
    reports++;
  }

  /** Counts a record that holds no report, and keeps the first such sentence. */
  void countUnreadable(String sentence) {
    if (unreadable == 0) {
      firstUnreadable = sentence;
    }
    unreadable++;
  }

  /** Of a model that has a spec. */
  ModelVerdicts of(String modelId) {
    return byModel.get(modelId);
  }

  /** Reports to models that have no spec. */
  long ofOtherModels() {
    return ofOtherModels.refused + ofOtherModels.duplicates;
  }

  /** All reports that were judged. */
  long reports() {
    return reports;
  }

  /** Records that hold no report. */
  long unreadable() {
    return unreadable;
  }

  /** Where and why for the first of them; empty if there is none. */
  String firstUnreadable() {
    return firstUnreadable;
  }
}
