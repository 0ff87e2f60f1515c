package io.croupier.cli.report;

import com.google.protobuf.util.JsonFormat;
import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Output formats of reports. */
enum Format {
  /** The Protobuf JSON mapping, one report per line. */
  JSON {
    @Override
    void write(GradientReport report, OutputStream out) throws IOException {
      String line = JsonFormat.printer().omittingInsignificantWhitespace().print(report);
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
  },

  /** Protobuf, each report preceded by its length. */
  PROTOBUF {
    @Override
    void write(GradientReport report, OutputStream out) throws IOException {
      report.writeDelimitedTo(out);
    }
  },

  /** The value of a Kafka record: the bytes of a single report. */
  RECORD {
    @Override
    void write(GradientReport report, OutputStream out) throws IOException {
      report.writeTo(out);
    }
  };

  abstract void write(GradientReport report, OutputStream out) throws IOException;

  /** The name on the command line: {@code json}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
