package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.gateway.Condition;
import io.croupier.gateway.LogLines;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountRequest;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Spend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.logging.log4j.Level;
import org.eclipse.jetty.server.LocalConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** People ask for their accounts; the test answers as the job does. */
class AccountEndpointTest {
  @TempDir private Path directory;

  /** Requests on Kafka: topic, user id and tag. */
  private final List<List<Object>> sent = new CopyOnWriteArrayList<>();

  private volatile boolean outage;
  private LocalGateway gateway;

  @BeforeEach
  void start() throws Exception {
    start(Map.of());
  }

  private void start(Map<String, String> settings) throws Exception {
    gateway =
        new LocalGateway(
            directory,
            settings,
            (topic, userId, value) -> {
              if (outage) {
                return CompletableFuture.failedFuture(new DisconnectException());
              }
              try {
                sent.add(List.of(topic, userId, AccountRequest.parseFrom(value).getTag()));
              } catch (IOException e) {
                return CompletableFuture.failedFuture(e);
              }
              return CompletableFuture.completedFuture((RecordMetadata) null);
            },
            false);
  }

  private void restart(Map<String, String> settings) throws Exception {
    stop();
    Files.delete(directory.resolve("pepper"));
    Files.delete(directory.resolve("test.jwk"));
    start(settings);
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  @Test
  void aRequestPrintsNobody() {
    ByteString user = ByteString.copyFromUtf8("ada");
    assertThat(new AccountParts.Request(user, ByteString.EMPTY).toString()).doesNotContain("ada");
  }

  private LocalConnector.LocalEndPoint ask(String headers) {
    return gateway.begin(
        ("GET /v1/account HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n").getBytes(UTF_8));
  }

  private LocalConnector.LocalEndPoint askAs(String subject) {
    return ask("Authorization: Bearer " + gateway.token(subject) + "\r\n");
  }

  /** The request with a number, from 0, once it is on Kafka. */
  private List<Object> sent(int request) throws Exception {
    Condition.await("request " + request, () -> sent.size() > request);
    return sent.get(request);
  }

  private void answer(String userId, Object tag, double epsilon) {
    Account account =
        Account.newBuilder()
            .setTag((ByteString) tag)
            .setSpent(Spend.newBuilder().setReports(3).setEpsilon(epsilon))
            .addRefusals(
                Account.Refusal.newBuilder().setSequence(5).setOutcome(Outcome.REFUSED_BUDGET))
            .build();
    gateway.answers.apply(
        new ConsumerRecord<>("answers", 0, 0, userId.getBytes(UTF_8), account.toByteArray()));
  }

  @Test
  void aPersonReadsTheirOwnAccount() throws Exception {
    LocalConnector.LocalEndPoint ana = askAs("ana");
    assertThat(sent(0)).startsWith("croupier.account-requests", gateway.userId("ana"));
    assertThat((ByteString) sent(0).get(2)).hasSize(16);
    answer(gateway.userId("ana"), sent(0).get(2), Double.POSITIVE_INFINITY);
    assertThat(LocalGateway.answer(ana))
        .startsWith("HTTP/1.1 200")
        .contains("Cache-Control: no-store")
        .contains(
            "{\"spent\":{\"reports\":\"3\",\"epsilon\":\"Infinity\"},"
                + "\"refusals\":[{\"sequence\":\"5\",\"outcome\":\"REFUSED_BUDGET\"}]}");
  }

  /** A record with the tag of a request, and another user, is no answer to it. */
  @Test
  void anAnswerAboutAnotherPersonIsNone() throws Exception {
    LocalConnector.LocalEndPoint ana = askAs("ana");
    sent(0);
    LocalConnector.LocalEndPoint bo = askAs("bo");
    sent(1);
    assertThat(sent).extracting(request -> request.get(2)).doesNotHaveDuplicates();
    answer(gateway.userId("bo"), sent(0).get(2), 7);
    answer(gateway.userId("bo"), sent(1).get(2), 2);
    answer(gateway.userId("ana"), sent(0).get(2), 1);
    assertThat(LocalGateway.answer(ana)).contains("\"epsilon\":1.0");
    assertThat(LocalGateway.answer(bo)).contains("\"epsilon\":2.0");
  }

  @Test
  void withoutATokenNothingIsAsked() throws Exception {
    assertThat(LocalGateway.answer(ask(""))).startsWith("HTTP/1.1 401");
    assertThat(LocalGateway.answer(ask("Authorization: Bearer a.b.c\r\n")))
        .startsWith("HTTP/1.1 401");
    assertThat(sent).isEmpty();
  }

  @Test
  void theFormatFollowsAccept() throws Exception {
    LocalConnector.LocalEndPoint ana =
        ask(
            "Accept: application/x-protobuf\r\nAuthorization: Bearer "
                + gateway.token("ana")
                + "\r\n");
    answer(gateway.userId("ana"), sent(0).get(2), 1);
    assertThat(LocalGateway.answer(ana)).contains("Content-Type: application/x-protobuf");
  }

  @Test
  void aJobThatDoesNotAnswerIsUnavailable() throws Exception {
    restart(Map.of("limits.wait", "1 s"));
    assertThat(LocalGateway.answer(askAs("ana")))
        .startsWith("HTTP/1.1 503")
        .contains("Retry-After: 5", "the job hasn't answered yet");
  }

  /** The job never saw the request: its operator would look in the wrong place. */
  @Test
  void aRequestThatKafkaDidNotTakeIsUnavailable() throws Exception {
    outage = true;
    try (LogLines log = new LogLines(Level.WARN)) {
      assertThat(LocalGateway.answer(askAs("ana")))
          .startsWith("HTTP/1.1 503")
          .contains("Retry-After: 5", "Kafka did not acknowledge the request; send it again");
      assertThat(log.lines())
          .anyMatch(
              line ->
                  line.contains("A request could not be stored on croupier.account-requests")
                      && line.contains("DisconnectException"))
          .noneMatch(line -> line.contains(gateway.userId("ana")));
    }
  }

  @Test
  void requestsOfAPersonAreLimited() throws Exception {
    List<LocalConnector.LocalEndPoint> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waiting.add(askAs("ana"));
      sent(i);
    }
    assertThat(LocalGateway.answer(askAs("ana")))
        .startsWith("HTTP/1.1 429")
        .contains("Retry-After");
    LocalConnector.LocalEndPoint bo = askAs("bo");
    answer(gateway.userId("bo"), sent(4).get(2), 1);
    assertThat(LocalGateway.answer(bo)).startsWith("HTTP/1.1 200");
    answer(gateway.userId("ana"), sent(0).get(2), 1);
    assertThat(LocalGateway.answer(waiting.get(0))).startsWith("HTTP/1.1 200");
    LocalConnector.LocalEndPoint next = askAs("ana");
    answer(gateway.userId("ana"), sent(5).get(2), 1);
    assertThat(LocalGateway.answer(next)).startsWith("HTTP/1.1 200");
  }

  @Test
  void requestsCountAsReports() throws Exception {
    restart(Map.of("limits.user.burst", "2", "limits.user.per-minute", "1"));
    for (int i = 0; i < 2; i++) {
      LocalConnector.LocalEndPoint ana = askAs("ana");
      answer(gateway.userId("ana"), sent(i).get(2), 1);
      assertThat(LocalGateway.answer(ana)).startsWith("HTTP/1.1 200");
    }
    assertThat(LocalGateway.answer(askAs("ana"))).startsWith("HTTP/1.1 429");
  }
}
