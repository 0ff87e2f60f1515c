package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.schemas.GradientReport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * This process repeatedly kills a reporting process by SIGKILL: at random times ({@code
 * -Dkills=200} for more than 20, {@code -Dseed=...} for the seed of another run), and between any
 * two file operations.
 */
class LedgerKillITCase {
  private static final long FOR_EVER = Long.MAX_VALUE;
  private static final int NEVER = -1;
  private static final int LONGEST_RUN_MILLIS = 400;

  private final long seed = Long.getLong("seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final String as = "seed " + seed;

  @TempDir private Path root;
  private Path folder;

  /** Number of kills, by the operation that was begun last, or not begun. */
  private final Map<String, Integer> killed = new TreeMap<>();

  /** The reports that left the device, by number. */
  private final NavigableMap<Long, byte[]> sent = new TreeMap<>();

  /** The number of answers to a question that left a device. */
  private int answers;

  private long sendings;
  private int drawnTwice;
  private Spent spent = Spent.NOTHING;

  /** The spending before the reports of equal cost. */
  private Spent opening = Spent.NOTHING;

  @BeforeEach
  void makeFolder() throws IOException {
    folder = Files.createDirectory(root.resolve("device"));
  }

  @Test
  void killedAtRandom() throws Exception {
    int kills = Integer.getInteger("kills", 20);
    for (int i = 0; i < kills; i++) {
      Process process = start(FOR_EVER, NEVER);
      try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
        String line = output.readLine();
        while (!KilledReporter.READY.equals(line)) {
          assertThat(line).as("never ready").isNotNull();
          line = output.readLine();
        }
        boolean ended = process.waitFor(random.nextInt(LONGEST_RUN_MILLIS), TimeUnit.MILLISECONDS);
        assertThat(ended).as("ended without a kill").isFalse();
      } finally {
        process.destroyForcibly().waitFor();
      }
      killed.merge(KilledReporter.place(folder), 1, Integer::sum);
      look();
    }
    long arrived = sent.size();
    restart();
    print("at random, in or after", arrived);
  }

  @Tag("thorough")
  @Test
  void killedBeforeEveryOperationOnANewLedger() throws Exception {
    int reports = 3;
    for (int operation = 0; killBefore(operation, reports); operation++) {
      restart();
      clear();
    }
    print("before", sent.size());
    assertThat(answers).as("answers of killed devices").isPositive();
    assertThat(killed)
        .containsKeys("open .lock", "lock .lock", "create .new", "move ledger", "force device")
        .containsKeys("open ledger", "write ledger", "force ledger", "close ledger", "close .lock");
  }

  /** Covers the recovery after a crash, and the rewriting of the file. */
  @Tag("thorough")
  @Test
  void killedBeforeEveryOperationOfARewriting() throws Exception {
    Path before = Files.createDirectory(root.resolve("before"));
    List<String> operations = new ArrayList<>();
    // The first move creates the file.
    while (operations.lastIndexOf("move ledger") <= operations.indexOf("move ledger")) {
      copy(folder, before);
      KilledReporter.report(
          folder, 1, new WatchedDisk(operation -> operations.add(operation.what())));
    }
    Files.write(before.resolve("ledger"), new byte[] {1, 0, 0}, StandardOpenOption.APPEND);
    Files.write(before.resolve("ledger.new"), new byte[] {'C', 'R', 'O', 'U'});
    int operation = 0;
    do {
      clear();
      copy(before, folder);
    } while (killBefore(operation++, 1) && restart());
    print("before", sent.size());
    assertThat(killed)
        .containsKeys("delete .new", "truncate ledger", "close ledger")
        .containsKeys("create .new", "write .new", "force .new", "close .new", "move ledger")
        .containsKeys("open device", "force device", "open ledger", "write ledger", "force ledger");
  }

  /** All its reports arrived once, but two acknowledgements were lost. */
  @Tag("thorough")
  @Test
  void killedBeforeEveryOperationOfAMigration() throws Exception {
    Path before = Files.createDirectory(root.resolve("before"));
    try (InputStream old = getClass().getResourceAsStream("/ledgers/v1.ledger")) {
      Files.copy(Objects.requireNonNull(old), before.resolve(KilledReporter.LEDGER));
    }
    Files.write(
        before.resolve(KilledReporter.LEDGER), new byte[] {1, 0, 0}, StandardOpenOption.APPEND);
    ByteBuffer arrived = ByteBuffer.allocate(5 * (Integer.BYTES + 2));
    for (byte i = 0; i < 5; i++) {
      arrived.putInt(2).put(i).put((byte) 7);
    }
    Files.write(before.resolve(KilledReporter.BROKER), arrived.array());
    opening = new Spent(5, 400_000_000, 90_000_000_000L, 1, 0);
    int operation = 0;
    do {
      clear();
      copy(before, folder);
    } while (killBefore(operation++, 1) && restart() && areSentAgain(1, 3));
    assertThat(spent.reports()).isEqualTo(6);
    print("before", sent.size());
    assertThat(killed)
        .containsKeys("close ledger", "create .new", "write .new", "force .new", "close .new")
        .containsKeys("move ledger", "open device", "force device", "open ledger", "write ledger");
  }

  private boolean areSentAgain(int... sequences) throws IOException {
    List<byte[]> received = FileBroker.received(folder.resolve(KilledReporter.BROKER));
    for (int sequence : sequences) {
      assertThat(received.subList(5, received.size()))
          .as("report %s again, %s", sequence, as)
          .anyMatch(bytes -> Arrays.equals(bytes, sent.get((long) sequence)));
    }
    return true;
  }

  @Test
  void anotherProcessFindsItLocked() throws Exception {
    Path file = folder.resolve(KilledReporter.LEDGER);
    try (LocalLedger ledger = LocalLedger.open(file, KilledReporter.USER, Limit.NONE)) {
      assertThat(ledger.pending()).isEmpty();
      // A failed attempt of this process must not release the lock.
      assertThatThrownBy(() -> LocalLedger.open(file, KilledReporter.USER, Limit.NONE));
      // A replacement of the file must not release it either.
      while (ledger.spent().reports() < 1000) {
        long sequence = release(ledger);
        ledger.acknowledge(sequence);
      }
      assertThat(Files.size(file)).isLessThan(LedgerFile.SLACK_BYTES * 3 / 2);
      Process process = start(1, NEVER);
      try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
        assertThat(output.lines()).anyMatch(line -> line.contains("the ledger is already open"));
      }
      assertThat(process.waitFor()).isEqualTo(1);
    }
  }

  private static long release(LocalLedger ledger) {
    return ledger.release(KilledReporter.NOISE, sequence -> new byte[100]).sequence();
  }

  /** Kills the process at the operation; false if it ended before that. */
  private boolean killBefore(int operation, long reports) throws Exception {
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

  private Process start(long reports, int stopBefore) throws IOException {
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
            Integer.toString(stopBefore),
            Long.toString(random.nextLong()))
        .redirectErrorStream(true)
        .start();
  }

  /** Reopens the ledger and sends the pending reports: afterwards no charged report is missing. */
  private boolean restart() throws IOException {
    KilledReporter.report(folder, 0, Disk.REAL);
    look();
    assertThat(sent).as(as).hasSize((int) spent.reports());
    return true;
  }

  private void clear() throws IOException {
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

  private static void copy(Path from, Path to) throws IOException {
    deleteAll(to);
    try (var files = Files.list(from)) {
      for (Path path : files.toList()) {
        Files.copy(path, to.resolve(path.getFileName()));
      }
    }
  }

  /** Compares the sent reports with a copy of the ledger. */
  private void look() throws IOException {
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

  private void print(String how, long arrivedBefore) {
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
