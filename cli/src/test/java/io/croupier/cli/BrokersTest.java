package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka, or a gateway, that isn't there. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BrokersTest {
  /** Much less than the minute for which Kafka's clients try, on a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "topics create --kafka ADDRESS",
        "models list --kafka ADDRESS",
        "models apply --kafka ADDRESS MODELS",
        "models retire --kafka ADDRESS demo",
        "ledger --kafka ADDRESS --top 10",
        "account compose --kafka ADDRESS",
        "follow --kafka ADDRESS --model demo",
        "report --kafka ADDRESS --model demo --user ada --ledger LEDGER --epsilon 1",
        "run --kafka ADDRESS",
        "gateway --config GATEWAY",
        "demo --kafka ADDRESS --data logistic --users 10 --page PAGE",
      })
  void everyCommandNamesAddressAndCause(String command) throws Exception {
    String address = "localhost:" + closedPort();
    Path gateway =
        Files.writeString(
            directory.resolve("gateway.yaml"),
            """
            kafka: {bootstrap.servers: '%s'}
            pepper: {file: '%s'}
            issuers: {idp: {issuer: 'https://id.example', audience: a, jwks: 'https://id.example/k'}}
            """
                .formatted(address, directory.resolve("pepper")));
    CommandRun.croupier("gateway init --config " + gateway).succeeded();
    assertSaysSoon(
        command
            .replace("ADDRESS", address)
            .replace("MODELS", "../examples/models.yaml")
            .replace("GATEWAY", gateway.toString())
            .replace("PAGE", directory.resolve("page.html").toString()),
        ("No Kafka broker can be reached at %s (connection refused). Check the address, and that"
                + " the brokers run")
            .formatted(address));
  }

  private void assertSaysSoon(String command, String message) {
    long start = System.nanoTime();
    CommandRun outcome =
        CommandRun.croupier(command.replace("LEDGER", directory.resolve("ada.ledger").toString()));
    assertThat(System.nanoTime() - start).isLessThan(SOON.toNanos());
    assertThat(outcome.code()).isEqualTo(ExitCode.FAILURE.code());
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err().lines().filter(line -> !line.startsWith("Waiting for ")))
        .containsExactly(message);
  }

  @Test
  void namesTheFileOfAStoreAndItsFault() throws Exception {
    Path empty = Files.createFile(directory.resolve("empty.jks"));
    try (ServerSocket broker = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(withStore(broker, empty))
          .endsWith(" %s of type JKS: can't be read: the file is cut short".formatted(empty));
      Path missing = directory.resolve("missing.jks");
      assertThat(withStore(broker, missing))
          .endsWith(" %s of type JKS: no such file".formatted(missing));
    }
  }

  private static String withStore(ServerSocket broker, Path store) {
    Map<String, String> kafka =
        Map.of(
            "bootstrap.servers",
            "127.0.0.1:" + broker.getLocalPort(),
            "security.protocol",
            "SSL",
            "ssl.truststore.location",
            store.toString());
    return catchThrowableOfType(
            InputException.class, () -> Brokers.require(kafka, new PrintWriter(new StringWriter())))
        .getMessage();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "follow --gateway http://ADDRESS --model demo",
        "report --gateway http://ADDRESS/api --token TOKEN --model demo --user ada --ledger LEDGER"
            + " --epsilon 1",
      })
  void commandsNameTheGatewayAndTheCause(String command) throws Exception {
    String address = "127.0.0.1:" + closedPort();
    assertSaysSoon(
        command
            .replace("ADDRESS", address)
            .replace("TOKEN", directory.resolve("ada.token").toString()),
        ("The gateway can't be reached at %s (connection refused). Check the address, and that it"
                + " runs")
            .formatted("http://" + address + (command.contains("/api") ? "/api" : "")));
  }

  @Test
  void eachAddressHasItsCause() throws Exception {
    String closed = "localhost:" + closedPort();

    assertThatThrownBy(() -> require("nosuchhost.invalid:9092, " + closed, new StringWriter()))
        .isInstanceOf(InputException.class)
        .hasMessageMatching(
            "No Kafka broker can be reached at nosuchhost\\.invalid:9092 \\((unknown host|no answer"
                + " within 3 s)\\), %s \\(connection refused\\)\\. .*".formatted(closed));
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "localhost:", "localhost:99999", ":9092"})
  void namesAnAddressWithoutHostOrPort(String address) {
    assertThatThrownBy(() -> require(address, new StringWriter()))
        .hasMessage(
            "'%s' is no address of a Kafka broker; write HOST:PORT, such as localhost:9092"
                .formatted(address));
  }

  @Tag("thorough")
  @Test
  void waitsForAPortWithoutABrokerNoLongerThanItSays() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      String address = "localhost:" + silent.getLocalPort();
      StringWriter err = new StringWriter();

      assertThatThrownBy(() -> require(address, err))
          .isInstanceOf(InputException.class)
          .hasMessage(
              address
                  + " accepts connections, but no broker answers a client within 3 s; check that it is"
                  + " the port for clients, that security.protocol, here PLAINTEXT, is that of the"
                  + " port, and that the brokers announce addresses (advertised.listeners) that this"
                  + " machine reaches");
      assertThat(err.toString())
          .isEqualToIgnoringNewLines("Waiting for the brokers at %s ...".formatted(address));
    }
  }

  @Test
  void aShortWaitPrintsNothing() {
    StringWriter err = new StringWriter();

    assertThat(Waiting.on("nothing", new PrintWriter(err), Duration.ofHours(1), () -> 1))
        .isEqualTo(1);
    assertThat(err.toString()).isEmpty();
  }

  private static void require(String servers, StringWriter err) {
    Brokers.require(
        Map.of("bootstrap.servers", servers), new PrintWriter(err), Duration.ofSeconds(3));
  }

  /** A port that was free a moment ago, below those that the system gives to connections. */
  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
