package io.croupier.job;

import io.croupier.broker.EmbeddedBroker;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a class that share one broker, each with topics of its own. */
abstract class BrokerFixture {
  @TempDir static Path brokerDirectory;
  static EmbeddedBroker broker;
  private static int prefixes;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start(brokerDirectory);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** New topics, whose prefix no other test has. */
  static TestTopics newTopics(String name) throws Exception {
    return new TestTopics(broker, name + "-" + prefixes++);
  }
}
