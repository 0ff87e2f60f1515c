package io.croupier.cli;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a gateway with SIGKILL while people ask for tokens and report without identity, over a real
 * broker and a real job. Their devices send the same bytes until they are answered: then each
 * signed token has exactly one charge, and each nonce enters the model once. Use {@code -Dkills=50}
 * for a long run.
 */
@Tag("thorough")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class AnonymousKillITCase {
  private static final int KILLS = Integer.getInteger("kills", 10);

  @TempDir private Path directory;

  @Test
  void eachTokenIsChargedOnceAndEachNonceEntersOnce() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"))) {
      Map<String, String> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
      try (AnonymousLoad load = new AnonymousLoad(directory.resolve("gateway"), kafka, 1000)) {
        JobClient job = job(kafka);
        try {
          load.start();
          for (int kill = 0; kill < KILLS; kill++) {
            load.awaitAnswers();
            load.killGateway();
          }
          System.out.printf("%d kills: %s%n", KILLS, load.check());
        } finally {
          job.cancel().get(1, TimeUnit.MINUTES);
        }
      }
    }
  }

  private static JobClient job(Map<String, String> kafka) throws Exception {
    Map<String, String> settings = new HashMap<>();
    kafka.forEach((name, value) -> settings.put("kafka." + name, value));
    settings.put("checkpoint.interval", "200 ms");
    settings.put("anonymous.enabled", "true");
    return CroupierJob.submit(
        StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
        JobConfig.of(settings));
  }
}
