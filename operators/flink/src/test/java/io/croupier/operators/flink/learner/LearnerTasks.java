package io.croupier.operators.flink.learner;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.SpecReader;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.Subtasks;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.restart.JobStart;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.operators.flink.restart.VisibleRecords;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.DigestKey;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;

/** The learner operator in harnesses. */
public final class LearnerTasks
    extends Subtasks<
        OutboundRecord,
        KeyedTwoInputStreamOperatorTestHarness<String, RoundSum, SpecRecord, OutboundRecord>> {

  /** The job holds a round without answers for at most a minute. */
  public static final PublicationSettings PUBLICATIONS =
      new PublicationSettings(Duration.ofMinutes(1));

  private final List<ModelUpdate> updates = new ArrayList<>();
  private int read;
  private long lagMs;

  public LearnerTasks(Backend backend, Plan plan) throws Exception {
    this(backend, plan, JournalSettings.OFF);
  }

  public LearnerTasks(Backend backend, Plan plan, JournalSettings journal) throws Exception {
    this(backend, plan, journal, new VisibleRecords());
  }

  public LearnerTasks(Backend backend, Plan plan, JournalSettings journal, VisibleOutputs outputs)
      throws Exception {
    this(backend, plan, journal, LedgerStart.REQUIRE_STATE, outputs);
  }

  /** The learners of a job that reads the models topic in this way. */
  public LearnerTasks(Plan plan, SpecReader specReader) throws Exception {
    this(
        Backend.HASH_MAP,
        plan,
        specReader,
        JournalSettings.OFF,
        LedgerStart.REQUIRE_STATE,
        new VisibleRecords());
  }

  /** The learners of a job that starts in this way. */
  LearnerTasks(
      Backend backend,
      Plan plan,
      JournalSettings journal,
      LedgerStart start,
      VisibleOutputs outputs)
      throws Exception {
    this(backend, plan, List::of, journal, start, outputs);
  }

  private LearnerTasks(
      Backend backend,
      Plan plan,
      SpecReader specReader,
      JournalSettings journal,
      LedgerStart start,
      VisibleOutputs outputs)
      throws Exception {
    super(
        (keyGroups, parallelism, index) ->
            harness(
                specReader,
                TestRecords.WITH_ANONYMOUS,
                journal,
                new JobStart(start, outputs, new DigestKey(1, 2)),
                keyGroups,
                parallelism,
                index),
        backend,
        plan,
        null);
  }

  /** One subtask of one, without a journal, outside of these tasks. */
  public static KeyedTwoInputStreamOperatorTestHarness<String, RoundSum, SpecRecord, OutboundRecord>
      harness(SpecRequirements requirements, VisibleOutputs outputs) throws Exception {
    JobStart start = new JobStart(LedgerStart.REQUIRE_STATE, outputs, new DigestKey(1, 2));
    return harness(List::of, requirements, JournalSettings.OFF, start, KEY_GROUPS, 1, 0);
  }

  private static KeyedTwoInputStreamOperatorTestHarness<
          String, RoundSum, SpecRecord, OutboundRecord>
      harness(
          SpecReader specReader,
          SpecRequirements requirements,
          JournalSettings journal,
          JobStart start,
          int keyGroups,
          int parallelism,
          int index)
          throws Exception {
    return new KeyedTwoInputStreamOperatorTestHarness<>(
        new LearnerOperator(
            specReader,
            requirements,
            TestRecords.DEAD_LETTERS,
            "models",
            journal,
            PUBLICATIONS,
            start),
        sum -> sum.modelId,
        spec -> spec.modelId,
        Types.STRING,
        keyGroups,
        parallelism,
        index);
  }

  /** Sets how long later reports have waited when they arrive. */
  public void lag(long ms) {
    lagMs = ms;
  }

  public void publish(SpecRecord spec) throws Exception {
    on(spec.modelId, harness -> harness.processElement2(spec, 0));
  }

  public void publish(long offset, ModelSpec.Builder spec) throws Exception {
    publish(TestRecords.published(offset, spec));
  }

  public void retire(long offset, String modelId) throws Exception {
    publish(TestRecords.retired(offset, modelId));
  }

  public void report(RoundSum sum) throws Exception {
    sum.appendedAtMs = nowMs() - lagMs;
    on(sum.modelId, harness -> harness.processElement1(sum, 0));
  }

  /** Returns the updates of all models so far. */
  public List<ModelUpdate> updates() {
    List<OutboundRecord> outputs = outputs();
    updates.addAll(TestRecords.updates(outputs.subList(read, outputs.size())));
    read = outputs.size();
    return updates;
  }

  /** Returns the last update that any model emitted. */
  public ModelUpdate lastUpdate() {
    List<ModelUpdate> all = updates();
    return all.get(all.size() - 1);
  }

  /** Returns the names of a model's entries in keyed state. */
  public Set<String> stored(String modelId) throws Exception {
    Set<String> names = new TreeSet<>();
    on(
        modelId,
        harness -> {
          harness.getOperator().setCurrentKey(modelId);
          MapState<String, byte[]> state =
              harness
                  .getOperator()
                  .getKeyedStateBackend()
                  .getPartitionedState(
                      VoidNamespace.INSTANCE,
                      VoidNamespaceSerializer.INSTANCE,
                      new MapStateDescriptor<>(
                          StateNames.MODEL,
                          Types.STRING,
                          PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
          state.keys().forEach(names::add);
        });
    return names;
  }

  /** Returns the number of timers. */
  public int timers() throws Exception {
    int[] timers = {0};
    onEach(harness -> timers[0] += harness.numProcessingTimeTimers());
    return timers[0];
  }
}
