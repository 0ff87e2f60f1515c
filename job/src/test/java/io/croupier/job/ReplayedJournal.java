package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.model.Bundle;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A model that is trained again from its journal and the reports on their topic. */
final class ReplayedJournal {
  private final ModelSpec spec;
  private final Map<Position, RoundSum> reports = new HashMap<>();
  private final List<ModelUpdate> updates = new ArrayList<>();
  private LiveModel model;

  private ReplayedJournal(ModelSpec spec) {
    this.spec = spec;
  }

  /**
   * Fails unless the journal reproduces every visible update of the model, bit for bit except for
   * its timestamp. The model's name must not have been used before.
   *
   * @param admitted reports to the model
   */
  static void check(TestTopics testTopics, ModelSpec spec, int admitted) throws Exception {
    ReplayedJournal replay = new ReplayedJournal(ModelSpecs.current(spec));
    replay.read(testTopics, admitted);
    replay.begin();
    for (JournalEntry.Bundle bundle : testTopics.awaitJournal(spec.getModelId(), admitted)) {
      replay.apply(bundle);
    }
    assertThat(replay.updates)
        .as(spec.getModelId())
        .isEqualTo(
            testTopics.updates(spec.getModelId()).stream()
                .map(ReplayedJournal::withoutTime)
                .toList());
  }

  private void read(TestTopics testTopics, int atLeast) throws Exception {
    ReportDecoder decoder = new ReportDecoder();
    ReportIntake intake = new ReportIntake(spec, 0);
    for (ConsumerRecord<byte[], byte[]> record :
        testTopics.awaitRecords(testTopics.topics.gradients(), atLeast)) {
      Received decoded = decoder.decode(record.key(), record.value(), false, Source.unknown(0));
      if (decoded instanceof Report report && report.header().modelId().equals(spec.getModelId())) {
        reports.put(TestTopics.position(record), intake.withoutUser(report));
      }
    }
  }

  /** Round 0 is published before any report enters; the journal omits that publication. */
  private void begin() throws InvalidProtocolBufferException {
    model = LiveModel.begin(spec, 0);
    publish(true);
  }

  private void apply(JournalEntry.Bundle bundle) throws InvalidProtocolBufferException {
    if (bundle.getPositionsCount() > 0) {
      RoundSum sum = sum(bundle);
      switch (bundle.getOutcome()) {
        case TAKEN -> assertThat(model.add(sum)).isIn(BundleOutcome.OPEN, BundleOutcome.TALLIED);
        case DROPPED_STALE -> model.drop(BundleOutcome.DROPPED_STALE, sum.count);
        case DROPPED_UNPUBLISHED -> model.drop(BundleOutcome.DROPPED_UNPUBLISHED, sum.count);
        case DROPPED_BOUND -> model.drop(BundleOutcome.DROPPED_BOUND, sum.count);
        default -> throw new AssertionError("No outcome: " + bundle.getOutcome());
      }
    }
    if (bundle.getPublished()) {
      long round = model.publishedRound();
      model.waitsFor(bundle.getWaitsFor());
      publish(!bundle.getRoundHeld());
      assertThat(bundle.getRoundHeld())
          .as("round %d", round)
          .isEqualTo(model.publishedRound() == round);
    }
  }

  private RoundSum sum(JournalEntry.Bundle journalled) {
    List<RoundSum> parts = journalled.getPositionsList().stream().map(reports::remove).toList();
    if (parts.size() == 1) {
      return parts.get(0);
    }
    Bundle bundle = new Bundle(parts.get(0));
    parts.stream().skip(1).forEach(bundle::add);
    return bundle.seal();
  }

  private void publish(boolean mayOpenRound) throws InvalidProtocolBufferException {
    byte[] update = model.publish(mayOpenRound, 0).orElseThrow().toByteArray();
    updates.add(withoutTime(ModelUpdate.parseFrom(update)));
  }

  private static ModelUpdate withoutTime(ModelUpdate update) {
    return update.toBuilder().clearPublishedAtMs().build();
  }
}
