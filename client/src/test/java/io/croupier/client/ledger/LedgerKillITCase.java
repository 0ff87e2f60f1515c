package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.schemas.GradientReport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that reports is killed, time and again: at random moments ({@code -Dkills=200} for more
 * than 20, {@code -Dseed=...} for those of another run), and between any two operations on files.
 */
class LedgerKillITCase {
  private static final long FOR_EVER = Long.MAX_VALUE;
  private static final int NEVER = -1;
  private static final int REPORTS = 4;
  private static final int LONGEST_RUN_MILLIS = 400;

  private final long seed = Long.getLong("seed", System.nanoTime());
  private final Random random = new Random(seed);

  @TempDir private Path folder;
  private Path copies;

  /** What left the device, by number. */
  private final NavigableMap<Long, byte[]> sent = new TreeMap<>();

  private long sendings;
  private Spent spent = Spent.NOTHING;

  @BeforeEach
  void makeFolders() throws IOException {
    copies = Files.createDirectory(folder.resolve("copies"));
  }

  @Test
  void killedAtRandom() throws Exception {
    int kills = Integer.getInteger("kills", 20);
    for (int i = 0; i < kills; i++) {
      Process process = start(FOR_EVER, NEVER);
      try (BufferedReader output = outputOf(process)) {
        assertThat(output.readLine()).isEqualTo("ready");
        boolean ended = process.waitFor(random.nextInt(LONGEST_RUN_MILLIS), TimeUnit.MILLISECONDS);
        assertThat(ended).as("ended by itself").isFalse();
      } finally {
        process.destroyForcibly().waitFor();
      }
      look();
    }
    print("SIGKILL at random", kills);
    drain();
  }

  @Test
  void killedBeforeEveryOperation() throws Exception {
    // A new ledger each, until it has sent a report.
    int operation = 0;
    while (sent.isEmpty()) {
      deleteAll();
      run(REPORTS, operation++);
    }
    int kills = operation;
    // From now on each finds what the last one left.
    for (operation = 0; run(REPORTS, operation); operation++) {
      kills++;
    }
    print("halted before each operation", kills);
    assertThat(kills).isGreaterThan(25);
    drain();
  }

  @Test
  void anotherProcessFindsItLocked() throws Exception {
    Path file = folder.resolve(KilledReporter.LEDGER);
    try (LocalLedger ledger = LocalLedger.open(file, KilledReporter.USER, Limit.NONE)) {
      assertThat(ledger.pending()).isEmpty();
      // A vain attempt from here must not loosen the lock.
      assertThatThrownBy(() -> LocalLedger.open(file, KilledReporter.USER, Limit.NONE));
      Process process = start(1, NEVER);
      try (BufferedReader output = outputOf(process)) {
        assertThat(output.lines()).anyMatch(line -> line.contains("the ledger is open already"));
      }
      assertThat(process.waitFor()).isEqualTo(1);
    }
  }

  /** Whether the process was halted; false if it ended before it came to the operation. */
  private boolean run(long reports, int haltBefore) throws Exception {
    Process process = start(reports, haltBefore);
    String output;
    try (BufferedReader lines = outputOf(process)) {
      output = String.join("\n", lines.lines().toList());
    }
    int status = process.waitFor();
    assertThat(status).as(output).isIn(0, KilledReporter.HALTED);
    look();
    return status != 0;
  }

  private Process start(long reports, int haltBefore) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            KilledReporter.class.getName(),
            folder.toString(),
            Long.toString(reports),
            Integer.toString(haltBefore),
            Long.toString(random.nextLong()))
        .redirectErrorStream(true)
        .start();
  }

  private static BufferedReader outputOf(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private void deleteAll() throws IOException {
    spent = Spent.NOTHING;
    try (var files = Files.list(folder)) {
      for (Path path : files.filter(Predicate.not(copies::equals)).toList()) {
        Files.delete(path);
      }
    }
  }

  /** Compares what left the device with the ledger, a copy of which is opened. */
  private void look() throws IOException {
    String as = "seed " + seed;
    Path broker = folder.resolve(KilledReporter.BROKER);
    List<byte[]> received = Files.exists(broker) ? FileBroker.received(broker) : List.of();
    sendings = received.size();
    for (byte[] bytes : received) {
      long sequence = GradientReport.parseFrom(bytes).getSequence();
      byte[] before = sent.putIfAbsent(sequence, bytes);
      assertThat(bytes).as(as).isEqualTo(before == null ? bytes : before);
    }
    if (!sent.isEmpty()) {
      assertThat(sent.lastKey()).as(as).isEqualTo(sent.size() - 1L);
    }
    Path file = folder.resolve(KilledReporter.LEDGER);
    if (Files.notExists(file)) {
      assertThat(sent).as(as).isEmpty();
      return;
    }
    Path copy = Files.copy(file, copies.resolve("copy"), StandardCopyOption.REPLACE_EXISTING);
    try (LocalLedger ledger = LocalLedger.open(copy, KilledReporter.USER, Limit.NONE)) {
      assertLedger(ledger, as);
    }
  }

  private void assertLedger(LocalLedger ledger, String as) throws IOException {
    long undisclosed = 0;
    for (byte[] bytes : sent.values()) {
      GradientReport report = GradientReport.parseFrom(bytes);
      assertThat(report.getDeviceId()).as(as).isEqualTo(ledger.deviceId());
      undisclosed += report.hasUndisclosed() ? 1 : 0;
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
                .multiply(BigDecimal.valueOf(spent.reports())));
    for (StoredReport report : ledger.pending()) {
      byte[] arrived = sent.get(report.sequence());
      assertThat(report.bytes()).as(as).isEqualTo(arrived == null ? report.bytes() : arrived);
    }
    // Whatever was charged arrived, or still will.
    for (long missing = sent.size(); missing < spent.reports(); missing++) {
      assertThat(ledger.pending()).extracting(StoredReport::sequence).as(as).contains(missing);
    }
  }

  /**
   * Lets a process send what is left: then nothing is lost, and nothing charged that never left.
   */
  private void drain() throws Exception {
    assertThat(run(0, NEVER)).isFalse();
    assertThat(sent).hasSize((int) spent.reports());
  }

  private void print(String how, int kills) {
    System.out.printf(
        "%-30s %6s %8s %8s %8s %10s  seed%n%-30s %6d %8d %8d %8d %10s  %d%n",
        "killed",
        "times",
        "charged",
        "arrived",
        "resent",
        "epsilon",
        how,
        kills,
        spent.reports(),
        sent.size(),
        sendings - sent.size(),
        spent.epsilon().stripTrailingZeros().toPlainString(),
        seed);
  }
}
