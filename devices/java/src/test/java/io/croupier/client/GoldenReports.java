package io.croupier.client;

import io.croupier.client.ledger.StoredReport;
import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;

/** Reports in the files with which clients in other languages compare theirs. */
final class GoldenReports {
  private GoldenReports() {}

  /** A report without the person's name, of a device with a fixed id. */
  static String hex(StoredReport stored) throws IOException {
    GradientReport.Builder report = GradientReport.parseFrom(stored.bytes()).toBuilder();
    report.clearUserId().setDeviceId("abcdefghijklmnopqrstuv");
    return HexFormat.of().formatHex(report.build().toByteArray());
  }

  /** An array of JSON with one element a line. */
  static String lines(List<String> elements) {
    return "[\n" + String.join(",\n", elements) + "\n]\n";
  }
}
