package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Behind a proxy, each client has limits of its own, however the proxy writes its address. */
class ForwardedAddressTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.1, 192.0.2.2",
    "192.0.2.1:40000, 192.0.2.1:40001, 192.0.2.2:40000",
    "2001:db8::1, 2001:db8::2, 2001:db8:0:1::1",
    "[2001:db8::1]:40000, [2001:db8::1], [2001:db8:0:1::1]:40000",
    "::ffff:192.0.2.1, 192.0.2.1, 192.0.2.2",
  })
  void clientsAreLimitedOneByOne(String client, String again, String other) throws Exception {
    Map<String, String> oneRequest =
        Map.of(
            "listen.proxy", "true", "limits.address.burst", "1", "limits.address.per-minute", "1");
    try (LocalGateway gateway =
        new LocalGateway(
            directory, oneRequest, (topic, user, value) -> new CompletableFuture<>(), false)) {
      assertThat(status(gateway, client)).isEqualTo("200");
      assertThat(status(gateway, again)).isEqualTo("429");
      assertThat(status(gateway, other)).isEqualTo("200");
    }
  }

  private static String status(LocalGateway gateway, String forwarded) throws Exception {
    String request =
        "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.0.0.1, %s\r\n\r\n"
            .formatted(forwarded);
    return LocalGateway.answer(gateway.begin(request.getBytes(UTF_8))).split(" ", 3)[1];
  }
}
