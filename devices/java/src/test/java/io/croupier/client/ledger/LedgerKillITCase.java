package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * This process repeatedly kills a reporting process by SIGKILL: at random times ({@code
 * -Dkills=200} for more than 20, {@code -Dseed=...} for the seed of another run), and between any
 * two file operations on a new ledger.
 */
class LedgerKillITCase extends LedgerKills {
  private static final long FOR_EVER = Long.MAX_VALUE;
  private static final int LONGEST_RUN_MILLIS = 400;

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

  @Tag("ci")
  @Test
  void anotherProcessFindsItLocked() throws Exception {
    Path file = folder.resolve(KilledReporter.LEDGER);
    try (LocalLedger ledger = LocalLedger.open(file, KilledReporter.USER, Limit.NONE)) {
      assertThat(ledger.pending()).isEmpty();
      // A failed attempt of this process must not release the lock.
      assertThatThrownBy(() -> LocalLedger.open(file, KilledReporter.USER, Limit.NONE));
      // A replacement of the file must not release it either.
      while (ledger.spent().reports() < 1000) {
        ledger.acknowledge(release(ledger));
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
    return FrequentData.release(ledger, KilledReporter.NOISE, 100);
  }
}
