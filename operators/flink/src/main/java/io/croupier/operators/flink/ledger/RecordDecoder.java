package io.croupier.operators.flink.ledger;

import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.report.AccountRequestDecoder;
import io.croupier.operators.report.DigestKey;
import io.croupier.operators.report.ErasureDecoder;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
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

  RecordDecoder(Topics topics, DeadLetters deadLetters, DigestKey key, MetricGroup group) {
    this.topics = topics;
    this.deadLetters = deadLetters;
    reports = new ReportDecoder(key);
    decoded = group.counter("reports-decoded");
    dead = group.counter("dead-letters");
  }

  /**
   * Returns what a record contains; the user's UTF-8 are the record's key, unless it is malformed.
   *
   * @param letters receives the dead letter of a malformed record
   */
  Received decode(RawRecord record, Consumer<OutboundRecord> letters) {
    boolean isRaw = record.topic.equals(topics.rawGradients());
    Received received = decode(record, isRaw);
    if (received instanceof Received.Malformed malformed) {
      dead.inc();
      letters.accept(
          deadLetters.of(
              record,
              isRaw ? Destination.RAW_DEAD_LETTERS : Destination.DEAD_LETTERS,
              malformed.reason(),
              malformed.withheld()));
    } else if (received instanceof Report) {
      decoded.inc();
    }
    return received;
  }

  private Received decode(RawRecord record, boolean isRaw) {
    Source source = new Source(record.topic, record.partition, record.offset, record.appendedAtMs);
    if (record.topic.equals(topics.erasures())) {
      return ErasureDecoder.decode(record.key, record.value, source);
    }
    return record.topic.equals(topics.accountRequests())
        ? AccountRequestDecoder.decode(record.key, record.value, source)
        : reports.decode(record.key, record.value, isRaw, source);
  }
}
