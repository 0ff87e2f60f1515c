package io.croupier.cli.replay;

import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.schemas.Position;

/** The topic, partition and offset from which a report was recorded. */
record RecordPosition(String topic, int partition, long offset) {

  static RecordPosition of(Position position) {
    return new RecordPosition(position.getTopic(), position.getPartition(), position.getOffset());
  }

  static RecordPosition of(Report report) {
    Source source = report.source();
    return new RecordPosition(source.topic(), source.partition(), source.offset());
  }

  @Override
  public String toString() {
    return "%s-%d@%d".formatted(topic, partition, offset);
  }
}
