package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.accounting.PureCosts;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.ledger.Totals;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.operators.report.VectorContent;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.view.GradientReportView;
import io.croupier.schemas.view.VectorView;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The device's account equals the job's, for disclosed reports. */
class SpentTest {
  private static final int SEED = 3;

  private final Random random = new Random(SEED);
  private final Ledger job = new Ledger();
  private final HeapAccount account = new HeapAccount();
  private Spent spent = Spent.NOTHING;

  private static GradientReportView.Builder report(int sequence) {
    return GradientReportView.newBuilder()
        .setModelId("m")
        .setRound(0)
        .setUserId("u")
        .setSequence(sequence);
  }

  /** The person's totals after the job has decoded and charged a report. */
  private Totals charge(GradientReportView.Builder report) {
    byte[] bytes = report.build().toByteArray();
    Received decoded =
        new ReportDecoder().decode(new byte[] {'u'}, bytes, false, Source.unknown(0));
    job.judgeUnknownModel((Report) decoded, account);
    return account.userTotals();
  }

  /** A short decimal, or a double without a short decimal form. */
  private double level() {
    return random.nextBoolean()
        ? (1 + random.nextInt(400)) / 100.0
        : 0.01 + 4 * random.nextDouble();
  }

  @Test
  void deviceAndJobAgreeToTheLastUnit() {
    for (int i = 0; i < 3000; i++) {
      boolean gaussian = random.nextBoolean();
      double level = level();
      GridRandomiser randomiser =
          gaussian
              ? new GaussianRandomiser(1, 2, -16, level)
              : new L2LaplaceRandomiser(1, 2, -16, level);
      spent = spent.plus(Spent.of(randomiser.cost()));

      Mechanism mechanism = gaussian ? new GaussianMechanism(level) : new L2LaplaceMechanism(level);
      Header header = new Header("", 0, "", "", i, 0, 0);
      VectorContent nothing = VectorContent.whole(VectorForm.DENSE, new byte[0]);
      job.judgeUnknownModel(new Report(header, mechanism, nothing, i, Source.unknown(0)), account);

      Totals totals = account.userTotals();
      assertThat(spent)
          .as("seed %s, level %s", SEED, level)
          .isEqualTo(new Spent(totals.reports, totals.epsilonNanos, totals.muSquaredPicos, 0, 0));
    }
  }

  /** The job, decoding the bytes, charges the cost that the device declares, for every clip. */
  @Test
  void deviceAndJobAgreeOnTheCostOfCoordinates() {
    for (int i = 0; i < 1000; i++) {
      double[] taus = new double[1 + random.nextInt(6)];
      Arrays.setAll(taus, j -> level());
      ClippingNorm clip = random.nextBoolean() ? ClippingNorm.L2 : ClippingNorm.COORDINATES;
      if (clip == ClippingNorm.COORDINATES && random.nextInt(4) == 0) {
        taus[0] = Double.POSITIVE_INFINITY;
      }
      GridRandomiser randomiser = new CoordinateLaplaceRandomiser(1, -16, taus, clip);
      spent = spent.plus(Spent.of(randomiser.cost()));

      ByteString values = ByteString.copyFrom(new byte[taus.length * Integer.BYTES]);
      GradientReportView.Builder report =
          report(i).setGrid(VectorView.newBuilder().addValues(values));
      randomiser.declareIn(report);
      Totals totals = charge(report);
      assertThat(spent)
          .as("seed %s, %s, %s", SEED, clip, Arrays.toString(taus))
          .isEqualTo(new Spent(totals.reports, totals.epsilonNanos, 0, 0, totals.unbounded));
    }
  }

  /**
   * The job, decoding the bytes, charges the device's epsilon, and rho and mu of the noise's own
   * loss.
   */
  @Test
  void deviceAndJobAgreeOnTheLossOfPureReports() {
    long rho = 0;
    long responses = 0;
    long muSquared = 0;
    for (int i = 0; i < 200; i++) {
      int dimension = 2 + random.nextInt(20);
      double epsilon = (1 + random.nextInt(400)) / 100.0;
      double[] taus = new double[dimension];
      Arrays.fill(taus, epsilon / dimension);
      Randomiser randomiser =
          switch (i % 3) {
            case 0 -> new PrivUnitRandomiser(1, dimension, epsilon, 64);
            case 1 -> new L2LaplaceRandomiser(1, dimension, -16, epsilon);
            default -> new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.L2);
          };
      spent = spent.plus(Spent.of(randomiser.cost()));
      PureLoss loss =
          i % 3 == 1 ? PureLoss.ofRadial(epsilon, dimension) : randomiser.mechanism().cost().loss();
      responses += PureCosts.rhoPicos(loss.epsilon());
      rho += PureCosts.rhoPicos(loss);
      muSquared += PureCosts.muSquaredPicos(loss);

      GradientReportView.Builder report = report(i);
      randomiser.release(new double[dimension], report);
      Totals totals = charge(report);
      String what = "seed %s, report %s: %s".formatted(SEED, i, loss);
      assertThat(spent)
          .as(what)
          .isEqualTo(new Spent(totals.reports, totals.epsilonNanos, 0, 0, totals.unbounded));
      assertThat(totals.rhoPicos).as(what).isEqualTo(rho);
      assertThat(totals.pureMuSquaredPicos).as(what).isEqualTo(muSquared);
    }
    assertThat(rho).isLessThan(responses / 2);
  }

  @Test
  void undisclosedNoiseCostsTheSame() {
    GridRandomiser said = new L2LaplaceRandomiser(1, 2, -16, 0.7);
    GridRandomiser unsaid = new UndisclosedRandomiser(new UndisclosedRandomiser(said));
    assertThat(Spent.of(said.cost())).isEqualTo(new Spent(1, 700_000_000, 0, 0, 0));
    assertThat(Spent.of(unsaid.cost())).isEqualTo(new Spent(1, 700_000_000, 0, 1, 0));
  }

  @Test
  void roundsUp() {
    assertThat(Spent.of(new L2LaplaceRandomiser(1, 2, -16, 0.1000000001).cost()).epsilonNanos())
        .isEqualTo(100_000_001);
    assertThat(Spent.of(new GaussianRandomiser(1, 2, -16, 0.1000001).cost()).muSquaredPicos())
        .isEqualTo(10_000_020_001L);
  }

  @Test
  void coordinatesAddUpExactly() {
    double[] taus = new double[11];
    Arrays.fill(taus, 0.1);
    taus[4] = 0.05;
    Spent spent =
        Spent.of(new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.COORDINATES).cost());
    assertThat(spent).isEqualTo(new Spent(1, 1_050_000_000, 0, 0, 0));
    Spent ofNorm = Spent.of(new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.L2).cost());
    assertThat(ofNorm).isEqualTo(new Spent(1, 320_156_212, 0, 0, 0));
  }

  @Test
  void openCoordinateIsCountedSeparately() {
    double[] taus = {1, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, 0.5};
    GridRandomiser randomiser =
        new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.COORDINATES);
    assertThat(Spent.of(randomiser.cost())).isEqualTo(new Spent(1, 1_500_000_000, 0, 0, 1));
    assertThat(Spent.of(new UndisclosedRandomiser(randomiser).cost()))
        .isEqualTo(new Spent(1, 1_500_000_000, 0, 1, 1));
  }
}
