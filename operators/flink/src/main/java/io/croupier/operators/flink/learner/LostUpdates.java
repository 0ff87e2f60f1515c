package io.croupier.operators.flink.learner;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.restart.LastRounds;
import io.croupier.operators.model.LiveModel;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last updates of central models that are in the state and not visible. They are emitted again,
 * byte for byte: an update computed anew would draw new noise for the same reports.
 */
final class LostUpdates {
  private static final Logger LOG = LoggerFactory.getLogger(LostUpdates.class);

  private final Map<String, List<OutboundRecord>> records = new LinkedHashMap<>();

  /** Keeps the last update of a restored model, if it is lost. */
  void check(String modelId, LiveModel model, LastRounds lastRounds) {
    Optional<ModelUpdateView> last = model.lastUpdate();
    if (last.isEmpty()) {
      return;
    }
    long publishedAtMs = last.get().getPublishedAtMs();
    lastRounds.requireOwn(modelId, publishedAtMs);
    if (lastRounds.isLost(modelId, publishedAtMs)) {
      LOG.warn(
          "Round {} of central model {} is in the state but not visible: the brokers have ended its"
              + " transaction (transaction.max.timeout.ms). The same update is published again",
          last.get().getRound(),
          modelId);
      records.put(modelId, UpdatePublisher.records(model, last.get()));
    }
  }

  /** Drops the update of a retired model. */
  void drop(String modelId) {
    records.remove(modelId);
  }

  /** Passes all records on, once. */
  void emit(Consumer<OutboundRecord> out) {
    records.values().forEach(ofModel -> ofModel.forEach(out));
    records.clear();
  }
}
