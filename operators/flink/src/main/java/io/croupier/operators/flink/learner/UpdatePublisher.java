package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import io.croupier.operators.model.LiveModel;
import io.croupier.schemas.ModelUpdate.Wait;
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
      Journal journal,
      LearnerMetrics metrics,
      Consumer<OutboundRecord> out,
      LongSupplier clock) {
    this.models = models;
    this.journal = journal;
    this.metrics = metrics;
    this.out = out;
    this.clock = clock;
  }

  /**
   * Publishes the models with news, before the barrier of a checkpoint. An update in which only
   * counts have changed waits until one is due.
   */
  void beforeBarrier(long checkpointId) throws Exception {
    lastCheckpointId = checkpointId;
    models.forEachInTraining(
        keyedModel -> {
          LiveModel model = keyedModel.model();
          if (hasNews(model)) {
            long now = clock.getAsLong();
            boolean mayOpen = keyedModel.gate().mayOpen(model, keyedModel.isTimedOut(now), now);
            Wait wait = keyedModel.gate().hold();
            if (wait != Wait.WAIT_UNSPECIFIED) {
              metrics.held(keyedModel.modelId());
            }
            model.waitsFor(wait);
            boolean opens = mayOpen && model.hasNewRound();
            boolean isDue = model.hasNews() && keyedModel.isUpdateDue(now);
            if (opens || isDue || model.hasUrgentNews()) {
              publish(keyedModel, checkpointId, mayOpen);
            } else {
              journal.flush(model);
            }
          }
        });
  }

  /**
   * Publishes whatever is left at the end of the input: no new round waits for an answer, since no
   * publication follows, and rounds with a timeout don't wait for more reports. A model that has
   * none publishes nothing.
   */
  void atEndOfInput() throws Exception {
    models.forEachInTraining(
        keyedModel -> {
          LiveModel model = keyedModel.model();
          boolean mayOpen = model.isFull() || keyedModel.hasDeadline();
          if (model.hasNews() || (model.hasNewRound() && (mayOpen || model.open() > 0))) {
            model.waitsFor(mayOpen || !model.hasNewRound() ? Wait.WAIT_UNSPECIFIED : Wait.REPORTS);
            publish(keyedModel, lastCheckpointId + 1, mayOpen);
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
    boolean opened = model.publishedRound() != round;
    if (update.isPresent()) {
      journal.published(model, opened, update.get().getWaitsFor());
    } else {
      journal.flush(model);
    }
    update.ifPresent(
        view -> {
          records(model, view).forEach(out);
          metrics.published(keyedModel.modelId(), keyedModel.waitedMs(now));
          keyedModel.updated(now);
          metrics.estimates(keyedModel.modelId(), view.getEstimatesList());
          metrics.statistics(keyedModel.modelId(), view.getStatisticsList());
          metrics.memory(keyedModel.modelId(), view.getDiagnosticsMap());
        });
    if (opened) {
      keyedModel.gate().opened(checkpointId);
    }
  }

  /** Returns the records of an update, of its round and of its guarantee. */
  static List<OutboundRecord> records(LiveModel model, ModelUpdateView update) {
    byte[] key = model.spec().getModelId().getBytes(UTF_8);
    List<OutboundRecord> records = new ArrayList<>();
    records.add(new OutboundRecord(Destination.UPDATES, key, update.toByteArray()));
    records.add(
        new PublishedRound(model.spec().getModelId(), update.getRound(), update.getPublishedAtMs())
            .write());
    model
        .guarantee()
        .ifPresent(
            event ->
                records.add(new OutboundRecord(Destination.GUARANTEES, key, event.toByteArray())));
    return records;
  }
}
