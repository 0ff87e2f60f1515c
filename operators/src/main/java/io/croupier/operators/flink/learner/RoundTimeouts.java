package io.croupier.operators.flink.learner;

import io.croupier.operators.model.LiveModel;
import java.util.function.Function;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;

/**
 * The timeouts of rounds: a model has a processing-time timer exactly while a round with a timeout
 * is partly full. The timer closes the round with the reports that it has.
 *
 * <p>All methods require that the model is the current key.
 */
final class RoundTimeouts implements Triggerable<String, VoidNamespace> {
  private final KeyedModels models;
  private final Journal journal;
  private final InternalTimerService<VoidNamespace> timers;

  /**
   * Creates the timeouts of one subtask.
   *
   * @param timers returns the service whose timers call this object
   */
  RoundTimeouts(
      KeyedModels models,
      Journal journal,
      Function<Triggerable<String, VoidNamespace>, InternalTimerService<VoidNamespace>> timers) {
    this.models = models;
    this.journal = journal;
    this.timers = timers.apply(this);
  }

  /** Sets or deletes the timer of a model, after its open round or its spec has changed. */
  void update(KeyedModel keyedModel) {
    LiveModel model = keyedModel.model();
    long wanted = 0;
    if (model != null && model.filling() > 0 && model.spec().hasRoundTimeoutMs()) {
      wanted =
          keyedModel.deadlineIsForOpenRound()
              ? keyedModel.deadline()
              : timers.currentProcessingTime() + model.spec().getRoundTimeoutMs();
    }
    if (wanted != keyedModel.deadline()) {
      if (keyedModel.deadline() != 0) {
        timers.deleteProcessingTimeTimer(VoidNamespace.INSTANCE, keyedModel.deadline());
      }
      if (wanted != 0) {
        timers.registerProcessingTimeTimer(VoidNamespace.INSTANCE, wanted);
      }
      keyedModel.setDeadline(wanted);
    }
  }

  /** Closes a partly full round that has a timeout; returns whether there was one. */
  boolean close(KeyedModel keyedModel) {
    boolean closes = keyedModel.deadline() != 0;
    if (closes) {
      timeOut(keyedModel);
      update(keyedModel);
    }
    return closes;
  }

  @Override
  public void onProcessingTime(InternalTimer<String, VoidNamespace> timer) throws Exception {
    KeyedModel keyedModel = models.get(timer.getKey());
    if (keyedModel.deadline() == timer.getTimestamp()) {
      timeOut(keyedModel);
      keyedModel.setDeadline(0);
    }
  }

  private void timeOut(KeyedModel keyedModel) {
    keyedModel.model().closeRound();
    journal.timedOut(keyedModel.model());
  }

  @Override
  public void onEventTime(InternalTimer<String, VoidNamespace> timer) {
    throw new IllegalStateException("The learner sets no event-time timers");
  }
}
