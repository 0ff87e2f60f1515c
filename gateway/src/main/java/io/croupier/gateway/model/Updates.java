package io.croupier.gateway.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.client.SkippedRecords;
import io.croupier.schemas.TokenWindow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The newest committed update of each model, and who waits for the next one. Safe for use by
 * several threads, one of which follows.
 */
public final class Updates {
  private final SkippedRecords skipped = new SkippedRecords();
  private final Map<String, ServedModel> models = new ConcurrentHashMap<>();
  private final Map<String, Set<Watcher>> watchers = new ConcurrentHashMap<>();
  private volatile Windows windows = (modelId, round) -> List.of();

  /** The windows that an update announces. */
  @FunctionalInterface
  public interface Windows {
    /** The windows of a model with a newest round. */
    List<TokenWindow> of(String modelId, long round);
  }

  /** Is called after each update of a model, and when the model is retired; must not block. */
  @FunctionalInterface
  public interface Watcher {
    /** There is something newer to read. */
    void changed();
  }

  /** Sets the windows for anonymous reports that updates announce. */
  public void announce(Windows ofModels) {
    windows = ofModels;
  }

  /** Looks at the windows of a model again. */
  public void refresh(String modelId) {
    addWindows(modelId);
    watchers.getOrDefault(modelId, Set.of()).forEach(Watcher::changed);
  }

  private void addWindows(String modelId) {
    models.computeIfPresent(
        modelId,
        (id, model) -> {
          List<TokenWindow> announced = windows.of(id, model.round());
          return announced.equals(model.windows()) ? model : model.with(announced);
        });
  }

  /** Applies a record of the updates topic. */
  public void apply(ConsumerRecord<byte[], byte[]> record) {
    String modelId = record.key() == null ? "" : new String(record.key(), UTF_8);
    if (record.value() == null) {
      models.remove(modelId);
    } else {
      try {
        ServedModel next = ServedModel.after(models.get(modelId), record.value());
        modelId = next.modelId();
        models.put(modelId, next);
        addWindows(modelId);
      } catch (IllegalArgumentException e) {
        // A later update of the model replaces it; until then the earlier one stays.
        skipped.add(record.topic(), record.partition(), record.offset(), e.getMessage());
        return;
      }
    }
    watchers.getOrDefault(modelId, Set.of()).forEach(Watcher::changed);
  }

  /** The newest update of a model; empty if there is none. */
  public Optional<ServedModel> newest(String modelId) {
    return Optional.ofNullable(models.get(modelId));
  }

  /** The newest update of every model, by name. */
  public List<ServedModel> all() {
    return List.copyOf(new TreeMap<>(models).values());
  }

  /** Begins to watch a model. Read its newest update afterwards, so that none is missed. */
  public void watch(String modelId, Watcher watcher) {
    watchers.compute(
        modelId,
        (id, present) -> {
          Set<Watcher> all = present == null ? ConcurrentHashMap.newKeySet() : present;
          all.add(watcher);
          return all;
        });
  }

  /** Ends to watch a model. */
  public void unwatch(String modelId, Watcher watcher) {
    watchers.computeIfPresent(
        modelId,
        (id, present) -> {
          present.remove(watcher);
          return present.isEmpty() ? null : present;
        });
  }
}
