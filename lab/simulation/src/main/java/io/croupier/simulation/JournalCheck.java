package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.model.Bundle;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.simulation.SimulatedLog.Entry;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Replays the journal of a local model whose spec hasn't changed, and compares its last update. */
final class JournalCheck {
  private final ModelSpec spec;
  private final Function<String, GradientReport> arrived;
  private final ReportIntake intake;
  private final ReportDecoder decoder = new ReportDecoder();
  private final Set<String> positions = new HashSet<>();
  private LiveModel model;
  private Optional<ModelUpdate> last = Optional.empty();

  /**
   * Creates the check of one model.
   *
   * @param arrived the report at a position
   */
  JournalCheck(ModelSpec spec, Function<String, GradientReport> arrived) {
    this.spec = spec;
    this.arrived = arrived;
    intake = new ReportIntake(spec, 0);
  }

  /**
   * Replays what is visible of the journal.
   *
   * @param newest the newest visible update
   * @param admitted the admitted reports of the model
   */
  void check(Iterable<Entry> journal, ModelUpdate newest, long admitted)
      throws InvalidProtocolBufferException {
    for (Entry entry : journal) {
      JournalEntry read = JournalEntry.parseFrom(entry.value());
      if (read.getModelId().equals(spec.getModelId())) {
        for (JournalEntry.Bundle bundle : read.getBundlesList()) {
          apply(bundle);
        }
      }
    }
    begin(0, true);
    if (positions.size() != admitted) {
      throw finding("contains %d reports, of %d".formatted(positions.size(), admitted));
    }
    if (!comparable(last.orElseThrow()).equals(comparable(newest))) {
      throw finding("gives another model than the newest update");
    }
  }

  private WorldFinding finding(String what) {
    return new WorldFinding(6, "The journal of model " + spec.getModelId() + " " + what);
  }

  /** Without the time, which a replay takes from the reports. */
  private static ModelUpdate comparable(ModelUpdate update) {
    return update.toBuilder().clearPublishedAtMs().build();
  }

  private void apply(JournalEntry.Bundle bundle) throws InvalidProtocolBufferException {
    if (bundle.getPositionsCount() == 0 && bundle.hasNamedRound()) {
      model = null;
      begin(bundle.getNamedRound(), false);
    } else {
      begin(0, true);
    }
    if (bundle.getPositionsCount() > 0) {
      add(bundle);
    }
    if (bundle.getPublished()) {
      model.waitsFor(bundle.getWaitsFor());
      publish(!bundle.getRoundHeld());
    }
  }

  private void begin(long round, boolean isPublished) throws InvalidProtocolBufferException {
    if (model == null) {
      model = LiveModel.begin(spec, round);
      if (isPublished) {
        publish(true);
      }
    }
  }

  private void publish(boolean mayOpenRound) throws InvalidProtocolBufferException {
    var update = model.publish(mayOpenRound, 0);
    if (update.isPresent()) {
      last = Optional.of(ModelUpdate.parseFrom(update.get().toByteString()));
    }
  }

  private void add(JournalEntry.Bundle bundle) {
    Bundle sum = new Bundle(sum(bundle.getPositions(0)));
    for (Position position : bundle.getPositionsList().subList(1, bundle.getPositionsCount())) {
      sum.add(sum(position));
    }
    int count = bundle.getPositionsCount();
    switch (bundle.getOutcome()) {
      case DROPPED_STALE -> model.drop(BundleOutcome.DROPPED_STALE, count);
      case DROPPED_UNPUBLISHED -> model.drop(BundleOutcome.DROPPED_UNPUBLISHED, count);
      case DROPPED_BOUND -> model.drop(BundleOutcome.DROPPED_BOUND, count);
      default -> {
        BundleOutcome outcome = model.add(sum.seal());
        if (outcome != BundleOutcome.OPEN && outcome != BundleOutcome.TALLIED) {
          throw finding("contains reports as used that a replay drops");
        }
      }
    }
  }

  private RoundSum sum(Position at) {
    String topic = World.TOPICS.gradients();
    String position = Checks.position(topic, at.getPartition(), at.getOffset());
    GradientReport report = arrived.apply(position);
    if (report == null || !positions.add(position)) {
      throw finding("contains the report at " + position + " twice, or none is there");
    }
    return intake.withoutUser(
        (Report)
            decoder.decode(
                report.getUserId().getBytes(UTF_8),
                report.toByteArray(),
                false,
                new Source(topic, at.getPartition(), at.getOffset(), 0)));
  }
}
