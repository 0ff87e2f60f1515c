package io.croupier.deploy;

import io.croupier.cli.AnonymousLoad;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills gateway, broker and TaskManagers with SIGKILL in turn, while people ask for tokens and
 * report without identity: then each signed token has exactly one charge, each nonce enters the
 * model once, and the guarantee of each closed window counts exactly its reports.
 *
 * <p>{@code -Dkills=N} sets the number of kills (4), {@code -Dseed=...} their order.
 */
@Tag("thorough")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class AnonymousKillE2ECase {
  /** Publications of a window, a few seconds long. */
  private static final int PUBLICATIONS = 8;

  private static final String GATEWAY = "gateway";
  private static final List<String> SERVERS =
      List.of(GATEWAY, "broker", "taskmanager-1", "taskmanager-2");

  /** Contains the servers' logs, which are kept after a failed run. */
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path temporary;

  private final int kills = Integer.getInteger("kills", SERVERS.size());
  private final long seed = Long.getLong("seed", System.nanoTime());

  @Test
  void eachTokenIsChargedOnceAndEachWindowCountsItsReports() throws Exception {
    System.out.printf("%d kills, seed %d, in %s%n", kills, seed, temporary);
    Random random = new Random(seed);
    try (Cluster cluster = Cluster.in(temporary.resolve("cluster"))) {
      cluster.shell("deploy/cluster start 2");
      Map<String, String> kafka = Map.of("bootstrap.servers", cluster.bootstrapServers());
      try (AnonymousLoad load =
          new AnonymousLoad(temporary.resolve(GATEWAY), kafka, PUBLICATIONS)) {
        cluster.shell(
            "deploy/cluster submit -p 2 -- --parallelism 2 --checkpoint.interval '500 ms'"
                + " --anonymous.enabled true");
        load.start();
        List<String> next = new ArrayList<>();
        for (int kill = 0; kill < kills; kill++) {
          if (next.isEmpty()) {
            next.addAll(SERVERS);
            Collections.shuffle(next, random);
          }
          load.awaitAnswers();
          String server = next.remove(0);
          if (server.equals(GATEWAY)) {
            load.killGateway();
          } else {
            cluster.signal(server, "KILL");
          }
        }
        load.awaitClosedWindows(2);
        System.out.printf("%d kills, seed %d: %s%n", kills, seed, load.check());
      }
    }
  }
}
