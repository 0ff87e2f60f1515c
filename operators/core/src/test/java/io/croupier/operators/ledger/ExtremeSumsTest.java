package io.croupier.operators.ledger;

import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Limits;
import io.croupier.schemas.Spend;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Declared numbers are finite; their sums and squares need not be. */
class ExtremeSumsTest {
  private static final int SEED = 17;
  private static final double[] EXTREMES = {
    Double.MIN_VALUE,
    1e-310,
    Double.MIN_NORMAL,
    1e-200,
    1e-154,
    1e-12,
    0.3,
    1e3,
    1e4,
    1e8,
    9.3e9,
    1e19,
    1e154,
    1e200,
    1e308,
    Double.MAX_VALUE
  };

  private final Random random = new Random(SEED);
  private final AccountingEventWriter writer = new AccountingEventWriter();

  private double extreme() {
    return EXTREMES[random.nextInt(EXTREMES.length)];
  }

  private static List<Limits> limits() {
    List<Limits> limits = new ArrayList<>(List.of(Limits.getDefaultInstance()));
    for (double most : EXTREMES) {
      limits.add(Limits.newBuilder().setEpsilon(most).build());
      limits.add(Limits.newBuilder().setMu(most).setReports(Long.MAX_VALUE).build());
      limits.add(Limits.newBuilder().setMu(most).setPerDays(3).build());
      for (double delta : new double[] {Double.MIN_VALUE, 1e-300, 1e-6, Math.nextDown(1.0)}) {
        limits.add(Limits.newBuilder().setEpsilon(most).setDelta(delta).build());
        limits.add(Limits.newBuilder().setMu(most).setDelta(delta).build());
        limits.add(Limits.newBuilder().setEpsilon(most).setDelta(delta).setPerDays(3).build());
      }
    }
    return limits;
  }

  private ReportDraft report(long sequence) {
    return switch (random.nextInt(6)) {
      case 0 -> TestReports.laplace(sequence, extreme());
      case 1 -> TestReports.gaussian(sequence, extreme());
      case 2 -> TestReports.coordinates(sequence, extreme(), extreme());
      case 3 -> TestReports.clipped(sequence, DeclaredClip.L2, extreme(), extreme());
      case 4 -> TestReports.coordinates(sequence, extreme(), Double.POSITIVE_INFINITY);
      default -> TestReports.undisclosed(sequence);
    };
  }

  @Tag("ci")
  @Test
  void everyReportIsJudgedAndCharged() throws Exception {
    for (Limits limits : limits()) {
      Ledger ledger = new Ledger(limits);
      AdmissionRules rules = BudgetTest.local(limits.toBuilder());
      MapAccount account = new MapAccount();
      MapAccount rebuilt = new MapAccount();
      Spend before = Spend.getDefaultInstance();
      for (int sequence = 0; sequence < 12; sequence++) {
        AccountingEvent event = ledger.judge(report(sequence).build(), rules, account);
        String place = "seed %s, limits %s, event %s".formatted(SEED, limits, event);
        assertNumbers(event, place);
        assertNoLess(event.getUserTotals(), before, place);
        before = event.getUserTotals();
        AccountingEvent read = AccountingEvents.read(AccountingKey.of(event), writer.write(event));
        assertThat(read).as(place).isEqualTo(event);
        assertThat(AccountRebuild.apply(read, rebuilt)).as(place).isTrue();
        assertThat(rebuilt.userTotals())
            .as(place)
            .usingRecursiveComparison()
            .isEqualTo(account.userTotals());
      }
    }
  }

  /** The grid of a central model bounds its noise. */
  @Test
  void everyParticipationIsJudgedAndCharged() throws Exception {
    for (double noise : new double[] {1e-3, 0.3, 1e3, 1e4}) {
      for (Limits.Builder limits :
          List.of(
              BudgetTest.participations(3, 0),
              BudgetTest.participations(3, 0).setEpsilon(extreme()),
              BudgetTest.participations(3, 0).setMu(extreme()))) {
        AdmissionRules rules = CentralChargeTest.tree(noise, 8, limits);
        Ledger ledger =
            new Ledger(Limits.newBuilder().setEpsilon(extreme()).setDelta(1e-6).build());
        MapAccount account = new MapAccount();
        MapAccount rebuilt = new MapAccount();
        for (int sequence = 0; sequence < 4; sequence++) {
          AccountingEvent event =
              ledger.judge(TestReports.central(sequence, 9L * sequence).build(), rules, account);
          String place = "noise %s, limits %s, event %s".formatted(noise, limits, event);
          assertNumbers(event, place);
          assertThat(AccountRebuild.apply(event, rebuilt)).as(place).isTrue();
        }
      }
    }
  }

  /** What can't be undercut: a saturated cost exceeds every limit, however large. */
  @Test
  void noLimitAdmitsASaturatedCost() {
    for (Limits limits : limits()) {
      boolean limitsCost = limits.hasEpsilon() || limits.hasMu();
      for (ReportDraft report :
          List.of(
              TestReports.laplace(0, 1e10),
              TestReports.laplace(0, Double.MAX_VALUE),
              TestReports.coordinates(0, 1e308, 1e308),
              TestReports.clipped(0, DeclaredClip.L2, 1e308, 1e308),
              TestReports.gaussian(0, 1e4),
              TestReports.gaussian(0, Double.MAX_VALUE))) {
        AccountingEvent event =
            new Ledger()
                .judge(report.build(), BudgetTest.local(limits.toBuilder()), new MapAccount());
        String place = "limits %s, event %s".formatted(limits, event);
        assertThat(event.getOutcome() == ADMITTED).as(place).isEqualTo(!limitsCost);
        assertThat(event.getUserTotals().getRho()).as(place).isInfinite();
        if (event.getOutcome() == REFUSED_BUDGET) {
          assertThat(event.getReason()).contains("this report would add at least 9");
        }
      }
    }
  }

  private static void assertNoLess(Spend after, Spend before, String place) {
    assertThat(after.getReports()).as(place).isGreaterThanOrEqualTo(before.getReports());
    assertThat(after.getEpsilon()).as(place).isGreaterThanOrEqualTo(before.getEpsilon());
    assertThat(after.getMu()).as(place).isGreaterThanOrEqualTo(before.getMu());
    assertThat(after.getMuOfAll()).as(place).isGreaterThanOrEqualTo(before.getMuOfAll());
    assertThat(after.getRho()).as(place).isGreaterThanOrEqualTo(before.getRho());
    assertThat(after.getRenyi()).as(place).isGreaterThanOrEqualTo(before.getRenyi());
  }

  private static void assertNumbers(Message message, String place) {
    for (FieldDescriptor field : message.getAllFields().keySet()) {
      Object value = message.getField(field);
      if (value instanceof Message inner) {
        assertNumbers(inner, place);
      } else if (value instanceof Double number) {
        assertThat(number).as("%s of %s", field, place).isGreaterThanOrEqualTo(0);
      } else if (value instanceof Long number) {
        assertThat(number).as("%s of %s", field, place).isGreaterThanOrEqualTo(0);
      }
    }
  }
}
