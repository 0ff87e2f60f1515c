package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.StubGateway.Answer;
import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.ReleaseCost;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Left;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a device learns of the job's account of its person, and when it asks. */
class JobAdmissionTest {
  private static final long DAY_MS = Duration.ofDays(1).toMillis();
  private static final ReleaseCost TWO = ReleaseCost.ofEpsilon(2);

  private final LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
  private Instant now = Instant.EPOCH;
  private Account answer = Account.getDefaultInstance();
  private boolean answers = true;
  private int asked;

  private final Clock clock =
      new Clock() {
        @Override
        public ZoneId getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }

        @Override
        public Instant instant() {
          return now;
        }
      };

  private final JobAdmission admission =
      new JobAdmission(
          new ReportTransport() {
            @Override
            public boolean namesUser() {
              return false;
            }

            @Override
            public CompletableFuture<Void> send(String userId, byte[] report) {
              return CompletableFuture.completedFuture(null);
            }

            @Override
            public Account account(Duration longest) throws IOException {
              asked++;
              if (!answers) {
                throw new IOException("404");
              }
              return answer;
            }
          },
          ledger,
          clock);

  private void report() {
    admission.require("m", TWO);
    FrequentData.release(ledger, GatewayReports.NOISE, 1);
  }

  private String refusal() {
    return refusal("m");
  }

  private String refusal(String modelId) {
    try {
      admission.require(modelId, TWO);
    } catch (JobRefusedException e) {
      assertThat(e.account()).isEqualTo(answer);
      return e.getMessage();
    }
    throw new AssertionError("the report may be drawn");
  }

  private void answer(long highest, Left.Builder left) {
    Account.Builder account = Account.newBuilder().setAsOfMs(9 * DAY_MS).setLeft(left);
    account.addDevicesBuilder().setDeviceId(ledger.deviceId()).setHighestSequence(highest);
    account
        .addModelsBuilder()
        .setModelId("other")
        .setLeft(Left.newBuilder().setReports(0).setEpsilon(0));
    answer = account.build();
  }

  private void refuse(long sequence, Outcome outcome, long atMs) {
    Account.Builder account = answer.toBuilder();
    account
        .addRefusalsBuilder()
        .setModelId("m")
        .setDeviceId(ledger.deviceId())
        .setSequence(sequence)
        .setOutcome(outcome)
        .setReason("because")
        .setAppendedAtMs(atMs);
    answer = account.build();
  }

  @Test
  void asksOnceForEachReportAndOnceAMinute() {
    answer(0, Left.newBuilder().setEpsilon(100));
    for (int i = 0; i < 20; i++) {
      report();
    }
    assertThat(asked).as("not before the first, then within a minute").isOne();
    now = now.plusSeconds(60);
    answer(19, Left.newBuilder().setEpsilon(100));
    admission.require("m", TWO);
    assertThat(asked).isEqualTo(2);
    now = now.plusSeconds(60);
    admission.require("m", TWO);
    assertThat(asked).as("the last report is judged").isEqualTo(2);
  }

  /** The report that met the stop doesn't keep the device from reporting after it. */
  @Test
  void aStoppedPersonsDeviceDrawsNothingUntilTheEndOfTheStop() {
    answer(-1, Left.newBuilder().setEpsilon(100));
    refuse(0, Outcome.REFUSED_STOPPED, 9 * DAY_MS);
    answer = answer.toBuilder().setStopped(true).build();
    report();
    assertThat(refusal()).startsWith("the person is stopped");
    answer = answer.toBuilder().clearStopped().build();
    now = now.plusSeconds(60);
    admission.require("m", TWO);
  }

  @Test
  void withoutAnAnswerTheDeviceGoesOn() {
    answers = false;
    for (int i = 0; i < 3; i++) {
      report();
      now = now.plusSeconds(60);
    }
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void stopsWhereTheJobsLimitLeavesTooLittle() {
    report();
    answer(0, Left.newBuilder().setEpsilon(1.999999999));
    refuse(7, Outcome.REFUSED_BUDGET, 0);
    assertThat(refusal())
        .isEqualTo(
            "the job's limits on all models admit no report of this person now; the last was"
                + " refused: because");
    refusal();
    assertThat(asked).isOne();
    now = now.plusSeconds(60);
    answer(0, Left.newBuilder().setEpsilon(Math.nextDown(2.0)).setMu(0.1).setReports(1));
    report();
    now = now.plusSeconds(60);
    answer(1, Left.newBuilder().setMu(0));
    assertThat(refusal()).contains("on all models");
  }

  @Test
  void stopsForADayAfterARefusal() {
    report();
    answer(0, Left.newBuilder());
    refuse(0, Outcome.REFUSED_SEQUENCE, 8 * DAY_MS + 1);
    assertThat(refusal()).isEqualTo("the job refused this device's report 0: because");
    now = now.plusSeconds(60);
    answer(0, Left.newBuilder());
    refuse(0, Outcome.REFUSED_SEQUENCE, 8 * DAY_MS);
    report();
  }

  /** The job would refuse its numbers, and charge each report; and it lacks what was spent. */
  @Test
  void anOlderCopyOfTheLedgerDrawsNothing() {
    report();
    answer(3, Left.newBuilder().setEpsilon(100));
    assertThat(refusal())
        .startsWith(
            "the job has judged report 3 of this device, and its ledger ends with report 0: it is"
                + " an older copy, ");
    now = now.plusSeconds(60);
    answer(0, Left.newBuilder().setEpsilon(100));
    report();
  }

  @Test
  void aRefusalStopsItsModelAloneUnlessItIsOfTheNumber() {
    report();
    answer(0, Left.newBuilder());
    refuse(0, Outcome.REFUSED_DIMENSION, 8 * DAY_MS + 1);
    admission.require("n", TWO);
    assertThat(refusal()).contains("report 0: because");
    now = now.plusSeconds(60);
    answer(0, Left.newBuilder());
    refuse(0, Outcome.REFUSED_SEQUENCE, 8 * DAY_MS + 1);
    refusal();
    assertThat(refusal("n")).contains("report 0: because");
  }

  /** Of mu, what is left doesn't show whether it admits a report. */
  @Test
  void aRefusalByALimitStopsNoLongerThanWhatIsLeftShows() {
    report();
    answer(0, Left.newBuilder().setEpsilon(100).setMu(0.1));
    refuse(0, Outcome.REFUSED_BUDGET, 8 * DAY_MS + 1);
    assertThat(refusal()).contains("report 0: because");
    now = now.plusSeconds(60);
    answer(0, Left.newBuilder().setEpsilon(100));
    refuse(0, Outcome.REFUSED_BUDGET, 8 * DAY_MS + 1);
    admission.require("m", TWO);
  }

  /** The whole way over HTTP; requests for accounts are not repeated, and end soon. */
  @Test
  void aReporterStopsBeforeItDraws() throws Exception {
    try (StubGateway gateway = GatewayReports.answering();
        HttpReportTransport transport = GatewayReports.transport(gateway)) {
      GradientReporter reporter = new GradientReporter(transport, ledger);
      GatewayReports.report(reporter).get();
      assertThatIOException().isThrownBy(reporter::account).withMessageContaining("404");
      answer(0, Left.newBuilder().setReports(0));
      gateway.answerAccounts(new Answer(200, Map.of(), answer.toByteString()));
      assertThat(reporter.account()).isEqualTo(answer);
      assertThatThrownBy(() -> GatewayReports.report(reporter))
          .isInstanceOf(JobRefusedException.class);
      assertThat(gateway.received()).hasSize(1);
      assertThat(ledger.spent().reports()).isOne();
      assertThat(gateway.asked()).isEqualTo(3);
    }
  }
}
