package io.croupier.operators.flink;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.CodedOutputStream;
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
 * published right after it; (2) what is held of a model beside its last bundle is at most {@link
 * #PIECE_BYTES} long, or a single bundle; (3) nothing is held of a model that has no news: whatever
 * is noted here is news of the model, and its publication emits everything. So nothing is held at a
 * snapshot, and the journal needs no state.
 */
final class Journal {
  private static final int PIECE_BYTES = 1 << 16;

  private final JournalSettings settings;
  private final Consumer<OutboundRecord> out;
  private final Map<String, PendingEntries> pending = new HashMap<>();

  /** A journal with nothing noted, whose entries go to {@code out}. */
  Journal(JournalSettings settings, Consumer<OutboundRecord> out) {
    this.settings = settings;
    this.out = out;
  }

  /** Notes that a model begins, before it takes in anything. */
  void begins(LiveModel model) {
    if (covers(model)) {
      page(model).hold(Bundle.newBuilder().setNamedRound(model.round()));
    }
  }

  /** Notes a bundle that the model has just taken in. */
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

  /** Notes that the model has just closed a round because its time was up. */
  void timedOut(LiveModel model) {
    if (covers(model)) {
      page(model).hold(Bundle.newBuilder().setClosedRound(model.round() - 1));
    }
  }

  private static Bundle.Outcome outcome(BundleOutcome bundleOutcome) {
    return switch (bundleOutcome) {
      case OPEN, STEPPED -> Bundle.Outcome.TAKEN;
      case DROPPED_STALE -> Bundle.Outcome.DROPPED_STALE;
      case DROPPED_UNPUBLISHED -> Bundle.Outcome.DROPPED_UNPUBLISHED;
    };
  }

  /**
   * Notes a publication of the model, and emits all that is held of it.
   *
   * @param updated whether there was an update
   * @param mightOpenRound whether it might open a new round
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

  /** Notes that a model has just been retired, and emits all that is held of it. */
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

  /** What is held of one model. */
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

    /** An update that follows no bundle has an entry of its own. */
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

  /** The usual beginning: the update of round 0 is published before anything is taken in. */
  private static boolean isImplied(Bundle.Builder bundle) {
    return bundle.getPublished()
        && bundle.hasNamedRound()
        && bundle.getNamedRound() == 0
        && bundle.getPositionsCount() == 0
        && !bundle.hasClosedRound();
  }
}
