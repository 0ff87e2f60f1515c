package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.client.ledger.WatchedChannel.Operation;
import io.croupier.client.ledger.WatchedChannel.Watcher;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a killed process can't show: the disk forgets what was not forced, in part and in any order.
 */
class PowerLossTest {
  private static final int SEED = 1;
  private static final int CRASHES = 300;
  private static final Randomiser PURE = new L2LaplaceRandomiser(1, 2, -16, 0.5);

  /**
   * What the disk keeps or loses at once; far less than real ones do, so that entries fall apart.
   */
  private static final int SECTOR = 8;

  /** The lights go out before one operation on the ledger's file, whose number is drawn. */
  private static final class Disk implements Watcher {
    private final Random random;
    private int left;
    private byte[] forced;
    private byte[] written;

    Disk(byte[] content, int left, Random random) {
      forced = content;
      written = content;
      this.left = left;
      this.random = random;
    }

    @Override
    public void before(Operation operation) throws IOException {
      if (operation.target() == null) {
        return;
      }
      if (left-- == 0) {
        throw new IOException("the lights are out");
      }
      switch (operation.name()) {
        case "write" -> {
          ByteBuffer bytes = operation.bytes().duplicate();
          int from = (int) operation.position();
          int to = from + bytes.remaining();
          written = Arrays.copyOf(written, Math.max(written.length, to));
          bytes.get(written, from, to - from);
        }
        case "truncate" -> written = Arrays.copyOf(written, (int) operation.position());
        case "force" -> forced = written;
        default -> {}
      }
    }

    /** What was forced, and of the rest as it comes. */
    byte[] remains() {
      boolean grown = random.nextBoolean();
      byte[] remains = (grown ? written : forced).clone();
      for (int from = 0; from < remains.length; from += SECTOR) {
        byte[] source = random.nextBoolean() ? written : forced;
        for (int i = from; i < Math.min(from + SECTOR, remains.length); i++) {
          remains[i] = i < source.length ? source[i] : 0;
        }
      }
      return remains;
    }
  }

  @Test
  void whatWasSentIsChargedAndNeverDrawnAgain(@TempDir Path folder) throws IOException {
    Random random = new Random(SEED);
    Path file = folder.resolve("ledger");
    LocalLedger.open(file, "ada", Limit.NONE).close();
    NavigableMap<Long, byte[]> sent = new TreeMap<>();
    List<Long> acknowledged = new ArrayList<>();
    for (int crash = 0; crash < CRASHES; crash++) {
      Disk disk = new Disk(Files.readAllBytes(file), random.nextInt(30), random);
      try (LocalLedger ledger =
          LocalLedger.open(file, "ada", Limit.NONE, WatchedChannel.watchedBy(disk))) {
        work(ledger, sent, acknowledged, random);
      } catch (IOException | UncheckedIOException e) {
        assertThat(e).hasMessageContaining("the lights are out");
      }
      Files.write(file, disk.remains());
    }
    try (LocalLedger ledger = LocalLedger.open(file, "ada", Limit.NONE)) {
      assertThat(ledger.spent().reports()).isGreaterThanOrEqualTo(sent.size()).isGreaterThan(300);
    }
  }

  /** Sends what is pending, then new reports until the disk fails. */
  private static void work(
      LocalLedger ledger, NavigableMap<Long, byte[]> sent, List<Long> acknowledged, Random random) {
    String seed = "seed " + SEED;
    List<Long> expected = new ArrayList<>(sent.keySet());
    expected.removeAll(acknowledged);
    assertThat(ledger.pending()).extracting(StoredReport::sequence).as(seed).containsAll(expected);
    for (StoredReport report : ledger.pending()) {
      send(report, sent, seed);
    }
    assertThat(ledger.spent().reports()).as(seed).isEqualTo(sent.size());
    while (true) {
      byte[] bytes = new byte[1 + random.nextInt(60)];
      random.nextBytes(bytes);
      send(ledger.release(PURE, s -> bytes), sent, seed);
      assertThat(ledger.spent().reports()).as(seed).isEqualTo(sent.size());
      for (StoredReport report : ledger.pending()) {
        if (random.nextInt(3) == 0) {
          acknowledged.add(report.sequence());
          ledger.acknowledge(report.sequence());
        }
      }
    }
  }

  private static void send(StoredReport report, NavigableMap<Long, byte[]> sent, String seed) {
    byte[] before = sent.putIfAbsent(report.sequence(), report.bytes());
    if (before != null) {
      assertThat(report.bytes()).as(seed).isEqualTo(before);
    }
    assertThat(sent.lastKey()).as(seed).isEqualTo(sent.size() - 1L);
  }
}
