package io.croupier.accounting.mechanism;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.DiscreteGaussian;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.ResponseLaw;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.accounting.privunit.PrivUnitLaws;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class MechanismTest {
  private static final double INFINITY = Double.POSITIVE_INFINITY;

  /** d = 3, G = 2. */
  private static final GradientSpace SPACE = new GradientSpace(3, 2, -4);

  private static final List<Mechanism> ALL =
      List.of(
          new L2LaplaceMechanism(0.5),
          coordinates(DeclaredClip.L2, 0.3, 0.4, 1.2),
          new GaussianMechanism(0.5),
          PrivUnitMechanism.of(new PrivUnitLaws().best(3, 0.5, 256)),
          new RandomisedResponseMechanism(0.5, true),
          HashedResponseMechanism.of(0.5, 20),
          UndisclosedNoise.UNDISCLOSED,
          CentralNoise.CENTRAL);

  private static CoordinateLaplaceMechanism coordinates(DeclaredClip clip, double... taus) {
    return new CoordinateLaplaceMechanism(DoubleBuffer.wrap(taus), clip, 0);
  }

  @Test
  void allKindsAreHere() {
    assertThat(ALL.stream().map(Object::getClass).toList())
        .hasSameElementsAs(Arrays.asList(Mechanism.class.getPermittedSubclasses()));
    assertThat(ALL).extracting(Mechanism::name).doesNotHaveDuplicates();
  }

  /** A mechanism costs an epsilon or a mu, or is counted as undisclosed, or the job adds noise. */
  @Test
  void onlyRawReportsAreFree() {
    for (Mechanism mechanism : ALL) {
      Cost cost = mechanism.cost(SPACE);
      boolean costs = cost.epsilonNanos() > 0 || cost.muSquaredPicos() > 0 || cost.isUndisclosed();
      assertThat(costs).as(mechanism.name()).isEqualTo(mechanism != CentralNoise.CENTRAL);
      assertThat(cost.rhoPicos() > 0)
          .as(mechanism.name())
          .isEqualTo(cost.epsilonNanos() > 0 || cost.muSquaredPicos() > 0);
    }
  }

  @Test
  void epsilonsOfCoordinatesAreNormOrSum() {
    assertThat(coordinates(DeclaredClip.L2, 0.3, 0.4, 1.2).cost().epsilon()).isEqualTo(1.3);
    assertThat(coordinates(DeclaredClip.COORDINATES, 0.3, 0.4, 1.2).cost().epsilon())
        .isEqualTo(1.9);
    assertThat(coordinates(DeclaredClip.UNSPECIFIED, 0.1, 0.1, 0.1).cost().epsilonNanos())
        .isEqualTo(300_000_000);
    // Not finite: the norm of the others would not bound the loss.
    CoordinateLaplaceMechanism open = coordinates(DeclaredClip.L2, 0.3, INFINITY, 0.4);
    assertThat(open.cost())
        .isEqualTo(Cost.ofCoordinates(PureLoss.ofCoordinates(0.7, open.effectiveCoordinates()), 1));
    assertThat(open.cost().isUnbounded()).isTrue();
    assertThat(coordinates(DeclaredClip.COORDINATES, INFINITY).cost().epsilonNanos()).isZero();
    assertThat(coordinates(DeclaredClip.COORDINATES, 1e10, 1).cost().epsilonNanos())
        .isEqualTo(DecimalUnits.SATURATED);
    double[] two = {0.5, 0.5};
    CoordinateLaplaceMechanism sparse =
        new CoordinateLaplaceMechanism(DoubleBuffer.wrap(two), DeclaredClip.L2, 1);
    assertThat(sparse.cost().epsilon()).isEqualTo(1);
    assertThat(sparse.cost().isUnbounded()).isTrue();
  }

  /** Equal taus count as many coordinates, others fewer: by the largest tau, or all squares. */
  @Test
  void effectiveCoordinatesAreThoseOfEqualTaus() {
    assertThat(coordinates(DeclaredClip.L2, 0.5, 0.5, 0.5, 0.5).effectiveCoordinates())
        .isBetween(4 - 1e-6, 4.0);
    assertThat(coordinates(DeclaredClip.L2, 0.3, 0.4, 1.2).effectiveCoordinates())
        .isBetween(1.69 / 1.44 - 1e-6, 1.69 / 1.44);
    assertThat(coordinates(DeclaredClip.COORDINATES, 0.3, 0.4, 1.2).effectiveCoordinates())
        .isBetween(3.61 / 1.69 - 1e-6, 3.61 / 1.69);
    assertThat(coordinates(DeclaredClip.COORDINATES, 2, INFINITY).effectiveCoordinates())
        .isEqualTo(1);
    assertThat(coordinates(DeclaredClip.COORDINATES, INFINITY).effectiveCoordinates()).isZero();
    assertThat(coordinates(DeclaredClip.COORDINATES, 1e10, 1).effectiveCoordinates()).isZero();
  }

  /** Noise in many dimensions leaks less than an epsilon of unknown noise. */
  @Test
  void lossesAreThoseOfTheDimension() {
    double[] taus = new double[20];
    Arrays.fill(taus, 0.5 / Math.sqrt(20));
    Cost unknown = new L2LaplaceMechanism(0.5).cost();
    Cost l2 = new L2LaplaceMechanism(0.5, 20).cost();
    Cost coordinates = coordinates(DeclaredClip.L2, taus).cost();

    assertThat(unknown).isEqualTo(Cost.ofEpsilon(0.5));
    assertThat(l2).isEqualTo(new L2LaplaceMechanism(0.5, 20).cost()).isNotEqualTo(unknown);
    for (Cost cost : List.of(l2, coordinates)) {
      assertThat(cost.epsilonNanos()).isBetween(500_000_000L, 500_000_001L);
      assertThat((double) unknown.rhoPicos() / cost.rhoPicos()).isBetween(19.0, 20.0);
      assertThat(cost.pureMuSquaredPicos()).isLessThan(unknown.pureMuSquaredPicos() / 19);
    }
    assertThatThrownBy(() -> new L2LaplaceMechanism(1, -1)).hasMessageContaining("dimension is -1");
  }

  @Test
  void tausMayBeBytes() {
    ByteBuffer bytes = ByteBuffer.allocate(2 * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asDoubleBuffer().put(new double[] {0.3, 0.4});
    CoordinateLaplaceMechanism mechanism =
        new CoordinateLaplaceMechanism(bytes.asDoubleBuffer(), DeclaredClip.L2, 0);
    assertThat(mechanism.cost().epsilon()).isEqualTo(0.5);
    assertThat(mechanism.smallestTau()).isEqualTo(0.3);
    assertThat(mechanism.taus()).isEqualTo(DoubleBuffer.wrap(new double[] {0.3, 0.4}));
  }

  /** The variance holds up to half way to the pole; beyond the pole there is none. */
  @Test
  void variancesHoldBelowThePole() {
    for (Mechanism mechanism : ALL) {
      double pole = mechanism.pole(SPACE);
      if (pole == 0) {
        assertThat(mechanism.directionalVariance(SPACE, 1)).as(mechanism.name()).isInfinite();
        continue;
      }
      double range = Math.min(0.3, pole / 2);
      double variance = mechanism.directionalVariance(SPACE, range);
      assertThat(variance).as(mechanism.name()).isPositive().isFinite();
      // No less than an average direction's share of the error.
      assertThat(variance)
          .as(mechanism.name())
          .isGreaterThanOrEqualTo(mechanism.squaredError(SPACE) * 4 / 3 * (1 - 1e-9));
      if (pole < INFINITY) {
        assertThat(mechanism.directionalVariance(SPACE, pole * 1.0001))
            .as(mechanism.name())
            .isInfinite();
      }
    }
  }

  /** Two bounds take turns, as in reports to a model whose bound moves. */
  @Test
  void lengthsAndVariancesFollowTheBound() {
    GradientSpace space =
        new GradientSpace(3, 2, -4, new PrivUnitLaws(), shape -> 10 * Math.sqrt(shape));
    GradientSpace larger = space.withBound(8, -2);
    assertThat(larger.gradientBound()).isEqualTo(8);
    assertThat(larger.gridStep()).isEqualTo(0.25);
    for (Mechanism mechanism : ALL) {
      String name = mechanism.name();
      assertThat(mechanism.longest(larger)).as(name).isEqualTo(4 * mechanism.longest(space));
      double range = Math.min(0.3, mechanism.pole(space) / 2);
      assertThat(mechanism.directionalVariance(larger, range / 4))
          .as(name)
          .isEqualTo(16 * mechanism.directionalVariance(space, range));
      assertThat(mechanism.directionalVariance(larger, range / 8))
          .as(name)
          .isEqualTo(16 * mechanism.directionalVariance(space, range / 2));
      assertThat(mechanism.cost(larger)).as(name).isEqualTo(mechanism.cost(space));
    }
  }

  /** 4 d (d + 1) / epsilon^2, 8 sum 1 / tau^2 and 4 d / mu^2. */
  @Test
  void squaredErrors() {
    assertThat(new L2LaplaceMechanism(0.5).squaredError(SPACE)).isEqualTo(192);
    assertThat(coordinates(DeclaredClip.L2, 0.5, 1, 2).squaredError(SPACE)).isEqualTo(42);
    assertThat(new GaussianMechanism(0.5).squaredError(SPACE)).isEqualTo(48);
    GradientSpace large = new GradientSpace(1 << 30, 1, 0);
    assertThat(new GaussianMechanism(2).squaredError(large)).isEqualTo(1 << 30);
  }

  @Test
  void noiseOnAGridCostsItsDistanceFromTheContinuousLaw() {
    Cost cost = new GaussianMechanism(0.5).cost(SPACE);
    // 2G is 64 steps, so the deviation is 128.
    assertThat(cost.variation()).isEqualTo(DiscreteGaussian.variation(3, 128));
    assertThat(cost.variationRate()).isEqualTo(DiscreteGaussian.variation(3, 64));
    assertThat(cost.muSquaredPicos()).isEqualTo(250_000_000_000L);
    assertThat(new GaussianMechanism(0.5).cost().variationAttos()).isZero();
  }

  /** It has no variation of its own; the rate is for the filter of later Gaussian reports. */
  @Test
  void anAnswerHasTheRateOfItsModel() {
    Cost mu = new RandomisedResponseMechanism(0.5, true).cost(SPACE);
    assertThat(mu.variation()).isZero();
    assertThat(mu.variationRate()).isEqualTo(DiscreteGaussian.variation(3, 64));
    assertThat(mu.muSquaredPicos()).isEqualTo(250_000_000_000L);
    assertThat(new RandomisedResponseMechanism(0.5, false).cost(SPACE))
        .isEqualTo(Cost.ofEpsilon(0.5));
    assertThat(new RandomisedResponseMechanism(0.5, true).law()).isEqualTo(ResponseLaw.ofMu(0.5));
  }

  @Test
  void rareTopsAreObjectedTo() {
    Mechanism best = ALL.get(3);
    assertThat(best.objection(SPACE)).isEmpty();
    assertThat(new PrivUnitMechanism(0.5, 256, 1).objection(SPACE))
        .startsWith("top 1 of 256 candidates makes vectors longer than 1.3 times the least length")
        .contains("at epsilon 0.5: it must be");
  }

  /** A space without tails must not pass off every length as plausible. */
  @Test
  void lengthsNeedTails() {
    assertThatThrownBy(() -> new L2LaplaceMechanism(1).longest(SPACE))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("no tails");
    GradientSpace withTails = new GradientSpace(3, 2, -4, new PrivUnitLaws(), shape -> 10 * shape);
    assertThat(new L2LaplaceMechanism(1).longest(withTails))
        .isEqualTo(2 + 30 * 4 + Math.sqrt(3) / 16);
    assertThat(withTails.gridStep()).isEqualTo(0x1p-4);
  }

  @Test
  void invalidParametersAreNamed() {
    for (double bad : new double[] {0, -1, Double.NaN, INFINITY}) {
      assertThatThrownBy(() -> new L2LaplaceMechanism(bad))
          .isInstanceOf(InvalidMechanismException.class)
          .hasMessage("l2_laplace.epsilon is " + bad + ": it must be a finite number above 0")
          .satisfies(e -> assertThat(e.getStackTrace()).isEmpty());
      assertThatThrownBy(() -> new GaussianMechanism(bad))
          .hasMessage("gaussian.mu is " + bad + ": it must be a finite number above 0");
    }
    for (double bad : new double[] {0, -1, Double.NaN}) {
      assertThatThrownBy(() -> coordinates(DeclaredClip.L2, 1, bad))
          .hasMessage(
              "coordinate_laplace.taus[1] is "
                  + bad
                  + ": it must be above 0 (Infinity: not private)");
    }
    assertThatThrownBy(() -> new PrivUnitMechanism(17, 65, 40))
        .hasMessage(
            "priv_unit.epsilon is 17.0: it must be above 0 and at most 16; priv_unit.candidates is"
                + " 65: it must be 64, 256, 1024 or 4096; priv_unit.top is 40: it must be from 1"
                + " to half the candidates");
    assertThatThrownBy(() -> Cost.ofEpsilon(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void hugeTauSumsSaturateAndSmallOnesDoNot() {
    double[] taus = new double[1000];
    Arrays.fill(taus, 9e6);
    assertThat(coordinates(DeclaredClip.COORDINATES, taus).cost().epsilon())
        .isCloseTo(9e9, within(1e-3));
    Arrays.fill(taus, 9.3e6);
    assertThat(coordinates(DeclaredClip.COORDINATES, taus).cost().epsilon()).isInfinite();
  }
}
