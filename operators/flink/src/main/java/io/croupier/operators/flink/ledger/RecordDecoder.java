package io.croupier.operators.flink.ledger;

import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.report.AccountRequestDecoder;
import io.croupier.operators.report.Decoded;
import io.croupier.operators.report.ErasureDecoder;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.schemas.Topics;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Decodes reports, erasures and requests for accounts, and counts the reports. A malformed record
 * becomes a dead letter.
 */
final class RecordDecoder {
  private final Topics topics;
  private final DeadLetters deadLetters;
  private final ReportDecoder reports;
  private final Counter decoded;
  private final Counter dead;

  RecordDecoder(Topics topics, DeadLetters deadLetters, MetricGroup group) {
    this.topics = topics;
    this.deadLetters = deadLetters;
    reports = new ReportDecoder(topics.rawGradients());
    decoded = group.counter("reports-decoded");
    dead = group.counter("dead-letters");
  }

  /**
   * Returns a report, an erasure or a request, whose user's UTF-8 are the record's key; null if the
   * record is none of them.
   *
   * @param letters receives the dead letter of a record that is none of them
   */
  Report decode(RawRecord record, Consumer<OutboundRecord> letters) {
    Decoded result = decode(record);
    if (result instanceof Decoded.Malformed malformed) {
      dead.inc();
      letters.accept(
          deadLetters.of(
              record,
              record.topic.equals(topics.rawGradients())
                  ? Destination.RAW_DEAD_LETTERS
                  : Destination.DEAD_LETTERS,
              malformed.reason(),
              malformed.withheld()));
      return null;
    }
    Report report = ((Decoded.WellFormed) result).report();
    if (!report.erasure && !report.accountRequest) {
      decoded.inc();
    }
    report.topic = record.topic;
    report.appendedAtMs = record.appendedAtMs;
    return report;
  }

  private Decoded decode(RawRecord record) {
    if (record.topic.equals(topics.erasures())) {
      return ErasureDecoder.decode(record.key, record.value, record.partition, record.offset);
    }
    if (record.topic.equals(topics.accountRequests())) {
      return AccountRequestDecoder.decode(
          record.key, record.value, record.partition, record.offset);
    }
    return reports.decode(record.key, record.value, record.topic, record.partition, record.offset);
  }
}
