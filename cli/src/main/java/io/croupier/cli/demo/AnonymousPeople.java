package io.croupier.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.croupier.cli.data.Problem;
import io.croupier.client.HttpModelSubscriber;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.token.Token;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenKey;
import io.croupier.client.token.TokenRequest;
import io.croupier.gateway.anonymous.AnonymousCheck;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.TokenWindow;
import io.croupier.schemas.view.GradientReportView;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.security.SignatureException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/**
 * People who report without identity. Before the window's second publication, the device of each
 * person asks the gateway for a token for each model, under the person's identity. It sends one
 * report at a publication that it draws, each of the window's with the same probability. If the
 * model is already ahead of it, because this machine is slow, the device reports at the newest
 * publication.
 *
 * <p>The devices are in one process, and share connections, so this hides no person from the
 * gateway.
 */
final class AnonymousPeople implements Arrivals, AutoCloseable {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Duration KEYS = Duration.ofSeconds(60);
  private static final long LOOK_MS = 10;

  /** A request for a token waits for a checkpoint. Fewer than a gateway lets wait. */
  private static final int GRANTS_AT_ONCE = 192;

  /** So few that none waits while the model publishes max_staleness times. */
  private static final int REPORTS_AT_ONCE = 48;

  /** Longer than a publication takes on a slow machine. */
  private static final Duration STALL = Duration.ofMinutes(2);

  private static final int GRANTED = 200;
  private static final int ACCEPTED = 202;
  private static final int TOO_OLD = 409;

  /** Tag and length of the padding. */
  private static final int PADDING_HEAD = 3;

  private final URI gateway;
  private final IntFunction<String> identityOf;
  private final Problem problem;
  private final int[] order;
  private final Consumer<String> onAccepted;
  private final GatewayRequests grants = new GatewayRequests(GRANTS_AT_ONCE);
  private final GatewayRequests reports = new GatewayRequests(REPORTS_AT_ONCE);
  private final Map<String, WindowedModel> models = new LinkedHashMap<>();
  private final List<Device> devices = Collections.synchronizedList(new ArrayList<>());
  private final AtomicLong granted = new AtomicLong();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong late = new AtomicLong();
  private final Thread thread = new Thread(this::reportAll, "anonymous-people");
  private volatile RuntimeException failure;

  /**
   * A device with a token.
   *
   * @param row of its person in the data
   * @param round at which it reports
   */
  private record Device(int row, String modelId, long round, Token token) {
    /** Links no person to a token. */
    @Override
    public String toString() {
      return "Device[model " + modelId + "]";
    }
  }

  /** A model and its window. */
  private static final class WindowedModel implements AutoCloseable {
    private final CompletableFuture<TokenWindow> window = new CompletableFuture<>();
    private final HttpModelSubscriber subscriber;

    /** The newest update with a round of the window. */
    private volatile ModelSnapshot newest;

    private WindowedModel(URI gateway, String modelId) {
      subscriber = new HttpModelSubscriber(gateway, modelId, this::read);
    }

    private void read(ModelSnapshot snapshot) {
      TokenWindow known = window.getNow(null);
      if (known == null || snapshot.round() <= known.getLastRound()) {
        newest = snapshot;
      }
      if (known == null && !snapshot.windows().isEmpty()) {
        window.complete(snapshot.windows().get(0));
      }
    }

    private TokenWindow window() throws InterruptedException {
      try {
        return window.get(KEYS.toSeconds(), TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException e) {
        throw new IllegalStateException(
            "the gateway announced no window within %d s".formatted(KEYS.toSeconds()), e);
      }
    }

    /**
     * Waits for a round of the window, and returns the newest update.
     *
     * @throws IllegalStateException if reports fail, or the model publishes nothing for two minutes
     */
    private ModelSnapshot await(long round, GatewayRequests reports) throws InterruptedException {
      long end = System.nanoTime() + STALL.toNanos();
      while (newest.round() < round) {
        reports.requireSuccess();
        // Throws if the subscriber failed.
        boolean unused = subscriber.newest().isPresent();
        if (System.nanoTime() - end > 0) {
          throw new IllegalStateException(
              "the model has published nothing for %d s after round %d"
                  .formatted(STALL.toSeconds(), newest.round()));
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
      }
      return newest;
    }

    @Override
    public void close() {
      subscriber.close();
    }
  }

  /**
   * Prepares the people; connects to nothing yet.
   *
   * @param gateway base of its API
   * @param identityOf returns the bearer token of a person
   * @param order rows of the people in the data
   * @param onAccepted receives the model of each report that the gateway accepts, on any thread
   */
  AnonymousPeople(
      URI gateway,
      IntFunction<String> identityOf,
      Problem problem,
      int[] order,
      Consumer<String> onAccepted) {
    this.gateway = gateway;
    this.identityOf = identityOf;
    this.problem = problem;
    this.order = order;
    this.onAccepted = onAccepted;
    thread.setDaemon(true);
  }

  /**
   * Gets a token for each person and model.
   *
   * @param onGranted receives the number of tokens so far
   * @throws IllegalStateException if a token isn't granted
   */
  void requestTokens(List<String> modelIds, LongConsumer onGranted) throws InterruptedException {
    for (String modelId : modelIds) {
      models.put(modelId, new WindowedModel(gateway, modelId));
    }
    Map<TokenChallenge, TokenKey> challenges = new LinkedHashMap<>();
    for (Map.Entry<String, WindowedModel> model : models.entrySet()) {
      TokenWindow window = model.getValue().window();
      challenges.put(
          challenge(model.getKey(), model.getValue().newest, window),
          new TokenKey(window.getLevels(0).getModulus()));
    }
    for (int row : order) {
      // Signing it takes as long as signing a token.
      String identity = identityOf.apply(row);
      for (Map.Entry<TokenChallenge, TokenKey> of : challenges.entrySet()) {
        TokenRequest token = TokenRequest.draw(of.getValue(), of.getKey());
        grants.send(
            request(identity, of.getKey(), token),
            answer -> hold(row, of.getKey().modelId(), token, answer));
        onGranted.accept(granted.get());
      }
    }
    grants.await();
  }

  private static TokenChallenge challenge(String modelId, ModelSnapshot model, TokenWindow window) {
    return new TokenChallenge(
        modelId,
        window.getWindow(),
        AnonymousWindows.bytes(
            Declarations.of(window.getLevels(0).getPrivUnit(), model.dimension())));
  }

  private HttpRequest request(String identity, TokenChallenge challenge, TokenRequest token) {
    JsonObject body = new JsonObject();
    body.addProperty("modelId", challenge.modelId());
    body.addProperty("window", challenge.window());
    body.addProperty("level", 0);
    // One device for each model, so that each has sequence numbers of its own.
    body.addProperty("deviceId", challenge.modelId());
    body.addProperty("sequence", 0);
    body.addProperty("blinded", Base64.getEncoder().encodeToString(token.blinded().toByteArray()));
    return HttpRequest.newBuilder(gateway.resolve("/v1/tokens"))
        .header("Authorization", "Bearer " + identity)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body.toString()))
        .build();
  }

  private void hold(int row, String modelId, TokenRequest token, HttpResponse<byte[]> answer) {
    require(answer, GRANTED);
    String signature =
        JsonParser.parseString(new String(answer.body(), UTF_8))
            .getAsJsonObject()
            .get("blindSignature")
            .getAsString();
    TokenWindow window = models.get(modelId).window.join();
    int publications = Math.toIntExact(window.getLastRound() - window.getFirstRound() + 1);
    try {
      Token signed = token.finish(ByteString.copyFrom(Base64.getDecoder().decode(signature)));
      long round = window.getFirstRound() + RANDOM.nextInt(publications);
      devices.add(new Device(row, modelId, round, signed));
      granted.incrementAndGet();
    } catch (SignatureException e) {
      throw new IllegalStateException("the gateway didn't sign with the key of the window", e);
    }
  }

  private static void require(HttpResponse<byte[]> answer, int status) {
    if (answer.statusCode() != status) {
      throw new IllegalStateException(
          "the gateway answered %d: %s"
              .formatted(answer.statusCode(), new String(answer.body(), UTF_8)));
    }
  }

  /** Begins to send the reports. */
  void start() {
    thread.start();
  }

  private void reportAll() {
    try {
      List<Device> inTurn = new ArrayList<>(devices);
      // Those of one publication in random order, as after random waits.
      Collections.shuffle(inTurn, RANDOM);
      inTurn.sort(Comparator.comparingLong(Device::round));
      for (Device device : inTurn) {
        ModelSnapshot model = models.get(device.modelId).await(device.round, reports);
        reports.send(request(device, model), answer -> count(device, answer));
      }
      reports.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private HttpRequest request(Device device, ModelSnapshot model) {
    PrivUnit level = models.get(device.modelId).window.join().getLevels(0).getPrivUnit();
    double[] gradient = new double[problem.dimension()];
    problem.gradient(device.row, model.weights(), gradient);
    GradientReportView.Builder drawn = GradientReportView.newBuilder();
    new PrivUnitRandomiser(
            model.gradientBound(), model.dimension(), level.getEpsilon(), level.getCandidates())
        .release(gradient, drawn);
    AnonymousReport.Builder report =
        AnonymousReport.newBuilder()
            .setModelId(device.modelId)
            .setRound(model.round())
            .setToken(device.token.encoded())
            .setCandidate(drawn.getCandidate())
            .setPrivUnit(drawn.getPrivUnit());
    int padding = AnonymousCheck.PROTOBUF_BYTES - PADDING_HEAD - report.build().getSerializedSize();
    report.setPadding(ByteString.copyFrom(new byte[padding]));
    return HttpRequest.newBuilder(gateway.resolve("/v1/anonymous-reports"))
        .header("Content-Type", "application/x-protobuf")
        .POST(BodyPublishers.ofByteArray(report.build().toByteArray()))
        .build();
  }

  private void count(Device device, HttpResponse<byte[]> answer) {
    if (answer.statusCode() == TOO_OLD) {
      late.incrementAndGet();
      return;
    }
    require(answer, ACCEPTED);
    onAccepted.accept(device.modelId);
    accepted.incrementAndGet();
  }

  /** The number of reports that came too late for their round, and weren't accepted. */
  long late() {
    return late.get();
  }

  @Override
  public long reported() {
    return (checked(accepted) + late.get()) / models.size();
  }

  @Override
  public long sent() {
    return granted.get() + checked(accepted);
  }

  @Override
  public long due() {
    return 2L * order.length * models.size() - late.get();
  }

  @Override
  public long size() {
    return order.length;
  }

  private long checked(AtomicLong count) {
    if (failure != null) {
      throw failure;
    }
    return count.get();
  }

  @Override
  public void close() {
    grants.close();
    reports.close();
    thread.interrupt();
    models.values().forEach(WindowedModel::close);
  }
}
