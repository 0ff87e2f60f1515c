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
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** People are stopped and deleted while others report. */
class RightsITCase extends BrokerFixture {
  private static final int USERS = Integer.getInteger("rights.users", 120);
  private static final int REPORTS = Integer.getInteger("rights.reports", 30);

  @TempDir Path directory;
  private final ModelSpec spec = OneHotReports.spec("m", 4, 1);

  /** Of three users, the first is stopped, the second deleted, and the third neither. */
  @Tag("ci")
  @Test
  void nothingElseIsRefusedAndNothingIsLost() throws Exception {
    try (TestTopics testTopics = newTopics("rights")) {
      testTopics.publish(spec);
      testTopics.flush();
      RestartedJob job = new RestartedJob(directory);
      job.start(testTopics.settings(), LedgerStart.REQUIRE_STATE);
      for (int sequence = 0; sequence < REPORTS; sequence++) {
        for (int user = 0; user < USERS; user++) {
          testTopics.send(report(user, sequence));
          if (sequence == 1 + user % (REPORTS - 1) && user % 3 < 2) {
            ask(testTopics, user);
          }
        }
        testTopics.flush();
      }
      int erased = (USERS + 1) / 3;
      List<ConsumerRecord<byte[], byte[]>> records =
          testTopics.awaitRecords(testTopics.topics.accounting(), USERS * REPORTS + 2 * erased);
      job.cancel();

      assertThat(records).hasSize(USERS * REPORTS + 2 * erased);
      Map<String, List<AccountingEvent>> events = new HashMap<>();
      int deletions = 0;
      for (ConsumerRecord<byte[], byte[]> record : records) {
        if (record.value() == null) {
          deletions++;
        } else {
          AccountingEvent event = AccountingEvents.read(record.key(), record.value());
          events.computeIfAbsent(event.getUserId(), user -> new ArrayList<>()).add(event);
        }
      }
      assertThat(deletions).isEqualTo(erased);
      for (int user = 0; user < USERS; user++) {
        List<AccountingEvent> own = events.get(report(user, 0).getUserId());
        List<Outcome> outcomes = own.stream().map(AccountingEvent::getOutcome).toList();
        long charged = own.get(own.size() - 1).getUserTotals().getReports();
        if (user % 3 == 0) {
          int stop = outcomes.indexOf(Outcome.REFUSED_STOPPED);
          long admitted = stop < 0 ? REPORTS : stop;
          assertThat(outcomes).hasSize(REPORTS);
          assertThat(outcomes.stream().limit(admitted)).allMatch(Outcome.ADMITTED::equals);
          assertThat(outcomes.stream().skip(admitted)).allMatch(Outcome.REFUSED_STOPPED::equals);
          assertThat(charged).isEqualTo(admitted);
        } else {
          assertThat(outcomes).hasSize(REPORTS + user % 3 % 2);
          assertThat(outcomes).isSubsetOf(Outcome.ADMITTED, Outcome.ERASED);
          assertThat(charged).as("totals outlive the deletion").isEqualTo(REPORTS);
        }
      }
    }
  }

  private GradientReport report(int user, int sequence) {
    return OneHotReports.report(spec, 0, user % 4).toBuilder()
        .setUserId("user-" + user)
        .setDeviceId("phone")
        .setSequence(sequence)
        .setL2Laplace(L2Laplace.newBuilder().setEpsilon(1))
        .build();
  }

  private void ask(TestTopics testTopics, int user) {
    byte[] userId = report(user, 0).getUserId().getBytes(UTF_8);
    if (user % 3 == 0) {
      testTopics.send(testTopics.topics.stops(), userId, new byte[0]);
    } else {
      byte[] key = ("m/phone/user-" + user).getBytes(UTF_8);
      assertThat(AccountingKey.parse(key).userId()).isEqualTo("user-" + user);
      testTopics.send(
          testTopics.topics.erasures(),
          userId,
          Erasure.newBuilder().addEventKeys(ByteString.copyFrom(key)).build().toByteArray());
    }
  }
}
