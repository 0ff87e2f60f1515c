package io.croupier.cli.replay;

import io.croupier.cli.InputException;
import io.croupier.cli.io.FileFormat;
import io.croupier.cli.io.RecordFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Gives other test packages access to the readers of a replay's files. */
public final class RecordReading {
  private RecordReading() {}

  /** Opens a file in JSON, or in Protobuf if it doesn't begin like JSON. */
  private static RecordFile open(String name, byte[] bytes) {
    try {
      return RecordFile.open(name, FileFormat.JSON, new ByteArrayInputStream(bytes));
    } catch (InputException e) {
      return RecordFile.open(name, FileFormat.PROTOBUF, new ByteArrayInputStream(bytes));
    }
  }

  /** Reads a journal; throws an {@link InputException} if an entry can't be read. */
  public static void journal(byte[] bytes) throws IOException {
    try (RecordFile file = open("journal", bytes)) {
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
    try (RecordFile file = open("reports", bytes)) {
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
