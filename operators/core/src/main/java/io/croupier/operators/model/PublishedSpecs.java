package io.croupier.operators.model;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Follows the models topic. Ledger and learner apply the same rules, so that at the same offset
 * they have the same specs, whatever was published:
 *
 * <ol>
 *   <li>a record that isn't above the last one of its model is ignored;
 *   <li>a null value retires the model; a later spec starts a new model of that name;
 *   <li>a spec is refused if it can't be read, is not valid, is published under another model's key
 *       or can't be run here; if it would start a model, and only the last is wrong, it may be
 *       applied again after a restart, since what it lacks may have been configured;
 *   <li>a spec is also refused if it changes what is fixed while a model runs; the last good one
 *       stays. A question or statistic of the same name and another meaning begins anew, as if it
 *       had been removed before: once the topic is compacted, not all followers see that it was.
 * </ol>
 *
 * <p>Specs are returned without deprecated names ({@link ModelSpecs#current}); the entries keep the
 * bytes that were published.
 *
 * <p>State is per model, and an instance may follow one model or all. Not safe for use by several
 * threads.
 */
public final class PublishedSpecs {
  private final Function<ModelSpec, List<String>> obstacles;
  private final Map<String, PublishedSpec> entries = new HashMap<>();
  private final Map<String, ModelSpec> running = new HashMap<>();

  /**
   * Starts without models.
   *
   * @param obstacles returns the reasons why a valid spec can't run here (such as an unsupported
   *     learner, or a topic with too small a message size), as sentences; empty if it can
   */
  public PublishedSpecs(Function<ModelSpec, List<String>> obstacles) {
    this.obstacles = obstacles;
  }

  /**
   * Applies one record.
   *
   * @param value an encoded {@link ModelSpec}; null retires the model
   */
  public SpecChange apply(String modelId, long offset, byte[] value) {
    PublishedSpec entry = entries.computeIfAbsent(modelId, id -> new PublishedSpec());
    if (offset <= entry.lastOffset) {
      return new SpecChange.Ignored();
    }
    long last = entry.lastOffset;
    entry.lastOffset = offset;
    if (value == null) {
      entry.spec = new byte[0];
      entry.specOffset = -1;
      return running.remove(modelId) == null ? new SpecChange.Ignored() : new SpecChange.Retired();
    }
    ModelSpec spec;
    try {
      spec = ModelSpec.parseFrom(value);
    } catch (InvalidProtocolBufferException e) {
      return new SpecChange.Refused("value is not a ModelSpec in Protobuf's encoding");
    }
    List<String> violations = violations(modelId, spec);
    List<String> reasons =
        violations.isEmpty() ? obstacles.apply(ModelSpecs.current(spec)) : violations;
    if (!reasons.isEmpty()) {
      if (isOnlySmaller(modelId, spec)) {
        entry.specOffset = offset;
      } else if (violations.isEmpty() && !running.containsKey(modelId)) {
        entry.lastOffset = last;
      }
      return new SpecChange.Refused(String.join("; ", reasons));
    }
    entry.spec = value.clone();
    entry.specOffset = offset;
    ModelSpec current = ModelSpecs.current(spec);
    running.put(modelId, current);
    return new SpecChange.Accepted(current, ModelSpecs.warnings(spec));
  }

  private List<String> violations(String modelId, ModelSpec spec) {
    List<String> violations = ModelSpecs.violations(spec);
    if (violations.isEmpty() && !modelId.equals(spec.getModelId())) {
      violations =
          List.of(
              "the record's key is \""
                  + modelId
                  + "\": it must be the spec's model_id, \""
                  + spec.getModelId()
                  + '"');
    }
    ModelSpec current = running.get(modelId);
    if (violations.isEmpty() && current != null) {
      violations = ModelSpecs.changeViolations(asking(spec, current), spec);
    }
    return violations;
  }

  /**
   * Returns whether nothing is wrong with a spec but that the model's rounds have grown. A follower
   * that starts once the topic is compacted takes this record, since it doesn't see the one by
   * which they grew. What it judges then is for the same model.
   */
  private boolean isOnlySmaller(String modelId, ModelSpec spec) {
    ModelSpec current = running.get(modelId);
    return current != null
        && ModelSpecs.violations(spec).isEmpty()
        && ModelSpecs.changeViolations(
                asking(spec, current).toBuilder()
                    .setReportsPerRound(ModelSpecs.reportsPerRound(spec))
                    .build(),
                spec)
            .isEmpty();
  }

  /** Returns a running spec with the questions and statistics of its successor. */
  private static ModelSpec asking(ModelSpec next, ModelSpec current) {
    return current.toBuilder()
        .clearQuestions()
        .addAllQuestions(next.getQuestionsList())
        .clearStatistics()
        .addAllStatistics(next.getStatisticsList())
        .build();
  }

  /** Returns the last good spec of a running model. */
  public Optional<ModelSpec> spec(String modelId) {
    return Optional.ofNullable(running.get(modelId));
  }

  /** Returns the offset of the last record of each running model. */
  public Map<String, Long> lastOffsets() {
    Map<String, Long> offsets = new HashMap<>();
    running.keySet().forEach(modelId -> offsets.put(modelId, entries.get(modelId).lastOffset));
    return offsets;
  }

  /** Returns the entries to store, by model; {@link #apply} changes them. */
  public Map<String, PublishedSpec> entries() {
    return entries;
  }

  /**
   * Restores an entry of {@link #entries()}. A stored good spec isn't checked again.
   *
   * @throws IllegalArgumentException if the stored spec can't be read
   */
  public void restore(String modelId, PublishedSpec entry) {
    if (entry.spec.length > 0) {
      try {
        running.put(modelId, ModelSpecs.current(ModelSpec.parseFrom(entry.spec)));
      } catch (InvalidProtocolBufferException e) {
        throw new IllegalArgumentException("the stored spec of " + modelId + " is damaged", e);
      }
    } else {
      running.remove(modelId);
    }
    entries.put(modelId, entry);
  }
}
