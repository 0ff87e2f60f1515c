package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.gateway.TestIssuer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The challenge in the answer to a request without a sufficient token (RFC 6750, section 3). */
class SendersTest {
  @TempDir private Path directory;
  private TestIssuer issuer;
  private LocalGateway gateway;

  @BeforeEach
  void start() throws Exception {
    issuer = TestIssuer.COMMON;
    issuer.jwks(directory.resolve("keys.json"));
    gateway =
        new LocalGateway(
            directory,
            Map.of(
                "issuers.main.issuer", "https://issuer.example",
                "issuers.main.audience", "croupier-gateway",
                "issuers.main.jwks", "keys.json",
                "issuers.main.require", "scope=reports"),
            (topic, user, value) -> new CompletableFuture<>(),
            false);
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  /** Only a request with a bearer token is answered with an error code. */
  @ParameterizedTest
  @CsvSource({
    "'', 401, 'Bearer'",
    "'Authorization: Basic YTpi', 401, 'Bearer'",
    "'Authorization: Bearer x', 401, 'Bearer error=\"invalid_token\"'",
    "'Authorization: bearer TOKEN', 403, 'Bearer error=\"insufficient_scope\"'",
    "'Authorization: Bearer LONG', 401, 'Bearer error=\"invalid_token\"'"
  })
  void theChallengeNamesTheError(String authorization, int status, String challenge)
      throws Exception {
    String request =
        """
        POST /v1/reports HTTP/1.1
        Host: a
        Content-Type: application/x-protobuf
        Content-Length: 0
        %s
        """
            .formatted(authorization.isEmpty() ? "" : authorization + "\n")
            .replace("TOKEN", issuer.token("ada"))
            .replace("LONG", "x".repeat(6001))
            .replace("\n", "\r\n");
    assertThat(LocalGateway.answer(gateway.begin(request.getBytes(ISO_8859_1))))
        .startsWith("HTTP/1.1 " + status + " ")
        .contains("\r\nWWW-Authenticate: " + challenge + "\r\n");
  }
}
