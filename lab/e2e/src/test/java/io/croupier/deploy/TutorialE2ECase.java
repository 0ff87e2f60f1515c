package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of docs/start/tutorial.md. */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TutorialE2ECase {
  /**
   * Without a model the error is 1. In 3,000 simulated runs its root mean square was 0.10, and its
   * largest value 0.34. A normal error exceeds five root mean squares once in a million runs.
   */
  private static final double MOST_ERROR = 0.5;

  @TempDir private Path directory;

  @Test
  void everyCommandWorks() throws Exception {
    try (Page page = new Page("docs/start/tutorial.md", directory);
        Cluster cluster = Cluster.in(directory.resolve("cluster"))) {
      assertThat(page.blocks()).hasSize(8);
      assertThat(page.run(cluster, 0)).contains("Waiting for the servers' processes ...");
      assertThat(cluster.shell("! deploy/cluster submit -- --topics.prefix other 2>&1"))
          .contains("These topics don't exist: other.account-answers, ", "'croupier topics create'")
          .contains("Flink's own words are in ")
          .doesNotContain("Exception", "\tat ");
      assertThat(page.run(cluster, 1)).contains("created    steps");
      assertThat(page.run(cluster, 2)).contains("Running: ");
      assertThat(cluster.shell("! deploy/cluster submit"))
          .contains("a job runs already", "'submit -s SAVEPOINT' continues");
      assertThat(page.run(cluster, 3))
          .contains("In the ledger: 3 reports, epsilon 3 of 20.\n")
          .doesNotContain("refused");
      try (UpdateMonitor monitor = new UpdateMonitor(cluster.bootstrapServers())) {
        monitor.when("steps", 1).get(2, TimeUnit.MINUTES);
      }
      assertThat(page.run(cluster, 4))
          .contains("\"modelId\":\"steps\"")
          .containsPattern("ada .*3")
          .containsPattern("bo .*3");
      String people = page.run(cluster, 5);
      assertThat(people).contains("2,000 of 2,000 people have reported", "the truth");
      String serve = page.blocks().get(6).replace("8090", Integer.toString(Cluster.freePorts()));
      String served = page.run(cluster, serve);
      assertThat(served).contains("\"model\":\"steps\"").contains("average");
      assertThat(prediction(served)).as(people + served).isCloseTo(1, within(MOST_ERROR));
      page.run(cluster, 7);
    }
  }

  private static double prediction(String served) {
    Matcher matcher = Pattern.compile("\"prediction\":(-?[0-9.E-]+)").matcher(served);
    assertThat(matcher.find()).as(served).isTrue();
    return Double.parseDouble(matcher.group(1));
  }
}
