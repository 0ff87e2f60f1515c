package io.croupier.cli.report;

import com.google.protobuf.util.JsonFormat;
import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** How a report is printed. */
enum Format {
  /** Protobuf's JSON mapping, one a line. */
  JSON {
    @Override
    void write(GradientReport report, OutputStream out) throws IOException {
      String line = JsonFormat.printer().omittingInsignificantWhitespace().print(report);
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
  },

  /** Protobuf, each behind its length. */
  PROTOBUF {
    @Override
    void write(GradientReport report, OutputStream out) throws IOException {
      report.writeDelimitedTo(out);
    }
  },

  /** The value of a Kafka record: one report, and nothing else. */
  RECORD {
    @Override
    void write(GradientReport report, OutputStream out) throws IOException {
      report.writeTo(out);
    }
  };

  abstract void write(GradientReport report, OutputStream out) throws IOException;

  /** As on the command line: json. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
