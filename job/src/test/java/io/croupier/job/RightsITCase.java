package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Erasure;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** People are stopped and deleted while others report. */
class RightsITCase extends JobFixture {
  private static final int USERS = Integer.getInteger("rights.users", 120);
  private static final int REPORTS = Integer.getInteger("rights.reports", 30);

  /** Reports a second. */
  private static final int RATE = Integer.getInteger("rights.rate", 1_000_000);

  /** After the last report. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final ModelSpec spec = OneHotReports.spec("m", 4, 1);
  private final Map<String, Events> events = new HashMap<>();
  private int records;
  private int deletions;

  /** What the topic has of a user. */
  private static final class Events {
    private final List<Outcome> outcomes = new ArrayList<>();
    private long charged;
  }

  /** Of three users, the first is stopped, the second deleted, and the third neither. */
  @Tag("ci")
  @Test
  void nothingElseIsRefusedAndNothingIsLost() throws Exception {
    testTopics.publish(spec);
    testTopics.flush();
    RestartedJob job = new RestartedJob(directory);
    job.start(testTopics.settings(), LedgerStart.REQUIRE_STATE);
    int erased = (USERS + 1) / 3;
    long start = System.nanoTime();
    send();
    double seconds = (System.nanoTime() - start) / 1e9;
    try (KafkaConsumer<byte[], byte[]> consumer =
        testTopics.consumer(testTopics.topics.accounting())) {
      read(consumer, USERS * REPORTS + 2 * erased);
    }
    System.out.printf(
        "%d stops and %d deletions among %,d reports: %,.0f a second sent, %,.0f judged%n",
        (USERS + 2) / 3,
        erased,
        USERS * REPORTS,
        USERS * REPORTS / seconds,
        USERS * REPORTS * 1e9 / (System.nanoTime() - start));
    job.cancel();

    assertThat(records).isEqualTo(USERS * REPORTS + 2 * erased);
    assertThat(deletions).isEqualTo(erased);
    for (int user = 0; user < USERS; user++) {
      check(user, events.get(userId(user)));
    }
  }

  private static void check(int user, Events own) {
    List<Outcome> outcomes = own.outcomes;
    if (user % 3 == 0) {
      int stop = outcomes.indexOf(Outcome.REFUSED_STOPPED);
      long admitted = stop < 0 ? REPORTS : stop;
      assertThat(outcomes).hasSize(REPORTS);
      assertThat(outcomes.stream().limit(admitted)).allMatch(Outcome.ADMITTED::equals);
      assertThat(outcomes.stream().skip(admitted)).allMatch(Outcome.REFUSED_STOPPED::equals);
      assertThat(own.charged).isEqualTo(admitted);
    } else {
      assertThat(outcomes).hasSize(REPORTS + user % 3 % 2);
      assertThat(outcomes).isSubsetOf(Outcome.ADMITTED, Outcome.ERASED);
      assertThat(own.charged).as("totals outlive the deletion").isEqualTo(REPORTS);
    }
  }

  private void send() throws Exception {
    long start = System.nanoTime();
    long sent = 0;
    for (int sequence = 0; sequence < REPORTS; sequence++) {
      for (int user = 0; user < USERS; user++) {
        testTopics.send(report(user, sequence));
        if (sequence == 1 + user % (REPORTS - 1) && user % 3 < 2) {
          ask(user);
        }
        sent++;
        LockSupport.parkNanos(start + sent * 1_000_000_000 / RATE - System.nanoTime());
      }
      testTopics.flush();
    }
  }

  private void read(KafkaConsumer<byte[], byte[]> consumer, int expected) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (records < expected || !TestTopics.atEnd(consumer)) {
      assertThat(System.nanoTime()).as("%d of %d", records, expected).isLessThan(end);
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
        records++;
        if (record.value() == null) {
          deletions++;
        } else {
          AccountingEvent event = AccountingEvents.read(record.key(), record.value());
          Events own = events.computeIfAbsent(event.getUserId(), user -> new Events());
          own.outcomes.add(event.getOutcome());
          own.charged = event.getUserTotals().getReports();
        }
      }
    }
  }

  private static String userId(int user) {
    return "user-" + user;
  }

  private GradientReport report(int user, int sequence) {
    return OneHotReports.report(spec, 0, user % 4, userId(user), sequence, 1);
  }

  private void ask(int user) {
    String userId = userId(user);
    if (user % 3 == 0) {
      testTopics.send(testTopics.topics.stops(), userId, new byte[0]);
    } else {
      byte[] key = ("m/device/" + userId).getBytes(UTF_8);
      assertThat(AccountingKey.parse(key).userId()).isEqualTo(userId);
      testTopics.send(
          testTopics.topics.erasures(),
          userId,
          Erasure.newBuilder().addEventKeys(ByteString.copyFrom(key)).build().toByteArray());
    }
  }
}
