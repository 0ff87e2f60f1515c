package io.croupier.client;

import com.google.gson.stream.JsonReader;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.client.StubGateway.Answer;
import io.croupier.client.StubGateway.Received;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.TokenLevel;
import io.croupier.schemas.TokenWindow;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A gateway that signs tokens for windows of five publications, and accepts anonymous reports. */
public final class SigningGateway implements AutoCloseable {
  /** The level of the model "m". */
  public static final double EPSILON = 2;

  /** Publications of a window. */
  public static final int PUBLICATIONS = 5;

  static final String BEARER = "abc.DEF";
  static final PrivUnitMechanism LEVEL = new PrivUnitRandomiser(1, 2, EPSILON).mechanism();
  private static final Map<Long, TokenIssuer> ISSUERS = new ConcurrentHashMap<>();

  private final Map<Integer, Answer> tokenAnswers = new ConcurrentHashMap<>();
  private final Map<Integer, Answer> reportAnswers = new ConcurrentHashMap<>();
  private final AtomicInteger tokensAsked = new AtomicInteger();
  private final AtomicInteger reportsSent = new AtomicInteger();
  private final StubGateway gateway;
  private volatile Answer windows = windows(0, 9);
  private volatile Answer update = json(Updates.update("m", 0, 0, 0));

  /** Guarded by this. */
  private boolean isDelayed;

  public SigningGateway() throws IOException {
    gateway = new StubGateway(this::answer);
  }

  /** The answer to a request for a token, by its place, from 0. */
  void answerToken(int place, Answer answer) {
    tokenAnswers.put(place, answer);
  }

  /** The answer to a report, by its place, from 0. */
  void answerReport(int place, Answer answer) {
    reportAnswers.put(place, answer);
  }

  /** The answer to requests for windows without identity; by default the first ten, as signed. */
  void answerWindows(Answer answer) {
    windows = answer;
  }

  /** An answer with the windows between two, both included. */
  static Answer windows(long first, long last) {
    ModelUpdate.Builder update = ModelUpdate.newBuilder().setModelId("m");
    for (long window = first; window <= last; window++) {
      update.addWindows(window(window));
    }
    return json(update);
  }

  /** As gateways answer requests without identity. */
  static Answer json(ModelUpdate.Builder update) {
    try {
      return new Answer(
          200,
          Map.of("Content-Type", "application/json"),
          ByteString.copyFromUtf8(JsonFormat.printer().print(update)));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The answer to requests for the newest update. */
  void answerUpdates(Answer answer) {
    update = answer;
  }

  /** Whether answers to requests for tokens are held back. */
  synchronized void delayTokens(boolean isDelayed) {
    this.isDelayed = isDelayed;
    notifyAll();
  }

  /** Waits until so many requests for tokens have arrived. */
  synchronized void awaitTokens(int count) throws InterruptedException {
    while (tokensAsked.get() < count) {
      wait();
    }
  }

  private synchronized Answer tokenAnswer() throws InterruptedException {
    int place = tokensAsked.getAndIncrement();
    notifyAll();
    while (isDelayed) {
      wait();
    }
    return tokenAnswers.get(place);
  }

  private Answer answer(Received request) throws InterruptedException {
    if (request.target().equals("/v1/models/m/windows")) {
      return windows;
    }
    if (request.target().equals("/v1/models/m")) {
      return update;
    }
    if (!request.target().equals("/v1/tokens")) {
      return reportAnswers.getOrDefault(reportsSent.getAndIncrement(), StubGateway.ACCEPTED);
    }
    Answer other = tokenAnswer();
    if (other != null) {
      return other;
    }
    Map<String, String> asked = json(request.body());
    ByteString signature =
        issuer(Long.parseLong(asked.get("window")))
            .sign(ByteString.copyFrom(Base64.getDecoder().decode(asked.get("blinded"))));
    return signed(signature);
  }

  /** As gateways answer requests for tokens. */
  static Answer signed(ByteString signature) {
    String encoded = Base64.getEncoder().encodeToString(signature.toByteArray());
    return new Answer(
        200,
        Map.of("Content-Type", "application/json"),
        ByteString.copyFromUtf8("{\"other\": [1], \"blindSignature\": \"" + encoded + "\"}"));
  }

  static Map<String, String> json(ByteString body) {
    Map<String, String> members = new HashMap<>();
    try (JsonReader json = new JsonReader(new StringReader(body.toStringUtf8()))) {
      json.beginObject();
      while (json.hasNext()) {
        members.put(json.nextName(), json.nextString());
      }
      json.endObject();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return members;
  }

  static TokenChallenge challenge(long window) {
    return new TokenChallenge("m", window, AnonymousWindows.bytes(LEVEL));
  }

  /** Every other window has the same keys, since to derive them takes some tenths of a second. */
  static TokenIssuer issuer(long window) {
    return ISSUERS.computeIfAbsent(window % 2, w -> TokenIssuer.derive(new byte[32], challenge(w)));
  }

  static TokenWindow.Builder window(long window) {
    return window(window, PUBLICATIONS, LEVEL, issuer(window));
  }

  static TokenWindow.Builder window(
      long window, int publications, PrivUnitMechanism level, TokenIssuer issuer) {
    return TokenWindow.newBuilder()
        .setWindow(window)
        .setFirstRound(window * publications)
        .setLastRound((window + 1) * publications - 1)
        .addLevels(
            TokenLevel.newBuilder()
                .setPrivUnit(
                    PrivUnit.newBuilder()
                        .setEpsilon(level.epsilon())
                        .setCandidates(level.candidates())
                        .setTop(level.top()))
                .setModulus(issuer.key().modulus()));
  }

  /** As gateways serve it: with the keys of the round's window and of the next one. */
  public static ModelSnapshot model(long round) {
    long window = round / PUBLICATIONS;
    return snapshot(round, window(window), window(window + 1));
  }

  static ModelSnapshot snapshot(long round, TokenWindow.Builder... windows) {
    ModelUpdate.Builder update = Updates.update("m", round, 0, 0);
    for (TokenWindow.Builder window : windows) {
      update.addWindows(window);
    }
    return Updates.parse(update);
  }

  /** The slot of a window that the ledger's secret decides. */
  static long slot(LocalLedger ledger, long window) {
    return window * PUBLICATIONS + ledger.slot(challenge(window).digest(), PUBLICATIONS);
  }

  List<Received> received(String path) {
    return gateway.received().stream().filter(r -> r.target().equals("/v1/" + path)).toList();
  }

  /** The bodies that arrived at a path below /v1, in order. */
  public List<ByteString> bodies(String path) {
    return received(path).stream().map(Received::body).toList();
  }

  public URI uri() {
    return gateway.uri();
  }

  @Override
  public void close() {
    gateway.close();
  }
}
