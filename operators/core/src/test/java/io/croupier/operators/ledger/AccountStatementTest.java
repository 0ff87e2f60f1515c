package io.croupier.operators.ledger;

import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_PARTICIPATION;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Limits;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AccountStatementTest {
  private static final long DAY_MS = 86_400_000;
  private static final byte[] TAG = new byte[16];
  private static final Limits ALL =
      Limits.newBuilder()
          .setEpsilon(1e9)
          .setDelta(1e-9)
          .setMu(1e9)
          .setReports(Long.MAX_VALUE)
          .setPerDays(370)
          .build();

  private static Totals epsilon(double epsilon) {
    return Totals.of(Cost.ofEpsilon(epsilon));
  }

  /** A window that is over counts no longer: what is left follows from the time of the request. */
  @Test
  void aPeriodEndsWithTheRequest() {
    Limits monthly = Limits.newBuilder().setEpsilon(3).setPerDays(30).build();
    StoredAccount account = new StoredAccount();
    account.totals = epsilon(2);
    account.days = DailyTotals.NONE.charged(30, 100, new Totals(), epsilon(2), 0);
    AccountStatement statement = new AccountStatement(monthly);

    Account now = statement.of(TAG, account, List.of(), id -> null, 129 * DAY_MS);
    assertThat(now.getLeft().getEpsilon()).isEqualTo(1);
    assertThat(now.getWindow().getTotals().getEpsilon()).isEqualTo(2);
    Account later = statement.of(TAG, account, List.of(), id -> null, 130 * DAY_MS);
    assertThat(later.getLeft().getEpsilon()).isEqualTo(3);
    assertThat(later.getSpent().getEpsilon()).isEqualTo(2);
  }

  @Test
  void sumsThatAreTooLargeAreInfinite() {
    StoredAccount account = new StoredAccount();
    account.totals.epsilonNanos = DecimalUnits.SATURATED;
    account.totals.muSquaredPicos = DecimalUnits.SATURATED;
    Account answer =
        new AccountStatement(ALL).of(TAG, account, List.of(), id -> null, Long.MAX_VALUE);
    assertThat(answer.getSpent().getEpsilon()).isInfinite();
    assertThat(answer.getSpent().getMu()).isInfinite();
    assertThat(answer.getLeft().getMu()).isZero();
  }

  /** The largest possible account: as many models, devices and refusals as are kept. */
  @Test
  void anAnswerFitsItsTopic() {
    AdmissionRules rules = BudgetTest.local(ALL.toBuilder());
    StoredAccount account = new StoredAccount();
    account.totals = huge();
    account.erased = huge();
    List<ModelAccount> further =
        IntStream.range(0, 2 * AccountStatement.MODELS).mapToObj(i -> model(1000 + i)).toList();
    for (int i = 0; i < StoredAccount.MODELS; i++) {
      account.add(model(100 + i));
    }
    for (int i = 0; i <= DeviceWindows.KEPT; i++) {
      DeviceWindow window = new DeviceWindow(longId(i));
      window.highest = Long.MAX_VALUE;
      account.store(window);
      account.add(
          new Refusal(
              AccountingEvent.newBuilder()
                  .setModelId("m".repeat(100))
                  .setDeviceId(longId(i))
                  .setSequence(Long.MAX_VALUE)
                  .setOutcome(REFUSED_PARTICIPATION)
                  .setReason("\u4e16".repeat(1000))
                  .build(),
              Long.MAX_VALUE));
    }
    Account answer =
        new AccountStatement(ALL).of(TAG, account, further, id -> rules, Long.MAX_VALUE);
    assertThat(answer.getModelsCount()).isEqualTo(AccountStatement.MODELS);
    assertThat(answer.getDevicesCount()).isEqualTo(DeviceWindows.KEPT);
    assertThat(answer.getRefusalsCount()).isEqualTo(StoredAccount.REFUSALS);
    assertThat(answer.getSerializedSize() + GradientReports.MAX_ID_BYTES + 200)
        .isBetween(AccountStatement.MAX_BYTES / 3, AccountStatement.MAX_BYTES);
  }

  private static String longId(int i) {
    return "%0256d".formatted(i);
  }

  private static ModelAccount model(int i) {
    ModelAccount model = new ModelAccount("%0100d".formatted(i));
    model.totals = huge();
    return model;
  }

  private static Totals huge() {
    Totals totals = epsilon(1e9);
    totals.reports = Long.MAX_VALUE;
    totals.undisclosed = Long.MAX_VALUE;
    totals.unbounded = Long.MAX_VALUE;
    totals.variationAttos = 1;
    totals.variationRate = 1;
    totals.participations = Long.MAX_VALUE;
    totals.lastRound = Long.MAX_VALUE;
    return totals;
  }
}
