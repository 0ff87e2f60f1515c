package io.croupier.operators.flink.ledger;

import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecReader;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.former.FormerDigests;
import io.croupier.operators.flink.former.FormerSpecs;
import io.croupier.operators.flink.restart.JobStart;
import io.croupier.operators.flink.restart.LedgerProgress;
import io.croupier.operators.flink.restart.LedgerStartCheck;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.operators.flink.restart.VisibleOutputs.LeftOpen;
import io.croupier.operators.ledger.AccountStatement;
import io.croupier.operators.ledger.AdmissionRules;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.ledger.Refusal;
import io.croupier.operators.ledger.StoppedUsers;
import io.croupier.operators.ledger.UserAccount;
import io.croupier.operators.model.PublishedSpec;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.CandidateExpansion;
import io.croupier.operators.report.DigestKey;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Grant;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Function;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Keeps the accounts of its users: decodes and judges every report, emits one accounting event for
 * it, and forwards admitted reports without the user. It answers requests for accounts. A record
 * that is none of these becomes a dead letter. Input 1 carries records by {@link UserOfRecord},
 * input 2 all specs, and all records of the topic of stopped users.
 *
 * <p>Reports are judged in a {@link LedgerBatch}, after {@value #LONGEST_WAIT_MS} ms at the latest:
 * the learner counts the age of rounds, and the lag, from when a report reaches it.
 *
 * <p>Before the first report, the operator reads the topics of models and of stopped users to their
 * ends, so that no restart judges with fewer specs than were published, or a report of a user who
 * is stopped, and compares restored state with the visible outputs. Before every barrier, it writes
 * a record of its progress, if it has written anything: see {@link VisibleOutputs.LeftOpen}.
 */
public final class LedgerOperator extends AbstractStreamOperator<RoundSum>
    implements TwoInputStreamOperator<RawRecord, SpecRecord, RoundSum>, BoundedMultiInput {
  private static final long serialVersionUID = 1;

  /** The longest time that a report waits for others to be judged with. */
  static final long LONGEST_WAIT_MS = 10;

  /** Time between two look-ups of how far readers of the outputs get. */
  private static final long LOOK_UP_MS = 5_000;

  private static final ListStateDescriptor<Tuple2<String, PublishedSpec>> SPECS =
      new ListStateDescriptor<>(
          StateNames.PUBLISHED_SPECS,
          Types.TUPLE(Types.STRING, TypeInformation.of(PublishedSpec.class)));

  private final SpecReader specReader;
  private final SpecReader stopReader;
  private final SpecRequirements requirements;
  private final Topics topics;
  private final DeadLetters deadLetters;
  private final Limits perUser;
  private final boolean journal;
  private final JobStart start;

  private transient RecordDecoder decoder;
  private transient Ledger ledger;
  private transient AccountStatement statement;
  private transient AccountingEventWriter events;
  private transient StoppedUsers stopped;
  private transient PublishedSpecs specs;
  private transient Map<String, ReportIntake> intakes;
  private transient PrivUnitLaws laws;
  private transient CandidateExpansion expansion;
  private transient BltSearches searches;
  private transient ListState<Tuple2<String, PublishedSpec>> storedSpecs;
  private transient boolean specsUnsaved;
  private transient ListState<LedgerMark> storedMarks;
  private transient KeyedAccounts accounts;
  private transient LedgerBatch batch;
  private transient ScheduledFuture<?> batchEnd;
  private transient List<OutboundRecord> outputs;
  private transient boolean formerDigests;
  private transient DigestKey digestKey;
  private transient LedgerProgress progress;
  private transient LeftOpen leftOpen;
  private transient int openInputs;
  private transient LedgerMetrics ledgerMetrics;
  private transient VisibleOutputs.Readers readers;
  private transient ScheduledFuture<?> lookUps;

  /**
   * Creates a ledger that follows specs by {@code requirements}, which are the same as the
   * learner's.
   *
   * @param specReader reads the models topic before the first report
   * @param stopReader reads the topic of stopped users before the first report
   * @param topics names of the topics that records come from
   * @param deadLetters creator of dead letters that fit their topic
   * @param perUser limits on what one user may spend on all models together
   * @param journal whether reports to local models keep their positions
   * @param start what the job does before its first record
   */
  public LedgerOperator(
      SpecReader specReader,
      SpecReader stopReader,
      SpecRequirements requirements,
      Topics topics,
      DeadLetters deadLetters,
      Limits perUser,
      boolean journal,
      JobStart start) {
    this.specReader = specReader;
    this.stopReader = stopReader;
    this.requirements = requirements;
    this.topics = topics;
    this.deadLetters = deadLetters;
    this.perUser = perUser;
    this.journal = journal;
    this.start = start;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    ledger = new Ledger(perUser);
    statement = new AccountStatement(perUser);
    events = new AccountingEventWriter();
    ledgerMetrics = new LedgerMetrics(getMetricGroup());
    restoreSpecs(context);
    readStops();
    storedMarks =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    StateNames.LEDGER_MARKS, TypeInformation.of(LedgerMark.class)));
    List<LedgerMark> marks = new ArrayList<>();
    storedMarks.get().forEach(marks::add);
    LedgerStartCheck.Started started =
        new LedgerStartCheck(start.outputs(), getRuntimeContext().getTaskInfo())
            .start(start.ledger(), marks, now());
    progress = started.progress();
    leftOpen = started.leftOpen();
    openInputs = 2;
    // A rebuilt ledger has no digests.
    boolean begins = marks.stream().allMatch(mark -> mark.rebuilt);
    digestKey =
        begins
            ? start.digestKey()
            : new DigestKey(marks.get(0).digestKeyFirst, marks.get(0).digestKeySecond);
    decoder = new RecordDecoder(topics, deadLetters, digestKey, getMetricGroup());
    formerDigests = !marks.stream().allMatch(mark -> mark.noFormerDigests);
    KeyedStateStore keyed = context.getKeyedStateStore();
    accounts = new KeyedAccounts(keyed, formerDigests ? new FormerDigests(keyed) : null);
    batch = new LedgerBatch();
    outputs = new ArrayList<>();
    getMetricGroup().gauge("lost-ranges", (Gauge<Integer>) started::lostRanges);
    getMetricGroup().gauge("skipped-offsets", (Gauge<Long>) started::skippedOffsets);
    readers =
        start
            .outputs()
            .readers(subtask(), getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks());
    getMetricGroup().gauge("readers-held-ms", (Gauge<Long>) readers::heldMs);
    getMetricGroup().gauge("unread-partitions", (Gauge<Long>) readers::unreadPartitions);
  }

  @Override
  public void open() throws Exception {
    super.open();
    lookUps =
        getProcessingTimeService()
            .scheduleWithFixedDelay(fired -> readers.lookUp(), LOOK_UP_MS, LOOK_UP_MS);
  }

  @Override
  public void close() throws Exception {
    if (lookUps != null) {
      lookUps.cancel(false);
    }
    if (readers != null) {
      readers.close();
    }
    super.close();
  }

  /** Restores the specs and reads new ones. */
  private void restoreSpecs(StateInitializationContext context) throws Exception {
    searches = new BltSearches();
    Function<ModelSpec, List<String>> obstacles =
        requirements.in(getContainingTask().getJobConfiguration(), searches);
    specs = new PublishedSpecs(obstacles);
    intakes = new HashMap<>();
    laws = new PrivUnitLaws();
    expansion = new CandidateExpansion();
    FormerSpecs.moveTo(specs, context.getOperatorStateStore());
    storedSpecs = context.getOperatorStateStore().getUnionListState(SPECS);
    for (Tuple2<String, PublishedSpec> entry : storedSpecs.get()) {
      specs.restore(entry.f0, entry.f1);
    }
    storedSpecs.clear();
    specsUnsaved = subtask() == 0;
    for (String modelId : specs.entries().keySet()) {
      requireThatCentralModelsMayGoOn(modelId, obstacles);
      open(modelId);
    }
    for (SpecRecord record : specReader.readToEnd(specs.lastOffsets())) {
      follow(record);
    }
  }

  /** Each subtask keeps those of its own users. */
  private void readStops() throws IOException {
    TaskInfo task = getRuntimeContext().getTaskInfo();
    stopped =
        new StoppedUsers(
            user ->
                KeyGroupRangeAssignment.assignKeyToParallelOperator(
                        user,
                        task.getMaxNumberOfParallelSubtasks(),
                        task.getNumberOfParallelSubtasks())
                    == task.getIndexOfThisSubtask());
    for (SpecRecord record : stopReader.readToEnd()) {
      stop(record);
    }
  }

  private void stop(SpecRecord record) {
    stopped.apply(record.partition, record.offset, record.modelId, record.value != null);
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

  /** The batch sets the key of each record itself. */
  @Override
  public boolean hasKeyContext1() {
    return false;
  }

  @Override
  public void processElement1(StreamRecord<RawRecord> element) {
    RawRecord record = element.getValue();
    Received received = decoder.decode(record, this::send);
    if (received instanceof Received.Malformed) {
      return;
    }
    String user =
        received instanceof Report report ? report.header().userId() : UserOfRecord.of(record);
    if (!batch.accepts(user)) {
      judgeBatch();
    }
    batch.add(user, received, record);
    if (batchEnd == null) {
      batchEnd =
          getProcessingTimeService().registerTimer(now() + LONGEST_WAIT_MS, time -> onBatchEnd());
    }
  }

  private void onBatchEnd() {
    batchEnd = null;
    judgeBatch();
  }

  /**
   * Judges the records that wait, then sends what was written about all of them. To send after each
   * one takes a twentieth more processor time, probably since judging and sending evict each
   * other's code from the processor's cache.
   */
  void judgeBatch() {
    LedgerBatch ready = batch;
    batch = new LedgerBatch();
    ready.judge(this, accounts, this::judge);
    List<OutboundRecord> written = outputs;
    outputs = new ArrayList<>();
    written.forEach(this::send);
  }

  private void judge(Received received, RawRecord record, KeyedAccount account) {
    if (received instanceof Report report) {
      judge(report, record, account);
    } else if (received instanceof Received.Erasure erasure) {
      emit(ledger.erase(erasure, account), record, account);
      delete(erasure);
      ledgerMetrics.erased();
    } else if (received instanceof Received.AccountQuery query) {
      emitAnswer(query, record, account);
    }
  }

  /**
   * Deletes the events that an erasure names. All of them precede its own, which states what is
   * left; those that follow have later records.
   */
  private void delete(Received.Erasure erasure) {
    for (byte[] key : erasure.eventKeys()) {
      write(new OutboundRecord(Destination.ACCOUNTING, key, null));
    }
    if (erasure.totals()) {
      accounts.forget();
      byte[] key = AccountingKey.ofErasure(erasure.userId());
      write(new OutboundRecord(Destination.ACCOUNTING, key, null));
    }
  }

  private void judge(Report report, RawRecord record, KeyedAccount account) {
    ReportIntake intake = intakes.get(report.header().modelId());
    boolean isStopped = isStopped();
    AccountingEvent event =
        isStopped ? ledger.judgeStopped(report, account) : judge(report, intake, account);
    if (intake != null) {
      Optional<Grant> verdict = intake.terms().tokens().verdict(report, event, account, isStopped);
      verdict.ifPresent(
          grant -> write(new OutboundRecord(Destination.GRANTS, record.key, grant.toByteArray())));
    }
    if (Refusal.isIn(event)) {
      account.add(new Refusal(event, record.appendedAtMs));
    }
    emit(event, record, account);
    ledgerMetrics.count(event);
    if (event.getOutcome() == Outcome.ADMITTED) {
      RoundSum admitted = intake.withoutUser(report);
      if (journal && !ModelSpecs.isCentral(intake.terms().spec())) {
        admitted.partitions = new int[] {record.partition};
        admitted.offsets = new long[] {record.offset};
      }
      output.collect(new StreamRecord<>(admitted));
    }
  }

  /** Whether the user of the current key is; Flink has computed the key's hash. */
  private boolean isStopped() {
    return stopped.contains((String) getCurrentKey());
  }

  private AccountingEvent judge(Report report, ReportIntake intake, UserAccount account) {
    return intake == null
        ? ledger.judgeUnknownModel(report, account)
        : ledger.judge(report, intake.terms(), account);
  }

  /** Writes a user's account, for the gateways. A request is no report: it has no event. */
  private void emitAnswer(Received.AccountQuery query, RawRecord record, KeyedAccount account) {
    Account answer = account.state(statement, query.tag(), this::rules, record.appendedAtMs);
    account.store();
    if (isStopped()) {
      answer = answer.toBuilder().setStopped(true).build();
    }
    write(new OutboundRecord(Destination.ACCOUNT_ANSWERS, record.key, answer.toByteArray()));
    ledgerMetrics.answered();
  }

  /** Returns the rules of a model; null if it is not published. */
  private AdmissionRules rules(String modelId) {
    ReportIntake intake = intakes.get(modelId);
    return intake == null ? null : intake.terms();
  }

  /** Stores the account, and writes the event of a record. */
  private void emit(AccountingEvent event, RawRecord record, KeyedAccount account) {
    account.store();
    progress.judged(record.topic, record.partition, record.offset);
    byte[] key = AccountingKey.of(event, record.key);
    write(new OutboundRecord(Destination.ACCOUNTING, key, events.write(event)));
  }

  /** Keeps a record until its batch is judged. */
  private void write(OutboundRecord record) {
    outputs.add(record);
  }

  private void send(OutboundRecord record) {
    progress.wrote();
    collect(record);
  }

  private void collect(OutboundRecord record) {
    output.collect(SideOutputs.LEDGER, new StreamRecord<>(record));
  }

  @Override
  public void processElement2(StreamRecord<SpecRecord> element) {
    judgeBatch();
    SpecRecord record = element.getValue();
    if (topics.stops().equals(record.topic)) {
      stop(record);
    } else {
      follow(record);
    }
  }

  private void follow(SpecRecord record) {
    specs.apply(record.modelId, record.offset, record.value);
    specsUnsaved = subtask() == 0;
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
                intakes.put(modelId, new ReportIntake(spec, offset, laws, searches, expansion));
                ledgerMetrics.model(modelId);
              });
    }
  }

  /** After the end of the input, the sink accepts no record, and nothing is judged. */
  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) {
    judgeBatch();
    if (openInputs > 0) {
      emitProgress();
    }
  }

  @Override
  public void endInput(int inputId) {
    judgeBatch();
    openInputs--;
    if (openInputs == 0) {
      emitProgress();
    }
  }

  private void emitProgress() {
    progress.record(subtask()).ifPresent(this::collect);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    if (specsUnsaved) {
      List<Tuple2<String, PublishedSpec>> entries = new ArrayList<>();
      specs.entries().forEach((modelId, spec) -> entries.add(Tuple2.of(modelId, spec)));
      storedSpecs.update(entries);
      specsUnsaved = false;
    }
    LedgerMark mark =
        progress.mark(
            now(), subtask(), getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks());
    mark.noFormerDigests = !formerDigests;
    mark.digestKeyFirst = digestKey.first();
    mark.digestKeySecond = digestKey.second();
    storedMarks.update(List.of(mark));
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    if (leftOpen != null) {
      leftOpen.abort();
      leftOpen = null;
    }
  }

  private int subtask() {
    return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
  }

  private long now() {
    return getProcessingTimeService().getCurrentProcessingTime();
  }
}
