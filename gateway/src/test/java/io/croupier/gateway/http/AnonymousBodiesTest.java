package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.gateway.anonymous.AnonymousCheck;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import io.croupier.gateway.identity.TokenVerifier;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.schemas.AnonymousTopics;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.LocalConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies of senders without identity: of one length, and not from the memory of others. */
class AnonymousBodiesTest {
  private static final int PATIENCE_SECONDS = 30;

  @TempDir private Path directory;
  private GatewayServer server;
  private LocalConnector connector;

  @BeforeEach
  void start() throws Exception {
    Pepper.create(directory.resolve("pepper"));
    GatewayConfig config =
        GatewayConfig.of(
            Map.of(
                "kafka.bootstrap.servers", "127.0.0.1:1",
                "pepper.file", "pepper",
                "listen.port", "0",
                "test-tokens.allowed", "true",
                "test-tokens.key-file", "test.jwk",
                "limits.concurrent", "1",
                "limits.body", "100000"),
            directory);
    TestTokens.create(directory.resolve("test.jwk"));
    Specs specs = new Specs();
    Updates updates = new Updates();
    AnonymousParts anonymous =
        new AnonymousParts(
            null,
            null,
            null,
            new AnonymousCheck(specs, updates, null),
            null,
            config.topics().gradients(),
            AnonymousTopics.withPrefix("croupier"),
            () -> true);
    server =
        new GatewayServer(
            config,
            new TokenVerifier(List.of(), Duration.ofSeconds(30), Clock.systemUTC()),
            Pepper.read(config.pepper()),
            new ReportCheck(config.topics(), false, specs, updates),
            (topic, user, value) -> new CompletableFuture<>(),
            specs,
            updates,
            Optional.of(anonymous),
            () -> true,
            () -> true);
    connector = new LocalConnector(server.server());
    connector.setIdleTimeout(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    server.server().addConnector(connector);
    connector.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** A connection on which the beginning of a request has been sent. */
  private LocalConnector.LocalEndPoint begin(String type, String length, int bytes) {
    LocalConnector.LocalEndPoint connection = connector.connect();
    String head =
        "POST /v1/anonymous-reports HTTP/1.1\r\nHost: a\r\nContent-Type: application/%s\r\n%s\r\n\r\n"
            .formatted(type, length);
    connection.addInputAndExecute(ByteBuffer.wrap(head.getBytes(ISO_8859_1)));
    if (bytes > 0) {
      connection.addInputAndExecute(ByteBuffer.wrap(new byte[bytes]));
    }
    return connection;
  }

  private String answer(LocalConnector.LocalEndPoint connection) throws Exception {
    return ISO_8859_1
        .decode(connection.waitForResponse(false, PATIENCE_SECONDS, TimeUnit.SECONDS))
        .toString();
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
        .contains("not an AnonymousReport in Protobuf's JSON mapping");
  }

  @Test
  void bodiesTakeNoMemoryOfReportsWithIdentity() throws Exception {
    LocalConnector.LocalEndPoint unfinished = begin("x-protobuf", "Content-Length: 1024", 1023);
    String metrics =
        connector.getResponse("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assertThat(metrics).contains("croupier_gateway_body_bytes 0.0");
    unfinished.addInputAndExecute(ByteBuffer.wrap(new byte[1]));
    assertThat(answer(unfinished)).startsWith("HTTP/1.1 400 ");
  }
}
