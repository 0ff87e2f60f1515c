package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.client.ledger.StoredToken.Stage;
import io.croupier.client.ledger.WatchedDisk.Operation;
import io.croupier.client.ledger.WatchedDisk.Watcher;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Power failures, which a killed process can't simulate: the disk loses unforced writes, in part
 * and in any order.
 */
class PowerLossTest {
  private static final int SEED = 1;
  private static final int CRASHES = 300;
  private static final int SLACK_BYTES = 300;
  private static final Randomiser PURE = new L2LaplaceRandomiser(1, 2, -16, 0.5);

  /**
   * Bytes that the disk keeps or loses together; far fewer than on real disks, so that entries are
   * torn.
   */
  private static final int SECTOR = 8;

  /** A file's content, independent of its name. */
  private static final class Content {
    private byte[] forced = {};
    private byte[] written = {};

    /** The forced content, and a random part of the rest. */
    byte[] remains(Random random) {
      byte[] remains = (random.nextBoolean() ? written : forced).clone();
      for (int from = 0; from < remains.length; from += SECTOR) {
        byte[] source = random.nextBoolean() ? written : forced;
        for (int i = from; i < Math.min(from + SECTOR, remains.length); i++) {
          remains[i] = i < source.length ? source[i] : 0;
        }
      }
      return remains;
    }
  }

  /** The power fails before one randomly chosen operation. */
  private static final class PowerLossFileSystem implements Watcher {
    private final Random random;
    private int left;
    private boolean moved;

    /** The folder's names, as last forced, and after every change since then. */
    private final Deque<Map<Path, Content>> names = new ArrayDeque<>();

    PowerLossFileSystem(Path file, int left, Random random) throws IOException {
      Content content = new Content();
      content.forced = Files.readAllBytes(file);
      content.written = content.forced;
      names.add(Map.of(file, content));
      this.left = left;
      this.random = random;
    }

    @Override
    public void before(Operation operation) throws IOException {
      if (operation.name().equals("close") || operation.path().toString().endsWith(".lock")) {
        return;
      }
      if (left-- <= 0) {
        throw new IOException("the power has failed");
      }
      Map<Path, Content> now = new HashMap<>(names.getLast());
      Content content = now.get(operation.path());
      switch (operation.name()) {
        case "write" -> {
          ByteBuffer bytes = operation.bytes().duplicate();
          int from = (int) operation.position();
          int to = from + bytes.remaining();
          content.written = Arrays.copyOf(content.written, Math.max(content.written.length, to));
          bytes.get(content.written, from, to - from);
        }
        case "truncate" ->
            content.written = Arrays.copyOf(content.written, (int) operation.position());
        case "force" -> {
          if (content == null) {
            names.removeIf(before -> before != names.getLast());
          } else {
            content.forced = content.written;
          }
        }
        case "create" -> {
          now.put(operation.path(), new Content());
          names.add(now);
        }
        case "move" -> {
          now.put(operation.path(), now.remove(draft(operation.path())));
          names.add(now);
          moved = true;
        }
        case "delete" -> {
          now.remove(operation.path());
          names.add(now);
        }
        default -> {}
      }
    }

    private static Path draft(Path file) {
      return file.resolveSibling(file.getFileName() + ".new");
    }

    /** Writes the disk's remaining content to the folder. */
    void crash(Path file) throws IOException {
      int forgotten = random.nextInt(names.size());
      for (int i = 0; i < forgotten; i++) {
        names.removeLast();
      }
      Files.deleteIfExists(draft(file));
      for (Map.Entry<Path, Content> kept : names.getLast().entrySet()) {
        Files.write(kept.getKey(), kept.getValue().remains(random));
      }
    }
  }

  @Tag("ci")
  @Test
  void whatWasSentIsChargedAndNeverDrawnAgain(@TempDir Path folder) throws IOException {
    Random random = new Random(SEED);
    Path file = folder.toRealPath().resolve("ledger");
    LocalLedger.open(file, "ada", Limit.NONE).close();
    NavigableMap<Long, byte[]> sent = new TreeMap<>();
    List<Long> acknowledged = new ArrayList<>();
    Map<Long, StoredToken> tokens = new HashMap<>();
    int writtenAnew = 0;
    for (int crash = 0; crash < CRASHES; crash++) {
      PowerLossFileSystem fileSystem = new PowerLossFileSystem(file, random.nextInt(60), random);
      try (LocalLedger ledger =
          LocalLedger.open(file, "ada", Limit.NONE, new WatchedDisk(fileSystem), SLACK_BYTES)) {
        work(ledger, sent, acknowledged, tokens, random);
      } catch (IOException | UncheckedIOException e) {
        assertThat(e).hasMessageContaining("the power has failed");
      }
      fileSystem.crash(file);
      writtenAnew += fileSystem.moved ? 1 : 0;
    }
    assertThat(writtenAnew).isGreaterThan(CRASHES / 4);
    try (LocalLedger ledger = LocalLedger.open(file, "ada", Limit.NONE)) {
      assertThat(ledger.spent().reports()).isGreaterThanOrEqualTo(sent.size()).isGreaterThan(300);
    }
  }

  /** Sends the pending reports, then new ones until the disk fails. */
  private static void work(
      LocalLedger ledger,
      NavigableMap<Long, byte[]> sent,
      List<Long> acknowledged,
      Map<Long, StoredToken> tokens,
      Random random) {
    String seed = "seed " + SEED;
    List<Long> expected = new ArrayList<>(sent.keySet());
    expected.removeAll(acknowledged);
    expected.removeAll(tokens.keySet());
    requireStages(ledger, tokens, seed);
    for (StoredToken token : ledger.tokens()) {
      if (token.stage() == Stage.ASKED) {
        send(new StoredReport(token.sequence(), token.bytes()), sent, seed);
      }
      tokens.put(token.sequence(), token);
    }
    assertThat(ledger.pending()).extracting(StoredReport::sequence).as(seed).containsAll(expected);
    for (StoredReport report : ledger.pending()) {
      send(report, sent, seed);
    }
    assertThat(ledger.spent().reports()).as(seed).isEqualTo(sent.size());
    long drawn =
        tokens.values().stream().filter(token -> token.stage().compareTo(Stage.DRAWN) >= 0).count();
    assertThat(ledger.reported("m", FrequentData.KEY))
        .as(seed)
        .isEqualTo(sent.size() - tokens.size() + drawn);
    while (true) {
      byte[] bytes = new byte[1 + random.nextInt(60)];
      random.nextBytes(bytes);
      if (random.nextInt(3) == 0) {
        StoredToken asked = ledger.chargeToken("m", FrequentData.KEY, PURE.cost(), s -> bytes);
        tokens.put(asked.sequence(), asked);
        send(new StoredReport(asked.sequence(), bytes), sent, seed);
      } else {
        send(ledger.release("m", FrequentData.KEY, PURE.cost(), s -> bytes), sent, seed);
      }
      advance(ledger, tokens, random);
      assertThat(ledger.spent().reports()).as(seed).isEqualTo(sent.size());
      for (StoredReport report : ledger.pending()) {
        if (random.nextInt(3) == 0) {
          acknowledged.add(report.sequence());
          ledger.acknowledge(report.sequence());
        }
      }
    }
  }

  /** A stage that was returned stays, and its bytes are the same. */
  private static void requireStages(
      LocalLedger ledger, Map<Long, StoredToken> tokens, String seed) {
    Map<Long, StoredToken> kept = new HashMap<>();
    ledger.tokens().forEach(token -> kept.put(token.sequence(), token));
    for (StoredToken before : tokens.values()) {
      StoredToken now = kept.get(before.sequence());
      if (before.stage() != Stage.ENDED) {
        assertThat(now).as(seed).isNotNull();
        assertThat(now.stage()).as(seed).isGreaterThanOrEqualTo(before.stage());
        if (now.stage() == before.stage()) {
          assertThat(now.bytes()).as(seed).isEqualTo(before.bytes());
        }
      }
    }
  }

  private static void advance(LocalLedger ledger, Map<Long, StoredToken> tokens, Random random) {
    for (StoredToken token : ledger.tokens()) {
      if (token.stage() == Stage.ENDED) {
        ledger.forget(token);
      } else if (random.nextInt(3) == 0) {
        byte[] bytes = new byte[random.nextInt(60)];
        random.nextBytes(bytes);
        Stage next =
            switch (token.stage()) {
              case ASKED -> Stage.HELD;
              case HELD -> Stage.DRAWN;
              case DRAWN, ENDED -> Stage.ENDED;
            };
        tokens.put(
            token.sequence(),
            next == Stage.DRAWN
                ? ledger.draw(token, "m", FrequentData.KEY, () -> bytes)
                : ledger.advance(token, next, bytes));
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
