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
 * Trains models on judged reports as a journal says that the job did: the same reports in the same
 * bundles, rounds closed by the same bundle or time out, updates published at the same points. So
 * the updates are the job's, bit for bit, but for the time they are stamped with. Not thread-safe.
 */
final class JournalReplay {
  private final JournalFile journal;
  private final Recording recording;
  private final Map<String, JournaledModel> journaled = new LinkedHashMap<>();
  private final List<ReplayedModel> models = new ArrayList<>();

  /**
   * A replay of one journal.
   *
   * @param specs valid, and those that were in force
   * @param reports the recorded reports, judged, up to a null behind the last
   * @param every how many updates of a model make one that is written, at least 1
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

  /** The models, in the order of their specs; empty before the replay has ended. */
  Collection<ReplayedModel> models() {
    return models;
  }

  /**
   * Follows the journal to its end, then judges what reports are left. What it says of models that
   * are not in the specs is passed over.
   *
   * @return how many admitted reports are in no bundle
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
