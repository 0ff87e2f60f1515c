package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static io.croupier.schemas.AccountingEvent.Outcome.DUPLICATE;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DECLARATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DIMENSION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_IMPLAUSIBLE;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_SEQUENCE;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_UNKNOWN_MODEL;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.operators.report.ExampleContent;
import io.croupier.operators.report.ReportDraft;
import io.croupier.operators.report.Specs;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LedgerTest extends LedgerFixture {
  private static final String COMMON = "model_id: 'm' dimension: 2 gradient_bound: 1 ";
  private static final String CENTRAL =
      COMMON + "limits { delta: 1e-6 max_participations: 1 min_separation: 0 } ";

  private static final double INFINITY = Double.POSITIVE_INFINITY;

  private static AdmissionRules terms(String spec) {
    return terms(spec, true, true);
  }

  private static AdmissionRules terms(String spec, boolean acceptedNoise, boolean plausible) {
    return TestReports.rules(Specs.parse(spec), acceptedNoise, plausible);
  }

  private static AdmissionRules local() {
    return terms(COMMON + "black_box {}");
  }

  private AccountingEvent judge(ReportDraft report) {
    return judge(report, local());
  }

  @Test
  void usageExample() {
    AccountingEvent event = judge(TestReports.laplace(7, 0.1));
    assertAdmitted(event);
    assertThat(event.getReason()).isEmpty();
    assertThat(event.getUserId()).isEqualTo("u");
    assertThat(event.getDeviceId()).isEqualTo("d");
    assertThat(event.getModelId()).isEqualTo("m");
    assertThat(event.getSequence()).isEqualTo(7);
    assertThat(event.getL2Laplace().getEpsilon()).isEqualTo(0.1);
    assertThat(event.getSpent().getEpsilon()).isEqualTo(0.1);
    assertThat(event.getModelTotals()).isEqualTo(event.getSpent());
    assertThat(event.getUserTotals()).isEqualTo(event.getSpent());
    assertThat(event.getSource().getTopic()).isEqualTo("gradients");
    assertThat(event.getSource().getPartition()).isEqualTo(3);
    assertThat(event.getSource().getOffset()).isEqualTo(1007);
  }

  /** The rules keep the cost of the report before. */
  @Test
  void everyReportIsChargedWhatItDeclaresItself() {
    AdmissionRules rules = local();
    ReportDraft[] reports = {
      TestReports.laplace(1, 0.5),
      TestReports.laplace(2, 0.5),
      TestReports.gaussian(3, 0.5),
      TestReports.laplace(4, 0.5),
      TestReports.laplace(5, 0.25),
      TestReports.undisclosed(6),
      TestReports.coordinates(7, 1, 2),
      TestReports.coordinates(8, 1, 3)
    };
    Totals sum = new Totals();
    for (ReportDraft report : reports) {
      AccountingEvent alone = judge(report, local(), new MapAccount());
      sum.add(Totals.of(AccountingEvents.cost(alone)));

      AccountingEvent event = judge(report, rules);

      assertThat(event.getSpent()).isEqualTo(alone.getSpent());
      assertThat(event.getModelTotals()).isEqualTo(sum.toProto().build());
      assertThat(event.getUserTotals()).isEqualTo(sum.toProto().build());
    }
  }

  @Test
  void aDuplicateIsFree() {
    judge(TestReports.laplace(1, 0.5));
    AccountingEvent event = judge(TestReports.laplace(1, 0.5));
    assertOutcome(event, DUPLICATE);
    assertThat(event.getSpent()).isEqualTo(new Totals().toProto().build());
    assertThat(event.getModelTotals().getEpsilon()).isEqualTo(0.5);
    assertThat(event.getUserTotals().getReports()).isEqualTo(1);
  }

  @Test
  void aSecondUseOfANumberIsChargedAndDoesNotMoveTheWindow() {
    judge(TestReports.laplace(1, 0.5));
    ReportDraft other = TestReports.laplace(1, 0.5);
    other.digest++;
    AccountingEvent event = judge(other);
    assertOutcome(event, REFUSED_SEQUENCE)
        .startsWith("sequence is 1, which was used for other bytes");
    assertThat(event.getUserTotals().getEpsilon()).isEqualTo(1);
    assertThat(event.getModelTotals().getEpsilon()).isEqualTo(1);
    assertOutcome(judge(TestReports.laplace(1, 0.5)), DUPLICATE);
  }

  @Test
  void oldNumbersAndJumpsAreRefusedWithTheAllowedRange() {
    judge(TestReports.laplace(100, 0.5));
    assertThat(judge(TestReports.laplace(36, 0.5)).getReason())
        .isEqualTo("sequence is 36: it must be at least 37, since 100 was judged");
    assertOutcome(judge(TestReports.laplace(1_048_677, 0.5)), REFUSED_SEQUENCE)
        .isEqualTo(
            "sequence is 1048677: it must be at most 1048676, since the highest judged is 100");
    assertAdmitted(judge(TestReports.laplace(101, 0.5)));
    assertThat(account.userTotals().epsilonNanos).isEqualTo(2_000_000_000);
  }

  private Outcome fromDevice(int device, long sequence) {
    ReportDraft report = TestReports.laplace(sequence, 0.25);
    report.deviceId = "device " + device;
    report.digest = sequence;
    return judge(report).getOutcome();
  }

  @Test
  void beyondSixteenDevicesTheNumbersOfTheLeastRecentlyUsedOneAreTooOld() {
    for (int device = 0; device < 16; device++) {
      assertThat(fromDevice(device, 5)).isEqualTo(ADMITTED);
    }
    assertThat(fromDevice(0, 7)).isEqualTo(ADMITTED);
    // Neither a resend nor a refused number is a use.
    assertThat(fromDevice(1, 5)).isEqualTo(DUPLICATE);
    assertThat(fromDevice(1, 5L << 30)).isEqualTo(REFUSED_SEQUENCE);
    assertThat(fromDevice(16, 0)).isEqualTo(ADMITTED);
    assertThat(fromDevice(1, 5)).isEqualTo(REFUSED_SEQUENCE);
    assertThat(fromDevice(1, 4)).isEqualTo(REFUSED_SEQUENCE);
    for (int device = 2; device < 16; device++) {
      assertThat(fromDevice(device, 5)).isEqualTo(DUPLICATE);
    }
    assertThat(fromDevice(0, 6)).isEqualTo(ADMITTED);
    // It continues with its next number, and then another device's are too old.
    assertThat(fromDevice(1, 6)).isEqualTo(ADMITTED);
    assertThat(fromDevice(1, 6)).isEqualTo(DUPLICATE);
    assertThat(fromDevice(2, 5)).isEqualTo(REFUSED_SEQUENCE);
    assertThat(fromDevice(3, 5)).isEqualTo(DUPLICATE);
  }

  /** No device is refused for ever, and an account has a largest size. */
  @Test
  void beyondSixtyFourDevicesTheLeastRecentlyUsedOneIsForgotten() {
    for (int device = 0; device < 1000; device++) {
      assertThat(fromDevice(device, 5)).isEqualTo(ADMITTED);
      assertThat(account.windows).hasSize(Math.min(device + 1, 64));
    }
    assertThat(account.windows)
        .extracting(DeviceWindow::isClosed)
        .containsExactlyElementsOf(IntStream.range(0, 64).mapToObj(i -> i < 48).toList());
    assertThat(account.userTotals().reports).isEqualTo(1000);
    assertThat(fromDevice(936, 5)).isEqualTo(REFUSED_SEQUENCE);
    // A report of a forgotten device is charged again.
    assertThat(account.userTotals().reports).isEqualTo(1001);
    assertThat(fromDevice(935, 5)).isEqualTo(ADMITTED);
    assertThat(account.userTotals().reports).isEqualTo(1002);
  }

  @Test
  void anUnknownModelCostsTheUserAndStoresNothingUnderItsName() {
    AccountingEvent event = ledger.judgeUnknownModel(TestReports.gaussian(1, 0.5).build(), account);
    assertOutcome(event, REFUSED_UNKNOWN_MODEL);
    assertThat(event.hasModelTotals()).isFalse();
    assertThat(event.getUserTotals().getMu()).isEqualTo(0.5);
    assertThat(account.models).isEmpty();
    // Its sequence number is used nevertheless.
    assertOutcome(judge(TestReports.gaussian(1, 0.5)), DUPLICATE);
    assertOutcome(
        ledger.judgeUnknownModel(TestReports.gaussian(1, 0.5).build(), account), DUPLICATE);
  }

  @Test
  void dimensionAndFormMustFit() {
    for (VectorForm form :
        new VectorForm[] {VectorForm.DENSE, VectorForm.GRID, VectorForm.SPARSE}) {
      for (int dimension : new int[] {1, 3}) {
        ReportDraft report = TestReports.laplace(account.userTotals().reports, 0.5);
        report.form = form;
        report.dimension = dimension;
        AccountingEvent event = judge(report);
        assertOutcome(event, REFUSED_DIMENSION)
            .isEqualTo("the vector has dimension " + dimension + ": it must have the model's, 2");
        assertThat(event.getSpent().getEpsilon()).isEqualTo(0.5);
      }
    }
    ReportDraft example = TestReports.undisclosed(50);
    example.content = new ExampleContent(new byte[2 * Double.BYTES], 0);
    assertOutcome(judge(example), REFUSED_DIMENSION);
  }

  @Test
  void leastSquaresAdmitsExamplesOnly() {
    AdmissionRules rules =
        terms(
            CENTRAL
                + "dp_ftrl_least_squares { x_norm: 1 y_bound: 1 noise_multiplier: 1 noise { tree {} } }");
    assertAdmitted(judge(TestReports.example(1, 0), rules));
    assertOutcome(judge(TestReports.central(2), rules), REFUSED_DIMENSION)
        .contains("must be an example");
  }

  @Test
  void onlyACentralModelAdmitsCentralReports() {
    AdmissionRules central =
        terms(
            CENTRAL + "dp_ftrl { clip_norm: 1 noise_multiplier: 1 noise { tree {} } }",
            false,
            false);
    assertAdmitted(judge(TestReports.central(1), central));
    AccountingEvent noised = judge(TestReports.laplace(2, 0.5), central);
    assertOutcome(noised, REFUSED_DECLARATION).startsWith("declaration is l2_laplace with 0.5");
    assertThat(noised.getSpent().getEpsilon()).isEqualTo(0.5);

    AccountingEvent raw = judge(TestReports.central(3));
    assertOutcome(raw, REFUSED_DECLARATION);
    assertThat(raw.getSpent().getReports()).as("refused central reports are free").isZero();
    assertThat(raw.hasCentral()).isTrue();
  }

  @Test
  void refusedCentralReportsAreFreeWhateverTheReason() {
    assertThat(
            ledger
                .judgeUnknownModel(TestReports.central(1).build(), account)
                .getSpent()
                .getReports())
        .isZero();
    ReportDraft other = TestReports.central(1);
    other.digest++;
    AccountingEvent conflict = judge(other);
    assertOutcome(conflict, REFUSED_SEQUENCE);
    assertThat(conflict.getUserTotals().getReports()).isZero();
  }

  @Test
  void aLimitedModelRequiresNoiseWithACost() {
    for (String limits : new String[] {"limits { epsilon: 9 } ", "limits { mu: 9 } "}) {
      MapAccount fresh = new MapAccount();
      AdmissionRules limited = terms(COMMON + limits + "black_box {}");
      AccountingEvent undisclosed = judge(TestReports.undisclosed(1), limited, fresh);
      assertOutcome(undisclosed, REFUSED_DECLARATION);
      assertThat(undisclosed.getUserTotals().getUndisclosed()).isEqualTo(1);
      AccountingEvent unbounded =
          judge(TestReports.clipped(2, DeclaredClip.COORDINATES, 1, INFINITY), limited, fresh);
      assertOutcome(unbounded, REFUSED_DECLARATION)
          .contains("every coordinate must have a finite tau");
      assertThat(unbounded.getCoordinateLaplace().getNotPrivate()).isEqualTo(1);
      assertThat(unbounded.getCoordinateLaplace().getEpsilon()).isEqualTo(1);
      assertThat(unbounded.getUserTotals().getUnbounded()).isEqualTo(1);
      assertAdmitted(judge(TestReports.coordinates(3, 1, 2), limited, fresh));
    }
    AdmissionRules counted = terms(COMMON + "limits { reports: 5 } black_box {}");
    assertAdmitted(judge(TestReports.undisclosed(9), counted));
  }

  /** The L2 norm of (0.3, 0.4) is 0.5, their sum 0.7. */
  @Test
  void coordinatesCostTheNormOfTheirTausIfTheClipIsL2AndTheirSumElse() {
    MapAccount rebuilt = new MapAccount();
    long sequence = 0;
    for (DeclaredClip clip : DeclaredClip.values()) {
      AccountingEvent event = judge(TestReports.clipped(sequence++, clip, 0.3, 0.4));
      assertAdmitted(event);
      double epsilon = clip == DeclaredClip.L2 ? 0.5 : 0.7;
      assertThat(event.getSpent().getEpsilon()).as("%s", clip).isEqualTo(epsilon);
      assertThat(event.getCoordinateLaplace().getEpsilon()).isEqualTo(epsilon);
      assertThat(event.getCoordinateLaplace().getClip().name()).endsWith(clip.name());
      assertThat(AccountRebuild.apply(event, rebuilt)).isTrue();
    }
    assertThat(account.userTotals().toProto().getEpsilon()).isEqualTo(1.9);
  }

  /** Where 2G are two steps of the grid and a scale is one, e = 2 ln cosh(1/2), and m is 2. */
  @Test
  void coordinatesAreChargedForTheGridOfTheirModel() {
    AdmissionRules coarse = terms(COMMON + "grid_exponent: 0 black_box {}");
    MapAccount rebuilt = new MapAccount();
    AccountingEvent event = judge(TestReports.coordinates(1, 2, 0.5), coarse);
    assertThat(event.getCoordinateLaplace().getLeastScale()).isEqualTo(1);
    double continuous = judge(TestReports.coordinates(2, 2, 0.5)).getSpent().getRho();
    assertThat(event.getSpent().getRho() / continuous).isBetween(1.1, 1.3);
    assertThat(AccountRebuild.apply(event, rebuilt)).isTrue();
    assertThat(rebuilt.modelTotals("m").rhoPicos)
        .isEqualTo(Totals.of(AccountingEvents.cost(event)).rhoPicos);
  }

  @Test
  void theNormIsRoundedUpAndSaturates() {
    assertThat(norm(1, 1)).isEqualTo(1.414213563);
    assertThat(norm(0.1, 1e-300)).isEqualTo(0.100000001);
    assertThat(norm(1e300, 1)).isInfinite();
    assertThat(norm(9e9, 9e9)).isInfinite();
  }

  private double norm(double... taus) {
    return judge(TestReports.clipped(account.userTotals().reports, DeclaredClip.L2, taus))
        .getSpent()
        .getEpsilon();
  }

  /**
   * Scaled to the L2 norm, a coordinate without noise reveals the length, and so the other
   * coordinates.
   */
  @Test
  void coordinatesWithoutNoiseRequireTheClipOfCoordinates() {
    long sequence = 0;
    for (DeclaredClip clip : DeclaredClip.values()) {
      AccountingEvent event = judge(TestReports.clipped(sequence++, clip, 0.5, INFINITY));
      boolean sound = clip == DeclaredClip.COORDINATES;
      assertThat(event.getOutcome()).isEqualTo(sound ? ADMITTED : REFUSED_DECLARATION);
      if (!sound) {
        assertThat(event.getReason())
            .startsWith(
                "declaration is coordinate_laplace: a tau is infinite, so the clip must be"
                    + " COORDINATES");
      }
      assertThat(event.getSpent().getEpsilon()).isEqualTo(0.5);
      assertThat(event.getSpent().getUnbounded()).isEqualTo(1);
    }
  }

  /** Noise on the values of a sparse report doesn't hide which coordinates it names. */
  @Test
  void sparseReportsMayNotDeclarePrivacyOfTheirSupport() {
    AccountingEvent laplace = judge(TestReports.naming(TestReports.laplace(1, 0.5), 1));
    assertOutcome(laplace, REFUSED_DECLARATION)
        .isEqualTo(
            "declaration is l2_laplace with 0.5: the vector is sparse, so it reveals which coordinates"
                + " it names, whatever the noise: it must be undisclosed, or coordinate_laplace with"
                + " the clip COORDINATES");
    assertThat(laplace.getSpent().getEpsilon()).isEqualTo(0.5);
    assertOutcome(
        judge(TestReports.naming(TestReports.gaussian(2, 0.5), 0, 1)), REFUSED_DECLARATION);
    assertAdmitted(judge(TestReports.naming(TestReports.undisclosed(3), 1)));
    AdmissionRules central =
        terms(CENTRAL + "dp_ftrl { clip_norm: 1 noise_multiplier: 1 noise { tree {} } }");
    assertAdmitted(judge(TestReports.naming(TestReports.central(4), 1), central));
    for (DeclaredClip clip : new DeclaredClip[] {DeclaredClip.UNSPECIFIED, DeclaredClip.L2}) {
      AccountingEvent event =
          judge(
              TestReports.naming(
                  TestReports.clipped(clip == DeclaredClip.L2 ? 6 : 5, clip, 0.5), 1));
      assertOutcome(event, REFUSED_DECLARATION).contains("the clip must be COORDINATES");
    }
  }

  @Test
  void coordinatesThatASparseReportDoesNotNameAreNotPrivate() {
    AccountingEvent event =
        judge(TestReports.naming(TestReports.clipped(1, DeclaredClip.COORDINATES, 0.5), 1));
    assertAdmitted(event);
    assertThat(event.getCoordinateLaplace().getEpsilon()).isEqualTo(0.5);
    assertThat(event.getCoordinateLaplace().getNotPrivate()).isEqualTo(1);
    assertThat(event.getUserTotals().getUnbounded()).isEqualTo(1);
    assertThat(AccountRebuild.apply(event, new MapAccount())).isTrue();
    AccountingEvent all =
        judge(
            TestReports.naming(TestReports.clipped(2, DeclaredClip.COORDINATES, 0.5, 0.25), 1, 0));
    assertThat(all.getSpent().getUnbounded()).isZero();
    AdmissionRules limited = terms(COMMON + "limits { epsilon: 9 } coordinate_wise {}");
    AccountingEvent refused =
        judge(
            TestReports.naming(TestReports.clipped(3, DeclaredClip.COORDINATES, 0.5), 1), limited);
    assertOutcome(refused, REFUSED_DECLARATION).contains("every coordinate must have a finite tau");
  }

  @Test
  void bancoNeedsGradientsOfBoundedLength() {
    AdmissionRules banco =
        terms(COMMON + "banco { strongest_noise { coordinate_laplace { taus: 0.1 } } }");
    long sequence = 0;
    for (DeclaredClip clip : DeclaredClip.values()) {
      AccountingEvent event = judge(TestReports.clipped(sequence++, clip, 1, 1), banco);
      assertThat(event.getOutcome())
          .isEqualTo(clip == DeclaredClip.COORDINATES ? REFUSED_DECLARATION : ADMITTED);
    }
  }

  @Test
  void noiseThatTheLearnerDoesNotAcceptIsRefused() {
    AdmissionRules banco =
        terms(COMMON + "banco { strongest_noise { gaussian { mu: 1 } } }", false, true);
    AccountingEvent event = judge(TestReports.gaussian(1, 0.5), banco);
    assertOutcome(event, REFUSED_DECLARATION)
        .isEqualTo(
            "declaration is gaussian with 0.5: the noise must be disclosed and no stronger than"
                + " the model's strongest_noise, gaussian { mu: 1.0 }");
    assertThat(event.getModelTotals().getMu()).isEqualTo(0.5);
  }

  @Test
  void implausibleReportsAreChargedAndCheckedLast() {
    AdmissionRules rules = terms(COMMON + "black_box {}", true, false);
    AccountingEvent event = judge(TestReports.laplace(1, 0.5), rules);
    assertOutcome(event, REFUSED_IMPLAUSIBLE);
    assertThat(event.getSpent().getEpsilon()).isEqualTo(0.5);
    assertThat(event.getReason()).contains("must be clipped to gradient_bound");
    ReportDraft wrong = TestReports.laplace(2, 0.5);
    wrong.dimension = 3;
    assertOutcome(judge(wrong, rules), REFUSED_DIMENSION);
  }

  @Test
  void totalsAreKeptPerModelAndOverAll() {
    judge(TestReports.laplace(1, 0.5));
    AccountingEvent event = judge(TestReports.to("n", TestReports.laplace(2, 0.25)));
    assertThat(event.getModelTotals().getEpsilon()).isEqualTo(0.25);
    assertThat(event.getUserTotals().getEpsilon()).isEqualTo(0.75);
  }

  @Test
  void accessesOnlyTheEntriesOfItsModelAndDevice() {
    judge(TestReports.laplace(1, 0.5));
    account.accesses.clear();
    judge(TestReports.laplace(2, 0.5));
    assertThat(account.accesses).containsExactlyInAnyOrder("window d", "model m", "user");
  }

  @Test
  void everyDeclarationIsRepeatedInItsEvent() {
    assertThat(judge(TestReports.undisclosed(1)).hasUndisclosed()).isTrue();
    assertThat(judge(TestReports.gaussian(2, 0.5)).getGaussian().getMu()).isEqualTo(0.5);
    AccountingEvent coordinates = judge(TestReports.coordinates(3, 0.5, 0.25));
    assertThat(coordinates.getCoordinateLaplace().getEpsilon()).isEqualTo(0.75);
    assertThat(coordinates.getCoordinateLaplace().getNotPrivate()).isZero();
    assertThat(judge(TestReports.coordinates(3, 0.5, 0.25)).getCoordinateLaplace())
        .isEqualTo(coordinates.getCoordinateLaplace());
  }
}
