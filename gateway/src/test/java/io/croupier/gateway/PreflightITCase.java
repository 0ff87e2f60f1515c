package io.croupier.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pages of another origin: browsers send a preflight before, on the same connection. */
class PreflightITCase extends GatewayFixture {
  private static final int PAGES = 24;
  private static final int ROUNDS = 20;

  @BeforeAll
  static void start() throws Exception {
    broker.publish(TestBroker.spec("m", 3));
    broker.update("m", 3, 4);
    startGateway(Map.of("cors.origins", "https://app.example"));
  }

  /** Each request waits for a second. Of 480 some had no answer when Jetty ended preflights. */
  @Tag("thorough")
  @Test
  void requestsThatWaitAreAnsweredAfterAPreflight() throws Exception {
    URI address = gateway.uri("/");
    String preflight = request("OPTIONS", "Access-Control-Request-Method: GET\r\n");
    String wait = request("GET", "");
    List<CompletableFuture<Void>> pages = new ArrayList<>();
    for (int i = 0; i < PAGES; i++) {
      pages.add(
          CompletableFuture.runAsync(
              () -> {
                try (Socket socket = new Socket(address.getHost(), address.getPort())) {
                  socket.setSoTimeout(120_000);
                  for (int round = 0; round < ROUNDS; round++) {
                    assertThat(exchange(socket, preflight)).startsWith("HTTP/1.1 200 ");
                    assertThat(exchange(socket, wait)).startsWith("HTTP/1.1 304 ");
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              },
              task -> new Thread(task).start()));
    }
    for (CompletableFuture<Void> page : pages) {
      page.get(5, TimeUnit.MINUTES);
    }
  }

  private static String request(String method, String header) {
    return method
        + " /v1/models/m?after=4&wait=1 HTTP/1.1\r\nHost: gateway\r\nOrigin:"
        + " https://app.example\r\n"
        + header
        + "\r\n";
  }

  /** Sends a request whose answer has no body. */
  private static String exchange(Socket socket, String request) throws IOException {
    socket.getOutputStream().write(request.getBytes(US_ASCII));
    StringBuilder answer = new StringBuilder();
    while (answer.indexOf("\r\n\r\n") < 0) {
      int next = socket.getInputStream().read();
      assertThat(next).as("the connection ends after: %s", answer).isNotNegative();
      answer.append((char) next);
    }
    return answer.toString();
  }
}
