package io.croupier.cli.report;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.io.FileFormat;
import io.croupier.client.ReportMaker;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredReport;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Clock;

/**
 * Prints reports, beginning with those that an interrupted run left unprinted. A printed report is
 * released, and so it is charged like one that is sent.
 */
final class PrintedReportSink implements ReportSink {
  private final OutputStream out;
  private final FileFormat format;
  private final LocalLedger ledger;
  private final ReportMaker maker;
  private boolean isFull;

  /** Prints to {@code out}, which is not closed. */
  PrintedReportSink(OutputStream out, FileFormat format, LocalLedger ledger, Clock clock) {
    this.out = out;
    this.format = format;
    this.ledger = ledger;
    maker = new ReportMaker(ledger, clock);
    ledger.pending().forEach(this::print);
  }

  @Override
  public void report(EvaluatedGradient answer, Randomiser randomiser) {
    requireRoom();
    print(maker.respond(answer.terms(), answer, randomiser));
  }

  private void requireRoom() {
    if (isFull && format == FileFormat.RECORD) {
      throw new InputException(
          "--format record prints a single report; use json or protobuf for more");
    }
  }

  private void print(StoredReport report) {
    requireRoom();
    try {
      format.write(parse(report.bytes()), out);
      out.flush();
    } catch (IOException e) {
      throw new InputException("A report was charged, but can't be printed: " + e.getMessage(), e);
    }
    isFull = true;
    ledger.acknowledge(report.sequence());
  }

  private static GradientReport parse(byte[] report) {
    try {
      return GradientReport.parseFrom(report);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the ledger contains bytes that are not a report", e);
    }
  }

  @Override
  public void settle() {
    // A printed report needs no acknowledgement.
  }

  @Override
  public String done(long reports, int pending) {
    return reports + " printed";
  }

  @Override
  public void close() {
    // Standard output stays open.
  }
}
