package io.croupier.operators.flink.spend;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.anonymous.AnonymousDecoder;
import io.croupier.operators.anonymous.AnonymousRules;
import io.croupier.operators.anonymous.TokenedReport;
import io.croupier.operators.anonymous.WindowKeys;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecReader;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.spend.SpendMetrics.SpendOutcome;
import io.croupier.operators.model.PublishedSpec;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.CandidateExpansion;
import io.croupier.operators.report.Report;
import io.croupier.schemas.TokenKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Admits anonymous reports, each token once, and forwards what the learner receives of them. Input
 * 1 carries records by {@link NonceOfRecord}; input 2 carries all specs by their models, and all
 * public keys by {@link WindowKeys#name}, which no model has as its name.
 *
 * <p>A report that isn't admitted is counted, and leaves no other trace: it belongs to no account.
 * The nonces of a window are kept until the window is closed. An operator that restores no state
 * doesn't know which tokens were spent, so it closes every window that has a key.
 */
public final class SpendOperator extends AbstractStreamOperator<RoundSum>
    implements TwoInputStreamOperator<RawRecord, SpecRecord, RoundSum> {
  private static final long serialVersionUID = 1;

  /** An entry that shows that there is state; no model and no key has its name. */
  private static final String MARK = "";

  private static final ListStateDescriptor<Tuple2<String, PublishedSpec>> SPECS =
      new ListStateDescriptor<>(
          StateNames.SPEND_SPECS,
          Types.TUPLE(Types.STRING, TypeInformation.of(PublishedSpec.class)));

  private static final ListStateDescriptor<Tuple2<String, byte[]>> KEYS =
      new ListStateDescriptor<>(
          StateNames.TOKEN_KEYS,
          Types.TUPLE(Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));

  private static final ValueStateDescriptor<Boolean> SPENT =
      new ValueStateDescriptor<>(StateNames.SPENT_NONCES, BooleanSerializer.INSTANCE);

  private final SpecReader specReader;
  private final SpecReader keyReader;
  private final String keysTopic;
  private final SpecRequirements requirements;

  private transient PublishedSpecs specs;
  private transient Map<String, AnonymousRules> rules;
  private transient PrivUnitLaws laws;
  private transient BltSearches searches;
  private transient CandidateExpansion expansion;
  private transient WindowKeys keys;
  private transient ListState<Tuple2<String, PublishedSpec>> storedSpecs;
  private transient ListState<Tuple2<String, byte[]>> storedKeys;
  private transient SpendMetrics outcomes;

  /**
   * Creates the operator.
   *
   * @param specReader reads the models topic before the first report
   * @param keyReader reads the topic of public keys before the first report
   * @param keysTopic the topic of public keys: other topics, which others may write, have none
   * @param requirements the same as the learner's
   */
  public SpendOperator(
      SpecReader specReader,
      SpecReader keyReader,
      String keysTopic,
      SpecRequirements requirements) {
    this.specReader = specReader;
    this.keyReader = keyReader;
    this.keysTopic = keysTopic;
    this.requirements = requirements;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    outcomes = new SpendMetrics(getMetricGroup());
    searches = new BltSearches();
    specs =
        new PublishedSpecs(requirements.in(getContainingTask().getJobConfiguration(), searches));
    laws = new PrivUnitLaws();
    expansion = new CandidateExpansion();
    rules = new HashMap<>();
    keys = new WindowKeys();
    storedSpecs = context.getOperatorStateStore().getUnionListState(SPECS);
    storedKeys = context.getOperatorStateStore().getUnionListState(KEYS);
    for (Tuple2<String, PublishedSpec> entry : storedSpecs.get()) {
      specs.restore(entry.f0, entry.f1);
    }
    boolean hasState = false;
    for (Tuple2<String, byte[]> entry : storedKeys.get()) {
      hasState |= entry.f0.equals(MARK);
      if (!entry.f0.equals(MARK)) {
        keys.restore(entry.f0, entry.f1);
      }
    }
    specs.entries().keySet().forEach(this::open);
    for (SpecRecord record : specReader.readToEnd(specs.lastOffsets())) {
      follow(record);
    }
    List<WindowKeys.Window> closed = new ArrayList<>();
    for (SpecRecord record : keyReader.readToEnd()) {
      closed.addAll(keys.add(record.modelId, modulus(record.value)));
    }
    if (!hasState) {
      keys.closeAll();
    }
    forget(closed);
  }

  @Override
  public void processElement1(StreamRecord<RawRecord> element) throws Exception {
    RawRecord record = element.getValue();
    outcomes.count(take(record));
  }

  /** Admits a record or not; the current key is its key. */
  SpendOutcome take(RawRecord record) throws Exception {
    TokenedReport tokened = AnonymousDecoder.decode(record.key, record.value, record.appendedAtMs);
    if (tokened == null) {
      return SpendOutcome.MALFORMED;
    }
    Report report = tokened.report();
    String modelId = report.header().modelId();
    AnonymousRules ofModel = rules.get(modelId);
    if (ofModel == null) {
      return SpendOutcome.REFUSED_MODEL;
    }
    int level = ofModel.level(report);
    if (level < 0 || !ofModel.refusal(report).isEmpty()) {
      return SpendOutcome.REFUSED_DECLARATION;
    }
    long window = ofModel.window(report);
    byte[] modulus = keys.modulus(modelId, window, ofModel.levels().get(level));
    if (modulus == null) {
      return SpendOutcome.REFUSED_WINDOW;
    }
    // Before the signature, so that copies of a report cost little.
    ValueState<Boolean> spent = spent(new WindowKeys.Window(modelId, window));
    if (spent.value() != null) {
      return SpendOutcome.REFUSED_SPENT;
    }
    if (!ofModel.isSigned(tokened, modulus)) {
      return SpendOutcome.REFUSED_TOKEN;
    }
    spent.update(true);
    output.collect(new StreamRecord<>(ofModel.admitted(report, level)));
    return SpendOutcome.ADMITTED;
  }

  /** The state of the current key's nonce in a window. */
  private ValueState<Boolean> spent(WindowKeys.Window window) throws Exception {
    return getPartitionedState(window.name(), StringSerializer.INSTANCE, SPENT);
  }

  @Override
  public void processElement2(StreamRecord<SpecRecord> element) throws Exception {
    SpecRecord record = element.getValue();
    if (keysTopic.equals(record.topic)) {
      forget(keys.add(record.modelId, modulus(record.value)));
    } else {
      follow(record);
    }
  }

  /** Forgets the nonces of closed windows. */
  private void forget(List<WindowKeys.Window> closed) throws Exception {
    for (WindowKeys.Window window : closed) {
      getKeyedStateBackend()
          .applyToAllKeys(
              window.name(), StringSerializer.INSTANCE, SPENT, (nonce, state) -> state.clear());
    }
  }

  /** Returns the modulus in a record of a public key; none if there is none. */
  private static byte[] modulus(byte[] value) {
    try {
      return value == null ? new byte[0] : TokenKey.parseFrom(value).getModulus().toByteArray();
    } catch (InvalidProtocolBufferException e) {
      return new byte[0];
    }
  }

  private void follow(SpecRecord record) {
    specs.apply(record.modelId, record.offset, record.value);
    open(record.modelId);
  }

  /** Prepares the rules of the spec in force, if it takes anonymous reports. */
  private void open(String modelId) {
    rules.remove(modelId);
    long offset = specs.entries().get(modelId).specOffset;
    specs
        .spec(modelId)
        .filter(spec -> spec.hasAnonymous())
        .ifPresent(
            spec ->
                rules.put(
                    modelId,
                    new AnonymousRules(
                        spec, new ReportIntake(spec, offset, laws, searches, expansion))));
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    boolean isFirst = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0;
    List<Tuple2<String, PublishedSpec>> specEntries = new ArrayList<>();
    List<Tuple2<String, byte[]>> keyEntries = new ArrayList<>();
    if (isFirst) {
      specs.entries().forEach((modelId, spec) -> specEntries.add(Tuple2.of(modelId, spec)));
      keyEntries.add(Tuple2.of(MARK, new byte[0]));
      keys.entries().forEach((name, value) -> keyEntries.add(Tuple2.of(name, value)));
    }
    storedSpecs.update(specEntries);
    storedKeys.update(keyEntries);
  }
}
