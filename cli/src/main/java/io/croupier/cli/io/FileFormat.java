package io.croupier.cli.io;

import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Formats of records in files and pipes. */
public enum FileFormat {
  /** The Protobuf JSON mapping, one message per line. */
  JSON {
    @Override
    public void write(Message message, OutputStream out) throws IOException {
      String line = JsonFormat.printer().omittingInsignificantWhitespace().print(message);
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
  },

  /** Protobuf, each message preceded by its length as a varint. */
  PROTOBUF {
    @Override
    public void write(Message message, OutputStream out) throws IOException {
      message.writeDelimitedTo(out);
    }
  },

  /** The value of a Kafka record: the bytes of a single report. */
  RECORD {
    @Override
    public void write(Message message, OutputStream out) throws IOException {
      message.writeTo(out);
    }
  };

  /** Writes one message. */
  public abstract void write(Message message, OutputStream out) throws IOException;

  /** The name on the command line: {@code json}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
