package io.croupier.cli.replay;

import io.croupier.cli.InputException;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Reads the files of a replay to their end. */
public final class RecordReading {
  private RecordReading() {}

  /** The entries of a journal; throws an {@link InputException} of one that can't be read. */
  public static void journal(byte[] bytes) throws IOException {
    try (RecordFile file = RecordFile.open("journal", new ByteArrayInputStream(bytes))) {
      JournalFile journal = new JournalFile(file);
      boolean more = true;
      while (more) {
        more = journal.next() != null;
      }
    }
  }

  /** The reports of a recording; returns why the last one that can't be read can't. */
  public static String reports(byte[] bytes) throws IOException {
    String reason = "";
    try (RecordFile file = RecordFile.open("reports", new ByteArrayInputStream(bytes))) {
      ReportFile reports = new ReportFile(file);
      for (ReportRecord entry = reports.next(); entry != null; entry = reports.next()) {
        if (entry instanceof ReportRecord.Unreadable unreadable) {
          reason = unreadable.reason();
        }
      }
    }
    return reason;
  }
}
