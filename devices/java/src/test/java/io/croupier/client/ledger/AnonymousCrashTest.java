package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.client.AnonymousReporter;
import io.croupier.client.SigningGateway;
import io.croupier.client.ledger.WatchedDisk.Operation;
import io.croupier.schemas.AnonymousReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A device that stops before each operation on its ledger's file, or in the middle of a write, and
 * starts again: each token is charged once and asked for with the same bytes, and each window has
 * one report, which is never drawn again.
 */
@Tag("thorough")
@Timeout(300)
class AnonymousCrashTest {
  private static final int WINDOWS = 2;
  private static final long ROUNDS = (long) WINDOWS * SigningGateway.PUBLICATIONS;
  private static final int SLACK_BYTES = 300;

  /** The device stops. No caller of the disk handles it. */
  private static final class Stopped extends Error {
    private static final long serialVersionUID = 1;
  }

  /** Stops before the operation with this number. */
  private static final class Stop implements WatchedDisk.Watcher {
    private final int at;
    private final Random random;
    private int operations;

    Stop(int at, Random random) {
      this.at = at;
      this.random = random;
    }

    @Override
    public synchronized void before(Operation operation) throws IOException {
      if (operations > at && !operation.name().equals("close")) {
        throw new Stopped();
      }
      if (operations++ == at && !operation.name().equals("close")) {
        if (operation.name().equals("write")) {
          operation.writePart(random);
        }
        throw new Stopped();
      }
    }
  }

  /** Takes part from a round on; returns the round at which it stopped, or {@link #ROUNDS}. */
  private static long takePart(Path file, SigningGateway gateway, long from, Disk disk)
      throws IOException, InterruptedException, TimeoutException {
    long round = from;
    try (LocalLedger ledger = LocalLedger.open(file, "ada", Limit.NONE, disk, SLACK_BYTES);
        AnonymousReporter reporter =
            new AnonymousReporter(
                ledger,
                SigningGateway.EPSILON,
                gateway.uri(),
                () -> "token",
                gateway.uri(),
                Duration.ofNanos(1))) {
      for (; round < ROUNDS; round++) {
        Optional<CompletableFuture<Void>> report =
            reporter.takePart(SigningGateway.model(round), FrequentData.KEY, () -> new double[2]);
        reporter.tokens().get(1, TimeUnit.MINUTES);
        if (report.isPresent()) {
          report.get().get(1, TimeUnit.MINUTES);
        }
      }
    } catch (Stopped | ExecutionException | UncheckedIOException e) {
      // It stopped on this thread, or on that which sends; then the ledger takes no more entries.
      return round;
    }
    return round;
  }

  @Test
  void nothingIsSpentOrDrawnTwice(@TempDir Path root) throws Exception {
    Random random = new Random(7);
    int stops = 0;
    for (int at = 0; ; at++) {
      Path folder = Files.createDirectory(root.toRealPath().resolve(Integer.toString(at)));
      Path file = folder.resolve("ledger");
      try (SigningGateway gateway = new SigningGateway()) {
        long reached = takePart(file, gateway, 0, new WatchedDisk(new Stop(at, random)));
        assertThat(takePart(file, gateway, Math.min(reached, ROUNDS - 1), Disk.REAL))
            .isEqualTo(ROUNDS);
        String when = "stopped before operation " + at;
        assertRequests(gateway, when);
        assertReports(gateway, when);
        try (LocalLedger ledger = LocalLedger.open(file, "ada", Limit.NONE)) {
          assertThat(ledger.spent().reports()).as(when).isEqualTo(WINDOWS + 1);
          assertThat(ledger.pending()).as(when).isEmpty();
        }
        if (reached == ROUNDS) {
          break;
        }
      }
      stops++;
    }
    assertThat(stops).isGreaterThan(40);
  }

  private static void assertRequests(SigningGateway gateway, String when) {
    Map<String, ByteString> requests = new HashMap<>();
    for (ByteString body : gateway.bodies("tokens")) {
      String sequence = body.toStringUtf8().replaceAll(".*\"sequence\":\"|\".*", "");
      assertThat(requests.putIfAbsent(sequence, body)).as(when).isIn(null, body);
    }
    assertThat(requests.keySet()).as(when).containsExactlyInAnyOrder("0", "1", "2");
  }

  private static void assertReports(SigningGateway gateway, String when) throws IOException {
    Map<ByteString, ByteString> reports = new HashMap<>();
    Set<Long> windows = new HashSet<>();
    for (ByteString body : gateway.bodies("anonymous-reports")) {
      AnonymousReport report = AnonymousReport.parseFrom(body);
      windows.add(report.getRound() / SigningGateway.PUBLICATIONS);
      assertThat(reports.putIfAbsent(report.getToken(), body)).as(when).isIn(null, body);
    }
    assertThat(windows).as(when).hasSize(WINDOWS);
    assertThat(reports).as(when).hasSize(WINDOWS);
  }
}
