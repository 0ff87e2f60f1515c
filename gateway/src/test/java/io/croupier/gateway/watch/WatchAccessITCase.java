package io.croupier.gateway.watch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Base64;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The page of a gateway, where each request needs the token. */
class WatchAccessITCase {
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";

  private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
  private final WatchFeed feed = new WatchFeed("test", "");
  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);

  @BeforeEach
  void start() throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(new WatchHandler("/watch/", feed, WatchAccess.withToken(TOKEN), scheduler));
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
    feed.close();
    scheduler.shutdownNow();
  }

  private int status(String path, String authorization) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + connector.getLocalPort() + path));
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.discarding()).statusCode();
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
  }

  @Test
  void admitsTheTokenAndNothingElse() throws Exception {
    assertThat(status("/watch/", "Bearer " + TOKEN)).isEqualTo(200);
    assertThat(status("/watch/snapshot", "bearer " + TOKEN)).isEqualTo(200);
    assertThat(status("/watch/watch.js", basic("any:" + TOKEN))).isEqualTo(200);
    assertThat(status("/watch", null)).isEqualTo(308);
    for (String path : new String[] {"/watch/", "/watch/snapshot", "/watch/events", "/watch/x"}) {
      assertThat(status(path, null)).as(path).isEqualTo(401);
      assertThat(status(path, "Bearer " + TOKEN.substring(1))).as(path).isEqualTo(401);
      assertThat(status(path, "Bearer ")).as(path).isEqualTo(401);
      assertThat(status(path, "Digest " + TOKEN)).as(path).isEqualTo(401);
      assertThat(status(path, basic(TOKEN + ":"))).as(path).isEqualTo(401);
      assertThat(status(path, "Basic !")).as(path).isEqualTo(401);
    }
    assertThat(status("/watch/x", "Bearer " + TOKEN)).isEqualTo(404);
    assertThat(status("/elsewhere", "Bearer " + TOKEN)).isEqualTo(404);
  }

  /**
   * What nginx sends by a bare {@code proxy_pass http://127.0.0.1:PORT}: the loopback address as
   * peer and as host, and no header of a proxy.
   */
  @Test
  void aRequestThroughAProxyWithDefaultsNeedsTheToken() throws Exception {
    try (Socket nginx = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort())) {
      nginx
          .getOutputStream()
          .write(
              """
              GET /watch/snapshot HTTP/1.0\r
              Host: 127.0.0.1:%d\r
              Connection: close\r
              Accept: */*\r
              \r
              """
                  .formatted(connector.getLocalPort())
                  .getBytes(UTF_8));
      assertThat(new String(nginx.getInputStream().readAllBytes(), UTF_8))
          .startsWith("HTTP/1.1 401")
          .contains("WWW-Authenticate: Basic");
    }
  }

  @Test
  void aShortTokenIsAnError() {
    assertThatThrownBy(() -> WatchAccess.withToken("admin"))
        .hasMessage("the admin token must have at least 32 characters");
  }
}
