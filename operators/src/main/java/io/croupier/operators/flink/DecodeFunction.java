package io.croupier.operators.flink;

import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.report.Decoded;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** Reads reports. What is malformed in itself becomes a dead letter and never stops the job. */
public final class DecodeFunction extends ProcessFunction<RawRecord, Report> {
  private static final long serialVersionUID = 1;

  private final String rawTopic;
  private final DeadLetters deadLetters;
  private transient ReportDecoder decoder;
  private transient Counter decoded;
  private transient Counter dead;

  /**
   * A reader of both gradient topics.
   *
   * @param rawTopic the one whose reports are not noised, and whose dead letters go apart
   */
  public DecodeFunction(String rawTopic, DeadLetters deadLetters) {
    this.rawTopic = rawTopic;
    this.deadLetters = deadLetters;
  }

  @Override
  public void open(OpenContext context) {
    decoder = new ReportDecoder(rawTopic);
    decoded = getRuntimeContext().getMetricGroup().counter("reports-decoded");
    dead = getRuntimeContext().getMetricGroup().counter("dead-letters");
  }

  @Override
  public void processElement(RawRecord record, Context context, Collector<Report> out) {
    Decoded result =
        decoder.decode(record.key, record.value, record.topic, record.partition, record.offset);
    if (result instanceof Decoded.WellFormed wellFormed) {
      decoded.inc();
      wellFormed.report().appendedAtMs = record.appendedAtMs;
      out.collect(wellFormed.report());
    } else if (result instanceof Decoded.Malformed malformed) {
      dead.inc();
      Destination destination =
          record.topic.equals(rawTopic) ? Destination.RAW_DEAD_LETTERS : Destination.DEAD_LETTERS;
      context.output(
          SideOutputs.DEAD_LETTERS,
          deadLetters.of(record, destination, malformed.reason(), malformed.withheld()));
    }
  }
}
