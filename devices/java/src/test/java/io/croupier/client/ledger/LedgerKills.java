package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.GradientReport;
import java.io.BufferedReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Kills a reporting process by SIGKILL, and compares what it sent with its ledger. */
abstract class LedgerKills {
  static final int NEVER = -1;

  private final long seed = Long.getLong("seed", System.nanoTime());
  final Random random = new Random(seed);
  final String as = "seed " + seed;

  @TempDir Path root;
  Path folder;

  /** Number of kills, by the operation that was begun last, or not begun. */
  final Map<String, Integer> killed = new TreeMap<>();

  /** The reports that left the device, by number. */
  final NavigableMap<Long, byte[]> sent = new TreeMap<>();

  /** The number of answers to a question that left a device. */
  int answers;

  private long sendings;
  private int drawnTwice;
  Spent spent = Spent.NOTHING;

  /** The spending before the reports of equal cost. */
  Spent opening = Spent.NOTHING;

  @BeforeEach
  void makeFolder() throws IOException {
    folder = Files.createDirectory(root.resolve("device"));
  }

  /** Kills the process at the operation; false if it ended before that. */
  boolean killBefore(int operation, long reports) throws Exception {
    Process process = start(reports, operation);
    List<String> lines = new ArrayList<>();
    String stopped = null;
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      String line = output.readLine();
      while (line != null && stopped == null) {
        lines.add(line);
        if (line.startsWith(KilledReporter.STOPPED)) {
          stopped = line.substring(KilledReporter.STOPPED.length());
        } else {
          line = output.readLine();
        }
      }
      if (stopped != null) {
        process.destroyForcibly();
      }
    }
    int status = process.waitFor();
    if (stopped == null) {
      assertThat(status).as(String.join("\n", lines)).isZero();
    } else {
      assertThat(status).as("killed by a signal").isGreaterThan(128);
      killed.merge(stopped, 1, Integer::sum);
    }
    look();
    return stopped != null;
  }

  Process start(long reports, int stopBefore) throws IOException {
    return ChildJvm.start(
        KilledReporter.class,
        folder.toString(),
        Long.toString(reports),
        Integer.toString(stopBefore),
        Long.toString(random.nextLong()));
  }

  /** Reopens the ledger and sends the pending reports: afterwards no charged report is missing. */
  boolean restart() throws IOException {
    KilledReporter.report(folder, 0, Disk.REAL);
    look();
    assertThat(sent).as(as).hasSize((int) spent.reports());
    return true;
  }

  void clear() throws IOException {
    spent = Spent.NOTHING;
    sent.clear();
    deleteAll(folder);
  }

  private static void deleteAll(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      for (Path path : files.toList()) {
        Files.delete(path);
      }
    }
  }

  static void copy(Path from, Path to) throws IOException {
    deleteAll(to);
    try (var files = Files.list(from)) {
      for (Path path : files.toList()) {
        Files.copy(path, to.resolve(path.getFileName()));
      }
    }
  }

  /** Compares the sent reports with a copy of the ledger. */
  void look() throws IOException {
    Path broker = folder.resolve(KilledReporter.BROKER);
    List<byte[]> received = Files.exists(broker) ? FileBroker.received(broker) : List.of();
    sendings = received.size();
    for (byte[] bytes : received) {
      long sequence =
          isOfOlderVersion(bytes) ? bytes[0] : GradientReport.parseFrom(bytes).getSequence();
      byte[] before = sent.putIfAbsent(sequence, bytes);
      answers += before == null && isAnswer(bytes) ? 1 : 0;
      drawnTwice += before == null || Arrays.equals(before, bytes) ? 0 : 1;
    }
    assertThat(drawnTwice).as(as).isZero();
    if (!sent.isEmpty()) {
      assertThat(sent.lastKey()).as(as).isEqualTo(sent.size() - 1L);
    }
    Path file = folder.resolve(KilledReporter.LEDGER);
    if (Files.notExists(file)) {
      assertThat(sent).as(as).isEmpty();
      return;
    }
    Path copy = Files.copy(file, root.resolve("copy"), StandardCopyOption.REPLACE_EXISTING);
    try (LocalLedger ledger = LocalLedger.open(copy, KilledReporter.USER, Limit.NONE)) {
      assertLedger(ledger);
    }
  }

  private static boolean isAnswer(byte[] bytes) throws IOException {
    return !isOfOlderVersion(bytes) && GradientReport.parseFrom(bytes).hasAnswer();
  }

  /** The file of version 1 contains, instead of reports, their numbers and a 7. */
  private static boolean isOfOlderVersion(byte[] bytes) {
    return bytes.length == 2;
  }

  private void assertLedger(LocalLedger ledger) throws IOException {
    long undisclosed = opening.undisclosed();
    for (byte[] bytes : sent.values()) {
      if (!isOfOlderVersion(bytes)) {
        GradientReport report = GradientReport.parseFrom(bytes);
        assertThat(report.getDeviceId()).as(as).isEqualTo(ledger.deviceId());
        undisclosed += report.hasUndisclosed() ? 1 : 0;
      }
    }
    Spent before = spent;
    spent = ledger.spent();
    assertThat(spent.reports()).as(as).isGreaterThanOrEqualTo(sent.size());
    assertThat(spent.reports()).as(as).isGreaterThanOrEqualTo(before.reports());
    assertThat(spent.undisclosed()).as(as).isGreaterThanOrEqualTo(undisclosed);
    assertThat(spent.epsilon())
        .as(as)
        .isEqualByComparingTo(
            BigDecimal.valueOf(KilledReporter.EPSILON)
                .multiply(BigDecimal.valueOf(spent.reports() - opening.reports()))
                .add(opening.epsilon()));
    for (StoredReport report : ledger.pending()) {
      byte[] arrived = sent.get(report.sequence());
      assertThat(report.bytes()).as(as).isEqualTo(arrived == null ? report.bytes() : arrived);
    }
    // Every charged report has arrived, or is pending.
    for (long missing = sent.size(); missing < spent.reports(); missing++) {
      assertThat(ledger.pending()).extracting(StoredReport::sequence).as(as).contains(missing);
    }
  }

  void print(String how, long arrivedBefore) {
    int kills = killed.values().stream().mapToInt(Integer::intValue).sum();
    System.out.printf("%nKilled %s, seed %d%n", how, seed);
    killed.forEach((place, times) -> System.out.printf("  %-20s %6d%n", place, times));
    System.out.printf(
        "  %d kills; of the last ledger %d reports charged, %d arrived before the last resend,"
            + " %d resent, %d lost, %d drawn twice%n",
        kills,
        spent.reports(),
        arrivedBefore,
        sendings - sent.size(),
        spent.reports() - sent.size(),
        drawnTwice);
  }
}
