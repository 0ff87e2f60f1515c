package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.CodedOutputStream;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate.Wait;
import io.croupier.schemas.Position;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Writes the {@link JournalEntry}s of the local models on one subtask.
 *
 * <p>Invariants: (1) a model's last bundle is held back until it is known whether an update was
 * published right after it; (2) the other bundles held for a model take at most {@link
 * #PIECE_BYTES} bytes, or are a single bundle; (3) nothing is held for a model without news, and a
 * model with news is published or flushed before each barrier. So nothing is held at a snapshot,
 * and the journal needs no state.
 */
final class Journal {
  private static final int PIECE_BYTES = 1 << 16;

  private final JournalSettings settings;
  private final Consumer<OutboundRecord> out;
  private final Map<String, PendingEntries> pending = new HashMap<>();

  /** Creates an empty journal, which emits its entries to {@code out}. */
  Journal(JournalSettings settings, Consumer<OutboundRecord> out) {
    this.settings = settings;
    this.out = out;
  }

  /**
   * Records that a model begins, before it takes its first bundle.
   *
   * @param continued whether it continues from its last update
   */
  void begins(LiveModel model, boolean continued) {
    if (covers(model)) {
      Bundle.Builder beginning = Bundle.newBuilder().setNamedRound(model.round());
      if (continued) {
        beginning.setContinued(true);
      }
      page(model).hold(beginning);
    }
  }

  /** Records a bundle that the model has just taken or dropped. */
  void took(LiveModel model, RoundSum sum, BundleOutcome bundleOutcome) {
    if (!covers(model)) {
      return;
    }
    Bundle.Builder bundle =
        Bundle.newBuilder().setNamedRound(sum.namedRound).setOutcome(outcome(bundleOutcome));
    for (int i = 0; i < sum.partitions.length; i++) {
      bundle.addPositions(
          Position.newBuilder()
              .setTopic(settings.gradientsTopic())
              .setPartition(sum.partitions[i])
              .setOffset(sum.offsets[i]));
    }
    page(model).hold(bundle);
  }

  private static Bundle.Outcome outcome(BundleOutcome bundleOutcome) {
    return switch (bundleOutcome) {
      case OPEN, TALLIED -> Bundle.Outcome.TAKEN;
      case DROPPED_STALE -> Bundle.Outcome.DROPPED_STALE;
      case DROPPED_UNPUBLISHED -> Bundle.Outcome.DROPPED_UNPUBLISHED;
      case DROPPED_BOUND -> Bundle.Outcome.DROPPED_BOUND;
    };
  }

  /**
   * Records a publication of the model, and emits everything held for it.
   *
   * @param opened whether it opened a new round, and so closed the one before
   * @param wait why it didn't, if there were reports
   */
  void published(LiveModel model, boolean opened, Wait wait) {
    if (covers(model)) {
      page(model).published(opened, wait);
      flush(model);
    }
  }

  /** Emits everything held for a model, which publishes nothing at this checkpoint. */
  void flush(LiveModel model) {
    flush(model.spec().getModelId());
  }

  /** Emits everything held for a model that has just been retired. */
  void flush(String modelId) {
    PendingEntries page = pending.remove(modelId);
    if (page != null) {
      page.close();
    }
  }

  private boolean covers(LiveModel model) {
    return settings.enabled() && !ModelSpecs.isCentral(model.spec());
  }

  private PendingEntries page(LiveModel model) {
    return pending.computeIfAbsent(model.spec().getModelId(), PendingEntries::new);
  }

  /** The entries and bundles that are held for one model. */
  private final class PendingEntries {
    private final String modelId;
    private final int emptyBytes;
    private final int mostBytes;
    private JournalEntry.Builder entry;
    private int bytes;
    private Bundle.Builder last;

    PendingEntries(String modelId) {
      this.modelId = modelId;
      emptyBytes = CodedOutputStream.computeStringSize(JournalEntry.MODEL_ID_FIELD_NUMBER, modelId);
      mostBytes = Math.min(PIECE_BYTES, settings.entryBytes());
      clear();
    }

    private void clear() {
      entry = JournalEntry.newBuilder().setModelId(modelId);
      bytes = emptyBytes;
    }

    void hold(Bundle.Builder bundle) {
      addLast();
      last = bundle;
    }

    /** Marks the last bundle as published; an update that follows no bundle gets an empty one. */
    void published(boolean opened, Wait wait) {
      if (last == null) {
        last = Bundle.newBuilder();
      }
      last.setPublished(true);
      if (!opened) {
        last.setRoundHeld(true);
      }
      if (wait != Wait.WAIT_UNSPECIFIED) {
        last.setWaitsFor(wait);
      }
    }

    void close() {
      addLast();
      emit();
    }

    private void addLast() {
      if (last == null || isImplied(last)) {
        return;
      }
      Bundle bundle = last.build();
      int size = CodedOutputStream.computeMessageSize(JournalEntry.BUNDLES_FIELD_NUMBER, bundle);
      if (bytes + size > mostBytes) {
        emit();
      }
      entry.addBundles(bundle);
      bytes += size;
    }

    private void emit() {
      if (entry.getBundlesCount() > 0) {
        byte[] key = modelId.getBytes(UTF_8);
        out.accept(new OutboundRecord(Destination.JOURNAL, key, entry.build().toByteArray()));
        clear();
      }
    }
  }

  /**
   * Whether the bundle only records the usual beginning: that round 0 is published before any
   * report is taken.
   */
  private static boolean isImplied(Bundle.Builder bundle) {
    return bundle.getPublished()
        && bundle.hasNamedRound()
        && bundle.getNamedRound() == 0
        && bundle.getPositionsCount() == 0;
  }
}
