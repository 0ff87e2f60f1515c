package io.croupier.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the client reads in an answer besides its status: reasons and times. */
class GatewayAnswersTest {
  private static Optional<String> detail(String json) {
    return GatewayProblem.read(json.getBytes(UTF_8)).map(GatewayProblem::detail);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"title\": \"t\" | t",
        "\"title\": \"t\", \"detail\": \"round is 3\" | round is 3",
        "\"detail\": \"d\", \"errors\": [] | d",
        "\"errors\": [{\"x\": [{}], \"field\": \"f\", \"detail\": \"f is 1\"}] | f is 1",
        "\"errors\": [{\"detail\": \"no\", \"field\": \"f\"}, {}], \"y\": {} | f: no; :",
        "\"detail\": null | ``",
        "\"detail\": \"a\\r\\n  b\" | a b"
      })
  void theReasonIsThatOfTheFieldsOrElseOfTheDocument(String members, String reason) {
    assertThat(detail("{\"type\": \"urn:croupier:problem:refused\", " + members + "}"))
        .hasValue(reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "{}",
        "null",
        "{\"type\": \"about:blank\", \"detail\": \"x\"}",
        "{\"type\": 3}",
        "{\"type\": \"urn:croupier:problem:x\", \"errors\": 3}",
        "{\"type\": \"urn:croupier:problem:x\", \"errors\": [3]}"
      })
  void otherDocumentsAreNoneOfAGateway(String json) {
    assertThat(detail(json)).isEmpty();
  }

  /** A terminal obeys such characters, and shows text in another order, or none. */
  @Test
  void charactersThatAreNotShownAreEscaped() {
    assertThat(
            detail(
                "{\"type\": \"urn:croupier:problem:x\", \"detail\":"
                    + " \"a\\u009b31m\\u202eb\\u200b\\ud800\\ue000\\u001b[0m \\ud83d\\ude00"
                    + " \\u00e9\"}"))
        .hasValue("a\\u009b31m\\u202eb\\u200b\\ud800\\ue000\\u001b[0m \ud83d\ude00 \u00e9");
  }

  /** The reason of a failed connection may quote what the server sent. */
  @Test
  void whatIsNoHttpIsEscaped() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        GatewayConnection connection =
            new GatewayConnection(URI.create("http://127.0.0.1:" + server.getLocalPort()))) {
      CompletableFuture<Void> served =
          CompletableFuture.runAsync(() -> answer(server, "HTTP/1.1 \u001b[31m OK\r\n\r\n"));
      assertThatThrownBy(
              () -> connection.send(connection.request("/").build(), Duration.ofSeconds(20), 1000))
          .isInstanceOf(GatewayException.class)
          .hasMessageContaining("can't be reached")
          .hasMessageContaining("\\u001b[31m")
          .hasMessageNotContaining("\u001b");
      served.get();
    }
  }

  /** A port of TLS, or of Kafka, closes the connection; one of HTTP answers a handshake in text. */
  @ParameterizedTest
  @CsvSource({
    "http, '', it closed the connection without an answer in HTTP",
    "https, HTTP/1.1 400 Bad Request, Un",
  })
  void anotherPortIsNamed(String scheme, String answer, String reason) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
        GatewayConnection connection =
            new GatewayConnection(URI.create(scheme + "://127.0.0.1:" + server.getLocalPort()))) {
      // Java's client connects again if it received nothing.
      CompletableFuture<Void> served =
          CompletableFuture.runAsync(
              () -> {
                while (!server.isClosed()) {
                  answer(server, answer);
                }
              });
      HttpRequest request = connection.request("/").build();
      assertThatThrownBy(() -> connection.send(request, Duration.ofMinutes(2), 1000))
          .isInstanceOf(GatewayException.class)
          .hasMessageContaining("can't be reached: " + reason);
      assertThat(served).isNotDone();
    }
  }

  private static void answer(ServerSocket server, String answer) {
    try (Socket socket = server.accept()) {
      // A connection that is closed before its request is read is reset.
      assertThat(socket.getInputStream().read(new byte[1 << 16])).isPositive();
      socket.getOutputStream().write(answer.getBytes(UTF_8));
      socket.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theBodyOfAnUpdateIsBounded() throws Exception {
    try (StubGateway gateway =
            new StubGateway(
                request ->
                    new StubGateway.Answer(
                        200, Map.of(), ByteString.copyFrom(new byte[1000 + request.place()])));
        GatewayConnection connection = new GatewayConnection(gateway.uri())) {
      HttpRequest request = connection.request("/").build();
      Duration patience = Duration.ofMinutes(2);
      assertThat(connection.send(request, patience, 1000).body()).hasSize(1000);
      assertThatThrownBy(() -> connection.send(request, patience, 1000))
          .isInstanceOf(GatewayException.class)
          .hasMessageContaining("has more than 1000 bytes");
    }
  }

  @Test
  void longReasonsAreCut() {
    String json =
        "{\"type\": \"urn:croupier:problem:x\", \"detail\": \"" + "x".repeat(5000) + "\"}";
    assertThat(detail(json).orElseThrow()).hasSize(1000);
  }

  @Test
  void retryAfterIsANumberOfSecondsOrADate() {
    assertThat(GatewayConnection.retryAfter(" 120 ")).hasValue(Duration.ofMinutes(2));
    assertThat(GatewayConnection.retryAfter("Wed, 21 Oct 2015 07:28:00 GMT"))
        .hasValue(Duration.ZERO);
    for (String digits : new String[] {"9999", "9".repeat(10), "9".repeat(400)}) {
      assertThat(GatewayConnection.retryAfter(digits)).hasValue(Duration.ofHours(1));
    }
    String soon =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC).plusHours(1));
    assertThat(GatewayConnection.retryAfter(soon).orElseThrow())
        .isBetween(Duration.ofMinutes(58), Duration.ofHours(1));
    for (String other : new String[] {"", "-1", "1.5", "soon"}) {
      assertThat(GatewayConnection.retryAfter(other)).as(other).isEmpty();
    }
  }

  @Test
  void pausesGrowToABoundAndAreNeverShorterThanAskedFor() {
    BackOff backOff = new BackOff();
    for (int failures = 0; failures < 100; failures++) {
      long most = Math.min(250L << Math.min(failures, 10), 30_000);
      assertThat(backOff.pause(failures, Optional.empty()).toMillis()).isBetween(most / 2, most);
      assertThat(backOff.pause(failures, Optional.of(Duration.ofMinutes(1))).toMillis())
          .isBetween(60_000L, 60_250L);
      assertThat(backOff.pause(failures, Optional.of(Duration.ZERO)).toMillis())
          .isBetween(Math.min(most / 2, 250), most + 250);
    }
  }
}
