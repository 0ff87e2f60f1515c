package io.croupier.gateway.http;

import static io.croupier.gateway.http.LocalGateway.answer;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How bodies may be framed and encoded. A server in front of the gateway may take the other one of
 * two headers; only headers that can't mean two things are accepted.
 */
class FramingTest {
  private static final String TEXT = "{\"modelId\":\"m\"}";

  @TempDir private Path directory;
  private LocalGateway gateway;

  @BeforeEach
  void start() throws Exception {
    gateway =
        new LocalGateway(
            directory, Map.of(), (topic, user, value) -> new CompletableFuture<>(), true);
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  /** The text of 15 characters declares no noise, which is found after its body is read: 400. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "Content-Length: 15 | - | 400 | declaration",
        "Content-Length: 15^Content-Encoding: identity | - | 400 | declaration",
        "Transfer-Encoding: chunked | f^T^0^^ | 400 | declaration",
        "Transfer-Encoding: CHUNKED | f^T^0^^ | 400 | declaration",
        "Transfer-Encoding: chunked | 7;a=b;c=\"d\"^T7^8^T8^0^^ | 400 | declaration",
        "Transfer-Encoding: chunked | f^T^0^Content-Length: 3^^ | 400 | declaration",
        "Transfer-Encoding: gzip, chunked | f^T^0^^ | 501 | Not Implemented",
        "Transfer-Encoding: identity, chunked | f^T^0^^ | 501 | Not Implemented",
        "Transfer-Encoding: gzip^Transfer-Encoding: chunked | f^T^0^^ | 501 | Not Implemented",
        "Transfer-Encoding: gzip | f^T^0^^ | 400 | -",
        "Transfer-Encoding: chunked, gzip | f^T^0^^ | 400 | -",
        "Transfer-Encoding: chunked, chunked | f^T^0^^ | 400 | -",
        "Transfer-Encoding: chunked^Content-Length: 15 | f^T^0^^ | 400 | -",
        "Content-Length: 15^Content-Length: 15 | - | 400 | -",
        "Content-Length: 15^Content-Length: 3 | - | 400 | -",
        "Content-Length: 15, 15 | - | 400 | -",
        "Content-Length: +15 | - | 400 | -",
        "Content-Length: 15^Content-Encoding: gzip | - | 415 | compressed",
        "Content-Length: 15^Content-Encoding: identity^Content-Encoding: gzip | - | 415 |"
            + " compressed",
        "Content-Length: 15^Content-Encoding: identity, gzip | - | 415 | compressed",
        "Content-Length: 15^Content-Type: application/x-protobuf | - | 415 | Content-Type",
        "Content-Length: 15^Authorization: Bearer other | - | 401 | invalid_token"
      })
  void eachFramingHasItsAnswer(String headers, String body, int status, String part)
      throws Exception {
    String sent =
        body == null
            ? TEXT
            : body.replace("T7", TEXT.substring(0, 7))
                .replace("T8", TEXT.substring(7))
                .replace("T", TEXT);
    String request =
        "POST /v1/reports HTTP/1.1^Host: a^Connection: close^Authorization: Bearer %s^%s^%s^^%s"
            .formatted(gateway.token("ada"), "Content-Type: application/json", headers, sent)
            .replace("^", "\r\n");
    String answer = answer(gateway.begin(request.getBytes(ISO_8859_1)));
    assertThat(answer).startsWith("HTTP/1.1 " + status + " ").contains(part == null ? "" : part);
    if (status != 400 || part != null) {
      assertThat(answer).contains("application/problem+json");
    }
  }
}
