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
import io.croupier.schemas.Position;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Writes the {@link JournalEntry}s of the local models on one subtask.
 *
 * <p>Invariants: (1) a model's last bundle is held back until it is known whether an update was
 * published right after it; (2) the other bundles held for a model take at most {@link
 * #PIECE_BYTES} bytes, or are a single bundle; (3) nothing is held for a model without news:
 * whatever is recorded here is news of the model, and its publication emits everything. So nothing
 * is held at a snapshot, and the journal needs no state.
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

  /** Records that a model begins, before it takes its first bundle. */
  void begins(LiveModel model) {
    if (covers(model)) {
      page(model).hold(Bundle.newBuilder().setNamedRound(model.round()));
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
    if (bundleOutcome == BundleOutcome.STEPPED) {
      bundle.setClosedRound(model.round() - 1);
    }
    page(model).hold(bundle);
  }

  /** Records that the model has just closed a round on its timeout. */
  void timedOut(LiveModel model) {
    if (covers(model)) {
      page(model).hold(Bundle.newBuilder().setClosedRound(model.round() - 1));
    }
  }

  private static Bundle.Outcome outcome(BundleOutcome bundleOutcome) {
    return switch (bundleOutcome) {
      case OPEN, STEPPED, TALLIED -> Bundle.Outcome.TAKEN;
      case DROPPED_STALE -> Bundle.Outcome.DROPPED_STALE;
      case DROPPED_UNPUBLISHED -> Bundle.Outcome.DROPPED_UNPUBLISHED;
      case DROPPED_BOUND -> Bundle.Outcome.DROPPED_BOUND;
    };
  }

  /**
   * Records a publication of the model, and emits everything held for it.
   *
   * @param updated whether an update was published
   * @param mightOpenRound whether the publication was allowed to open a new round
   */
  void published(LiveModel model, boolean updated, boolean mightOpenRound) {
    if (!covers(model)) {
      return;
    }
    PendingEntries page = page(model);
    if (updated) {
      page.published(mightOpenRound);
    }
    page.close();
    pending.remove(model.spec().getModelId());
  }

  /** Records that a model has just been retired, and emits everything held for it. */
  void ended(String modelId) {
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
    void published(boolean mightOpenRound) {
      if (last == null) {
        last = Bundle.newBuilder();
      }
      last.setPublished(true);
      if (!mightOpenRound) {
        last.setRoundHeld(true);
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
        && bundle.getPositionsCount() == 0
        && !bundle.hasClosedRound();
  }
}
