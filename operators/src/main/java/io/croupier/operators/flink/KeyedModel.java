package io.croupier.operators.flink;

import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.PublishedSpec;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.SpecChange;
import io.croupier.schemas.ModelSpec;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.flink.api.common.state.MapState;

/**
 * The model of one key: the spec that is followed, the model in training, and how both are kept in
 * keyed state between checkpoints.
 *
 * <p>Of a retired model only the next round's number and the offsets stay, so that a later model of
 * the same name never publishes a round that clients have seen.
 */
final class KeyedModel {
  /** Chunk that is there as long as a model is. */
  static final String SPEC = "spec";

  private static final String NEXT_ROUND = "next-round";
  private static final String SPEC_OFFSET = "spec-offset";
  private static final String LAST_OFFSET = "last-offset";
  private static final String DEADLINE = "deadline";
  private static final String DEADLINE_ROUND = "deadline-round";
  private static final String MODEL = "model/";
  private static final String BEGAN_AT = MODEL + "began-at";

  private final String modelId;
  private final PublishedSpecs specs;
  private final Set<String> stored;
  private final RoundGate gate;
  private LiveModel model;
  private long firstRound;
  private boolean unsaved;

  /** Position of the spec that the model began with. */
  private long modelOffset;

  /** Whether what is stored is of a model that was retired since. */
  private boolean storedIsRetired;

  /** When the open round times out, in milliseconds since 1970; 0: never. */
  private long deadline;

  private long deadlineRound;

  /** When the oldest report came that no publication includes; 0: there is none. Not state. */
  private long newsSinceMs;

  /**
   * Reads the model that the state of the current key holds; empty if there is none.
   *
   * @param firstRound the first round of a model that has no state
   * @param gate decides when the model may open a new round
   */
  KeyedModel(
      String modelId,
      Function<ModelSpec, List<String>> obstacles,
      long firstRound,
      RoundGate gate,
      MapState<String, byte[]> state)
      throws Exception {
    this.modelId = modelId;
    this.gate = gate;
    specs = new PublishedSpecs(obstacles);
    Map<String, byte[]> chunks = new HashMap<>();
    for (Map.Entry<String, byte[]> entry : state.entries()) {
      chunks.put(entry.getKey(), entry.getValue());
    }
    stored = new HashSet<>(chunks.keySet());
    this.firstRound = number(chunks, NEXT_ROUND, firstRound);
    modelOffset = number(chunks, BEGAN_AT, 0);
    deadline = number(chunks, DEADLINE, 0);
    deadlineRound = number(chunks, DEADLINE_ROUND, 0);
    PublishedSpec published = new PublishedSpec();
    published.spec = chunks.getOrDefault(SPEC, published.spec);
    published.specOffset = number(chunks, SPEC_OFFSET, published.specOffset);
    published.lastOffset = number(chunks, LAST_OFFSET, published.lastOffset);
    specs.restore(modelId, published);
    specs
        .spec(modelId)
        .ifPresent(
            spec -> {
              model = LiveModel.begin(spec, this.firstRound);
              model.restore(name -> chunks.get(MODEL + name));
            });
  }

  /** The model in training; null before its spec has arrived and after it was retired. */
  LiveModel model() {
    return model;
  }

  /** Decides when the model may open a new round. */
  RoundGate gate() {
    return gate;
  }

  /** The last round that may have been published under this name; -1 if there was none. */
  long lastRound() {
    return model == null ? firstRound - 1 : model.round();
  }

  /** Whether a report was judged by a spec that has not arrived here yet. */
  boolean isBehind(long specOffset) {
    return specOffset > published().lastOffset;
  }

  /** Whether a report was judged for another model of this name: one that is over, as a rule. */
  boolean isOfAnother(long specOffset) {
    return model == null || specOffset < modelOffset || specOffset > published().specOffset;
  }

  private PublishedSpec published() {
    return specs.entries().get(modelId);
  }

  /** Follows the next record of the models topic. */
  SpecChange follow(SpecRecord record) {
    SpecChange change = specs.apply(modelId, record.offset, record.value);
    unsaved = true;
    if (change instanceof SpecChange.Retired) {
      firstRound = model.round() + 1;
      model = null;
      storedIsRetired = true;
    } else if (change instanceof SpecChange.Accepted accepted) {
      if (model == null) {
        model = LiveModel.begin(accepted.spec(), firstRound);
        modelOffset = record.offset;
      } else {
        model.respec(accepted.spec());
      }
    }
    return change;
  }

  /** When the open round times out; 0: never. */
  long deadline() {
    return deadline;
  }

  /** Whether the deadline was set for the round that is open now. */
  boolean deadlineIsForOpenRound() {
    return deadline != 0 && deadlineRound == model.round();
  }

  void setDeadline(long deadlineMs) {
    deadline = deadlineMs;
    deadlineRound = model == null ? 0 : model.round();
    unsaved = true;
  }

  /** Notes that a report has come. */
  void hasNewsSince(long nowMs) {
    if (newsSinceMs == 0) {
      newsSinceMs = nowMs;
    }
  }

  /** How long the oldest report has waited that the publication of now is the first to include. */
  long waited(long nowMs) {
    long waited = newsSinceMs == 0 ? 0 : nowMs - newsSinceMs;
    newsSinceMs = 0;
    return waited;
  }

  /** Writes what changed since the last call into the state of the current key. */
  void save(MapState<String, byte[]> state) throws Exception {
    if (!unsaved && (model == null || !model.isUnsaved())) {
      return;
    }
    Map<String, byte[]> changed = new HashMap<>();
    changed.put(NEXT_ROUND, bytes(firstRound));
    changed.put(SPEC_OFFSET, bytes(published().specOffset));
    changed.put(LAST_OFFSET, bytes(published().lastOffset));
    changed.put(DEADLINE, bytes(deadline));
    changed.put(DEADLINE_ROUND, bytes(deadlineRound));
    if (model != null) {
      changed.put(SPEC, published().spec);
      changed.put(BEGAN_AT, bytes(modelOffset));
      model.save((name, value) -> changed.put(MODEL + name, value));
    }
    for (String name : Set.copyOf(stored)) {
      if (isObsolete(name) && !changed.containsKey(name)) {
        state.remove(name);
        stored.remove(name);
      }
    }
    state.putAll(changed);
    stored.addAll(changed.keySet());
    unsaved = false;
    storedIsRetired = false;
  }

  private boolean isObsolete(String name) {
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
