package io.croupier.cli.replay;

import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Trains models on judged reports in the order of a journal: the same reports in the same bundles,
 * rounds closed by the same bundle or timeout, updates published at the same points. The updates
 * therefore equal those of the job bit for bit, except for their timestamps. Not thread-safe.
 */
final class JournalReplay {
  private final JournalFile journal;
  private final Recording recording;
  private final Map<String, JournaledModel> journaled = new LinkedHashMap<>();
  private final List<ReplayedModel> models = new ArrayList<>();

  /**
   * Prepares the replay of one journal.
   *
   * @param specs valid specs, those with which the job ran
   * @param reports the recorded reports, judged; null after the last
   * @param every N if every N-th update of a model is written, at least 1
   */
  JournalReplay(
      List<ModelSpec> specs,
      JournalFile journal,
      Accounts accounts,
      Supplier<JudgedReport> reports,
      long every,
      Consumer<ModelUpdateView> updates) {
    this.journal = journal;
    recording = new Recording(reports);
    for (ModelSpec spec : specs) {
      journaled.put(
          spec.getModelId(),
          new JournaledModel(
              spec.getModelId(),
              recording,
              accounts,
              journal::place,
              firstRound -> new ReplayedModel(spec, firstRound, every, updates)));
    }
  }

  /** The models, in the order of their specs; empty until the replay has ended. */
  Collection<ReplayedModel> models() {
    return models;
  }

  /**
   * Replays the journal to its end, then judges the remaining reports. Entries of models without a
   * spec are skipped.
   *
   * @return the number of admitted reports that are in no bundle
   * @throws io.croupier.cli.InputException if the replay does not agree with the journal
   */
  long run() {
    for (JournalEntry entry = journal.next(); entry != null; entry = journal.next()) {
      JournaledModel model = journaled.get(entry.getModelId());
      if (model != null) {
        entry.getBundlesList().forEach(model::apply);
      }
    }
    journaled.values().forEach(model -> models.add(model.end()));
    return recording.drain();
  }
}
