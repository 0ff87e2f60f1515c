package io.croupier.operators.flink;

import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.report.Decoded;
import io.croupier.operators.report.ErasureDecoder;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** Decodes reports. A malformed record becomes a dead letter and never fails the job. */
public final class DecodeFunction extends ProcessFunction<RawRecord, Report> {
  private static final long serialVersionUID = 1;

  private final String rawTopic;
  private final String erasuresTopic;
  private final DeadLetters deadLetters;
  private transient ReportDecoder decoder;
  private transient Counter decoded;
  private transient Counter dead;

  /**
   * Creates a decoder for both gradient topics and the erasures topic.
   *
   * @param rawTopic the topic of reports without noise; their dead letters go to a topic of their
   *     own
   */
  public DecodeFunction(String rawTopic, String erasuresTopic, DeadLetters deadLetters) {
    this.rawTopic = rawTopic;
    this.erasuresTopic = erasuresTopic;
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
        record.topic.equals(erasuresTopic)
            ? ErasureDecoder.decode(record.key, record.value, record.partition, record.offset)
            : decoder.decode(
                record.key, record.value, record.topic, record.partition, record.offset);
    if (result instanceof Decoded.WellFormed wellFormed) {
      if (!wellFormed.report().erasure) {
        decoded.inc();
      }
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
