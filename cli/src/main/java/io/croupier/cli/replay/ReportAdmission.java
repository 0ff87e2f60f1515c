package io.croupier.cli.replay;

import io.croupier.cli.InputException;
import io.croupier.cli.io.RecordFile;
import io.croupier.cli.replay.ReportRecord.Candidate;
import io.croupier.cli.replay.ReportRecord.Unreadable;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;
import java.util.function.Consumer;

/**
 * Decodes and judges reports as the job does: each record gives an accounting event or a dead
 * letter.
 */
final class ReportAdmission {
  private final RecordFile file;
  private final ReportFile reports;
  private final boolean needsPositions;
  private final Accounts accounts;
  private final Consumer<AccountingEvent> accounting;
  private final Consumer<Unreadable> deadLetters;
  private final ReportDecoder decoder = new ReportDecoder();
  private final RecordCounts counts;

  /**
   * Judges the reports of one file.
   *
   * @param needsPositions whether a report without a recorded position ends the replay
   */
  ReportAdmission(
      RecordFile file,
      boolean needsPositions,
      Accounts accounts,
      RecordCounts counts,
      Consumer<AccountingEvent> accounting,
      Consumer<Unreadable> deadLetters) {
    this.file = file;
    this.reports = new ReportFile(file);
    this.needsPositions = needsPositions;
    this.accounts = accounts;
    this.counts = counts;
    this.accounting = accounting;
    this.deadLetters = deadLetters;
  }

  /** Returns the next well-formed report, judged; null at the end. */
  JudgedReport next() {
    for (ReportRecord entry = reports.next(); entry != null; entry = reports.next()) {
      if (entry instanceof Unreadable unreadable) {
        bury(unreadable);
      } else if (entry instanceof Candidate candidate) {
        Received received = decode(candidate);
        if (received instanceof Report report) {
          return judge(report);
        } else if (received instanceof Received.Malformed malformed) {
          bury(
              new Unreadable(
                  entry.number(),
                  candidate.input(),
                  malformed.reason(),
                  malformed.withheld() || ReportFile.mayBeRaw(candidate.value())));
        }
      }
    }
    return null;
  }

  /** Raw gradients, whose noise is not reproducible, are malformed. */
  private Received decode(Candidate report) {
    if (needsPositions && !report.isRecorded()) {
      throw new InputException(
          file.place(report.number())
              + ": the report has no topic, partition and offset; with --journal every report must"
              + " be a RecordedReport");
    }
    return decoder.decode(
        report.key().toByteArray(),
        report.value().toByteArray(),
        false,
        new Source(report.topic(), report.partition(), report.offset(), 0));
  }

  private JudgedReport judge(Report report) {
    AccountingEvent event = accounts.judge(report);
    counts.count(report.header().modelId(), event.getOutcome());
    accounting.accept(event);
    return new JudgedReport(report, event.getOutcome());
  }

  private void bury(Unreadable unreadable) {
    counts.countUnreadable(file.place(unreadable.number()) + ": " + unreadable.reason());
    deadLetters.accept(unreadable);
  }
}
