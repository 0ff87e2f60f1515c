package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of docs/tutorial.md. */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TutorialE2ECase {
  @TempDir private Path directory;

  @Test
  void everyCommandWorks() throws Exception {
    try (Page page = new Page("docs/tutorial.md", directory);
        Cluster cluster = Cluster.in(directory.resolve("cluster"))) {
      assertThat(page.blocks()).hasSize(7);
      page.run(cluster, 0);
      assertThat(page.run(cluster, 1)).contains("created    steps");
      assertThat(page.run(cluster, 2)).contains("Running: ");
      assertThat(page.run(cluster, 3))
          .contains("In the ledger: 3 reports, epsilon 3 of 20.0.")
          .doesNotContain("refused");
      try (UpdateMonitor monitor = new UpdateMonitor(cluster.bootstrapServers())) {
        monitor.when("steps", 1).get(2, TimeUnit.MINUTES);
      }
      assertThat(page.run(cluster, 4))
          .contains("\"modelId\":\"steps\"")
          .containsPattern("ada .*3")
          .containsPattern("bo .*3");
      String serve = page.blocks().get(5).replace("8080", Integer.toString(freePort()));
      assertThat(page.run(cluster, serve)).contains("\"model\":\"steps\"").contains("average");
      page.run(cluster, 6);
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
