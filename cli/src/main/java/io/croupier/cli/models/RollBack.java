package io.croupier.cli.models;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.io.Table;
import io.croupier.client.SkippedRecords;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.KeptAverage;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The averages that a model keeps, according to its newest update, and the change to one. */
final class RollBack {
  private final ModelSpec spec;
  private final SkippedRecords skipped = new SkippedRecords();
  private ModelUpdateView newest = ModelUpdateView.getDefaultInstance();

  private RollBack(ModelSpec spec) {
    this.spec = spec;
  }

  /**
   * Reads the updates topic.
   *
   * @param spec the current one of the model
   */
  static RollBack of(JobConfig config, ModelSpec spec) {
    RollBack rollBack = new RollBack(spec);
    try {
      CommittedRecords.forEach(config.kafka(), config.topics().updates(), rollBack::add);
    } catch (IOException e) {
      throw new InputException(e.getMessage(), e);
    }
    return rollBack;
  }

  private void add(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() == null
        || record.key() == null
        || !new String(record.key(), UTF_8).equals(spec.getModelId())) {
      return;
    }
    try {
      newest = ModelUpdateView.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      skipped.add(record.topic(), record.partition(), record.offset(), e.getMessage());
    }
  }

  /** The spec by which the model serves an earlier average. */
  ModelSpec to(long round) {
    List<Long> kept = newest.getKeptAveragesList().stream().map(KeptAverage::getRound).toList();
    if (!kept.contains(round)) {
      throw new InputException(
          "Model '%s' doesn't keep the average of round %d; it keeps %s"
              .formatted(
                  spec.getModelId(),
                  round,
                  kept.isEmpty() ? "none, see 'history' of its spec" : "those of " + kept));
    }
    return spec.toBuilder().setServedRound(round).build();
  }

  /** Whether a kept average is the next one to be dropped, in words; empty if it isn't. */
  Optional<String> warning(long round) {
    boolean isNext =
        newest.getKeptAveragesList().stream()
                .map(KeptAverage::getRound)
                .filter(kept -> !isServed(kept))
                .findFirst()
                .equals(Optional.of(round))
            && newest.getKeptAveragesCount() >= spec.getHistory().getAverages();
    return isNext
        ? Optional.of(
            "Warning: the model drops the average of round %d next. If it does so before it reads the change, the change is a dead letter, and readers get the newest average"
                .formatted(round))
        : Optional.empty();
  }

  private boolean isServed(long round) {
    return newest.hasAverageRound() && newest.getAverageRound() == round;
  }

  /** The averages to choose from, the oldest first. */
  String text() {
    Table table = new Table("published", "round", "served").words("served");
    for (KeptAverage average : newest.getKeptAveragesList()) {
      table.row(
          Instant.ofEpochMilli(average.getPublishedAtMs()).toString(),
          Long.toString(average.getRound()),
          isServed(average.getRound()) ? "now" : "");
    }
    return table.text();
  }
}
