package io.croupier.operators.flink.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.accounting.Ledger;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.restart.LedgerProgress;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.LedgerStartCheck;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.operators.model.PublishedSpec;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Topics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Keeps the accounts of its users: judges every report, emits one accounting event for it, and
 * forwards admitted reports without the user. Input 1 carries reports keyed by user, input 2 all
 * specs.
 *
 * <p>Before the first report, the operator reads the models topic to its end, so that no restart
 * judges with fewer specs than were published, and compares restored state with the visible
 * outputs.
 */
public final class LedgerOperator extends AbstractStreamOperator<RoundSum>
    implements TwoInputStreamOperator<Report, SpecRecord, RoundSum> {
  private static final long serialVersionUID = 1;

  /** Time between two look-ups of the accounting topic's end, which bound what a start reads. */
  private static final long LOOK_UP_MS = 5_000;

  /** The specs by model, the same in every subtask. */
  private static final MapStateDescriptor<String, PublishedSpec> SPECS =
      new MapStateDescriptor<>(
          StateNames.SPECS, Types.STRING, TypeInformation.of(PublishedSpec.class));

  private final SpecReader specReader;
  private final SpecRequirements requirements;
  private final Topics topics;
  private final Limits perUser;
  private final boolean journal;
  private final LedgerStart start;
  private final VisibleOutputs outputs;

  private transient Ledger ledger;
  private transient AccountingEventWriter events;
  private transient PublishedSpecs specs;
  private transient Map<String, ReportIntake> intakes;
  private transient PrivUnitLaws laws;
  private transient BltSearches searches;
  private transient BroadcastState<String, PublishedSpec> storedSpecs;
  private transient ListState<LedgerMark> storedMarks;
  private transient KeyedAccount account;
  private transient boolean formerAccounts;
  private transient boolean formerDigests;
  private transient LedgerProgress progress;
  private transient TopicEnd.Follower accountingEnd;
  private transient ScheduledFuture<?> lookUps;
  private transient LedgerMetrics ledgerMetrics;

  /**
   * Creates a ledger that follows specs by {@code requirements}, which are the same as the
   * learner's.
   *
   * @param specReader reads the models topic before the first report
   * @param topics names of the topics, with which events state where reports came from
   * @param perUser limits on what one user may spend on all models together
   * @param journal whether reports to local models keep their positions
   * @param start what the job does without state
   * @param outputs the visible outputs that restored state is compared with
   */
  public LedgerOperator(
      SpecReader specReader,
      SpecRequirements requirements,
      Topics topics,
      Limits perUser,
      boolean journal,
      LedgerStart start,
      VisibleOutputs outputs) {
    this.specReader = specReader;
    this.requirements = requirements;
    this.topics = topics;
    this.perUser = perUser;
    this.journal = journal;
    this.start = start;
    this.outputs = outputs;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    ledger = new Ledger(perUser);
    events = new AccountingEventWriter();
    ledgerMetrics = new LedgerMetrics(getMetricGroup());
    boolean hadSpecs = restoreSpecs(context);
    storedMarks =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    StateNames.LEDGER_MARKS, TypeInformation.of(LedgerMark.class)));
    List<LedgerMark> marks = new ArrayList<>();
    storedMarks.get().forEach(marks::add);
    LedgerStartCheck.requireWholeRebuild(start, marks);
    progress = new LedgerProgress(marks, now());
    // Looked up before the comparison notes its own end, so that no record lies between both.
    accountingEnd = outputs.followAccounting(getRuntimeContext().getTaskInfo());
    progress.startsAt(accountingEnd.last());
    boolean aligned =
        !CheckpointingOptions.isUnalignedCheckpointEnabled(
            getContainingTask().getJobConfiguration());
    LedgerStartCheck check = new LedgerStartCheck(outputs, getRuntimeContext());
    // A job may be restored without this operator's state. Releases without marks stored specs.
    boolean hasState = context.isRestored() && (hadSpecs || !marks.isEmpty());
    formerAccounts = hasState && !all(marks, mark -> mark.noFormerAccounts);
    formerDigests = hasState && !all(marks, mark -> mark.noFormerDigests);
    KeyedStateStore keyed = context.getKeyedStateStore();
    account =
        new KeyedAccount(
            keyed,
            formerAccounts ? new FormerAccounts(keyed) : null,
            formerDigests ? new FormerDigests(keyed) : null);
    int lost = hasState ? check.withState(marks, progress, aligned) : 0;
    if (!hasState) {
      check.withoutState(start, progress);
    }
    getMetricGroup().gauge("lost-ranges", (Gauge<Integer>) () -> lost);
    getMetricGroup().gauge("readers-held-ms", (Gauge<Long>) accountingEnd::readersHeldMs);
  }

  @Override
  public void open() throws Exception {
    super.open();
    lookUps =
        getProcessingTimeService()
            .scheduleWithFixedDelay(
                fired -> {
                  progress.ended(accountingEnd.last(), now());
                  accountingEnd.lookUp();
                },
                LOOK_UP_MS,
                LOOK_UP_MS);
  }

  @Override
  public void close() throws Exception {
    if (lookUps != null) {
      lookUps.cancel(false);
    }
    if (accountingEnd != null) {
      accountingEnd.close();
    }
    super.close();
  }

  /** Returns whether all subtasks had marks, and of this kind. */
  private static boolean all(List<LedgerMark> marks, Predicate<LedgerMark> kind) {
    return !marks.isEmpty() && marks.stream().allMatch(kind);
  }

  /** Restores the specs and reads new ones; returns whether any were stored. */
  private boolean restoreSpecs(StateInitializationContext context) throws Exception {
    searches = new BltSearches();
    Function<ModelSpec, List<String>> obstacles =
        requirements.in(getContainingTask().getJobConfiguration(), searches);
    specs = new PublishedSpecs(obstacles);
    intakes = new HashMap<>();
    laws = new PrivUnitLaws();
    storedSpecs = context.getOperatorStateStore().getBroadcastState(SPECS);
    for (Map.Entry<String, PublishedSpec> entry : storedSpecs.entries()) {
      specs.restore(entry.getKey(), entry.getValue());
      requireThatCentralModelsMayGoOn(entry.getKey(), obstacles);
      open(entry.getKey());
    }
    boolean stored = !specs.entries().isEmpty();
    for (SpecRecord record : specReader.readToEnd()) {
      follow(record);
    }
    return stored;
  }

  /**
   * Restored specs aren't judged again, except those of central models: the job's configuration may
   * have changed.
   */
  private void requireThatCentralModelsMayGoOn(
      String modelId, Function<ModelSpec, List<String>> obstacles) {
    List<String> why =
        specs.spec(modelId).filter(ModelSpecs::isCentral).map(obstacles).orElse(List.of());
    if (!why.isEmpty()) {
      throw new RefusedStartException(
          "Model %s can't continue: %s".formatted(modelId, String.join("; ", why)));
    }
  }

  @Override
  public void processElement1(StreamRecord<Report> element) {
    Report report = element.getValue();
    report.topic =
        report.declaration == Declaration.CENTRAL ? topics.rawGradients() : topics.gradients();
    ReportIntake intake = intakes.get(report.modelId);
    account.load();
    AccountingEvent event =
        intake == null
            ? ledger.judgeUnknownModel(report, account)
            : ledger.judge(report, intake.terms(), account);
    account.store();
    progress.judged(report.topic, report.partition, report.offset);
    ledgerMetrics.count(event);
    output.collect(
        SideOutputs.ACCOUNTING,
        new StreamRecord<>(
            new OutboundRecord(
                Destination.ACCOUNTING, report.userId.getBytes(UTF_8), events.write(event))));
    if (event.getOutcome() == Outcome.ADMITTED) {
      RoundSum admitted = intake.withoutUser(report);
      if (journal && !ModelSpecs.isCentral(intake.terms().spec())) {
        admitted.partitions = new int[] {report.partition};
        admitted.offsets = new long[] {report.offset};
      }
      output.collect(new StreamRecord<>(admitted));
    }
  }

  @Override
  public void processElement2(StreamRecord<SpecRecord> element) {
    follow(element.getValue());
  }

  private void follow(SpecRecord record) {
    specs.apply(record.modelId, record.offset, record.value);
    open(record.modelId);
  }

  /** Prepares the rules of the spec in force, if there is one. */
  private void open(String modelId) {
    long offset = specs.entries().get(modelId).specOffset;
    ReportIntake known = intakes.get(modelId);
    if (known == null || known.specOffset() != offset) {
      intakes.remove(modelId);
      specs
          .spec(modelId)
          .ifPresent(
              spec -> {
                intakes.put(modelId, new ReportIntake(spec, offset, laws, searches));
                ledgerMetrics.model(modelId);
              });
    }
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    storedSpecs.putAll(specs.entries());
    LedgerMark mark =
        progress.mark(
            context.getCheckpointId(),
            now(),
            getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
            getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks());
    mark.noFormerAccounts = !formerAccounts;
    mark.noFormerDigests = !formerDigests;
    storedMarks.update(List.of(mark));
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    progress.completed(checkpointId);
  }

  private long now() {
    return getProcessingTimeService().getCurrentProcessingTime();
  }
}
