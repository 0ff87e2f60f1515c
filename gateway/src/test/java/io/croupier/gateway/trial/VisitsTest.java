package io.croupier.gateway.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class VisitsTest {
  private final List<CompletableFuture<RecordMetadata>> sends = new ArrayList<>();
  private final List<CompletableFuture<RecordMetadata>> results = new ArrayList<>();
  private final Visits visits = new Visits();

  private CompletableFuture<RecordMetadata> store(String topic, String userId, byte[] report) {
    CompletableFuture<RecordMetadata> send = new CompletableFuture<>();
    sends.add(send);
    return send;
  }

  private CompletableFuture<RecordMetadata> send(String userId) {
    return visits.send("gradients", userId, new byte[1]);
  }

  private void acknowledge(int send) {
    sends
        .get(send)
        .complete(new RecordMetadata(new TopicPartition("gradients", 0), send, 0, 0, 0, 0));
  }

  private static AccountingEvent event(String userId, Outcome outcome, long offset) {
    return AccountingEvent.newBuilder()
        .setUserId(userId)
        .setOutcome(outcome)
        .setSource(
            Position.newBuilder().setTopic("gradients").setPartition(0).setOffset(offset).build())
        .build();
  }

  @Test
  void countsVisitorsApartFromAllOthers() {
    visits.begin(this::store);
    results.add(send("ada"));
    results.add(send("ada"));
    results.add(send("grace"));

    assertThat(visits.judged(event("person-000001", Outcome.ADMITTED, 0))).isFalse();
    assertThat(visits.account("ada")).isEqualTo(new Visits.Account(2, 0, Optional.empty()));
    assertThat(visits.judged(event("ada", Outcome.ADMITTED, 0))).isTrue();
    AccountingEvent second = event("ada", Outcome.DUPLICATE, 1);
    assertThat(visits.judged(second)).isTrue();
    assertThat(visits.account("ada")).isEqualTo(new Visits.Account(2, 2, Optional.of(second)));
    assertThat(visits.account("grace")).isEqualTo(new Visits.Account(2, 2, Optional.empty()));
    assertThat(visits.visitors()).isEqualTo(2);
    assertThat(visits.judged()).isEqualTo(2);
    assertThat(visits.admitted()).isEqualTo(1);
  }

  @Test
  void areSettledOnceNoReportComesAndEachStoredOneIsJudged() {
    visits.begin(this::store);
    results.add(send("ada"));
    assertThat(visits.areSettled()).as("reports may still come").isFalse();
    visits.end();
    assertThat(visits.areSettled()).as("one is under way").isFalse();
    acknowledge(0);
    assertThat(results.get(0)).isCompleted();
    assertThat(visits.areSettled()).as("it is not judged").isFalse();
    assertThat(visits.judged(event("ada", Outcome.ADMITTED, 0))).isTrue();
    assertThat(visits.areSettled()).isTrue();
  }

  /** The page sends such a report again, which is then stored twice. */
  @Test
  void aReportWhoseAcknowledgementWasLostSettlesNoOther() {
    visits.begin(this::store);
    results.add(send("ada"));
    results.add(send("ada"));
    sends.get(0).completeExceptionally(new IllegalStateException("no answer"));
    acknowledge(1);
    visits.end();

    visits.judged(event("ada", Outcome.ADMITTED, 0));
    assertThat(visits.areSettled()).isFalse();
    visits.judged(event("ada", Outcome.DUPLICATE, 1));
    assertThat(visits.areSettled()).isTrue();
  }

  @Test
  void aReportThatFailedIsNotAwaited() {
    visits.begin(this::store);
    results.add(send("ada"));
    visits.end();
    sends.get(0).completeExceptionally(new IllegalStateException("no brokers"));

    assertThat(results.get(0)).isCompletedExceptionally();
    assertThat(visits.areSettled()).isTrue();
  }

  @Test
  void takesNothingBeforeItsBeginAndAfterItsEnd() {
    assertThat(send("ada")).isCompletedExceptionally();
    visits.begin(this::store);
    visits.end();
    assertThat(send("ada")).isCompletedExceptionally();
    assertThat(sends).isEmpty();
    assertThat(visits.visitors()).isZero();
  }
}
