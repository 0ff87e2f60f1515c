package io.croupier.client;

import static io.croupier.client.SigningGateway.BEARER;
import static io.croupier.client.SigningGateway.EPSILON;
import static io.croupier.client.SigningGateway.model;
import static io.croupier.client.SigningGateway.slot;
import static io.croupier.noise.Refusals.assertRefused;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.client.StubGateway.Answer;
import io.croupier.client.StubGateway.Received;
import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredToken.Stage;
import io.croupier.client.ohttp.BinaryRequest;
import io.croupier.client.ohttp.BinaryResponse;
import io.croupier.client.ohttp.ObliviousExchange;
import io.croupier.client.ohttp.ObliviousKeyPair;
import io.croupier.schemas.AnonymousReport;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reports of a device through a relay, which opens them here on behalf of the gateway. */
@Timeout(300)
class RelayTransportTest extends AnonymousFixture {
  private static final ObliviousKeyPair KEYS = ObliviousKeyPair.derive(new byte[32]);
  private static final Duration PATIENCE = Duration.ofMillis(1);

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<BinaryRequest> opened = new CopyOnWriteArrayList<>();

  /** Answers of the relay itself to its first requests, in order. */
  private final List<Answer> ofRelay = new CopyOnWriteArrayList<>();

  private StubGateway relay;

  @BeforeEach
  void startRelay() throws IOException {
    relay = new StubGateway(this::answer);
  }

  @AfterEach
  void stopRelay() {
    relay.close();
  }

  private Answer answer(Received request) {
    if (request.place() < ofRelay.size()) {
      return ofRelay.get(request.place());
    }
    try {
      ObliviousExchange exchange = KEYS.open(request.body().toByteArray());
      BinaryRequest message = BinaryRequest.parse(exchange.request());
      opened.add(message);
      return sealed(exchange, forwarded(message));
    } catch (GeneralSecurityException | IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Answer sealed(ObliviousExchange exchange, BinaryResponse answer) {
    return new Answer(
        200,
        Map.of("Content-Type", ObliviousExchange.ANSWER_TYPE),
        ByteString.copyFrom(exchange.seal(answer.encoded())));
  }

  private BinaryResponse forwarded(BinaryRequest message) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(gateway.uri().resolve(message.path()));
    message.header().forEach(request::header);
    if (message.method().equals("POST")) {
      request.POST(BodyPublishers.ofByteArray(message.content().toByteArray()));
    }
    HttpResponse<byte[]> answer = client.send(request.build(), BodyHandlers.ofByteArray());
    String type = answer.headers().firstValue("content-type").orElse("");
    return new BinaryResponse(
        answer.statusCode(), Map.of("content-type", type), ByteString.copyFrom(answer.body()));
  }

  private URI uri() {
    return relay.uri().resolve("/of/ours");
  }

  private AnonymousReporter through(URI relayUri, LocalLedger ledger) {
    return new AnonymousReporter(
        ledger,
        EPSILON,
        new TokenGateway(gateway.uri(), () -> BEARER, PATIENCE),
        new AnonymousGateway(new RelayTransport(relayUri, gateway.uri(), KEYS.key()), PATIENCE),
        Duration.ofNanos(1),
        bound -> 0,
        () -> now);
  }

  /** The first report of a device that sees the rounds from a number on. */
  private static CompletableFuture<Void> report(
      AnonymousReporter reporter, LocalLedger ledger, long first) throws Exception {
    for (long round = first; round < slot(ledger, 0); round++) {
      assertThat(takePart(reporter, round)).isFalse();
    }
    return reporter
        .takePart(model(slot(ledger, 0)), FrequentData.KEY, () -> new double[] {0.6, 0.8})
        .orElseThrow();
  }

  @Test
  void theRelaySeesBytesOfOneLengthAlone() throws Exception {
    Set<Map<String, List<String>>> headers = new HashSet<>();
    List<ByteString> reports = new ArrayList<>();
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = through(uri(), ledger)) {
      takePart(reporter, 0, 2 * SigningGateway.PUBLICATIONS + 1);
    }
    for (Received request : gateway.received("anonymous-reports")) {
      reports.add(AnonymousReport.parseFrom(request.body()).getToken());
    }
    assertThat(reports).hasSizeGreaterThanOrEqualTo(2);
    // Before each report, the windows.
    assertThat(relay.received()).hasSize(2 * reports.size());
    Set<ByteString> bodies = new HashSet<>();
    for (Received request : relay.received()) {
      headers.add(request.headers());
      assertThat(request.target()).isEqualTo("/of/ours");
      assertThat(request.body().size()).isEqualTo(2615);
      bodies.add(request.body());
      for (ByteString token : reports) {
        assertThat(request.body().toString(ISO_8859_1)).doesNotContain(token.toString(ISO_8859_1));
      }
    }
    assertThat(bodies).hasSameSizeAs(relay.received());
    assertThat(headers).hasSize(1);
    assertThat(headers.iterator().next().toString()).doesNotContain("Java", BEARER, "m/windows");
    assertThat(opened)
        .allSatisfy(
            message -> assertThat(message.authority()).isEqualTo(gateway.uri().getAuthority()));
    assertThat(opened.get(0).header()).isEqualTo(Map.of("accept", "application/json"));
    assertThat(opened.get(1).header())
        .isEqualTo(Map.of("content-type", GatewayConnection.PROTOBUF));
  }

  /** The gateway doesn't see who follows the model. */
  @Test
  void updatesComeThroughTheRelay() throws Exception {
    BlockingQueue<ModelSnapshot> updates = new LinkedBlockingQueue<>();
    ofRelay.add(Answer.problem(503));
    try (HttpModelSubscriber models =
        new HttpModelSubscriber(
            gateway.uri(), "m", uri(), KEYS.key(), Duration.ofMillis(5), updates::add)) {
      assertThat(updates.take().round()).isZero();
      gateway.answerUpdates(
          SigningGateway.json(
              Updates.update("m", 7, 0.1, -0.2).addWindows(SigningGateway.window(1))));
      ModelSnapshot newest = updates.take();
      assertThat(newest.weights()).containsExactly(0.1, -0.2);
      assertThat(newest.windows()).containsExactly(SigningGateway.window(1).build());
      // The same round with the next window.
      gateway.answerUpdates(
          SigningGateway.json(
              Updates.update("m", 7, 0.1, -0.2)
                  .addWindows(SigningGateway.window(1))
                  .addWindows(SigningGateway.window(2))));
      assertThat(updates.take().windows()).hasSize(2);
      assertThat(models.newest().orElseThrow().round()).isEqualTo(7);
    }
    assertThat(updates).isEmpty();
    assertThat(opened)
        .containsOnly(
            new BinaryRequest(
                "GET",
                gateway.uri().getAuthority(),
                "/v1/models/m",
                Map.of("accept", "application/json"),
                ByteString.EMPTY));
    assertThat(relay.received())
        .allSatisfy(request -> assertThat(request.body().size()).isEqualTo(2615));
  }

  @Test
  void thePauseBetweenPollsIsAboveZero() {
    assertRefused(
        () ->
            new HttpModelSubscriber(
                gateway.uri(), "m", uri(), KEYS.key(), Duration.ZERO, update -> {}),
        "longestPause is PT0S; it must be above 0");
  }

  /** Only the gateway ends a report: a relay may lie, or have no gateway any more. */
  @Test
  void noAnswerOfTheRelayEndsAReport() throws Exception {
    ObliviousExchange ofAnother = KEYS.open(KEYS.key().encapsulate(new byte[2560]).request());
    ofRelay.addAll(
        List.of(
            Answer.problem(400),
            Answer.of(413),
            Answer.of(404),
            StubGateway.NONE,
            new Answer(200, Map.of(), ByteString.copyFromUtf8("no ciphertext, but long enough")),
            sealed(ofAnother, new BinaryResponse(409, Map.of(), ByteString.EMPTY))));
    try (LocalLedger ledger = open()) {
      List<String> messages = new ArrayList<>();
      for (int attempt = 0; attempt < ofRelay.size(); attempt++) {
        try (AnonymousReporter reporter = through(uri(), ledger)) {
          Throwable failure = failure(report(reporter, ledger, attempt == 0 ? 0 : slot(ledger, 0)));
          assertThat(failure).isInstanceOf(GatewayException.class);
          messages.add(failure.getMessage().replace(uri().toString(), "URL"));
          assertThat(stages(ledger)).containsEntry(0L, Stage.DRAWN);
        }
      }
      assertThat(messages.get(0)).startsWith("the relay URL answered 400: dimension is 3");
      assertThat(messages.get(1)).startsWith("the relay URL answered 413: ");
      assertThat(messages.get(2)).startsWith("the relay URL answered 404: ");
      assertThat(messages.get(3)).startsWith("the relay URL can't be reached: ");
      assertThat(messages.subList(4, 6))
          .containsOnly(
              "the relay URL answered by something that the gateway didn't encrypt for the"
                  + " request");
      try (AnonymousReporter reporter = through(uri(), ledger)) {
        assertThat(takePart(reporter, slot(ledger, 0))).isTrue();
        assertThat(stages(ledger)).containsEntry(0L, Stage.ENDED);
      }
      assertThat(gateway.received("anonymous-reports")).hasSize(1);
    }
  }

  @Test
  void withoutARelayTheReportStays() throws Exception {
    relay.close();
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = through(uri(), ledger)) {
      assertThat(failure(report(reporter, ledger, 0)))
          .isInstanceOf(GatewayException.class)
          .hasMessageStartingWith("the relay " + uri() + " can't be reached: ");
      assertThat(stages(ledger)).containsEntry(0L, Stage.DRAWN);
    }
    assertThat(gateway.received("anonymous-reports")).isEmpty();
  }

  @Test
  void theGatewayMayRefuse() throws Exception {
    gateway.answerReport(0, Answer.problem(409));
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = through(uri(), ledger)) {
      assertThat(failure(report(reporter, ledger, 0)))
          .isInstanceOf(ReportRefusedException.class)
          .hasMessageStartingWith("the gateway " + gateway.uri() + " answered 409: dimension is 3");
      assertThat(stages(ledger)).containsEntry(0L, Stage.ENDED);
    }
  }

  @Test
  void otherAddressesAreRefused() {
    assertThatThrownBy(
            () ->
                new RelayTransport(URI.create("http://relay.example/x"), gateway.uri(), KEYS.key()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "the relay's URL is http://relay.example/x; it must begin with https");
    assertThatThrownBy(
            () -> new RelayTransport(uri(), URI.create("http://gateway.example"), KEYS.key()))
        .hasMessageStartingWith("the gateway's URL is ");
  }
}
