package io.croupier.cli.replay;

import com.google.protobuf.ByteString;

/** One record of a file of reports. */
sealed interface ReportRecord {

  /** The number of its line or message, from 1. */
  long number();

  /**
   * The bytes of a report that is not decoded yet.
   *
   * @param input the record as read
   * @param key the declared user
   * @param isRecorded whether topic, partition and offset come from the recording
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

    /** Contains the number, but no contents. */
    @Override
    public String toString() {
      return "report " + number;
    }
  }

  /**
   * A record that is not a report.
   *
   * @param input the record as read
   * @param reason contains no value of the record
   * @param isWithheld whether the input may be a raw gradient, and so must not be written
   */
  record Unreadable(long number, ByteString input, String reason, boolean isWithheld)
      implements ReportRecord {

    /** Contains number and reason, but no contents. */
    @Override
    public String toString() {
      return "record " + number + ": " + reason;
    }
  }
}
