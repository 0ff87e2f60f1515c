package io.croupier.cli.replay;

import io.croupier.operators.report.Report;
import io.croupier.schemas.Position;

/** Where a report was recorded. */
record Place(String topic, int partition, long offset) {

  static Place of(Position position) {
    return new Place(position.getTopic(), position.getPartition(), position.getOffset());
  }

  static Place of(Report report) {
    return new Place(report.topic, report.partition, report.offset);
  }

  @Override
  public String toString() {
    return "%s-%d@%d".formatted(topic, partition, offset);
  }
}
