package io.croupier.gateway;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a class that share one broker and one gateway, which the class starts when the models
 * are on the broker.
 */
abstract class GatewayFixture {
  @TempDir static Path sharedDirectory;
  static TestBroker broker;
  static TestGateway gateway;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = new TestBroker(sharedDirectory.resolve("broker"));
  }

  /** Starts the gateway, and waits until it has read what is on the broker. */
  static void startGateway(Map<String, String> settings) throws Exception {
    gateway = new TestGateway(sharedDirectory.resolve("gateway"), broker.kafka(), settings);
  }

  @AfterAll
  static void stopBrokerAndGateway() {
    if (gateway != null) {
      gateway.close();
      gateway = null;
    }
    if (broker != null) {
      broker.close();
      broker = null;
    }
  }
}
