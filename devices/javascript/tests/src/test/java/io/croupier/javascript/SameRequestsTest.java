package io.croupier.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.JsonFormat;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.croupier.client.AnonymousReporter;
import io.croupier.client.HttpModelSubscriber;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ohttp.BinaryRequest;
import io.croupier.client.ohttp.ObliviousExchange;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A gateway behind a relay can't distinguish a Java device from a page by what they send: an update
 * is asked for, then the windows, and a report is sent, with the same bytes but for what is random.
 */
@Tag("ci")
@Timeout(600)
class SameRequestsTest extends RelayFixture {
  private static final Duration WAIT = Duration.ofMillis(1);

  private final List<byte[]> ofJava = new CopyOnWriteArrayList<>();
  private final List<String> tokensOfJava = new CopyOnWriteArrayList<>();
  private HttpServer server;

  @BeforeEach
  void startServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/tokens", this::grant);
    server.createContext("/relay", this::answer);
    server.start();
  }

  @AfterEach
  void stopServer() {
    server.stop(0);
  }

  private URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private void grant(HttpExchange exchange) throws IOException {
    String asked = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    tokensOfJava.add(asked);
    answer(exchange, sign(asked).getBytes(UTF_8));
  }

  private void answer(HttpExchange exchange) throws IOException {
    try {
      ObliviousExchange opened = KEYS.open(exchange.getRequestBody().readAllBytes());
      ofJava.add(opened.request());
      boolean isReport = BinaryRequest.parse(opened.request()).method().equals("POST");
      answer(
          exchange,
          sealed(opened, isReport ? 202 : 200, "application/json", isReport ? "{}" : served));
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static void answer(HttpExchange exchange, byte[] body) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static ModelSnapshot snapshot(long round) throws IOException {
    ModelUpdate.Builder update = ModelUpdate.newBuilder();
    JsonFormat.parser().merge(update(round), update);
    return ModelSnapshot.parse(update.build().toByteArray());
  }

  private void runJava() throws Exception {
    URI relay = uri().resolve("/relay");
    BlockingQueue<ModelSnapshot> updates = new LinkedBlockingQueue<>();
    try (HttpModelSubscriber models =
        new HttpModelSubscriber(uri(), "m", relay, KEYS.key(), Duration.ofHours(1), updates::add)) {
      assertThat(updates.take().round()).isEqualTo(1);
      assertThat(models.newest()).isPresent();
    }
    try (LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
        AnonymousReporter reporter =
            new AnonymousReporter(ledger, 2, uri(), () -> "bearer", relay, KEYS.key(), WAIT)) {
      for (long round = 0; round < PUBLICATIONS; round++) {
        Optional<CompletableFuture<Void>> report =
            reporter.takePart(snapshot(round), DataKey.of("all"), () -> new double[] {0.6, 0.8});
        reporter.tokens().get(5, TimeUnit.MINUTES);
        if (report.isPresent()) {
          report.get().get(5, TimeUnit.MINUTES);
        }
      }
    }
  }

  private void runPage() {
    Value collector =
        browser.call(
            "({Gateway}, page, crypto, url, key) => new Gateway({url, fetch: page.fetch, sleep:"
                + " page.sleep, now: page.now, crypto, relay: {url: url + '/relay', key}})",
            visits.page(),
            visits.crypto(),
            uri().toString(),
            KEY);
    Value update =
        visits.await(
            collector.invokeMember("follow", "m", browser.eval("({})")).invokeMember("next"));
    assertThat(update.getMember("value").getMember("round").asLong()).isEqualTo(1);
    Value device =
        visits.await(
            browser.call(
                "(module, {open}, page, crypto, url, collector) => open(module, page, crypto,"
                    + " {url, epsilon: 2, anonymous: {collector, longestWaitMs: 1}})",
                scenarios,
                visits.page(),
                visits.crypto(),
                uri().toString(),
                collector));
    for (long round = 0; round < PUBLICATIONS; round++) {
      visits.await(takePart(device, update(round), "() => [0.6, 0.8]", "{key: 'all'}"));
    }
  }

  /** A report with nothing random: token, seed, index, and the publication that was drawn. */
  private static AnonymousReport common(byte[] message) throws IOException {
    ByteString content = BinaryRequest.parse(message).content();
    AnonymousReport report = AnonymousReport.parseFrom(content);
    // As the Java side writes these fields.
    assertThat(report.toByteString()).isEqualTo(content);
    AnonymousReport.Builder common = report.toBuilder().setRound(0).clearPadding();
    common.setToken(ByteString.copyFrom(new byte[report.getToken().size()]));
    assertThat(report.getCandidate().hasIndex()).isTrue();
    common.getCandidateBuilder().setSeed(0).setIndex(0);
    return common.build();
  }

  /** A message without its content. */
  private static BinaryRequest head(byte[] message) {
    BinaryRequest parsed = BinaryRequest.parse(message);
    return new BinaryRequest(
        parsed.method(), parsed.authority(), parsed.path(), parsed.header(), ByteString.EMPTY);
  }

  @Test
  void javaDevicesAndPagesSendTheSame() throws Exception {
    runPage();
    runJava();
    assertThat(messages).hasSize(3);
    assertThat(ofJava).hasSize(3);
    assertThat(ofJava.get(0)).isEqualTo(messages.get(0));
    assertThat(ofJava.get(1)).isEqualTo(messages.get(1));
    assertThat(opened)
        .extracting(BinaryRequest::path)
        .containsExactly("/v1/models/m", "/v1/models/m/windows", "/v1/anonymous-reports");
    byte[] java = ofJava.get(2);
    byte[] page = messages.get(2);
    assertThat(head(java)).isEqualTo(head(page));
    assertThat(head(java).header()).isEqualTo(Map.of("content-type", "application/x-protobuf"));
    assertThat(java).hasSameSizeAs(page);
    assertThat(BinaryRequest.parse(java).content().size()).isEqualTo(1024);
    assertThat(common(java)).isEqualTo(common(page));
  }

  /** They carry an identity, the client's version and the device's id; nothing else differs. */
  @Tag("thorough")
  @Test
  void javaDevicesAndPagesAskForTokensAlike() throws Exception {
    runPage();
    runJava();
    String random = "\"(blinded|deviceId)\":\"[^\"]*\"";
    List<String> ofPage =
        requests().stream()
            .filter(request -> request.getMember("url").asString().endsWith("/v1/tokens"))
            .map(request -> request.getMember("body").asString())
            .toList();
    assertThat(ofPage).hasSize(1);
    assertThat(tokensOfJava).hasSize(1);
    assertThat(tokensOfJava.get(0).replaceAll(random, "$1"))
        .isEqualTo(ofPage.get(0).replaceAll(random, "$1"));
  }
}
