package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.client.StubGateway.Answer;
import io.croupier.client.StubGateway.Received;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ohttp.BinaryRequest;
import io.croupier.client.ohttp.BinaryResponse;
import io.croupier.client.ohttp.ObliviousExchange;
import io.croupier.client.ohttp.ObliviousKey;
import io.croupier.client.ohttp.ObliviousKeyPair;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.TokenWindow;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example of docs/run/anonymous.md: a device follows a model, and reports once in a window. */
@Timeout(300)
class AnonymousExampleTest {
  private static final int PUBLICATIONS = 3;
  private static final ObliviousKeyPair KEYS = ObliviousKeyPair.derive(new byte[32]);
  private static final PrivUnitRandomiser LEVEL = new PrivUnitRandomiser(1, 2, 2);

  private final CountDownLatch granted = new CountDownLatch(1);
  private final CountDownLatch arrived = new CountDownLatch(1);
  private final AtomicLong round = new AtomicLong();
  private final List<Received> reported = new CopyOnWriteArrayList<>();

  /** Takes part until it is interrupted. */
  static void takePart(Path file, Path bearer, URI gateway, URI relay, Path keys) throws Exception {
    ObliviousKey key = ObliviousKey.parse(Files.readAllBytes(keys)); // the app contains it
    BlockingQueue<ModelSnapshot> updates = new LinkedBlockingQueue<>();
    Duration wait = Duration.ofMillis(10);
    try (LocalLedger ledger = LocalLedger.open(file, "ada", Limit.ofEpsilon(20));
        AnonymousReporter reporter =
            new AnonymousReporter(ledger, 2, gateway, new TokenFile(bearer), relay, key, wait);
        HttpModelSubscriber models =
            new HttpModelSubscriber(gateway, "clicks", relay, key, wait, updates::add)) {
      while (!Thread.currentThread().isInterrupted()) {
        updates.take();
        ModelSnapshot model = models.await(Duration.ofMinutes(1)); // the newest one
        reporter.takePart(model, DataKey.of("2026-11-28"), () -> gradientAt(model.weights()));
        reporter
            .tokens()
            .exceptionally(
                failure -> {
                  System.err.println(failure.getMessage()); // The next update asks again.
                  return null;
                });
      }
    }
  }

  private static double[] gradientAt(double[] weights) {
    return new double[] {weights[0] - 0.5, weights[1] + 0.25};
  }

  private static TokenIssuer issuer(long window) {
    return TokenIssuer.derive(
        new byte[32],
        new TokenChallenge("clicks", window, AnonymousWindows.bytes(LEVEL.mechanism())));
  }

  private static TokenWindow.Builder window(long window) {
    return SigningGateway.window(window, PUBLICATIONS, LEVEL.mechanism(), issuer(window));
  }

  private Answer answer(Received request) throws InterruptedException {
    String target = request.target();
    if (target.equals("/v1/ohttp")) {
      return encapsulated(request);
    }
    if (target.equals("/v1/tokens")) {
      Answer signed = signed(request.body().toStringUtf8());
      granted.countDown();
      return signed;
    }
    if (target.equals("/v1/anonymous-reports")) {
      arrived.countDown();
      return StubGateway.ACCEPTED;
    }
    if (target.endsWith("/windows")) {
      return windows();
    }
    long number = round.getAndIncrement();
    if (number > 0) {
      granted.await();
    }
    return SigningGateway.json(
        Updates.update("clicks", number, 0, 0)
            .addWindows(window(number / PUBLICATIONS))
            .addWindows(window(number / PUBLICATIONS + 1)));
  }

  /** What relay and gateway do with a request: open it, and encrypt the answer. */
  private Answer encapsulated(Received request) throws InterruptedException {
    ObliviousExchange exchange;
    try {
      exchange = KEYS.open(request.body().toByteArray());
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
    BinaryRequest message = BinaryRequest.parse(exchange.request());
    Received opened = new Received(0, message.path(), Map.of(), message.content());
    reported.add(opened);
    Answer answer = answer(opened);
    BinaryResponse response = new BinaryResponse(answer.status(), Map.of(), answer.body());
    return new Answer(200, Map.of(), ByteString.copyFrom(exchange.seal(response.encoded())));
  }

  /** All windows so far: updates follow each other without a pause, while the report waits. */
  private Answer windows() {
    ModelUpdate.Builder update = ModelUpdate.newBuilder().setModelId("clicks");
    for (long window = 0; window <= round.get() / PUBLICATIONS; window++) {
      update.addWindows(window(window));
    }
    return SigningGateway.json(update);
  }

  private static Answer signed(String request) {
    String blinded = request.replaceAll(".*\"blinded\":\"|\".*", "");
    long window = Long.parseLong(request.replaceAll(".*\"window\":\"|\".*", ""));
    return SigningGateway.signed(
        issuer(window).sign(ByteString.copyFrom(Base64.getDecoder().decode(blinded))));
  }

  @Tag("ci")
  @Test
  void aReportArrivesInTheWindow(@TempDir Path folder) throws Exception {
    Path bearer = folder.resolve("ada.token");
    Files.writeString(bearer, "abc.DEF");
    Path keys = Files.write(folder.resolve("gateway.ohttp-keys"), KEYS.key().encoded());
    try (StubGateway gateway = new StubGateway(this::answer)) {
      Thread device =
          new Thread(
              () -> {
                try {
                  takePart(
                      folder.resolve("ledger"),
                      bearer,
                      gateway.uri(),
                      gateway.uri().resolve("/v1/ohttp"),
                      keys);
                } catch (Exception e) {
                  // It is interrupted in the end.
                }
              });
      device.start();
      boolean isThere = arrived.await(4, TimeUnit.MINUTES);
      device.interrupt();
      device.join();
      assertThat(isThere).isTrue();
      assertThat(gateway.received())
          .extracting(Received::target)
          .containsOnly("/v1/tokens", "/v1/ohttp");
      assertThat(reported)
          .filteredOn(request -> request.target().equals("/v1/anonymous-reports"))
          .first()
          .satisfies(request -> assertThat(request.body().size()).isEqualTo(1024));
    }
  }
}
