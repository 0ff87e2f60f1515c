package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.learner.RoundGate.HoldReason;
import io.croupier.operators.model.LiveModel;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Publishes the models of one subtask: before each checkpoint barrier, every model with news, as a
 * new round where {@link RoundGate} allows it; and at the end of the input, what is left.
 */
final class UpdatePublisher {
  private final KeyedModels models;
  private final RoundTimeouts timeouts;
  private final Backlog backlog;
  private final Journal journal;
  private final LearnerMetrics metrics;
  private final Consumer<OutboundRecord> out;
  private final LongSupplier clock;
  private long lastCheckpointId;

  /**
   * Creates the publications of one subtask.
   *
   * @param out receives the records
   * @param clock milliseconds since 1970
   */
  UpdatePublisher(
      KeyedModels models,
      RoundTimeouts timeouts,
      Backlog backlog,
      Journal journal,
      LearnerMetrics metrics,
      Consumer<OutboundRecord> out,
      LongSupplier clock) {
    this.models = models;
    this.timeouts = timeouts;
    this.backlog = backlog;
    this.journal = journal;
    this.metrics = metrics;
    this.out = out;
    this.clock = clock;
  }

  /** Publishes the models with news, before the barrier of a checkpoint. */
  void beforeBarrier(long checkpointId) throws Exception {
    lastCheckpointId = checkpointId;
    models.forEachInTraining(
        keyedModel -> {
          LiveModel model = keyedModel.model();
          if (hasNews(model)) {
            boolean mayOpen = keyedModel.gate().mayOpen(model, backlog, clock.getAsLong());
            if (keyedModel.gate().hold() != HoldReason.NONE) {
              metrics.held(keyedModel.modelId());
            }
            if (mayOpen || model.hasNews()) {
              publish(keyedModel, checkpointId, mayOpen);
            }
          }
        });
  }

  /**
   * Publishes whatever is left at the end of the input: no new round waits, since no publication
   * follows, and partly full rounds with a timeout close, since no timer fires any more.
   */
  void atEndOfInput() throws Exception {
    models.forEachInTraining(
        keyedModel -> {
          timeouts.close(keyedModel);
          if (hasNews(keyedModel.model())) {
            publish(keyedModel, lastCheckpointId + 1, true);
          }
          // The publication may have moved the rest of the last round to the round that is filling.
          if (timeouts.close(keyedModel)) {
            publish(keyedModel, lastCheckpointId + 1, true);
          }
        });
  }

  /**
   * Records that a checkpoint is complete.
   *
   * @param aligned whether its barriers were aligned
   */
  void completed(long checkpointId, boolean aligned) throws Exception {
    models.forEachInTraining(
        keyedModel -> keyedModel.gate().completed(checkpointId, aligned, keyedModel.model()));
  }

  /** Returns whether the next update would differ from the last one, or open a new round. */
  private static boolean hasNews(LiveModel model) {
    return model.hasNews() || model.hasNewRound();
  }

  private void publish(KeyedModel keyedModel, long checkpointId, boolean mayOpen) {
    LiveModel model = keyedModel.model();
    long now = clock.getAsLong();
    long round = model.publishedRound();
    Optional<ModelUpdateView> update = model.publish(mayOpen, now);
    journal.published(model, update.isPresent(), mayOpen);
    update.ifPresent(
        view -> {
          records(model, view).forEach(out);
          metrics.published(keyedModel.modelId(), keyedModel.waited(now));
          metrics.estimates(keyedModel.modelId(), view.getEstimatesList());
        });
    if (model.publishedRound() != round) {
      keyedModel.gate().opened(checkpointId);
    }
    timeouts.update(keyedModel);
  }

  /** Returns the records of an update and of its guarantee. */
  static List<OutboundRecord> records(LiveModel model, ModelUpdateView update) {
    byte[] key = model.spec().getModelId().getBytes(UTF_8);
    List<OutboundRecord> records = new ArrayList<>();
    records.add(new OutboundRecord(Destination.UPDATES, key, update.toByteArray()));
    model
        .guarantee()
        .ifPresent(
            event ->
                records.add(new OutboundRecord(Destination.GUARANTEES, key, event.toByteArray())));
    return records;
  }
}
