package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.LearnerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.SpecReader;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.restart.JobStart;
import io.croupier.operators.flink.restart.LastRounds;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.operators.model.CentralModel;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.model.SpecChange;
import io.croupier.schemas.GuaranteeEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.function.RunnableWithException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains the models of its keys. Input 1 carries sums of admitted reports, input 2 the specs; both
 * are keyed by model.
 *
 * <p>Working vectors live on the heap, so that no step serialises one. Before every barrier each
 * model with news publishes one update ({@link UpdatePublisher}); at the snapshot the operator
 * writes what changed into keyed state, in chunks. Both belong to one checkpoint, so the visible
 * outputs are never ahead of the state that would be restored. The entries of a journal, if it is
 * enabled, are emitted with the publications, and after them what windows of anonymous reports
 * guarantee that are over.
 */
public final class LearnerOperator extends AbstractStreamOperator<OutboundRecord>
    implements TwoInputStreamOperator<RoundSum, SpecRecord, OutboundRecord>, BoundedMultiInput {
  private static final long serialVersionUID = 1;
  private static final Logger LOG = LoggerFactory.getLogger(LearnerOperator.class);

  /** How long a checkpoint may wait for guarantees of windows. */
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

  private final SpecReader specReader;
  private final SpecRequirements requirements;
  private final DeadLetters deadLetters;
  private final String modelsTopic;
  private final JournalSettings journalSettings;
  private final PublicationSettings publicationSettings;
  private final JobStart start;

  private transient MapState<String, byte[]> chunks;
  private transient KeyedStateStore states;

  /** Null while no bundle has waited, as in most jobs: see {@link #waiting()}. */
  private transient ListState<RoundSum> waiting;

  private transient ListState<LearnerMark> storedMarks;
  private transient LastRounds lastRounds;
  private transient KeyedModels models;
  private transient UpdatePublisher publications;
  private transient LostUpdates lost;
  private transient List<SpecRecord> missedSpecs;
  private transient LearnerMetrics learnerMetrics;
  private transient Journal journal;
  private transient long lagMs;
  private transient boolean restored;
  private transient boolean aligned;
  private transient int openInputs;
  private transient boolean hasEmitted;

  /**
   * Creates an operator that follows specs by {@code requirements}.
   *
   * @param specReader finds, at a restart, the models whose retirement the topic no longer has, and
   *     those that may run now
   * @param requirements what a spec must satisfy; the same as the ledger's
   * @param deadLetters makes the dead letters of specs that can't be used
   * @param modelsTopic the topic that specs come from
   * @param journalSettings whether a journal records what enters the models
   * @param publicationSettings when models may publish new rounds
   * @param start what the job does before its first record
   */
  public LearnerOperator(
      SpecReader specReader,
      SpecRequirements requirements,
      DeadLetters deadLetters,
      String modelsTopic,
      JournalSettings journalSettings,
      PublicationSettings publicationSettings,
      JobStart start) {
    this.specReader = specReader;
    this.requirements = requirements;
    this.deadLetters = deadLetters;
    this.modelsTopic = modelsTopic;
    this.journalSettings = journalSettings;
    this.publicationSettings = publicationSettings;
    this.start = start;
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
    states = context.getKeyedStateStore();
    try (Stream<?> behind =
        getKeyedStateBackend().getKeys(StateNames.WAITING_FOR_SPEC, VoidNamespace.INSTANCE)) {
      if (behind.findAny().isPresent()) {
        waiting();
      }
    }
    storedMarks =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    StateNames.LEARNER_MARKS, TypeInformation.of(LearnerMark.class)));
    restored = context.isRestored();
    List<LearnerMark> marks = new ArrayList<>();
    storedMarks.get().forEach(marks::add);
    lastRounds = LastRounds.start(restored, start, marks, getRuntimeContext().getTaskInfo());
  }

  @Override
  public void open() throws Exception {
    super.open();
    Configuration job = getContainingTask().getJobConfiguration();
    aligned = !CheckpointingOptions.isUnalignedCheckpointEnabled(job);
    openInputs = 2;
    learnerMetrics = new LearnerMetrics(getMetricGroup(), () -> lagMs);
    journal = new Journal(journalSettings, this::emit);
    models =
        new KeyedModels(
            requirements,
            job,
            publicationSettings,
            lastRounds,
            chunks,
            this::setCurrentKey,
            learnerMetrics,
            this::now);
    publications = new UpdatePublisher(models, journal, learnerMetrics, this::emit, this::now);
    lost = new LostUpdates();
    Map<String, Long> known = new HashMap<>();
    models.restore(
        keyed -> {
          lost.check(keyed.modelId(), keyed.model(), lastRounds);
          known.put(keyed.modelId(), keyed.lastOffset());
        });
    missedSpecs = restored ? missedSpecs(known) : List.of();
  }

  /**
   * Returns what the source may not emit again: the retirements of restored models, which the topic
   * may no longer have, and the records of other models, which could perhaps not run before.
   */
  private List<SpecRecord> missedSpecs(Map<String, Long> known) throws IOException {
    TaskInfo task = getRuntimeContext().getTaskInfo();
    return specReader.readToEnd(known).stream()
        .filter(spec -> LastRounds.isOwn(spec.modelId, task))
        .filter(spec -> spec.value == null || !known.containsKey(spec.modelId))
        .toList();
  }

  /**
   * Applies these records, once: before the next spec, which may begin a successor, or at the first
   * barrier. An operator that opens emits no record.
   */
  private void followMissed() throws Exception {
    for (SpecRecord spec : missedSpecs) {
      setCurrentKey(spec.modelId);
      if (!KeyedModel.hasApplied(spec.offset, chunks)) {
        follow(spec);
      }
    }
    missedSpecs = List.of();
  }

  @Override
  public void processElement1(StreamRecord<RoundSum> element) throws Exception {
    RoundSum sum = element.getValue();
    takeOrWait(models.get(sum.modelId), sum);
  }

  @Override
  public void processElement2(StreamRecord<SpecRecord> element) throws Exception {
    SpecRecord spec = element.getValue();
    followMissed();
    setCurrentKey(spec.modelId);
    follow(spec);
  }

  private void follow(SpecRecord spec) throws Exception {
    KeyedModel keyedModel = models.get(spec.modelId);
    boolean isNew = keyedModel.model() == null;
    SpecChange change = keyedModel.follow(spec);
    if (change instanceof SpecChange.Refused refused) {
      emit(deadLetters.of(spec, modelsTopic, refused.reason()));
    } else if (change instanceof SpecChange.Retired) {
      retire(keyedModel);
    } else if (change instanceof SpecChange.Accepted accepted) {
      accepted.warnings().forEach(warning -> LOG.warn("Model {}: {}", spec.modelId, warning));
      if (isNew) {
        begin(keyedModel, spec);
      }
      keyedModel
          .model()
          .obstacle()
          .ifPresent(obstacle -> emit(deadLetters.of(spec, modelsTopic, obstacle)));
    }
    takeWaiting(keyedModel);
  }

  private void begin(KeyedModel keyedModel, SpecRecord spec) {
    LiveModel model = keyedModel.model();
    if (model instanceof CentralModel central && central.isOver()) {
      emit(
          deadLetters.of(
              spec,
              modelsTopic,
              "the model's next round is %d, since its name was used before, and its noise ends before that round; use another model_id"
                  .formatted(central.round())));
    }
    journal.begins(model, keyedModel.isContinued());
  }

  private void retire(KeyedModel keyedModel) {
    String modelId = keyedModel.modelId();
    journal.flush(modelId);
    keyedModel.gate().reset();
    lost.drop(modelId);
    learnerMetrics.estimates(modelId, List.of());
    learnerMetrics.statistics(modelId, List.of());
    emit(new OutboundRecord(Destination.UPDATES, modelId.getBytes(UTF_8), null));
  }

  private void takeWaiting(KeyedModel keyedModel) throws Exception {
    if (waiting == null) {
      return;
    }
    Iterable<RoundSum> sums = waiting.get();
    waiting.clear();
    for (RoundSum sum : sums) {
      takeOrWait(keyedModel, sum);
    }
  }

  /**
   * The state of bundles that wait for their spec. On the heap, it has a table for each key group,
   * which every checkpoint searches.
   */
  private ListState<RoundSum> waiting() {
    if (waiting == null) {
      waiting =
          states.getListState(
              new ListStateDescriptor<>(
                  StateNames.WAITING_FOR_SPEC, TypeInformation.of(RoundSum.class)));
    }
    return waiting;
  }

  /** Takes a bundle, unless it was judged by a spec that has not arrived here yet. */
  private void takeOrWait(KeyedModel keyedModel, RoundSum sum) throws Exception {
    if (keyedModel.isBehind(sum.specOffset)) {
      waiting().add(sum);
    } else if (keyedModel.isOfAnother(sum.specOffset)) {
      learnerMetrics.reportsOfRetiredModel(sum.modelId, sum.count);
    } else {
      take(keyedModel, sum);
    }
  }

  private void take(KeyedModel keyedModel, RoundSum sum) {
    LiveModel model = keyedModel.model();
    int staleness = model.staleness(sum);
    if (staleness >= 0) {
      learnerMetrics.staleness(sum.modelId, staleness);
    }
    keyedModel.count(sum);
    lagMs = sum.appendedAtMs == 0 ? 0 : Math.max(0, now() - sum.appendedAtMs);
    BundleOutcome outcome = model.add(sum);
    keyedModel.took(lagMs, now());
    learnerMetrics.reports(sum.modelId, outcome, sum.count);
    journal.took(model, sum, outcome);
  }

  /**
   * Emits what windows of anonymous reports guarantee that are over, each in one checkpoint. What
   * takes longer than that is left for the next barrier.
   */
  private void closeWindows(Duration most) throws Exception {
    long start = System.nanoTime();
    models.forEachInTraining(
        keyedModel -> {
          if (System.nanoTime() - start > most.toNanos()) {
            return;
          }
          for (GuaranteeEvent event : keyedModel.closeWindows()) {
            byte[] key = keyedModel.modelId().getBytes(UTF_8);
            emit(new OutboundRecord(Destination.GUARANTEES, key, event.toByteArray()));
          }
        });
  }

  /** After the end of the input, the sink accepts no record, and there is no news. */
  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
    if (openInputs > 0) {
      emitAll(() -> publications.beforeBarrier(checkpointId), LONGEST_CLOSE);
    }
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    models.save();
    storedMarks.update(List.of(lastRounds.mark(now())));
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    publications.completed(checkpointId, aligned);
  }

  @Override
  public void endInput(int inputId) throws Exception {
    openInputs--;
    if (openInputs == 0) {
      emitAll(publications::atEndOfInput, Duration.ofNanos(Long.MAX_VALUE));
    }
  }

  /** Emits what is lost before what is new; the record of progress counts all of it. */
  private void emitAll(RunnableWithException publish, Duration longestClose) throws Exception {
    lastRounds.recordRestored(this::emit);
    followMissed();
    lost.emit(this::emit);
    publish.run();
    closeWindows(longestClose);
    recordSubtask();
  }

  private long now() {
    return processingTimeService.getCurrentProcessingTime();
  }

  /** A transaction with any record also has one of progress; see {@link VisibleOutputs}. */
  private void recordSubtask() {
    if (hasEmitted) {
      lastRounds.ofSubtask().ifPresent(record -> output.collect(new StreamRecord<>(record)));
    }
    hasEmitted = false;
    lastRounds.barrier();
  }

  private void emit(OutboundRecord record) {
    hasEmitted = true;
    if (record.destination == Destination.PROGRESS) {
      lastRounds.ofSubtask().ifPresent(first -> output.collect(new StreamRecord<>(first)));
    }
    output.collect(new StreamRecord<>(record));
  }
}
