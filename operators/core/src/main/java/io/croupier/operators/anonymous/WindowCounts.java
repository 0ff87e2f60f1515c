package io.croupier.operators.anonymous;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.WindowGuarantee;
import io.croupier.schemas.WindowGuarantee.Bound;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * How many anonymous reports of a model were admitted in each window that isn't over, by their
 * declarations, and what they guarantee when it is over.
 *
 * <p>A window is over when reports of its last round are too old for the model. A report that
 * arrives later doesn't count, nor does one that was admitted for a model that has been retired
 * since: fewer reports never promise more. Windows that aren't over when the model is retired, and
 * the one after them, whose tokens may have been granted, promise what each report does by itself:
 * the model may return with other windows or other levels under the same numbers.
 *
 * <p>Not safe for use by several threads.
 */
public final class WindowCounts {
  private static final int LEVEL_BYTES = 1 + Double.BYTES + 2 * Integer.BYTES;
  private static final int ENTRY_BYTES = 2 * Long.BYTES + LEVEL_BYTES;

  /** The last window that was interrupted. */
  private long interrupted = -1;

  /** Counts by windows and declarations. */
  private final TreeMap<Long, Map<Mechanism, Long>> counts = new TreeMap<>();

  /** The levels of the model in training; null if they aren't computed yet. */
  private List<Mechanism> levels;

  /**
   * Restores counts.
   *
   * @param bytes as {@link #bytes} returned them; null if there are no counts
   */
  public WindowCounts(byte[] bytes) {
    if (bytes == null) {
      return;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    interrupted = buffer.getLong();
    while (buffer.hasRemaining()) {
      long window = buffer.getLong();
      long count = buffer.getLong();
      add(window, AnonymousWindows.level(buffer), count);
    }
  }

  /** Returns the counts as bytes. */
  public byte[] bytes() {
    int entries = counts.values().stream().mapToInt(Map::size).sum();
    ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES + entries * ENTRY_BYTES);
    buffer.putLong(interrupted);
    counts.forEach(
        (window, byLevel) ->
            byLevel.forEach(
                (level, count) ->
                    buffer
                        .putLong(window)
                        .putLong(count)
                        .put(AnonymousWindows.bytes(level).asReadOnlyByteBuffer())));
    return buffer.array();
  }

  /** Returns whether there is nothing to keep. */
  public boolean isEmpty() {
    return counts.isEmpty() && interrupted < 0;
  }

  private void add(long window, Mechanism level, long count) {
    counts.computeIfAbsent(window, b -> new LinkedHashMap<>()).merge(level, count, Long::sum);
  }

  /**
   * Counts anonymous reports.
   *
   * @param spec by which they were admitted
   * @param isTooOld whether the model takes no reports of a round any more
   */
  public void count(RoundSum sum, ModelSpec spec, LongPredicate isTooOld) {
    long window = AnonymousWindows.window(spec, sum.namedRound);
    if (isTooOld.test(AnonymousWindows.lastRound(spec, window))) {
      return;
    }
    if (levels == null) {
      levels = AnonymousWindows.levels(spec);
    }
    add(window, levels.get(sum.anonymousLevel - 1), sum.count);
  }

  /**
   * Forgets the windows that are over.
   *
   * @param spec of the model in training
   * @param isTooOld whether it takes no reports of a round any more
   * @return what they guarantee: one event for each window and declaration of which a report counts
   */
  public List<GuaranteeEvent> close(ModelSpec spec, LongPredicate isTooOld) {
    List<GuaranteeEvent> events = new ArrayList<>();
    while (spec.hasAnonymous() && !counts.isEmpty()) {
      long window = counts.firstKey();
      if (!isTooOld.test(AnonymousWindows.lastRound(spec, window))) {
        break;
      }
      counts
          .remove(window)
          .forEach(
              (level, reports) ->
                  events.add(event(spec, window, level, reports, window <= interrupted)));
    }
    return events;
  }

  /**
   * Interrupts the windows of a model that is retired.
   *
   * @param spec the model's last one
   * @param publishedRound its last published round; -1 if there is none
   */
  public void retire(ModelSpec spec, long publishedRound) {
    levels = null;
    if (spec.hasAnonymous() && publishedRound >= 0) {
      interrupted = Math.max(interrupted, AnonymousWindows.window(spec, publishedRound) + 1);
    }
  }

  private static GuaranteeEvent event(
      ModelSpec spec, long window, Mechanism level, long reports, boolean isInterrupted) {
    double honest = AnonymousWindows.honest(spec);
    double availability = AnonymousWindows.availability(spec);
    double delta = AnonymousWindows.delta(spec);
    WindowBound bound = WindowBound.of(level, reports, honest, availability, delta, isInterrupted);
    WindowGuarantee.Builder guarantee =
        WindowGuarantee.newBuilder()
            .setWindow(window)
            .setFirstRound(AnonymousWindows.firstRound(spec, window))
            .setLastRound(AnonymousWindows.lastRound(spec, window))
            .setReports(reports)
            .setHonest(honest)
            .setAvailability(availability)
            .setCounted(bound.counted())
            .setLocalEpsilon(bound.local())
            .setEpsilon(bound.central())
            .setBound(bound.central() < bound.local() ? Bound.CHOICES : Bound.LOCAL);
    if (isInterrupted) {
      guarantee.setInterrupted(true);
    }
    Declarations.declare(level, guarantee);
    return GuaranteeEvent.newBuilder()
        .setModelId(spec.getModelId())
        .setDelta(delta)
        .setAnonymous(guarantee)
        .build();
  }
}
