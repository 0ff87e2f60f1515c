package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.broker.EmbeddedBroker;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Brokers that run. */
@Tag("ci")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BrokersITCase {
  @TempDir private Path directory;

  /** As in a container whose address inside is not that outside. */
  @Test
  void namesTheSettingWhoseAddressCannotBeReached() throws Exception {
    int closed;
    try (ServerSocket socket = new ServerSocket(0)) {
      closed = socket.getLocalPort();
    }
    try (EmbeddedBroker broker =
        EmbeddedBroker.start(
            directory, Map.of("advertised.listeners", "PLAINTEXT://127.0.0.1:" + closed))) {
      assertThatThrownBy(() -> require(broker.bootstrapServers(), Duration.ofSeconds(3)))
          .isInstanceOf(InputException.class)
          .hasMessageStartingWith(broker.bootstrapServers() + " accepts connections")
          .hasMessageContaining("advertised.listeners");
    }
  }

  @Test
  void oneAddressSuffices() {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory)) {
      StringWriter err =
          require("127.0.0.1:1, " + broker.bootstrapServers(), Duration.ofMinutes(1));

      assertThat(err.toString().lines().filter(line -> !line.startsWith("Waiting for "))).isEmpty();
    }
  }

  private static StringWriter require(String servers, Duration answer) {
    StringWriter err = new StringWriter();
    Brokers.require(Map.of("bootstrap.servers", servers), new PrintWriter(err), answer);
    return err;
  }
}
