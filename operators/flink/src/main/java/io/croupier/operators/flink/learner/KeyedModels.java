package io.croupier.operators.flink.learner;

import io.croupier.operators.central.BltSearches;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.restart.LastRounds;
import io.croupier.schemas.ModelSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.configuration.Configuration;

/**
 * The models of one subtask's keys. A model is restored from keyed state when it is first needed,
 * and stays on the heap from then on.
 */
final class KeyedModels {
  private final BltSearches searches = new BltSearches();
  private final Function<ModelSpec, List<String>> obstacles;
  private final PublicationSettings settings;
  private final LastRounds lastRounds;
  private final MapState<String, byte[]> chunks;
  private final Consumer<String> currentKey;
  private final LearnerMetrics metrics;
  private final LongSupplier clock;
  private final Map<String, KeyedModel> models = new LinkedHashMap<>();

  /** An action on a model that is the current key. */
  @FunctionalInterface
  interface Action {
    void on(KeyedModel keyedModel) throws Exception;
  }

  /**
   * Creates an object without models on the heap.
   *
   * @param requirements what a spec must satisfy
   * @param job the job's configuration
   * @param lastRounds the last rounds of the subtask's models
   * @param chunks the state of the current key
   * @param currentKey makes a model the current key
   * @param clock milliseconds since 1970
   */
  KeyedModels(
      SpecRequirements requirements,
      Configuration job,
      PublicationSettings settings,
      LastRounds lastRounds,
      MapState<String, byte[]> chunks,
      Consumer<String> currentKey,
      LearnerMetrics metrics,
      LongSupplier clock) {
    obstacles = requirements.in(job, searches);
    this.settings = settings;
    this.lastRounds = lastRounds;
    this.chunks = chunks;
    this.currentKey = currentKey;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** Returns a model; it must be the current key. */
  KeyedModel get(String modelId) throws Exception {
    KeyedModel keyedModel = models.get(modelId);
    if (keyedModel == null) {
      RoundGate gate = new RoundGate(settings);
      keyedModel =
          new KeyedModel(
              modelId,
              obstacles,
              lastRounds.first(modelId),
              lastRounds.update(modelId),
              gate,
              searches,
              chunks);
      models.put(modelId, keyedModel);
      metrics.model(modelId, keyedModel::lagMs, keyedModel::open, gate, clock);
      if (keyedModel.model() != null) {
        metrics.estimates(modelId, keyedModel.model().estimates());
        metrics.statistics(modelId, keyedModel.model().statistics());
      }
    }
    return keyedModel;
  }

  /** Restores all models that are in training according to state, and visits them. */
  void restore(Action action) throws Exception {
    for (String modelId : lastRounds.modelIds()) {
      currentKey.accept(modelId);
      if (chunks.contains(KeyedModel.SPEC)) {
        KeyedModel keyedModel = get(modelId);
        if (keyedModel.model() != null) {
          action.on(keyedModel);
        }
      }
    }
  }

  /** Visits all models on the heap that are in training, in the order in which they came. */
  void forEachInTraining(Action action) throws Exception {
    for (KeyedModel keyedModel : models.values()) {
      if (keyedModel.model() != null) {
        currentKey.accept(keyedModel.modelId());
        action.on(keyedModel);
      }
    }
  }

  /** Writes what changed into state, and records the last rounds. */
  void save() throws Exception {
    for (KeyedModel keyedModel : models.values()) {
      currentKey.accept(keyedModel.modelId());
      keyedModel.save(chunks);
      lastRounds.raise(keyedModel.modelId(), keyedModel.lastRound());
    }
  }
}
