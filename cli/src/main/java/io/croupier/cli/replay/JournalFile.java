package io.croupier.cli.replay;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.io.RecordFile;
import io.croupier.cli.io.RecordFile.Frame;
import io.croupier.gateway.json.InvalidJsonException;
import io.croupier.gateway.json.StrictJson;
import io.croupier.schemas.JournalEntry;

/** The entries of a recorded journal. */
final class JournalFile {
  private final RecordFile file;
  private long number;

  /** Reads from {@code file}, which the caller closes. */
  JournalFile(RecordFile file) {
    this.file = file;
  }

  /**
   * Returns the next entry; null at the end.
   *
   * @throws InputException if a record is not an entry, since then no later one can be trusted
   */
  JournalEntry next() {
    Frame frame = file.next();
    if (frame == null) {
      return null;
    }
    number = frame.number();
    try {
      if (frame.isCutShort()) {
        throw new InvalidProtocolBufferException("the record is truncated");
      }
      return file.isJson() ? line(frame.bytes()) : JournalEntry.parseFrom(frame.bytes());
    } catch (InvalidProtocolBufferException | InvalidJsonException e) {
      throw new InputException("%s: not a JournalEntry: %s".formatted(place(), e.getMessage()), e);
    }
  }

  private static JournalEntry line(ByteString bytes) throws InvalidJsonException {
    JournalEntry.Builder entry = JournalEntry.newBuilder();
    StrictJson.merge(StrictJson.text(bytes.asReadOnlyByteBuffer()), entry);
    return entry.build();
  }

  /** The place of the last entry, for messages. */
  String place() {
    return file.place(number);
  }
}
