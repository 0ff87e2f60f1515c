package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The reporting process is killed between any two file operations of a rewriting of its ledger,
 * while another JVM kills those of {@link LedgerKillITCase}.
 */
@Tag("thorough")
class LedgerRewriteKillITCase extends LedgerKills {
  /** Covers the recovery after a crash, and the rewriting of the file. */
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
  @Test
  void killedBeforeEveryOperationOfAMigration() throws Exception {
    Path before = Files.createDirectory(root.resolve("before"));
    LedgerFixture.copyOfVersion(1, before.resolve(KilledReporter.LEDGER));
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
}
