package io.croupier.operators.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.operators.report.ReportDraft;
import io.croupier.operators.report.TokenContent;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Grant;
import io.croupier.schemas.ModelSpec;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A token is charged as the report that it admits, once, and a user has one for each window. */
class TokenGrantTest {
  private static final String COMMON = "model_id: 'm' dimension: 2 gradient_bound: 1 black_box {} ";
  private static final String ANONYMOUS =
      "max_staleness: 8 anonymous { publications: 10 levels { priv_unit { epsilon: 2 } } } ";

  private final Ledger ledger = new Ledger();
  private MapAccount account = new MapAccount();

  private static ModelSpec spec(String text) throws TextFormat.ParseException {
    return TextFormat.parse(text, ModelSpec.class);
  }

  private static AdmissionRules rules(String more) throws TextFormat.ParseException {
    return TestReports.rules(spec(COMMON + ANONYMOUS + more), true, true);
  }

  private static ReportDraft request(long window, int tag, long sequence) throws Exception {
    ReportDraft request = TestReports.laplace(sequence, 1);
    request.round = 10 * window;
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) tag);
    request.content = new TokenContent(bytes);
    request.digest = tag;
    request.mechanism = AnonymousWindows.levels(spec(COMMON + ANONYMOUS)).get(0);
    return request;
  }

  private AccountingEvent judge(ReportDraft request) throws Exception {
    return ledger.judge(request.build(), rules(""), account);
  }

  @Test
  void aTokenCostsWhatItsReportDeclares() throws Exception {
    AccountingEvent event = judge(request(3, 1, 7));
    assertThat(event.getOutcome()).isEqualTo(Outcome.GRANTED);
    assertThat(event.getSpent().getEpsilon()).isEqualTo(2);
    assertThat(event.getSpent().getReports()).isOne();
    assertThat(event.getUserTotals()).isEqualTo(event.getSpent());
    assertThat(event.getTokenRound()).isEqualTo(30);
    assertThat(event.getLastTokenWindow()).isEqualTo(3);

    ReportDraft report = TestReports.laplace(8, 1);
    AccountingEvent later = judge(report);
    assertThat(later.getOutcome()).isEqualTo(Outcome.ADMITTED);
    assertThat(later.hasTokenRound()).isFalse();
    assertThat(later.getLastTokenWindow()).isEqualTo(3);
    assertThat(later.getUserTotals().getEpsilon()).isEqualTo(3);
  }

  /** Savepoints contain these bytes. */
  @Test
  void anAccountStoresTheWindowAndTheTag() throws Exception {
    judge(request(3, 1, 7));
    byte[] expected = new byte[40];
    Arrays.fill(expected, 8, 40, (byte) 1);
    expected[7] = 3;
    assertThat(account.token("m")).isEqualTo(expected);
  }

  @Test
  void aCopyIsFreeAndGranted() throws Exception {
    ReportDraft request = request(3, 1, 7);
    judge(request);
    AccountingEvent copy = judge(request(3, 1, 7));
    assertThat(copy.getOutcome()).isEqualTo(Outcome.DUPLICATE);
    assertThat(copy.getSpent().getReports()).isZero();
    assertThat(copy.getUserTotals().getEpsilon()).isEqualTo(2);
    assertThat(rules("").tokens().isGranted(request.build(), account)).isTrue();
  }

  /** A gateway that has not followed the stop yet would sign it. */
  @Test
  void aCopyOfAStoppedUserIsNotGranted() throws Exception {
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
    assertThat(copy.getOutcome()).isEqualTo(Outcome.REFUSED_STOPPED);
    assertThat(copy.getReason()).isEqualTo(StoppedUsers.REASON);
  }

  /** Another message under the same number would be a second token for one charge. */
  @Test
  void anotherTagIsNoCopy() throws Exception {
    judge(request(3, 1, 7));
    ReportDraft second = request(3, 2, 7);
    second.digest = 1;
    AccountingEvent event = judge(second);
    assertThat(event.getOutcome()).isEqualTo(Outcome.DUPLICATE);
    assertThat(rules("").tokens().isGranted(second.build(), account)).isFalse();
  }

  @Test
  void aWindowHasOneToken() throws Exception {
    judge(request(3, 1, 7));
    for (long window : new long[] {3, 2, 0}) {
      ReportDraft again = request(window, 2, 8 + window);
      AccountingEvent event = judge(again);
      assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_PARTICIPATION);
      assertThat(event.getReason()).contains("the window is " + window, "at least 4");
      assertThat(event.getSpent().getReports()).isZero();
      assertThat(rules("").tokens().isGranted(again.build(), account)).isFalse();
    }
    assertThat(judge(request(4, 3, 20)).getOutcome()).isEqualTo(Outcome.GRANTED);
    assertThat(account.userTotals().reports).isEqualTo(2);
  }

  @Test
  void aRefusedRequestIsFree() throws Exception {
    AdmissionRules limited = rules("limits { epsilon: 3 }");
    assertThat(ledger.judge(request(0, 1, 1).build(), limited, account).getOutcome())
        .isEqualTo(Outcome.GRANTED);
    ReportDraft second = request(1, 2, 2);
    AccountingEvent event = ledger.judge(second.build(), limited, account);
    assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_BUDGET);
    assertThat(event.getUserTotals().getEpsilon()).isEqualTo(2);
    assertThat(limited.tokens().isGranted(second.build(), account)).isFalse();

    ReportDraft unknown = request(1, 3, 3);
    AccountingEvent refused = ledger.judgeUnknownModel(unknown.build(), account);
    assertThat(refused.getOutcome()).isEqualTo(Outcome.REFUSED_UNKNOWN_MODEL);
    assertThat(refused.getSpent().getReports()).isZero();
  }

  @Test
  void aRequestFitsTheSpec() throws Exception {
    ReportDraft middle = request(3, 1, 1);
    middle.round = 31;
    assertThat(judge(middle).getOutcome()).isEqualTo(Outcome.REFUSED_DIMENSION);

    ReportDraft weaker = request(3, 1, 2);
    int top = ((PrivUnitMechanism) weaker.mechanism).top();
    weaker.mechanism = new PrivUnitMechanism(3, 256, top);
    assertThat(judge(weaker).getOutcome()).isEqualTo(Outcome.REFUSED_DECLARATION);

    AdmissionRules plain = TestReports.rules(spec(COMMON), true, true);
    AccountingEvent event = ledger.judge(request(3, 1, 3).build(), plain, account);
    assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_DIMENSION);
    assertThat(event.getSpent().getReports()).isZero();
  }

  @Test
  void anErasedAccountGetsNoToken() throws Exception {
    judge(request(3, 1, 7));
    account.erase(DailyTotals.NONE);
    assertThat(judge(request(4, 2, 8)).getOutcome()).isEqualTo(Outcome.REFUSED_PARTICIPATION);
  }

  @Test
  void aRebuiltAccountKnowsTheWindow() throws Exception {
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
      assertThat(judge(request(3, 1, 7)).getOutcome()).isEqualTo(Outcome.REFUSED_SEQUENCE);
      assertThat(judge(request(3, 1, 20)).getOutcome()).isEqualTo(Outcome.REFUSED_PARTICIPATION);
    }
  }
}
