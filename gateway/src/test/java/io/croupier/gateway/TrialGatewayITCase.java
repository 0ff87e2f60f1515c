package io.croupier.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a page's server answers for the visitors who take part, before Kafka and without it. */
class TrialGatewayITCase {
  private final HttpClient client = HttpClient.newHttpClient();
  private final TrialGateway trial = new TrialGateway(Topics.withPrefix("test"));
  private Server server;

  @BeforeEach
  void start() throws Exception {
    server = serve(trial);
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
    trial.close();
  }

  private static Server serve(TrialGateway gateway) throws Exception {
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    server.setHandler(gateway.handler());
    server.start();
    return server;
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.getURI().resolve(path));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder report(String token) {
    HttpRequest.Builder request =
        request("/v1/reports")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{}"));
    return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
  }

  private JsonObject identity() throws Exception {
    HttpResponse<String> response = send(request("/trial/identity"));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
    assertThat(response.headers().firstValue("Cross-Origin-Resource-Policy"))
        .contains("same-origin");
    assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    return JsonParser.parseString(response.body()).getAsJsonObject();
  }

  private String token() throws Exception {
    return identity().get("token").getAsString();
  }

  @Test
  void eachIdentityIsAnotherOne() throws Exception {
    assertThat(identity().get("subject")).isNotEqualTo(identity().get("subject"));
  }

  /** The status line that the server sends to a request with these headers. */
  private String raw(String... headers) throws IOException {
    URI address = server.getURI();
    try (Socket socket = new Socket(address.getHost(), address.getPort())) {
      String request =
          "POST /v1/reports HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n"
              + String.join("\r\n", headers)
              + "\r\n\r\n{}";
      socket.getOutputStream().write(request.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8).lines().findFirst().get();
    }
  }

  @Test
  void aPageOfAnotherOriginCanSendNothing() throws Exception {
    String host = server.getURI().getAuthority();
    String token = "Authorization: Bearer " + token();
    String json = "Content-Type: application/json";

    // The job's models are not known yet, which is the only obstacle for the page itself.
    assertThat(raw("Host: " + host, "Origin: http://" + host, token, json)).contains(" 503 ");
    assertThat(raw("Host: " + host, token, json)).contains(" 503 ");
    assertThat(raw("Host: " + host, "Origin: http://evil.example", token, json)).contains(" 403 ");
    assertThat(raw("Host: " + host, "Origin: null", token, json)).contains(" 403 ");
    assertThat(raw("Host: " + host, "Origin: http://127.0.0.1:1", token, json)).contains(" 403 ");
    assertThat(raw("Host: " + host, "Sec-Fetch-Site: cross-site", token, json)).contains(" 403 ");
    assertThat(raw("Host: " + host, "Sec-Fetch-Site: same-site", token, json)).contains(" 403 ");
    // A name of another site that resolves to 127.0.0.1.
    assertThat(raw("Host: evil.example", "Origin: http://evil.example", token, json))
        .contains(" 403 ");
    // A form of another site, which can set no header.
    assertThat(raw("Host: " + host, "Content-Type: text/plain")).contains(" 415 ");
    assertThat(
            send(request("/trial/identity").header("Origin", "http://evil.example")).statusCode())
        .isEqualTo(403);
    HttpResponse<String> preflight =
        send(
            request("/v1/reports")
                .method("OPTIONS", BodyPublishers.noBody())
                .header("Origin", "http://evil.example"));
    assertThat(preflight.statusCode()).isEqualTo(403);
    assertThat(preflight.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
  }

  @Test
  void reportsAndAccountsNeedATokenOfThisProcess() throws Exception {
    String token = token();
    String forged = token.substring(0, token.length() - 8) + "AAAAAAAA";
    assertThat(send(report("")).statusCode()).isEqualTo(401);
    assertThat(send(report(forged)).statusCode()).isEqualTo(401);
    assertThat(send(request("/trial/account")).statusCode()).isEqualTo(401);
    assertThat(
            send(request("/trial/account").header("Authorization", "Bearer " + forged))
                .statusCode())
        .isEqualTo(401);
    HttpResponse<String> account =
        send(request("/trial/account").header("Authorization", "Bearer " + token));
    assertThat(account.statusCode()).isEqualTo(200);
    assertThat(account.body()).isEqualTo("{\"visitors\":0,\"judged\":0}");
    try (TrialGateway other = new TrialGateway(Topics.withPrefix("test"))) {
      Server elsewhere = serve(other);
      HttpRequest.Builder foreign =
          HttpRequest.newBuilder(elsewhere.getURI().resolve("/trial/account"))
              .header("Authorization", "Bearer " + token);
      assertThat(send(foreign).statusCode()).isEqualTo(401);
      elsewhere.stop();
    }
  }

  @Test
  void afterItsEndItTakesNoReports() throws Exception {
    trial.visits().end();

    HttpResponse<String> response = send(report(token()));

    assertThat(response.statusCode()).isEqualTo(409);
    assertThat(response.body()).contains("the demonstration has ended: it takes no more reports");
    assertThat(response.headers().firstValue("Retry-After")).isEmpty();
  }

  @Test
  void servesTheLibraryAndLeavesOtherPathsToThePage() throws Exception {
    assertThat(send(request("/v1/croupier.js")).body()).contains("export class Device");
    assertThat(send(request("/v1/models/m")).statusCode()).isEqualTo(503);
    assertThat(send(request("/metrics")).statusCode()).isEqualTo(404);
    assertThat(send(request("/")).statusCode()).isEqualTo(404);
  }
}
