package io.croupier.cli.replay;

import com.google.protobuf.ByteString;

/** What one record of a file of reports turned out to be. */
sealed interface ReportRecord {

  /** Its line, or which message it is, from 1. */
  long number();

  /**
   * The bytes of a report, not judged yet.
   *
   * @param input the record as it was read
   * @param key the user who it says sent it
   * @param isRecorded whether topic, partition and offset are those of the recording
   */
  record Candidate(
      long number,
      ByteString input,
      ByteString key,
      ByteString value,
      boolean isRecorded,
      String topic,
      int partition,
      long offset)
      implements ReportRecord {

    /** Says where it is, not what it holds. */
    @Override
    public String toString() {
      return "report " + number;
    }
  }

  /**
   * No report.
   *
   * @param input the record as it was read
   * @param reason why; never quotes a value
   * @param isWithheld whether the input may be a raw gradient, and so must not be shown
   */
  record Unreadable(long number, ByteString input, String reason, boolean isWithheld)
      implements ReportRecord {

    /** Says where it is and why, not what it holds. */
    @Override
    public String toString() {
      return "record " + number + ": " + reason;
    }
  }
}
