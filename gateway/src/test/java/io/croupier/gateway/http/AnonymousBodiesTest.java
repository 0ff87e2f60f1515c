package io.croupier.gateway.http;

import static io.croupier.gateway.http.LocalGateway.answer;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.server.LocalConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies of senders without identity: of one length, and not from the memory of others. */
class AnonymousBodiesTest {
  @TempDir private Path directory;
  private LocalGateway gateway;

  @BeforeEach
  void start() throws Exception {
    gateway =
        new LocalGateway(
            directory,
            Map.of("limits.concurrent", "1", "limits.body", "100000"),
            (topic, user, value) -> new CompletableFuture<>(),
            true);
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  /** A connection on which the beginning of a request has been sent. */
  private LocalConnector.LocalEndPoint begin(String type, String length, int bytes) {
    String head =
        "POST /v1/anonymous-reports HTTP/1.1\r\nHost: a\r\nContent-Type: application/%s\r\n%s\r\n\r\n"
            .formatted(type, length);
    LocalConnector.LocalEndPoint connection = gateway.begin(head.getBytes(ISO_8859_1));
    if (bytes > 0) {
      connection.addInputAndExecute(ByteBuffer.wrap(new byte[bytes]));
    }
    return connection;
  }

  /** No body is sent, so an answer shows that none was awaited. */
  @Test
  void anotherLengthIsRefusedBeforeTheBodyArrives() throws Exception {
    for (String length : List.of("100000", "1025", "1023", "2048")) {
      String answer = answer(begin("x-protobuf", "Content-Length: " + length, 0));
      assertThat(answer).startsWith("HTTP/1.1 400 ").contains("must have 1024");
    }
    assertThat(answer(begin("json", "Content-Length: 1024", 0)))
        .startsWith("HTTP/1.1 400 ")
        .contains("must have 2048");
    assertThat(answer(begin("x-protobuf", "Transfer-Encoding: chunked", 0)))
        .startsWith("HTTP/1.1 400 ")
        .contains("Content-Length");
  }

  @Test
  void theRightLengthIsRead() throws Exception {
    assertThat(answer(begin("x-protobuf", "Content-Length: 1024", 1024)))
        .startsWith("HTTP/1.1 400 ")
        .contains("not an AnonymousReport in Protobuf");
    assertThat(answer(begin("json", "Content-Length: 2048", 2048)))
        .startsWith("HTTP/1.1 400 ")
        .contains("the text is not JSON");
  }

  /** Its JSON is read as a tree, which takes many times its bytes. */
  @Test
  void aRequestForATokenIsSmall() throws Exception {
    String head =
        "POST /v1/tokens HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer %s\r\n".formatted(gateway.token("ada"));
    String length = head + "Content-Length: 8193\r\n\r\n";
    assertThat(answer(gateway.begin(length.getBytes(ISO_8859_1)))).startsWith("HTTP/1.1 413 ");
    String chunk = "Transfer-Encoding: chunked\r\n\r\n2001\r\n" + "0".repeat(8193) + "\r\n";
    assertThat(answer(gateway.begin((head + chunk).getBytes(ISO_8859_1))))
        .startsWith("HTTP/1.1 413 ");
  }

  @Test
  void bodiesTakeNoMemoryOfReportsWithIdentity() throws Exception {
    LocalConnector.LocalEndPoint unfinished = begin("x-protobuf", "Content-Length: 1024", 1023);
    String metrics =
        gateway.connector.getResponse(
            "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assertThat(metrics).contains("croupier_gateway_body_bytes 0.0");
    unfinished.addInputAndExecute(ByteBuffer.wrap(new byte[1]));
    assertThat(answer(unfinished)).startsWith("HTTP/1.1 400 ");
  }
}
