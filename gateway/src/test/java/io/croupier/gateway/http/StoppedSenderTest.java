package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.gateway.Condition;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoppedSenderTest {
  @TempDir private Path directory;

  @Test
  void nothingIsTakenFromAStoppedPersonButTheRequestForTheAccount() throws Exception {
    AtomicInteger stored = new AtomicInteger();
    CompletableFuture<RecordMetadata> storing = new CompletableFuture<>();
    try (LocalGateway gateway =
        new LocalGateway(
            directory,
            Map.of("anonymous.enabled", "true"),
            (topic, userId, value) -> {
              stored.incrementAndGet();
              return storing;
            },
            true)) {
      gateway.stopped.apply(0, 0, gateway.userId("ana"), true);

      for (String path : new String[] {"reports", "tokens"}) {
        assertThat(LocalGateway.answer(gateway.begin(post(path, gateway.token("ana")))))
            .startsWith("HTTP/1.1 403")
            .contains(
                "\"type\":\"urn:croupier:problem:stopped\"",
                "\"detail\":\"the person is stopped",
                "\"outcome\":\"REFUSED_STOPPED\"");
      }
      assertThat(LocalGateway.answer(gateway.begin(post("reports", gateway.token("bo")))))
          .startsWith("HTTP/1.1 400");
      assertThat(stored).hasValue(0);
      gateway.begin(
          ("GET /v1/account HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                  + gateway.token("ana")
                  + "\r\n\r\n")
              .getBytes(UTF_8));
      Condition.await("request", () -> stored.get() == 1);
      // A gateway waits at its end for what is under way.
      storing.completeExceptionally(new IllegalStateException("no broker"));

      gateway.stopped.apply(0, 1, gateway.userId("ana"), false);
      assertThat(LocalGateway.answer(gateway.begin(post("reports", gateway.token("ana")))))
          .startsWith("HTTP/1.1 400");
    }
  }

  /** A body that is no report. */
  private static byte[] post(String path, String token) {
    return ("POST /v1/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: 1\r\nAuthorization: Bearer %s\r\n\r\n[")
        .formatted(path, token)
        .getBytes(UTF_8);
  }
}
