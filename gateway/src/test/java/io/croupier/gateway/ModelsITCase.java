package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.util.JsonFormat;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What devices and pages read from a gateway. */
@Tag("ci")
class ModelsITCase extends GatewayFixture {
  private static final int DIMENSION = 3;
  private static final String PROTOBUF = "application/x-protobuf";

  @BeforeAll
  static void start() throws Exception {
    for (String id : List.of("m", "polled", "streamed", "retiring")) {
      broker.publish(TestBroker.spec(id, DIMENSION));
      broker.update(id, DIMENSION, 4);
    }
    startGateway(Map.of("limits.idle", "1 s", "cors.origins", "https://app.example"));
  }

  @Test
  void theNewestUpdateComesInBothEncodings() throws Exception {
    ModelUpdate update = TestBroker.update("m", DIMENSION, 4, TestBroker.BOUND).build();
    HttpResponse<byte[]> protobuf = gateway.getBytes("/v1/models/m", "Accept", PROTOBUF);
    assertThat(protobuf.headers().firstValue("Content-Type")).hasValue(PROTOBUF);
    assertThat(ModelUpdate.parseFrom(protobuf.body())).isEqualTo(update);
    HttpResponse<String> json = gateway.get("/v1/models/m", "Accept", "*/*");
    assertThat(json.headers().firstValue("Content-Type")).hasValue("application/json");
    ModelUpdate.Builder read = ModelUpdate.newBuilder();
    JsonFormat.parser().merge(json.body(), read);
    assertThat(read.build()).isEqualTo(update);
    assertThat(gateway.status("/v1/models/m", "Accept", "text/html")).isEqualTo(406);
    assertThat(gateway.status("/v1/models/unknown")).isEqualTo(404);
  }

  @Test
  void theListHasEveryModel() throws Exception {
    JsonObject list = TestGateway.json(gateway.get("/v1/models"));
    JsonObject first = list.getAsJsonArray("models").get(0).getAsJsonObject();
    assertThat(first.get("modelId").getAsString()).isEqualTo("m");
    assertThat(first.get("learner").getAsString()).isEqualTo("black_box");
    assertThat(first.get("dimension").getAsInt()).isEqualTo(DIMENSION);
    assertThat(first.get("round").getAsString()).isEqualTo("4");
  }

  @Test
  void aKnownRoundIsNotSentAgain() throws Exception {
    String tag = gateway.get("/v1/models/m").headers().firstValue("ETag").orElseThrow();
    assertThat(tag).matches("W/\"4-[0-9a-f]{16}\"");
    String strong = tag.substring(2);
    for (String match : List.of(tag, strong, "*", "\"3\", " + strong)) {
      HttpResponse<String> same = gateway.get("/v1/models/m", "If-None-Match", match);
      assertThat(same.statusCode()).isEqualTo(304);
      assertThat(same.body()).isEmpty();
    }
    for (String match : List.of("\"3\"", "\"4\"", strong.replace("4-", "3-"))) {
      assertThat(gateway.status("/v1/models/m", "If-None-Match", match)).isEqualTo(200);
    }
    assertThat(gateway.status("/v1/models/m?after=4")).isEqualTo(304);
    assertThat(gateway.status("/v1/models/m?after=3")).isEqualTo(200);
    assertThat(gateway.status("/v1/models/m?after=x")).isEqualTo(400);
    assertThat(gateway.status("/v1/models/m?wait=3")).isEqualTo(400);
  }

  /** More wait than the server has threads; the wait is longer than an idle connection may be. */
  @Test
  void manyWaitForTheNextRoundWithoutAThreadEach() throws Exception {
    int waiting = 200;
    double others = gateway.metric("croupier_gateway_requests_waiting");
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < waiting; i++) {
      answers.add(gateway.getAsync("/v1/models/polled?after=4&wait=60"));
    }
    await(() -> gateway.metric("croupier_gateway_requests_waiting") >= others + waiting);
    // The last of those who wait has waited for longer than the idle timeout.
    HttpResponse<String> none = gateway.get("/v1/models/polled?after=4&wait=2");
    assertThat(none.statusCode()).isEqualTo(304);
    assertThat(answers).noneMatch(CompletableFuture::isDone);
    broker.update("polled", DIMENSION, 5);
    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      HttpResponse<String> response = answer.get(5, TimeUnit.MINUTES);
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("ETag")).get().asString().startsWith("W/\"5-");
    }
    await(() -> gateway.metric("croupier_gateway_requests_waiting") <= others);
  }

  /** Counts don't change what a client has. */
  @Test
  void aRoundThatIsPublishedAgainHasTheSameTag() throws Exception {
    ModelUpdate.Builder update = TestBroker.update("recounted", DIMENSION, 4, TestBroker.BOUND);
    broker.update(update.build());
    await(() -> gateway.status("/v1/models/recounted") == 200);
    String tag = tag("recounted");
    broker.update(update.setUsed(77).setOpen(3).setPublishedAtMs(2_000_000_000_000L).build());
    await(() -> gateway.get("/v1/models/recounted").body().contains("77"));
    assertThat(tag("recounted")).isEqualTo(tag);
  }

  private static String tag(String model) throws Exception {
    return gateway.get("/v1/models/" + model).headers().firstValue("ETag").orElseThrow();
  }

  /** The update that a model publishes after it was retired and applied again. */
  private static ModelUpdate again(String id, long round) {
    return TestBroker.update(id, DIMENSION, round, TestBroker.BOUND / 2).build();
  }

  /** What a client has of an earlier life of a model must not keep the present one from it. */
  @Test
  void aModelThatStartsAgainIsSentToThoseWhoHaveItsFormerSelf() throws Exception {
    broker.publish(TestBroker.spec("restarted", DIMENSION));
    broker.update("restarted", DIMENSION, 9);
    await(() -> gateway.status("/v1/models/restarted") == 200);
    String former = tag("restarted");
    CompletableFuture<HttpResponse<String>> waiting =
        gateway.getAsync("/v1/models/restarted?after=9&wait=60");
    await(() -> gateway.metric("croupier_gateway_requests_waiting") >= 1);

    // Compaction may have removed the tombstone.
    broker.update(again("restarted", 1));

    HttpResponse<String> polled = waiting.get(5, TimeUnit.MINUTES);
    assertThat(polled.statusCode()).isEqualTo(200);
    assertThat(TestGateway.json(polled).get("round").getAsString()).isEqualTo("1");
    for (String query : List.of("?after=9", "?after=9&wait=60", "")) {
      HttpResponse<String> response =
          gateway.get("/v1/models/restarted" + query, "If-None-Match", former);
      assertThat(response.statusCode()).as(query).isEqualTo(200);
      assertThat(TestGateway.json(response).get("round").getAsString()).isEqualTo("1");
    }

    // When it has reached the round that the client has, the tags differ.
    broker.update(again("restarted", 9));
    await(() -> tag("restarted").startsWith("W/\"9-"));
    assertThat(tag("restarted")).isNotEqualTo(former);
    for (String query : List.of("?after=9", "?after=9&wait=60", "")) {
      HttpResponse<String> response =
          gateway.get("/v1/models/restarted" + query, "If-None-Match", former);
      assertThat(response.statusCode()).as(query).isEqualTo(200);
      assertThat(response.headers().firstValue("ETag")).hasValue(tag("restarted"));
    }
    String present = tag("restarted");
    assertThat(gateway.status("/v1/models/restarted?after=9", "If-None-Match", present))
        .isEqualTo(304);
  }

  /** A client may have read the round from another gateway, which is ahead of this one. */
  @Test
  void aRoundThatThisGatewayHasNotReadYetIsAwaited() throws Exception {
    broker.publish(TestBroker.spec("outrun", DIMENSION));
    broker.update("outrun", DIMENSION, 4);
    await(() -> gateway.status("/v1/models/outrun") == 200);
    double before = gateway.metric("croupier_gateway_requests_waiting");
    AtomicLong round = new AtomicLong(4);
    // The gateway waits for some time only; a slow machine may need more to publish a round.
    await(
        () -> {
          long known = round.get() + 1;
          CompletableFuture<HttpResponse<String>> waiting =
              gateway.getAsync("/v1/models/outrun?wait=60&after=" + known);
          broker.update("outrun", DIMENSION, round.addAndGet(2));
          HttpResponse<String> response = waiting.get(5, TimeUnit.MINUTES);
          assertThat(response.statusCode()).isEqualTo(200);
          await(() -> tag("outrun").startsWith("W/\"%d-".formatted(round.get())));
          return TestGateway.json(response).get("round").getAsLong() == round.get();
        });
    await(() -> gateway.metric("croupier_gateway_requests_waiting") <= before);
  }

  /** The gateway's short idle timeout may close a connection that the client is about to reuse. */
  private static void await(Condition condition) throws Exception {
    Condition.await(
        () -> {
          try {
            return condition.holds();
          } catch (IOException e) {
            return false;
          }
        });
  }

  @Test
  void updatesAreStreamed() throws Exception {
    double before = gateway.metric("croupier_gateway_requests_waiting");
    BlockingQueue<String> lines = new ArrayBlockingQueue<>(1000);
    CompletableFuture<Void> stream = follow("streamed", lines);
    assertThat(event(lines)).isEqualTo("update 4 4");
    broker.update("streamed", DIMENSION, 5);
    assertThat(event(lines)).isEqualTo("update 5 5");
    broker.update("streamed", DIMENSION, 9);
    assertThat(event(lines)).isEqualTo("update 9 9");
    assertThat(stream).isNotDone();
    stream.cancel(true);
    // The gateway notices it when it writes; until then, other tests would count this stream.
    AtomicLong round = new AtomicLong(9);
    await(
        () -> {
          broker.update("streamed", DIMENSION, round.incrementAndGet());
          return gateway.metric("croupier_gateway_requests_waiting") <= before;
        });
  }

  @Test
  void aRetiredModelEndsItsStream() throws Exception {
    BlockingQueue<String> lines = new ArrayBlockingQueue<>(1000);
    CompletableFuture<Void> stream = follow("retiring", lines);
    assertThat(event(lines)).isEqualTo("update 4 4");
    broker.retire("retiring");
    assertThat(lines.poll(60, TimeUnit.SECONDS)).isEqualTo("event: retired");
    stream.get(5, TimeUnit.MINUTES);
    await(() -> gateway.status("/v1/models/retiring") == 404);
  }

  private static CompletableFuture<Void> follow(String model, BlockingQueue<String> lines) {
    return gateway
        .client
        .sendAsync(
            HttpRequest.newBuilder(gateway.uri("/v1/models/" + model + "/events")).build(),
            BodyHandlers.fromLineSubscriber(
                new java.util.concurrent.Flow.Subscriber<>() {
                  @Override
                  public void onSubscribe(java.util.concurrent.Flow.Subscription subscription) {
                    subscription.request(Long.MAX_VALUE);
                  }

                  @Override
                  public void onNext(String line) {
                    lines.add(line);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    lines.add("failed");
                  }

                  @Override
                  public void onComplete() {
                    lines.add("complete");
                  }
                }))
        .thenAccept(response -> assertThat(response.statusCode()).isEqualTo(200));
  }

  /** The next event: its kind, its id, and the round in its data. */
  private static String event(BlockingQueue<String> lines) throws InterruptedException {
    String kind = lines.poll(60, TimeUnit.SECONDS).replace("event: ", "");
    String id = lines.poll(60, TimeUnit.SECONDS).replace("id: ", "");
    String data = lines.poll(60, TimeUnit.SECONDS).replace("data: ", "");
    assertThat(lines.poll(60, TimeUnit.SECONDS)).isEmpty();
    return kind
        + " "
        + id
        + " "
        + JsonParser.parseString(data).getAsJsonObject().get("round").getAsString();
  }

  @Test
  void pagesOfConfiguredOriginsMayReadModels() throws Exception {
    HttpResponse<String> allowed = gateway.get("/v1/models", "Origin", "https://app.example");
    assertThat(allowed.headers().firstValue("Access-Control-Allow-Origin"))
        .hasValue("https://app.example");
    for (String origin : List.of("https://other.example", "https://app.example.other.example")) {
      assertThat(
              gateway
                  .get("/v1/models", "Origin", origin)
                  .headers()
                  .firstValue("Access-Control-Allow-Origin"))
          .isEmpty();
    }
    HttpResponse<String> preflight =
        gateway.send(
            HttpRequest.newBuilder(gateway.uri("/v1/reports"))
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                .header("Origin", "https://app.example")
                .header("Access-Control-Request-Method", "POST")
                .header("Access-Control-Request-Headers", "authorization,content-type")
                .build());
    assertThat(preflight.statusCode()).isEqualTo(200);
    assertThat(preflight.headers().firstValue("Access-Control-Allow-Methods"))
        .get()
        .asString()
        .contains("POST");
  }

  @Test
  void everyAnswerForbidsForeignContent() throws Exception {
    for (String path : List.of("/v1/models", "/openapi.json", "/nothing", "/healthz")) {
      HttpResponse<String> response = gateway.get(path);
      assertThat(response.headers().firstValue("Content-Security-Policy"))
          .get()
          .asString()
          .startsWith("default-src 'none'");
      assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    }
  }

  /** A module puts its files on the class path, and the gateway serves these, no others. */
  @Test
  void filesOfTheClassPathAreServed() throws Exception {
    HttpResponse<String> script = gateway.get("/v1/served.js");
    assertThat(script.statusCode()).isEqualTo(200);
    assertThat(script.headers().firstValue("Content-Type"))
        .hasValue("text/javascript; charset=utf-8");
    assertThat(script.body()).contains("export const served");
    for (String path :
        List.of(
            "/v1/missing.js",
            "/v1/served.class",
            "/v1/..%2f..%2f..%2fio%2fcroupier%2fgateway%2fopenapi.json",
            "/v1/%2e%2e",
            "/v1/.js")) {
      assertThat(gateway.status(path)).as(path).isIn(400, 404);
    }
  }

  @Test
  void headHasNoBody() throws Exception {
    HttpResponse<String> head =
        gateway.send(
            HttpRequest.newBuilder(gateway.uri("/v1/models/m"))
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .build());
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }
}
