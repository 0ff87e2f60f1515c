package io.croupier.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How answers are encoded, cached and described. */
@Tag("ci")
class AnswersITCase extends GatewayFixture {
  private static final int DIMENSION = 500;

  @BeforeAll
  static void start() throws Exception {
    broker.publish(TestBroker.spec("m", DIMENSION));
    broker.update("m", DIMENSION, 0);
    startGateway(Map.of());
    Condition.await(() -> gateway.status("/v1/models/m") == 200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/croupier.js", "/v1/models/m", "/openapi.json"})
  void textsAreCompressedForThoseWhoAcceptIt(String path) throws Exception {
    byte[] plain = gateway.getBytes(path, "Accept-Encoding", "gzip;q=0, identity").body();
    for (int i = 0; i < 2; i++) {
      HttpResponse<byte[]> response = gateway.getBytes(path, "Accept-Encoding", "gzip, br");
      assertThat(response.headers().firstValue("Content-Encoding")).hasValue("gzip");
      assertThat(response.headers().allValues("Vary")).contains("Accept-Encoding");
      assertThat(response.body().length).isLessThan(plain.length / 2);
      assertThat(new GZIPInputStream(new ByteArrayInputStream(response.body())).readAllBytes())
          .isEqualTo(plain);
    }
  }

  @Test
  void protobufIsLeftAsItIs() throws Exception {
    HttpResponse<byte[]> response =
        gateway.getBytes(
            "/v1/models/m", "Accept-Encoding", "gzip", "Accept", "application/x-protobuf");
    assertThat(response.headers().firstValue("Content-Encoding")).isEmpty();
  }

  @Test
  void aFileThatABrowserHasIsNotSentAgain() throws Exception {
    String tag = gateway.get("/v1/croupier.js").headers().firstValue("ETag").orElseThrow();
    HttpResponse<String> known = gateway.get("/v1/croupier.js", "If-None-Match", tag);
    assertThat(known.statusCode()).isEqualTo(304);
    assertThat(known.body()).isEmpty();
    assertThat(known.headers().firstValue("ETag")).hasValue(tag);
    assertThat(gateway.status("/v1/croupier.js", "If-None-Match", "\"other\"")).isEqualTo(200);
    assertThat(gateway.get("/v1/croupier.d.ts").headers().firstValue("ETag").orElseThrow())
        .isNotEqualTo(tag);
  }

  private static String raw(String request) throws Exception {
    try (Socket socket = gateway.connect()) {
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  /** Requests that no handler of the gateway sees. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"
      })
  void theServersOwnErrorsHaveTheHeadersOfAll(String request) throws Exception {
    assertThat(raw(request))
        .startsWith("HTTP/1.1 400 ")
        .contains(
            "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: default-src 'none'",
            "\"type\":\"about:blank\"");
  }

  /** 408 would make clients send the same again. */
  @ParameterizedTest
  @ValueSource(strings = {"-1\r\n", "fffffffffffffffff\r\n", "1;\n", "x\r\n"})
  void aMalformedChunkIsAMalformedRequest(String chunk) throws Exception {
    assertThat(
            raw(
                "POST /v1/reports HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                    + "Content-Type: application/x-protobuf\r\nAuthorization: Bearer "
                    + gateway.issuer.token("ada")
                    + "\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + chunk
                    + "\r\n0\r\n\r\n"))
        .startsWith("HTTP/1.1 400 ");
  }

  /** RFC 6750, section 3.1. */
  @ParameterizedTest
  @CsvSource({", Bearer", "Bearer x, 'Bearer error=\"invalid_token\"'"})
  void aMissingTokenIsNoInvalidOne(String authorization, String challenge) throws Exception {
    String answer =
        raw(
            "POST /v1/reports HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type:"
                + " application/x-protobuf\r\nContent-Length: 0\r\n"
                + (authorization == null ? "" : "Authorization: " + authorization + "\r\n")
                + "\r\n");
    assertThat(answer).contains("\r\nWWW-Authenticate: " + challenge + "\r\n");
  }
}
