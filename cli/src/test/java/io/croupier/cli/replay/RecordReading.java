package io.croupier.cli.replay;

import io.croupier.cli.InputException;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Gives other test packages access to the readers of a replay's files. */
public final class RecordReading {
  private RecordReading() {}

  /** Reads a journal; throws an {@link InputException} if an entry can't be read. */
  public static void journal(byte[] bytes) throws IOException {
    try (RecordFile file = RecordFile.open("journal", new ByteArrayInputStream(bytes))) {
      JournalFile journal = new JournalFile(file);
      boolean more = true;
      while (more) {
        more = journal.next() != null;
      }
    }
  }

  /** Reads a recording; returns the reason for the last unreadable record. */
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
