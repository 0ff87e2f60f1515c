package io.croupier.job;

import io.croupier.broker.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.io.FileUtils;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests that share one broker, each with topics of its own. The first of them in a JVM starts it,
 * and it ends with the JVM.
 */
public abstract class BrokerFixture {
  private static Path directory;
  private static EmbeddedBroker broker;
  private static int prefixes;

  @BeforeAll
  static void startBroker() throws IOException {
    if (broker == null) {
      directory = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "broker-");
      broker = EmbeddedBroker.start(directory);
      Runtime.getRuntime().addShutdownHook(new Thread(BrokerFixture::stopBroker));
    }
  }

  private static void stopBroker() {
    broker.close();
    FileUtils.deleteQuietly(directory.toFile());
  }

  /** New topics, whose prefix no other test of this JVM has. */
  protected static TestTopics newTopics(String name) throws Exception {
    return new TestTopics(broker, name + "-" + prefixes++);
  }

  /** Where the broker has a directory for each partition. */
  static Path partitions() {
    return directory.resolve("log");
  }
}
