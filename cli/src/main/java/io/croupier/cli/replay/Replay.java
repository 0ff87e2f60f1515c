package io.croupier.cli.replay;

import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Trains models on judged reports in the given order. A model publishes a new round as soon as it
 * has reports_per_round reports and one of them names its last publication. There is no clock, so
 * rounds never time out. Not thread-safe.
 */
final class Replay {
  private final Accounts accounts;
  private final Map<String, ReplayedModel> models = new LinkedHashMap<>();

  /**
   * Writes round 0 of every model.
   *
   * @param specs valid specs
   * @param every N if every N-th update of a model is written, at least 1
   */
  Replay(List<ModelSpec> specs, Accounts accounts, long every, Consumer<ModelUpdateView> updates) {
    this.accounts = accounts;
    for (ModelSpec spec : specs) {
      ReplayedModel model = new ReplayedModel(spec, 0, every, updates);
      model.publish(true);
      model.confirm();
      models.put(spec.getModelId(), model);
    }
  }

  /** The models, in the order of their specs. */
  Collection<ReplayedModel> models() {
    return models.values();
  }

  /** Replays all reports, up to the null after the last one, and writes the final updates. */
  void run(Supplier<JudgedReport> reports) {
    for (JudgedReport judged = reports.get(); judged != null; judged = reports.get()) {
      if (judged.isAdmitted()) {
        ReplayedModel model = models.get(judged.report().header().modelId());
        model.add(accounts.withoutUser(judged.report()), judged.report().header().createdAtMs());
        if (model.mayOpen()) {
          model.publish(true);
          model.confirm();
        }
      }
    }
    models.values().forEach(ReplayedModel::writeNews);
  }
}
