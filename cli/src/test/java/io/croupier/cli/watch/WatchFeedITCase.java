package io.croupier.cli.watch;

import static io.croupier.cli.JsonFields.assertHas;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.gateway.TestBroker;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Topics;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The feed on a real broker. */
@Tag("ci")
class WatchFeedITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path directory;

  @Test
  void showsCommittedRecordsOfThePastAndOfTheFuture() throws Exception {
    try (TestBroker broker = new TestBroker(directory);
        KafkaProducer<byte[], byte[]> producer = producer(broker.kafka());
        WatchFeed feed = new WatchFeed("test", "")) {
      Topics topics = broker.topics();
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, topics.models(), Records.spec("adaptive"));
      send(producer, topics.updates(), Records.record(Records.update("adaptive", 3, 300)));
      send(producer, topics.accounting(), event("ann@example"));
      send(producer, topics.deadLetters(), Records.letter("ann@example", "no such declaration"));
      producer.commitTransaction();
      // Brokers may show the records some time after the producer's commit.
      try (WatchFeed before = new WatchFeed("test", "")) {
        before.follow(broker.kafka(), topics);
        await(before, "events", 1);
        await(before, "letters", 1);
        await(
            before, json -> json.getAsJsonArray("models").size() == 1 && model(json).has("round"));
      }

      feed.follow(broker.kafka(), topics);

      JsonObject past = await(feed, "events", 1);
      assertHas(model(past), "{round: 3}");
      assertThat(model(past).get("outcomes").toString()).contains("ADMITTED");
      // An update of the past has no latency, an event of the past no rate.
      assertThat(model(past).has("latencyMs")).isFalse();
      assertThat(past.get("perSecond").getAsDouble()).isZero();
      await(feed, "letters", 1);
      await(feed, json -> json.toString().split("\"readable\":true", -1).length == 7);

      producer.beginTransaction();
      send(producer, topics.updates(), Records.record(Records.update("adaptive", 4, 400)));
      send(producer, topics.accounting(), event("bea"));
      producer.abortTransaction();
      producer.beginTransaction();
      send(producer, topics.updates(), Records.record(Records.update("adaptive", 5, 500)));
      send(producer, topics.accounting(), event("cleo"));
      producer.commitTransaction();

      JsonObject now =
          await(
              feed,
              json ->
                  json.get("events").getAsLong() == 2 && model(json).get("round").getAsInt() == 5);
      assertHas(model(now), "{publications: 2}");
      assertThat(model(now).has("latencyMs")).isTrue();
      await(feed, json -> json.get("perSecond").getAsDouble() > 0);
      assertThat(text(feed)).doesNotContain("ann@", "bea", "cleo", "device-of");
    }
  }

  /** A job that is dead gives no verdicts, and the page must show that. */
  @Test
  void countsTheReportsThatWaitForAVerdict() throws Exception {
    try (TestBroker broker = new TestBroker(directory);
        KafkaProducer<byte[], byte[]> producer = producer(broker.kafka());
        WatchFeed feed = new WatchFeed("test", "")) {
      String reports = broker.topics().gradients();
      feed.follow(broker.kafka(), broker.topics());
      await(feed, "waiting", 0);
      producer.initTransactions();
      producer.beginTransaction();
      for (int i = 0; i < 3; i++) {
        var unused = producer.send(new ProducerRecord<>(reports, 0, null, new byte[] {1}));
      }
      producer.commitTransaction();
      // The end of the transaction takes an offset, too.
      await(feed, "waiting", 4);
      AccountingEvent.Builder event = AccountingEvent.newBuilder().setUserId("ada");
      event.getSourceBuilder().setTopic(reports).setPartition(0).setOffset(2);
      producer.beginTransaction();
      var unused =
          producer.send(
              new ProducerRecord<>(
                  broker.topics().accounting(), null, event.build().toByteArray()));
      producer.commitTransaction();
      JsonObject json = await(feed, "waiting", 1);
      assertThat(json.get("stuckMs").getAsLong()).isNotNegative();
    }
  }

  @Test
  void namesTopicsThatItCannotRead() throws Exception {
    try (TestBroker broker = new TestBroker(directory);
        WatchFeed feed = new WatchFeed("test", "")) {
      feed.follow(broker.kafka(), Topics.withPrefix("absent"));

      JsonObject json = await(feed, any -> any.getAsJsonArray("topics").size() >= 4);

      assertThat(json.getAsJsonArray("topics").toString())
          .contains("{\"name\":\"absent.updates\",\"readable\":false}")
          .doesNotContain("true");
    }
  }

  @Test
  void servesBrowsersOnThisMachineAlone() throws Exception {
    try (WatchFeed feed = new WatchFeed("test", "");
        WatchServer server = new WatchServer(feed, 0)) {
      URI snapshot = server.address().resolve("snapshot");
      HttpResponse<String> own = get(HttpRequest.newBuilder(snapshot));

      assertThat(own.statusCode()).isEqualTo(200);
      assertThat(own.headers().firstValue("Content-Security-Policy")).hasValue(WatchHandler.POLICY);
      assertThat(own.headers().map().keySet()).doesNotContain("access-control-allow-origin");
      assertThat(get(HttpRequest.newBuilder(server.address().resolve("/..%2fetc"))).statusCode())
          .isBetween(400, 404);
      HttpRequest.Builder post =
          HttpRequest.newBuilder(snapshot).POST(HttpRequest.BodyPublishers.noBody());
      assertThat(get(post).statusCode()).isEqualTo(405);
      assertThat(rebound(server.address())).startsWith("HTTP/1.1 403 ");
      HttpRequest.Builder throughAProxy =
          HttpRequest.newBuilder(snapshot).header("X-Forwarded-For", "192.0.2.7");
      assertThat(get(throughAProxy).statusCode()).isEqualTo(403);
    }
  }

  @Test
  void servesASectionAndItsFiles() throws Exception {
    PageSection section =
        new PageSection("<section id=\"part\"></section>", Map.of("part.js", "export {};"));
    try (WatchFeed feed = new WatchFeed("test", "");
        WatchServer server = new WatchServer(feed, 0, section, List.of());
        WatchServer alone = new WatchServer(feed, 0)) {
      assertThat(get(HttpRequest.newBuilder(server.address())).body())
          .contains("<section id=\"part\"></section>");
      HttpRequest.Builder file = HttpRequest.newBuilder(server.address().resolve("part.js"));
      assertThat(get(file).headers().firstValue("Content-Type"))
          .contains("text/javascript; charset=utf-8");
      assertThat(get(HttpRequest.newBuilder(alone.address())).body())
          .doesNotContain("part", "<!--");
    }
  }

  /** A demonstration ends right after it says so, and an open page must not seem stale then. */
  @Test
  void openStreamsLearnTheEndBeforeTheServerCloses() throws Exception {
    try (WatchFeed feed = new WatchFeed("test", "")) {
      WatchServer server = new WatchServer(feed, 0);
      Iterator<String> lines =
          HTTP.send(
                  HttpRequest.newBuilder(server.address().resolve("events")).build(),
                  BodyHandlers.ofLines())
              .body()
              .iterator();
      assertThat(lines.next()).contains("\"ended\":false");

      feed.end("The end.");
      server.close();

      String last = "";
      while (lines.hasNext()) {
        String line = lines.next();
        last = line.isEmpty() ? last : line;
      }
      assertThat(last).contains("\"ended\":true", "The end.");
    }
  }

  /** The answer to another site's page, whose name resolves to this machine. */
  private static String rebound(URI server) throws Exception {
    try (java.net.Socket socket = new java.net.Socket(server.getHost(), server.getPort())) {
      socket
          .getOutputStream()
          .write("GET /snapshot HTTP/1.1\r\nHost: evil.example\r\n\r\n".getBytes(UTF_8));
      return new java.io.BufferedReader(
              new java.io.InputStreamReader(socket.getInputStream(), UTF_8))
          .readLine();
    }
  }

  private static HttpResponse<String> get(HttpRequest.Builder request) throws Exception {
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  private static ConsumerRecord<byte[], byte[]> event(String user) {
    return Records.event(user, "adaptive", Outcome.ADMITTED, 2, 8);
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, String> kafka) {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put("transactional.id", "test");
    ByteArraySerializer bytes = new ByteArraySerializer();
    return new KafkaProducer<>(properties, bytes, bytes);
  }

  private static void send(
      KafkaProducer<byte[], byte[]> producer, String topic, ConsumerRecord<byte[], byte[]> record)
      throws Exception {
    var sent =
        new ProducerRecord<>(topic, null, null, record.key(), record.value(), record.headers());
    producer.send(sent).get();
  }

  private static JsonObject model(JsonObject json) {
    return json.getAsJsonArray("models").get(0).getAsJsonObject();
  }

  private static String text(WatchFeed feed) {
    return new String(feed.snapshot(), UTF_8);
  }

  private static JsonObject await(WatchFeed feed, String number, long value) {
    return await(feed, json -> json.has(number) && json.get(number).getAsLong() == value);
  }

  private static JsonObject await(WatchFeed feed, Predicate<JsonObject> condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      JsonObject json = JsonParser.parseString(text(feed)).getAsJsonObject();
      if (condition.test(json)) {
        return json;
      }
      assertThat(System.nanoTime()).as("%s", json).isLessThan(end);
      LockSupport.parkNanos(POLL.toNanos());
    }
  }
}
