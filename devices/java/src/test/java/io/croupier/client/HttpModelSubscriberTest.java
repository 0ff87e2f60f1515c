package io.croupier.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.client.StubGateway.Answer;
import io.croupier.client.StubGateway.Received;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelUpdate;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Long polls of a server that answers as a gateway may, or as none does. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(600)
class HttpModelSubscriberTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static Answer update(ModelUpdate.Builder update) {
    return new Answer(
        200, Map.of("Content-Type", GatewayConnection.PROTOBUF), update.build().toByteString());
  }

  private static Answer round(long round) {
    return update(Updates.update("m", round, (double) round));
  }

  /** As a gateway answers: the newest round, also an earlier one, or 304 if the client has it. */
  private static Answer newest(Received request, long round) {
    String target = request.target();
    assertThat(target).matches("/v1/models/m(\\?after=\\d+&wait=20)?");
    assertThat(request.header("Authorization")).isEmpty();
    assertThat(request.header("Accept")).hasValue("application/x-protobuf");
    boolean isKnown =
        target.contains("after=")
            && Long.parseLong(target.replaceAll(".*after=(\\d+).*", "$1")) == round;
    return isKnown ? new Answer(304, Map.of(), ByteString.EMPTY) : round(round);
  }

  /** Answers with an update under the newest tag, changed while the tag contains a word. */
  private static StubGateway tagged(
      AtomicReference<String> tag,
      String word,
      ModelUpdate.Builder update,
      UnaryOperator<ModelUpdate.Builder> change)
      throws Exception {
    return new StubGateway(
        request -> {
          String newest = tag.get();
          if (request.header("If-None-Match").equals(Optional.of(newest))) {
            return new Answer(304, Map.of(), ByteString.EMPTY);
          }
          ModelUpdate.Builder answered = update.clone();
          return update(newest.contains(word) ? change.apply(answered) : answered)
              .with("ETag", newest);
        });
  }

  private static void await(BooleanSupplier condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(5);
    }
  }

  private static boolean isAt(HttpModelSubscriber models, long round) {
    return models.newest().filter(model -> model.round() == round).isPresent();
  }

  @Test
  void readsTheNewestRoundAndThenTheNextOnes() throws Exception {
    AtomicReference<Long> round = new AtomicReference<>(7L);
    try (StubGateway gateway = new StubGateway(request -> newest(request, round.get()));
        HttpModelSubscriber models = new HttpModelSubscriber(gateway.uri(), "m")) {
      ModelSnapshot first = models.await(PATIENCE);
      assertThat(first.round()).isEqualTo(7);
      assertThat(first.weights()).containsExactly(7);
      assertThat(models.staleness(first).orElseThrow().publications()).isZero();

      round.set(9L);
      await(() -> isAt(models, 9));
      assertThat(models.staleness(first).orElseThrow().publications()).isOne();
      assertThat(models.published(9)).contains(models.newest().orElseThrow().terms());
      // Superseded before it was read, or published before this subscriber began.
      assertThat(models.published(8).orElseThrow().round()).isEqualTo(8);
      assertThat(models.published(0).orElseThrow().clip().bound()).isEqualTo(1);
      assertThat(models.published(10)).isEmpty();
      assertThat(models.published(-1)).isEmpty();
    }
  }

  /** Each round has a clip of its own. */
  @Test
  void ofAMovingClipOnlyRoundsThatWereReadAreKnown() throws Exception {
    ModelUpdate.Builder moving =
        Updates.update("m", 4, 0)
            .setSize(AdaptiveClip.Size.GRADIENT)
            .setGradientBound(2)
            .setGridExponent(-15)
            .setQuestionProbability(0.1);
    try (StubGateway gateway = new StubGateway(request -> update(moving));
        HttpModelSubscriber models = new HttpModelSubscriber(gateway.uri(), "m")) {
      models.await(PATIENCE);
      assertThat(models.published(4).orElseThrow().clip().bound()).isEqualTo(2);
      assertThat(models.published(3)).isEmpty();
    }
  }

  @Test
  void waitsForAModelAndNoticesThatItIsRetired() throws Exception {
    AtomicReference<Answer> present = new AtomicReference<>(Answer.problem(404));
    try (StubGateway gateway = new StubGateway(request -> present.get());
        HttpModelSubscriber models = new HttpModelSubscriber(gateway.uri(), "m")) {
      // The second request shows that the first answer was read.
      await(() -> gateway.received().size() >= 2);
      assertThatThrownBy(() -> models.await(Duration.ofMillis(50)))
          .isInstanceOf(TimeoutException.class)
          .hasMessageStartingWith("no update of model m at " + gateway.uri() + " within 0.05 s")
          .hasMessageContaining("answered 404: dimension is 3");
      present.set(round(2));
      assertThat(models.await(PATIENCE).round()).isEqualTo(2);
      present.set(Answer.problem(404));
      await(() -> models.newest().isEmpty());
      present.set(round(0));
      assertThat(models.await(PATIENCE).round()).isZero();
    }
  }

  @Test
  void followsAModelThatStartsAgain() throws Exception {
    AtomicReference<Long> round = new AtomicReference<>(7L);
    try (StubGateway gateway = new StubGateway(request -> newest(request, round.get()));
        HttpModelSubscriber models = new HttpModelSubscriber(gateway.uri(), "m")) {
      models.await(PATIENCE);
      round.set(0L);
      await(() -> isAt(models, 0));
      assertThat(models.published(7)).isEmpty();
    }
  }

  @Test
  void ignoresAGatewayThatLagsBehindAnotherOne() throws Exception {
    List<Answer> rounds =
        List.of(published(7, 70), published(5, 50), published(7, 70), published(8, 80));
    List<Long> heard = new CopyOnWriteArrayList<>();
    try (StubGateway gateway =
            new StubGateway(request -> rounds.get(Math.min(request.place(), 3)));
        HttpModelSubscriber models =
            new HttpModelSubscriber(gateway.uri(), "m", snapshot -> heard.add(snapshot.round()))) {
      // The listener receives a round a moment after it is the newest.
      await(() -> heard.contains(8L));
      assertThat(heard).startsWith(7L, 8L);
      assertThat(models.published(7)).isPresent();
    }
  }

  /** Of a model that has been published, but whose keys haven't. */
  @Test
  void readsTheWindowsThatAreAnnouncedAfterARound() throws Exception {
    AtomicReference<String> tag = new AtomicReference<>("W/\"without\"");
    List<Integer> heard = new CopyOnWriteArrayList<>();
    try (StubGateway gateway =
            tagged(
                tag,
                "with-window",
                Updates.update("m", 0, 0),
                update -> update.addWindows(SigningGateway.window(0)));
        HttpModelSubscriber models =
            new HttpModelSubscriber(
                gateway.uri(), "m", snapshot -> heard.add(snapshot.windows().size()))) {
      assertThat(models.await(PATIENCE).windows()).isEmpty();
      tag.set("W/\"with-window\"");
      await(() -> heard.contains(1));
      assertThat(models.newest().orElseThrow().windows()).hasSize(1);
      // The same again, as after a restart of the gateway.
      tag.set("W/\"with-window-again\"");
      await(
          () ->
              gateway.received().stream()
                  .anyMatch(r -> r.header("If-None-Match").equals(Optional.of(tag.get()))));
      assertThat(heard).containsExactly(0, 1);
    }
  }

  /** While no round opens, an operator rolls the model back, and ends that. */
  @Test
  void anotherAverageOfTheSameRoundIsRead() throws Exception {
    AtomicReference<String> tag = new AtomicReference<>("W/\"newest\"");
    List<OptionalLong> heard = new CopyOnWriteArrayList<>();
    try (StubGateway gateway =
            tagged(tag, "earlier", Updates.update("m", 7, 0), update -> update.setAverageRound(3));
        HttpModelSubscriber models =
            new HttpModelSubscriber(
                gateway.uri(), "m", snapshot -> heard.add(snapshot.averageRound()))) {
      assertThat(models.await(PATIENCE).averageRound()).isEmpty();
      tag.set("W/\"earlier\"");
      await(() -> heard.contains(OptionalLong.of(3)));
      tag.set("W/\"newest again\"");
      await(() -> heard.size() == 3);
      assertThat(models.newest().orElseThrow().averageRound()).isEmpty();
    }
  }

  /** The job raises the probability while it lacks answers; or the model started again. */
  @Test
  void otherTermsOfTheSameRoundAreRead() throws Exception {
    AtomicReference<String> tag = new AtomicReference<>("W/\"first\"");
    List<Double> heard = new CopyOnWriteArrayList<>();
    try (StubGateway gateway =
            tagged(
                tag,
                "again",
                Updates.update("m", 7, 0).setAnswerProbability(0.1),
                update -> update.setAnswerProbability(0.2));
        HttpModelSubscriber models =
            new HttpModelSubscriber(
                gateway.uri(), "m", snapshot -> heard.add(snapshot.answerProbability()))) {
      ModelSnapshot first = models.await(PATIENCE);
      tag.set("W/\"again\"");
      assertThat(models.awaitAfter(first, PATIENCE).answerProbability()).isEqualTo(0.2);
      assertThat(models.published(7).orElseThrow().requests().answerProbability()).isEqualTo(0.2);
      await(() -> heard.size() == 2);
    }
  }

  /** As a server answers that ignores what the client has. */
  @Test
  void aRoundThatIsNoNewerIsReadWithPauses() throws Exception {
    List<Long> heard = new CopyOnWriteArrayList<>();
    long start = System.nanoTime();
    try (StubGateway gateway = new StubGateway(request -> round(3));
        HttpModelSubscriber models =
            new HttpModelSubscriber(gateway.uri(), "m", snapshot -> heard.add(snapshot.round()))) {
      models.await(PATIENCE);
      await(() -> gateway.received().size() >= 4);

      // Two pauses after the second and the third answer.
      assertThat(System.nanoTime() - start).isGreaterThan(Duration.ofMillis(900).toNanos());
      assertThat(heard).containsExactly(3L);
    }
  }

  /** More than an update of the largest dimension has. */
  @Test
  void anEndlessAnswerIsNotRead() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HttpModelSubscriber models =
            new HttpModelSubscriber(URI.create("http://127.0.0.1:" + server.getLocalPort()), "m");
        Socket connection = server.accept()) {
      connection
          .getOutputStream()
          .write(
              """
              HTTP/1.1 200 OK\r
              Content-Type: application/x-protobuf\r
              Content-Length: 3000000000\r
              \r
              """
                  .getBytes(US_ASCII));
      connection.getOutputStream().flush();
      assertThatThrownBy(() -> models.await(PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has more than 1074790400 bytes, which no update of a model has");
    }
  }

  private static Answer published(long round, long atMs) {
    return update(Updates.update("m", round, (double) round).setPublishedAtMs(atMs));
  }

  @Test
  void triesAgainWhileTheGatewayIsAway() throws Exception {
    try (StubGateway gateway =
            new StubGateway(
                request ->
                    switch (request.place()) {
                      case 0 -> StubGateway.NONE;
                      case 1 -> Answer.problem(503).with("Retry-After", "0");
                      case 2 -> Answer.of(429);
                      default -> newest(request, 1);
                    });
        HttpModelSubscriber models = new HttpModelSubscriber(gateway.uri(), "m")) {
      assertThat(models.await(PATIENCE).round()).isOne();
    }
  }

  @Test
  void anAnswerOfNoGatewayEndsIt() throws Exception {
    assertFails(Answer.of(404), "answered 404: the answer is no problem document of a gateway");
    assertFails(Answer.of(302), "answered 302: redirects are not followed");
    assertFails(Answer.problem(400), "answered 400: dimension is 3");
    assertFails(Answer.of(200), "not a");
    assertFails(update(Updates.update("n", 0, 0)), "the gateway answered with another model");
  }

  private static void assertFails(Answer answer, String reason) throws Exception {
    try (StubGateway gateway = new StubGateway(request -> answer);
        HttpModelSubscriber models = new HttpModelSubscriber(gateway.uri(), "m")) {
      assertThatThrownBy(() -> models.await(PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("following model m failed: ")
          .hasMessageContaining(reason);
    }
  }

  @Test
  void aFailureOfTheListenerIsReported() throws Exception {
    try (StubGateway gateway = new StubGateway(request -> round(0));
        HttpModelSubscriber models =
            new HttpModelSubscriber(
                gateway.uri(),
                "m",
                snapshot -> {
                  throw new IllegalStateException("full");
                })) {
      await(
          () -> {
            try {
              return models.published(99).isPresent();
            } catch (IllegalStateException e) {
              return e.getMessage().endsWith("failed: full");
            }
          });
    }
  }

  @Test
  void aClosedSubscriberRefuses() throws Exception {
    try (StubGateway gateway = new StubGateway(request -> newest(request, 0))) {
      HttpModelSubscriber models = new HttpModelSubscriber(gateway.uri(), "m");
      models.close();
      assertThatThrownBy(models::newest).hasMessage("the subscriber of model m is closed");
    }
  }
}
