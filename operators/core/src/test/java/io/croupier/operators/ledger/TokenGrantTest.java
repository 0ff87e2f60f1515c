package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.schemas.AccountingEvent.Outcome.DUPLICATE;
import static io.croupier.schemas.AccountingEvent.Outcome.GRANTED;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DECLARATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DIMENSION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_PARTICIPATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_SEQUENCE;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_STOPPED;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_UNKNOWN_MODEL;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.operators.report.ReportDraft;
import io.croupier.operators.report.Specs;
import io.croupier.operators.report.TokenContent;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Grant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A token is charged as the report that it admits, once, and a user has one for each window. */
class TokenGrantTest {
  private static final String COMMON = "model_id: 'm' dimension: 2 gradient_bound: 1 black_box {} ";
  private static final String ANONYMOUS =
      "max_staleness: 8 anonymous { publications: 10 levels { priv_unit { epsilon: 2 } } } ";

  private final Ledger ledger = new Ledger();
  private MapAccount account = new MapAccount();

  private static AdmissionRules rules(String more) {
    return TestReports.rules(Specs.parse(COMMON + ANONYMOUS + more), true, true);
  }

  private static ReportDraft request(long window, int tag, long sequence) {
    ReportDraft request = TestReports.laplace(sequence, 1);
    request.round = 10 * window;
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) tag);
    request.content = new TokenContent(bytes);
    request.digest = tag;
    request.mechanism = AnonymousWindows.levels(Specs.parse(COMMON + ANONYMOUS)).get(0);
    return request;
  }

  private AccountingEvent judge(ReportDraft request) {
    return ledger.judge(request.build(), rules(""), account);
  }

  @Test
  void aTokenCostsWhatItsReportDeclares() {
    AccountingEvent event = judge(request(3, 1, 7));
    assertOutcome(event, GRANTED);
    assertThat(event.getSpent().getEpsilon()).isEqualTo(2);
    assertThat(event.getSpent().getReports()).isOne();
    assertThat(event.getUserTotals()).isEqualTo(event.getSpent());
    assertThat(event.getTokenRound()).isEqualTo(30);
    assertThat(event.getLastTokenWindow()).isEqualTo(3);

    AccountingEvent later = judge(TestReports.laplace(8, 1));
    assertAdmitted(later);
    assertThat(later.hasTokenRound()).isFalse();
    assertThat(later.getLastTokenWindow()).isEqualTo(3);
    assertThat(later.getUserTotals().getEpsilon()).isEqualTo(3);
  }

  /** Savepoints contain these bytes. */
  @Test
  void anAccountStoresTheWindowAndTheTag() {
    judge(request(3, 1, 7));
    byte[] expected = new byte[40];
    Arrays.fill(expected, 8, 40, (byte) 1);
    expected[7] = 3;
    assertThat(account.token("m")).isEqualTo(expected);
  }

  @Test
  void aCopyIsFreeAndGranted() {
    ReportDraft request = request(3, 1, 7);
    judge(request);
    AccountingEvent copy = judge(request(3, 1, 7));
    assertOutcome(copy, DUPLICATE);
    assertThat(copy.getSpent().getReports()).isZero();
    assertThat(copy.getUserTotals().getEpsilon()).isEqualTo(2);
    assertThat(rules("").tokens().isGranted(request.build(), account)).isTrue();
  }

  /** A gateway that has not followed the stop yet would sign it. */
  @Test
  void aCopyOfAStoppedUserIsNotGranted() {
    ReportDraft request = request(3, 1, 7);
    AccountingEvent event = judge(request);
    TokenGrants tokens = rules("").tokens();
    assertThat(tokens.verdict(request.build(), event, account, false).orElseThrow().getGranted())
        .isTrue();
    Grant copy =
        tokens
            .verdict(request.build(), ledger.judgeStopped(request.build(), account), account, true)
            .orElseThrow();
    assertThat(copy.getGranted()).isFalse();
    assertThat(copy.getOutcome()).isEqualTo(REFUSED_STOPPED);
    assertThat(copy.getReason()).isEqualTo(StoppedUsers.REASON);
  }

  /** Another message under the same number would be a second token for one charge. */
  @Test
  void anotherTagIsNoCopy() {
    judge(request(3, 1, 7));
    ReportDraft second = request(3, 2, 7);
    second.digest = 1;
    assertOutcome(judge(second), DUPLICATE);
    assertThat(rules("").tokens().isGranted(second.build(), account)).isFalse();
  }

  @Test
  void aWindowHasOneToken() {
    judge(request(3, 1, 7));
    for (long window : new long[] {3, 2, 0}) {
      ReportDraft again = request(window, 2, 8 + window);
      AccountingEvent event = judge(again);
      assertOutcome(event, REFUSED_PARTICIPATION).contains("the window is " + window, "at least 4");
      assertThat(event.getSpent().getReports()).isZero();
      assertThat(rules("").tokens().isGranted(again.build(), account)).isFalse();
    }
    assertOutcome(judge(request(4, 3, 20)), GRANTED);
    assertThat(account.userTotals().reports).isEqualTo(2);
  }

  @Test
  void aRefusedRequestIsFree() {
    AdmissionRules limited = rules("limits { epsilon: 3 }");
    assertOutcome(ledger.judge(request(0, 1, 1).build(), limited, account), GRANTED);
    ReportDraft second = request(1, 2, 2);
    AccountingEvent event = ledger.judge(second.build(), limited, account);
    assertOutcome(event, REFUSED_BUDGET);
    assertThat(event.getUserTotals().getEpsilon()).isEqualTo(2);
    assertThat(limited.tokens().isGranted(second.build(), account)).isFalse();

    ReportDraft unknown = request(1, 3, 3);
    AccountingEvent refused = ledger.judgeUnknownModel(unknown.build(), account);
    assertOutcome(refused, REFUSED_UNKNOWN_MODEL);
    assertThat(refused.getSpent().getReports()).isZero();
  }

  @Test
  void aRequestFitsTheSpec() {
    ReportDraft middle = request(3, 1, 1);
    middle.round = 31;
    assertOutcome(judge(middle), REFUSED_DIMENSION);

    ReportDraft weaker = request(3, 1, 2);
    int top = ((PrivUnitMechanism) weaker.mechanism).top();
    weaker.mechanism = new PrivUnitMechanism(3, 256, top);
    assertOutcome(judge(weaker), REFUSED_DECLARATION);

    AdmissionRules plain = TestReports.rules(Specs.parse(COMMON), true, true);
    AccountingEvent event = ledger.judge(request(3, 1, 3).build(), plain, account);
    assertOutcome(event, REFUSED_DIMENSION);
    assertThat(event.getSpent().getReports()).isZero();
  }

  @Test
  void anErasedAccountGetsNoToken() {
    judge(request(3, 1, 7));
    account.erase(DailyTotals.NONE);
    assertOutcome(judge(request(4, 2, 8)), REFUSED_PARTICIPATION);
  }

  @Test
  void aRebuiltAccountKnowsTheWindow() {
    AccountingEvent granted = judge(request(3, 1, 7));
    AccountingEvent refused = judge(request(3, 2, 8));
    AccountingEvent report = judge(TestReports.laplace(9, 1));
    for (AccountingEvent[] events :
        new AccountingEvent[][] {{granted, refused, report}, {report}}) {
      MapAccount rebuilt = new MapAccount();
      for (AccountingEvent event : events) {
        boolean agrees = AccountRebuild.apply(event, rebuilt);
        assertThat(agrees).isEqualTo(events.length == 3);
      }
      assertThat(TokenRecord.of(rebuilt.token("m")).window()).isEqualTo(3);
      assertThat(rebuilt.userTotals().epsilonNanos).isEqualTo(account.userTotals().epsilonNanos);
      account = rebuilt;
      assertOutcome(judge(request(3, 1, 7)), REFUSED_SEQUENCE);
      assertOutcome(judge(request(3, 1, 20)), REFUSED_PARTICIPATION);
    }
  }
}
