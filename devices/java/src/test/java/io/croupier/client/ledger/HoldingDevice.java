package io.croupier.client.ledger;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A process that keeps a ledger open, and releases reports on request. */
final class HoldingDevice {
  static final String OPEN = "open";
  static final String RELEASED = "released";
  static final String FAILED = "failed: ";

  private HoldingDevice() {}

  /** Argument: the ledger. Each line on standard input is the number of reports to release. */
  public static void main(String[] args) throws IOException {
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (LocalLedger ledger =
        LocalLedger.open(
            Path.of(args[0]),
            KilledReporter.USER,
            Limit.NONE,
            Disk.REAL,
            KilledReporter.SLACK_BYTES)) {
      System.out.println(OPEN);
      String line = input.readLine();
      while (line != null) {
        System.out.println(release(ledger, Integer.parseInt(line)));
        line = input.readLine();
      }
    }
  }

  private static String release(LocalLedger ledger, int reports) {
    try {
      for (int i = 0; i < reports; i++) {
        ledger.acknowledge(FrequentData.release(ledger, KilledReporter.NOISE, 100));
      }
      return RELEASED;
    } catch (UncheckedIOException e) {
      return FAILED + e.getMessage();
    }
  }
}
