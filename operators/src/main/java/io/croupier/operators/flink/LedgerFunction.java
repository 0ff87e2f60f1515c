package io.croupier.operators.flink;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.accounting.Ledger;
import io.croupier.operators.accounting.ReplayWindow;
import io.croupier.operators.accounting.Totals;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.learner.PublishedSpec;
import io.croupier.operators.learner.PublishedSpecs;
import io.croupier.operators.learner.ReportIntake;
import io.croupier.operators.learner.RoundSum;
import io.croupier.operators.learner.SpecRequirements;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpecs;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Keeps the books of its users: judges every report, emits one accounting event for it, and passes
 * on what is admitted, without the user.
 *
 * <p>Specs come by broadcast. Before the first report, the models topic is read to its end, so that
 * no restart judges with fewer specs than were published.
 */
public final class LedgerFunction
    extends KeyedBroadcastProcessFunction<String, Report, SpecRecord, RoundSum>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1;

  /** The broadcast state: the specs that are followed, by model. */
  public static final MapStateDescriptor<String, PublishedSpec> SPECS =
      new MapStateDescriptor<>(
          StateNames.SPECS, Types.STRING, TypeInformation.of(PublishedSpec.class));

  private final SpecReader specReader;
  private final SpecRequirements requirements;
  private final Limits perUser;
  private final boolean journal;

  private transient Ledger ledger;
  private transient PublishedSpecs specs;
  private transient Map<String, ReportIntake> intakes;
  private transient BroadcastState<String, PublishedSpec> storedSpecs;
  private transient KeyedAccount account;
  private transient LedgerMetrics metrics;

  /**
   * A ledger that follows specs by {@code requirements}; the same as the learner's.
   *
   * @param specReader reads the models topic before the first report
   * @param perUser limits on what one user may spend on all models together
   * @param journal whether reports to local models take their positions along
   */
  public LedgerFunction(
      SpecReader specReader, SpecRequirements requirements, Limits perUser, boolean journal) {
    this.specReader = specReader;
    this.requirements = requirements;
    this.perUser = perUser;
    this.journal = journal;
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    ledger = new Ledger(perUser);
    specs = new PublishedSpecs(requirements);
    intakes = new HashMap<>();
    storedSpecs = context.getOperatorStateStore().getBroadcastState(SPECS);
    for (Map.Entry<String, PublishedSpec> entry : storedSpecs.entries()) {
      specs.restore(entry.getKey(), entry.getValue());
      open(entry.getKey());
    }
    for (SpecRecord record : specReader.readToEnd()) {
      follow(record);
    }
  }

  @Override
  public void open(OpenContext context) {
    account =
        new KeyedAccount(
            getRuntimeContext()
                .getState(
                    new ValueStateDescriptor<>(
                        StateNames.USER_TOTALS, TypeInformation.of(Totals.class))),
            getRuntimeContext()
                .getMapState(
                    new MapStateDescriptor<>(
                        StateNames.MODEL_TOTALS, Types.STRING, TypeInformation.of(Totals.class))),
            getRuntimeContext()
                .getMapState(
                    new MapStateDescriptor<>(
                        StateNames.REPLAY_WINDOWS,
                        Types.STRING,
                        TypeInformation.of(ReplayWindow.class))));
    metrics = new LedgerMetrics(getRuntimeContext().getMetricGroup());
  }

  @Override
  public void processElement(Report report, ReadOnlyContext context, Collector<RoundSum> out) {
    ReportIntake intake = intakes.get(report.modelId);
    AccountingEvent event =
        intake == null
            ? ledger.judgeUnknownModel(report, account)
            : ledger.judge(report, intake.terms(), account);
    metrics.count(event.getOutcome());
    context.output(
        SideOutputs.ACCOUNTING,
        new OutboundRecord(
            Destination.ACCOUNTING, report.userId.getBytes(UTF_8), event.toByteArray()));
    if (event.getOutcome() == Outcome.ADMITTED) {
      RoundSum admitted = intake.withoutUser(report);
      if (journal && !ModelSpecs.isCentral(intake.terms().spec())) {
        admitted.partitions = new int[] {report.partition};
        admitted.offsets = new long[] {report.offset};
      }
      out.collect(admitted);
    }
  }

  @Override
  public void processBroadcastElement(SpecRecord record, Context context, Collector<RoundSum> out) {
    follow(record);
  }

  private void follow(SpecRecord record) {
    specs.apply(record.modelId, record.offset, record.value);
    open(record.modelId);
  }

  /** Makes ready to judge by the spec in force, if there is one. */
  private void open(String modelId) {
    long offset = specs.entries().get(modelId).specOffset;
    ReportIntake known = intakes.get(modelId);
    if (known == null || known.specOffset() != offset) {
      intakes.remove(modelId);
      specs.spec(modelId).ifPresent(spec -> intakes.put(modelId, new ReportIntake(spec, offset)));
    }
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    storedSpecs.putAll(specs.entries());
  }
}
