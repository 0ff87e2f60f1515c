package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.LearnerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.restart.LastRounds;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.operators.model.CentralModel;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.model.SpecChange;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains the models of its keys. Input 1 carries sums of admitted reports, input 2 the specs; both
 * are keyed by model.
 *
 * <p>Working vectors live on the heap, so that no step serialises one. Before every barrier each
 * model with news publishes one update, of a new round where {@link RoundGate} allows it; at the
 * snapshot the operator writes what changed into keyed state, in chunks. Both belong to one
 * checkpoint, so the visible outputs are never ahead of the state that would be restored. The
 * entries of a journal, if it is enabled, are emitted with the publications.
 */
public final class LearnerOperator extends AbstractStreamOperator<OutboundRecord>
    implements TwoInputStreamOperator<RoundSum, SpecRecord, OutboundRecord>,
        Triggerable<String, VoidNamespace>,
        BoundedMultiInput {
  private static final long serialVersionUID = 1;
  private static final Logger LOG = LoggerFactory.getLogger(LearnerOperator.class);

  private final SpecRequirements requirements;
  private final DeadLetters deadLetters;
  private final String modelsTopic;
  private final JournalSettings journalSettings;
  private final PublicationSettings publicationSettings;
  private final VisibleOutputs outputs;

  private transient MapState<String, byte[]> chunks;
  private transient ListState<RoundSum> waiting;
  private transient InternalTimerService<VoidNamespace> timers;
  private transient ListState<LearnerMark> storedMarks;
  private transient LastRounds lastRounds;
  private transient Function<ModelSpec, List<String>> obstacles;
  private transient Map<String, KeyedModel> keyedModels;
  private transient LearnerMetrics learnerMetrics;
  private transient Journal journal;
  private transient Backlog backlog;
  private transient boolean aligned;
  private transient long lastCheckpointId;
  private transient int openInputs;

  /** Lost records to emit once more, by model. */
  private transient Map<String, List<OutboundRecord>> lost;

  /**
   * Creates an operator that follows specs by {@code requirements}.
   *
   * @param requirements what a spec must satisfy; the same as the ledger's
   * @param deadLetters makes the dead letters of specs that can't be used
   * @param modelsTopic the topic that specs come from
   * @param journalSettings whether a journal records what enters the models
   * @param publicationSettings when models may publish new rounds
   * @param outputs the visible outputs that restored state is compared with
   */
  public LearnerOperator(
      SpecRequirements requirements,
      DeadLetters deadLetters,
      String modelsTopic,
      JournalSettings journalSettings,
      PublicationSettings publicationSettings,
      VisibleOutputs outputs) {
    this.requirements = requirements;
    this.deadLetters = deadLetters;
    this.modelsTopic = modelsTopic;
    this.journalSettings = journalSettings;
    this.publicationSettings = publicationSettings;
    this.outputs = outputs;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    chunks =
        context
            .getKeyedStateStore()
            .getMapState(
                new MapStateDescriptor<>(
                    StateNames.MODEL,
                    Types.STRING,
                    PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    waiting =
        context
            .getKeyedStateStore()
            .getListState(
                new ListStateDescriptor<>(
                    StateNames.WAITING_FOR_SPEC, TypeInformation.of(RoundSum.class)));
    storedMarks =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    StateNames.LEARNER_MARKS, TypeInformation.of(LearnerMark.class)));
    List<LearnerMark> marks = new ArrayList<>();
    storedMarks.get().forEach(marks::add);
    lastRounds =
        context.isRestored()
            ? LastRounds.restored(marks, outputs, getRuntimeContext())
            : LastRounds.visible(outputs, getRuntimeContext());
  }

  @Override
  public void open() throws Exception {
    super.open();
    obstacles = requirements.in(getContainingTask().getJobConfiguration());
    keyedModels = new LinkedHashMap<>();
    timers =
        getInternalTimerService(StateNames.ROUND_TIMEOUTS, VoidNamespaceSerializer.INSTANCE, this);
    backlog = new Backlog(publicationSettings.maxLag());
    aligned =
        !CheckpointingOptions.isUnalignedCheckpointEnabled(
            getContainingTask().getJobConfiguration());
    learnerMetrics = new LearnerMetrics(getMetricGroup(), backlog);
    journal = new Journal(journalSettings, this::emit);
    openInputs = 2;
    lost = new LinkedHashMap<>();
    for (String modelId : lastRounds.modelIds()) {
      setCurrentKey(modelId);
      findLostUpdate(modelId);
    }
  }

  /**
   * Finds the lost last update of a central model, to emit the same bytes again: an update computed
   * anew would draw new noise for the same reports.
   */
  private void findLostUpdate(String modelId) throws Exception {
    if (!chunks.contains(KeyedModel.SPEC)) {
      return;
    }
    LiveModel model = keyedModel(modelId).model();
    Optional<ModelUpdateView> last = model == null ? Optional.empty() : model.lastUpdate();
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
      lost.put(modelId, records(model, last.get()));
    }
  }

  @Override
  public void processElement1(StreamRecord<RoundSum> element) throws Exception {
    RoundSum sum = element.getValue();
    KeyedModel keyedModel = keyedModel(sum.modelId);
    if (keyedModel.isBehind(sum.specOffset)) {
      waiting.add(sum);
    } else {
      take(keyedModel, sum);
    }
  }

  @Override
  public void processElement2(StreamRecord<SpecRecord> element) throws Exception {
    SpecRecord spec = element.getValue();
    KeyedModel keyedModel = keyedModel(spec.modelId);
    boolean isNew = keyedModel.model() == null;
    SpecChange change = keyedModel.follow(spec);
    if (change instanceof SpecChange.Refused refused) {
      emit(deadLetter(spec, refused.reason()));
    } else if (change instanceof SpecChange.Retired) {
      journal.ended(spec.modelId);
      keyedModel.gate().reset();
      lost.remove(spec.modelId);
      learnerMetrics.estimates(spec.modelId, List.of());
      emit(new OutboundRecord(Destination.UPDATES, spec.modelId.getBytes(UTF_8), null));
    } else if (change instanceof SpecChange.Accepted && isNew) {
      if (keyedModel.model() instanceof CentralModel central && central.isOver()) {
        emit(
            deadLetter(
                spec,
                "the model's next round is %d, since its name was used before, and its noise ends before that round; use another model_id"
                    .formatted(central.round())));
      }
      journal.begins(keyedModel.model());
    }
    setTimeout(keyedModel);
    takeWaiting(keyedModel);
  }

  private void takeWaiting(KeyedModel keyedModel) throws Exception {
    Iterable<RoundSum> sums = waiting.get();
    waiting.clear();
    for (RoundSum sum : sums) {
      if (keyedModel.isBehind(sum.specOffset)) {
        waiting.add(sum);
      } else {
        take(keyedModel, sum);
      }
    }
  }

  private void take(KeyedModel keyedModel, RoundSum sum) {
    LiveModel model = keyedModel.model();
    if (keyedModel.isOfAnother(sum.specOffset)) {
      learnerMetrics.reportsOfRetiredModel(sum.count);
      return;
    }
    int staleness = model.staleness(sum);
    if (staleness >= 0) {
      learnerMetrics.staleness(staleness);
    }
    keyedModel.arrived(backlog.arrived(sum.appendedAtMs, now()), now());
    BundleOutcome outcome = model.add(sum);
    learnerMetrics.reports(outcome, sum.count);
    journal.took(model, sum, outcome);
    setTimeout(keyedModel);
  }

  /** Keeps a timer exactly while a round with a timeout is partly full. */
  private void setTimeout(KeyedModel keyedModel) {
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

  @Override
  public void onProcessingTime(InternalTimer<String, VoidNamespace> timer) throws Exception {
    KeyedModel keyedModel = keyedModel(timer.getKey());
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

  /** After the end of the input, the sink accepts no record, and there is no news. */
  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
    if (openInputs > 0) {
      lastCheckpointId = checkpointId;
      publish(checkpointId);
    }
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    for (KeyedModel keyedModel : keyedModels.values()) {
      if (keyedModel.model() != null) {
        keyedModel.gate().completed(checkpointId, aligned, keyedModel.model());
      }
    }
  }

  /**
   * At the end of both inputs, publishes whatever is left: no new round waits, since no publication
   * follows, and partly full rounds with a timeout close, since no timer fires any more.
   */
  @Override
  public void endInput(int inputId) throws Exception {
    openInputs--;
    if (openInputs > 0) {
      return;
    }
    emitLost();
    for (KeyedModel keyedModel : inTraining()) {
      setCurrentKey(keyedModel.modelId());
      closeOnTimeout(keyedModel);
      if (hasNews(keyedModel.model())) {
        publish(keyedModel, lastCheckpointId + 1, true);
      }
      // The publication may have moved the rest of the last round to the round that is filling.
      if (closeOnTimeout(keyedModel)) {
        publish(keyedModel, lastCheckpointId + 1, true);
      }
    }
  }

  /** Closes a partly full round that has a timeout; returns whether there was one. */
  private boolean closeOnTimeout(KeyedModel keyedModel) {
    boolean closes = keyedModel.deadline() != 0;
    if (closes) {
      timeOut(keyedModel);
      setTimeout(keyedModel);
    }
    return closes;
  }

  private void publish(long checkpointId) throws Exception {
    emitLost();
    for (KeyedModel keyedModel : inTraining()) {
      LiveModel model = keyedModel.model();
      if (hasNews(model)) {
        setCurrentKey(keyedModel.modelId());
        boolean mayOpen = keyedModel.gate().mayOpen(model, backlog, now());
        if (mayOpen || model.hasNews()) {
          publish(keyedModel, checkpointId, mayOpen);
        }
      }
    }
  }

  private void emitLost() {
    lost.values().forEach(records -> records.forEach(this::emit));
    lost.clear();
  }

  private List<KeyedModel> inTraining() {
    return keyedModels.values().stream().filter(keyed -> keyed.model() != null).toList();
  }

  /** Returns whether the next update would differ from the last one, or open a new round. */
  private static boolean hasNews(LiveModel model) {
    return model.hasNews() || model.hasNewRound();
  }

  private void publish(KeyedModel keyedModel, long checkpointId, boolean mayOpen) {
    LiveModel model = keyedModel.model();
    long now = now();
    long round = model.publishedRound();
    Optional<ModelUpdateView> update = model.publish(mayOpen, now);
    journal.published(model, update.isPresent(), mayOpen);
    update.ifPresent(
        view -> {
          records(model, view).forEach(this::emit);
          learnerMetrics.published(keyedModel.waited(now));
          learnerMetrics.estimates(keyedModel.modelId(), view.getEstimatesList());
        });
    if (model.publishedRound() != round) {
      keyedModel.gate().opened(checkpointId);
    }
    setTimeout(keyedModel);
  }

  /** The records of an update and of its guarantee. */
  private static List<OutboundRecord> records(LiveModel model, ModelUpdateView update) {
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

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    for (Map.Entry<String, KeyedModel> entry : keyedModels.entrySet()) {
      setCurrentKey(entry.getKey());
      entry.getValue().save(chunks);
      lastRounds.raise(entry.getKey(), entry.getValue().lastRound());
    }
    storedMarks.update(List.of(lastRounds.mark(now())));
  }

  private long now() {
    return processingTimeService.getCurrentProcessingTime();
  }

  private void emit(OutboundRecord record) {
    output.collect(new StreamRecord<>(record));
  }

  /** Returns the model of the current key, restored from state if it isn't on the heap yet. */
  private KeyedModel keyedModel(String modelId) throws Exception {
    KeyedModel keyedModel = keyedModels.get(modelId);
    if (keyedModel == null) {
      RoundGate gate = new RoundGate(publicationSettings);
      keyedModel = new KeyedModel(modelId, obstacles, lastRounds.first(modelId), gate, chunks);
      keyedModels.put(modelId, keyedModel);
      learnerMetrics.model(modelId, keyedModel::lagMs, gate, this::now);
      if (keyedModel.model() != null) {
        learnerMetrics.estimates(modelId, keyedModel.model().estimates());
      }
    }
    return keyedModel;
  }

  private OutboundRecord deadLetter(SpecRecord spec, String reason) {
    RawRecord record = new RawRecord();
    record.topic = modelsTopic;
    record.partition = spec.partition;
    record.offset = spec.offset;
    record.key = spec.modelId.getBytes(UTF_8);
    record.value = spec.value;
    return deadLetters.of(record, Destination.DEAD_LETTERS, reason, false);
  }
}
