package io.croupier.operators.flink.learner;

import io.croupier.operators.anonymous.WindowCounts;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.PublishedSpec;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.model.SpecChange;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.flink.api.common.state.MapState;

/**
 * The model of one key: the spec in force, the model in training, and their representation in keyed
 * state.
 *
 * <p>After a model is retired, only the next round's number, the offsets and the counts of open
 * windows stay in state, so that a later model of the same name never publishes a round that
 * clients have seen, and claims nothing of a window that isn't wholly its own.
 */
final class KeyedModel {
  /** The chunk that exists exactly while a model does. */
  static final String SPEC = "spec";

  private static final String NEXT_ROUND = "next-round";
  private static final String SPEC_OFFSET = "spec-offset";
  private static final String LAST_OFFSET = "last-offset";
  private static final String DEADLINE = "deadline";
  private static final String DEADLINE_ROUND = "deadline-round";
  private static final String WINDOWS = "windows";
  private static final String MODEL = "model/";
  private static final String BEGAN_AT = MODEL + "began-at";

  /** The least time between updates of a round whose counts have changed, and nothing else. */
  private static final long COUNTS_INTERVAL_MS = 10_000;

  private final String modelId;
  private final PublishedSpecs specs;

  /** Names of the chunks in the state, without sections, which last as long as the model. */
  private final Set<String> stored;

  private final RoundGate gate;
  private final BltSearches searches;
  private final WindowCounts windows;
  private LiveModel model;

  /** The last update of a model without state that has not begun; vectors, so not kept longer. */
  private Optional<ModelUpdate> last;

  private boolean continued;
  private long firstRound;
  private boolean unsaved;

  /** Offset of the spec that the model began with, on the models topic. */
  private long modelOffset;

  /** Whether the stored chunks belong to a model that has been retired since they were saved. */
  private boolean storedIsRetired;

  /** When the open round times out, in milliseconds since 1970; 0: never. */
  private long deadline;

  private long deadlineRound;

  /**
   * When the oldest report arrived that no publication includes; 0 if there is none. Not in state.
   */
  private long newsSinceMs;

  private long lagMs;

  /** When the last update was published, in milliseconds since 1970. Not in state. */
  private long updatedMs;

  /**
   * Reads the model from the state of the current key; without state there is no model yet.
   *
   * @param firstRound the first round of a model that has no state
   * @param last the last update of a model whose state may be lost: then it continues from there
   * @param gate decides when the model may open a new round
   * @param searches shared with the other models of the subtask
   */
  KeyedModel(
      String modelId,
      Function<ModelSpec, List<String>> obstacles,
      long firstRound,
      Optional<ModelUpdate> last,
      RoundGate gate,
      BltSearches searches,
      MapState<String, byte[]> state)
      throws Exception {
    this.modelId = modelId;
    this.gate = gate;
    this.searches = searches;
    specs = new PublishedSpecs(obstacles);
    Map<String, byte[]> chunks = new HashMap<>();
    for (Map.Entry<String, byte[]> entry : state.entries()) {
      chunks.put(entry.getKey(), entry.getValue());
    }
    stored = new HashSet<>(chunks.keySet());
    stored.removeIf(StateChunks::isSection);
    this.last = chunks.isEmpty() ? last : Optional.empty();
    this.firstRound = number(chunks, NEXT_ROUND, firstRound);
    modelOffset = number(chunks, BEGAN_AT, 0);
    deadline = number(chunks, DEADLINE, 0);
    deadlineRound = number(chunks, DEADLINE_ROUND, 0);
    windows = new WindowCounts(chunks.get(WINDOWS));
    PublishedSpec published = new PublishedSpec();
    published.spec = chunks.getOrDefault(SPEC, published.spec);
    published.specOffset = number(chunks, SPEC_OFFSET, published.specOffset);
    published.lastOffset = number(chunks, LAST_OFFSET, published.lastOffset);
    specs.restore(modelId, published);
    specs
        .spec(modelId)
        .ifPresent(
            spec -> {
              model = LiveModel.begin(spec, this.firstRound, searches);
              model.restore(name -> chunks.get(MODEL + name));
            });
  }

  /** Returns the key. */
  String modelId() {
    return modelId;
  }

  /** Returns the model in training; null before its spec has arrived and after it was retired. */
  LiveModel model() {
    return model;
  }

  /** Returns the gate that decides when the model may open a new round. */
  RoundGate gate() {
    return gate;
  }

  /** Returns the last round that may have been published under this name; -1 if there was none. */
  long lastRound() {
    return model == null ? firstRound - 1 : model.round();
  }

  /** Returns the offset of the last record of the model on the models topic; -1 without any. */
  long lastOffset() {
    return published().lastOffset;
  }

  /** Returns whether the state of the current key has a record of the models topic. */
  static boolean hasApplied(long offset, MapState<String, byte[]> state) throws Exception {
    byte[] last = state.get(LAST_OFFSET);
    return last != null && ByteBuffer.wrap(last).getLong() >= offset;
  }

  /** Returns whether a report was judged by a spec that has not arrived here yet. */
  boolean isBehind(long specOffset) {
    return specOffset > lastOffset();
  }

  /** Returns whether a report was judged for another model of this name, usually a retired one. */
  boolean isOfAnother(long specOffset) {
    return model == null || specOffset < modelOffset || specOffset > published().specOffset;
  }

  private PublishedSpec published() {
    return specs.entries().get(modelId);
  }

  /** Applies the next record of the models topic. */
  SpecChange follow(SpecRecord record) {
    SpecChange change = specs.apply(modelId, record.offset, record.value);
    unsaved = true;
    if (change instanceof SpecChange.Retired) {
      windows.retire(model.spec(), model.publishedRound());
      firstRound = model.round() + 1;
      model = null;
      storedIsRetired = true;
    } else if (change instanceof SpecChange.Accepted accepted) {
      if (model == null) {
        begin(accepted.spec());
        modelOffset = record.offset;
      } else {
        model.respec(accepted.spec());
      }
    }
    return change;
  }

  private void begin(ModelSpec spec) {
    Optional<ModelUpdate> usable = last.filter(update -> LiveModel.continuesFrom(update, spec));
    last = Optional.empty();
    continued = usable.isPresent();
    if (continued && !ModelSpecs.isCentral(spec)) {
      // Its learner counts the earlier rounds; a central model's noise does.
      firstRound = 0;
    }
    model = LiveModel.begin(spec, firstRound, searches);
    usable.ifPresent(model::continueFrom);
  }

  /** Returns whether the model that began last continues from an update. */
  boolean isContinued() {
    return continued;
  }

  /** Returns the number of reports in the open round. */
  long open() {
    return model == null ? 0 : model.open();
  }

  /**
   * Returns whether the open round may be published with fewer reports than the spec requires. A
   * round that had reports before its spec had a timeout starts it now.
   */
  boolean isTimedOut(long nowMs) {
    startTimeout(nowMs);
    return hasDeadline() && nowMs >= deadline;
  }

  /** Returns whether the open round has reports and a timeout. */
  boolean hasDeadline() {
    return model.open() > 0
        && model.spec().hasRoundTimeoutMs()
        && deadline != 0
        && deadlineRound == model.round();
  }

  /**
   * Starts the timeout of the open round, if it has one, with the round's first report. A shorter
   * timeout of a later spec, or a clock that is set back, brings the deadline forward.
   */
  private void startTimeout(long nowMs) {
    if (model.open() == 0 || !model.spec().hasRoundTimeoutMs()) {
      return;
    }
    long latest = nowMs + model.spec().getRoundTimeoutMs();
    if (!hasDeadline() || deadline > latest) {
      deadline = latest;
      deadlineRound = model.round();
      unsaved = true;
    }
  }

  /** Counts anonymous reports in their window, whether or not the model uses them. */
  void count(RoundSum sum) {
    if (sum.anonymousLevel > 0) {
      windows.count(sum, model.spec(), model::isTooOld);
      unsaved = true;
    }
  }

  /** Returns what the windows guarantee that are over since the last call. */
  List<GuaranteeEvent> closeWindows() {
    List<GuaranteeEvent> closed = windows.close(model.spec(), model::isTooOld);
    unsaved |= !closed.isEmpty();
    return closed;
  }

  /**
   * Records that the model has taken reports.
   *
   * @param ageMs the age of the oldest of them, in milliseconds
   */
  void took(long ageMs, long nowMs) {
    startTimeout(nowMs);
    lagMs = ageMs;
    if (newsSinceMs == 0) {
      newsSinceMs = nowMs;
    }
  }

  /** Returns the age of the last report on arrival, in milliseconds; 0 before the first one. */
  long lagMs() {
    return lagMs;
  }

  /** Returns whether an update with nothing new but counts is due. */
  boolean isUpdateDue(long nowMs) {
    return nowMs - updatedMs >= COUNTS_INTERVAL_MS || nowMs < updatedMs;
  }

  /** Records that an update is published: no report waits for it any more. */
  void updated(long nowMs) {
    updatedMs = nowMs;
    newsSinceMs = 0;
  }

  /**
   * Returns how long the oldest report of the present publication has waited for it, in
   * milliseconds.
   */
  long waitedMs(long nowMs) {
    return newsSinceMs == 0 ? 0 : nowMs - newsSinceMs;
  }

  /** Writes what changed since the last call into the state of the current key. */
  void save(MapState<String, byte[]> state) throws Exception {
    if (!unsaved && (model == null || !model.isUnsaved())) {
      return;
    }
    Map<String, byte[]> changed = new HashMap<>();
    changed.put(NEXT_ROUND, bytes(firstRound));
    changed.put(SPEC_OFFSET, bytes(published().specOffset));
    changed.put(LAST_OFFSET, bytes(lastOffset()));
    changed.put(DEADLINE, bytes(deadline));
    changed.put(DEADLINE_ROUND, bytes(deadlineRound));
    if (!windows.isEmpty()) {
      changed.put(WINDOWS, windows.bytes());
    }
    if (model != null) {
      changed.put(SPEC, published().spec);
      changed.put(BEGAN_AT, bytes(modelOffset));
      model.save((name, value) -> changed.put(MODEL + name, value));
    }
    if (storedIsRetired || (model != null && model.replacesFormerState())) {
      removeSections(state);
    }
    for (String name : Set.copyOf(stored)) {
      if (isObsolete(name) && !changed.containsKey(name)) {
        state.remove(name);
        stored.remove(name);
      }
    }
    state.putAll(changed);
    changed.keySet().stream().filter(name -> !StateChunks.isSection(name)).forEach(stored::add);
    unsaved = false;
    storedIsRetired = false;
  }

  private static void removeSections(MapState<String, byte[]> state) throws Exception {
    List<String> sections = new ArrayList<>();
    for (String name : state.keys()) {
      if (StateChunks.isSection(name)) {
        sections.add(name);
      }
    }
    for (String name : sections) {
      state.remove(name);
    }
  }

  private boolean isObsolete(String name) {
    if (name.equals(WINDOWS)) {
      return windows.isEmpty();
    }
    if (storedIsRetired || model == null) {
      return name.equals(SPEC) || name.startsWith(MODEL);
    }
    return name.startsWith(MODEL) && model.isObsolete(name.substring(MODEL.length()));
  }

  private static long number(Map<String, byte[]> chunks, String name, long absent) {
    byte[] bytes = chunks.get(name);
    return bytes == null ? absent : ByteBuffer.wrap(bytes).getLong();
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }
}
