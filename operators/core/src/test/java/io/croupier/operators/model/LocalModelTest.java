package io.croupier.operators.model;

import static io.croupier.operators.model.LiveModel.BundleOutcome.DROPPED_STALE;
import static io.croupier.operators.model.LiveModel.BundleOutcome.DROPPED_UNPUBLISHED;
import static io.croupier.operators.model.LiveModel.BundleOutcome.OPEN;
import static io.croupier.operators.model.LocalModels.D;
import static io.croupier.operators.model.LocalModels.add;
import static io.croupier.operators.model.LocalModels.dense;
import static io.croupier.operators.model.LocalModels.everyLearner;
import static io.croupier.operators.model.LocalModels.publish;
import static io.croupier.operators.model.LocalModels.restored;
import static io.croupier.operators.model.LocalModels.save;
import static io.croupier.operators.model.LocalModels.sgd;
import static io.croupier.operators.model.LocalModels.spec;
import static io.croupier.operators.model.LocalModels.weights;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a model of local noise does with its reports, and what it publishes. */
class LocalModelTest {
  private static RoundSum grid(long round, int... steps) {
    return TestSums.grid(round, -16, steps);
  }

  private static RoundSum sparse(long round, int[] indices, double... values) {
    return TestSums.sparse(round, D, indices, values);
  }

  /** However many reports there are to a publication, and however few it needs. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 100})
  void allReportsBetweenTwoPublicationsAreOneStepOnTheirMean(int reportsPerRound) {
    LocalModel model = new LocalModel(sgd().setReportsPerRound(reportsPerRound).build(), 0);
    publish(model, 0);

    assertThat(model.add(dense(0, 1, 0, 0))).isEqualTo(OPEN);
    assertThat(model.isFull()).isEqualTo(reportsPerRound == 1);
    assertThat(model.add(grid(0, 0, 1 << 16, 0))).isEqualTo(OPEN);
    assertThat(model.open()).isEqualTo(2);
    assertThat(model.round()).isZero();
    RoundSum pair = dense(0, 2, 0, 4);
    pair.count = 2;
    assertThat(model.add(pair)).isEqualTo(OPEN);
    assertThat(model.isFull()).isEqualTo(reportsPerRound <= 4);
    assertThat(model.hasNewRound()).isTrue();

    ModelUpdateView update = publish(model, 7);
    assertThat(weights(update)).containsExactly(-0.75, -0.25, -1);
    assertThat(update.getRound()).isEqualTo(1);
    assertThat(update.getUsed()).isEqualTo(4);
    assertThat(update.getOpen()).isZero();
    assertThat(update.getPublishedAtMs()).isEqualTo(7);
    assertThat(model.open()).isZero();
    assertThat(model.hasNewRound()).isFalse();
  }

  /** From which devices compute features and losses, also before they have read the spec. */
  @Test
  void everyUpdateHasTheFeaturesAndTheLossOfTheSpec() {
    ModelSpec.Builder spec = sgd();
    spec.addFeaturesBuilder().setName("one").getInterceptBuilder();
    spec.addFeaturesBuilder()
        .setName("shift")
        .getOneHotBuilder()
        .addAllCategories(List.of("a", "b"));
    spec.getPredictsBuilder().setLabel("well").getLogisticBuilder();
    LocalModel model = new LocalModel(spec.build(), 0);
    assertThat(publish(model, 0).getFeaturesList()).isEqualTo(spec.getFeaturesList());
    assertThat(publish(model, 0).getPredicts()).isEqualTo(spec.getPredicts());
    model.add(dense(0, 1, 0, 0));
    assertThat(publish(model, 0).getFeaturesList()).hasSize(2);
    assertThat(publish(new LocalModel(sgd().build(), 0), 0).getFeaturesList()).isEmpty();
    assertThat(publish(new LocalModel(sgd().build(), 0), 0).hasPredicts()).isFalse();
  }

  /** By which devices know of a report that the job would refuse. */
  @Test
  void everyUpdateHasTheLimitsOfTheSpec() {
    ModelSpec.Builder spec = sgd();
    spec.getLimitsBuilder().setEpsilon(20).setPerDays(30);
    LocalModel model = new LocalModel(spec.build(), 0);
    assertThat(publish(model, 0).getLimits()).isEqualTo(spec.getLimits());
    assertThat(publish(new LocalModel(sgd().build(), 0), 0).hasLimits()).isFalse();
  }

  @Test
  void reportsCountByTheirWeights() {
    LocalModel model = new LocalModel(sgd().build(), 0);
    publish(model, 0);
    RoundSum noisy = dense(0, 5, 0, 0);
    noisy.weightExponent = 2;
    model.add(noisy);
    model.add(dense(0, 0, 1, 0));
    assertThat(weights(publish(model, 0))).containsExactly(-1, -0.8, 0);
  }

  @Test
  void reportsAreCountedOnceAsUsedDroppedOrOpen() {
    LocalModel model = new LocalModel(sgd().setReportsPerRound(2).setMaxStaleness(1).build(), 0);
    publish(model, 0);
    model.add(dense(0, 1, 0, 0));
    model.add(dense(0, 1, 0, 0));
    publish(model, 0);
    model.add(dense(0, 1, 0, 0));
    model.add(dense(1, 1, 0, 0));
    publish(model, 0);

    assertThat(model.add(dense(0, 1, 0, 0))).isEqualTo(DROPPED_STALE);
    assertThat(model.add(dense(3, 1, 0, 0))).isEqualTo(DROPPED_UNPUBLISHED);
    assertThat(model.add(dense(2, 1, 0, 0))).isEqualTo(OPEN);
    ModelUpdateView update = model.publish(false, 0).orElseThrow();
    assertThat(update.getRound()).isEqualTo(2);
    assertThat(update.getUsed()).isEqualTo(4);
    assertThat(update.getDroppedStale()).isEqualTo(1);
    assertThat(update.getDroppedUnpublished()).isEqualTo(1);
    assertThat(update.getOpen()).isEqualTo(1);
  }

  /**
   * Rounds of sparse, dense and grid reports, mixed and alone, saved and restored partly full. The
   * twin receives every report as a dense one. (A learner by coordinate distinguishes them.)
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void sparseReportsAreDenseOnesWithZeros(int reportsPerRound) {
    ModelSpec spec =
        spec("reports_per_round: %d black_box { radius: 0.01 }".formatted(reportsPerRound));
    LocalModel model = new LocalModel(spec, 0);
    LocalModel twin = new LocalModel(spec, 0);
    Map<String, byte[]> store = new HashMap<>();
    SplittableRandom random = new SplittableRandom(3);
    publish(model, 0);
    publish(twin, 0);
    for (int i = 0; i < 400; i++) {
      double a = random.nextInt(-300, 400) / 256.0;
      double b = random.nextInt(-300, 300) / 256.0;
      RoundSum report =
          random.nextInt(i % 40 < 20 ? 1 : 3) == 0
              ? sparse(0, new int[] {2, 0}, a, b)
              : random.nextBoolean() ? dense(0, b, 0, a) : grid(0, 1 << 14, -(1 << 16), 0);
      RoundSum asDense = report.form == VectorForm.SPARSE_SUM ? dense(0, b, 0, a) : report;
      report.namedRound = Math.max(0, model.publishedRound() - random.nextInt(3));
      asDense.namedRound = report.namedRound;
      assertThat(model.add(report)).isEqualTo(OPEN);
      assertThat(twin.add(asDense)).isEqualTo(OPEN);
      if (model.open() >= reportsPerRound + random.nextInt(8)) {
        assertThat(publish(model, i)).isEqualTo(publish(twin, i));
      }
      if (i % 7 == 0) {
        save(model, store);
        model = restored(spec, store);
      }
    }
    assertThat(publish(model, 0)).isEqualTo(publish(twin, 0));
    assertThat(model.round()).isGreaterThan(30);
  }

  @Test
  void updatingTheSameRoundAgainIsNoPublication() {
    LocalModel model = new LocalModel(sgd().setMaxStaleness(0).build(), 0);
    publish(model, 0);
    assertThat(model.hasNews()).isFalse();
    model.add(dense(9, 1, 0, 0));
    assertThat(model.hasNews()).isTrue();
    publish(model, 0);

    assertThat(model.hasUrgentNews()).isFalse();
    assertThat(model.add(dense(0, 1, 0, 0))).isEqualTo(OPEN);
  }

  /** Counts may wait for other news; a new spec may not. */
  @Test
  void aNewSpecIsUrgentNews() {
    LocalModel model = new LocalModel(sgd().build(), 0);
    publish(model, 0);
    model.add(dense(0, 1, 0, 0));
    assertThat(model.hasNews()).isTrue();
    assertThat(model.hasUrgentNews()).isFalse();
    model.respec(sgd().setReportsPerRound(7).build());
    assertThat(model.hasUrgentNews()).isTrue();
    assertThat(model.isFull()).isFalse();
    model.publish(false, 0);
    assertThat(model.hasUrgentNews()).isFalse();
  }

  @Test
  void aStaleReportBetsOnTheDirectionOfTheRoundItNames() {
    LocalModel model = new LocalModel(spec("black_box {}"), 0);
    publish(model, 0);
    model.add(dense(0, 1, 0, 0));
    publish(model, 0);
    model.add(dense(1, 0, 1, 0));
    publish(model, 0);

    // The direction of round 0 is zero, so there is no coin, and the bet doesn't change.
    double before = publish(model, 0).getDiagnosticsMap().get("log-potential");
    model.add(dense(0, -1, 0, 0));

    assertThat(publish(model, 0).getDiagnosticsMap().get("log-potential")).isEqualTo(before);
    model.add(dense(1, 1, 0, 0));
    assertThat(publish(model, 0).getDiagnosticsMap().get("log-potential")).isNotEqualTo(before);
  }

  @Test
  void aLaterModelOfTheSameNameContinuesTheRoundNumbers() {
    LocalModel model = new LocalModel(sgd().build(), 41);
    ModelUpdateView update = publish(model, 0);

    assertThat(update.getRound()).isEqualTo(41);
    assertThat(model.add(dense(0, 1, 0, 0))).isEqualTo(DROPPED_STALE);
    assertThat(model.add(dense(41, 1, 0, 0))).isEqualTo(OPEN);
  }

  @Test
  void aBundleOfAnotherDimensionIsRefused() {
    LocalModel model = new LocalModel(sgd().build(), 0);
    assertThatThrownBy(() -> model.add(dense(0, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A bundle of dimension 1 for a model of dimension 3");
  }

  @Test
  void aHeldRoundKeepsItsWeightsAndItsReports() {
    for (ModelSpec spec : everyLearner().toList()) {
      LocalModel model = new LocalModel(spec, 0);
      publish(model, 0);
      add(model, 0, 5);
      publish(model, 0);
      add(model, 1, 5);
      ModelUpdateView visible = publish(model, 0);
      add(model, visible.getRound(), 5);
      ModelUpdateView held = model.publish(false, 0).orElseThrow();

      assertThat(held.getRound()).isEqualTo(visible.getRound());
      assertThat(weights(held)).isEqualTo(weights(visible));
      assertThat(held.getAverage(0)).isEqualTo(visible.getAverage(0));
      assertThat(held.getUsed()).isEqualTo(10);
      assertThat(held.getOpen()).isEqualTo(5);
      assertThat(model.hasNews()).isFalse();
      assertThat(model.hasNewRound()).isTrue();
      ModelUpdateView next = publish(model, 0);
      assertThat(next.getRound()).isEqualTo(held.getRound() + 1);
      assertThat(next.getUsed()).isEqualTo(15);
      assertThat(next.getAverage(0)).isNotEqualTo(visible.getAverage(0));
    }
  }

  /**
   * The twin has no publications without reports. All reports name the newest publication, so only
   * the numbers of the rounds differ.
   */
  @ParameterizedTest
  @MethodSource("io.croupier.operators.model.LocalModels#everyLearner")
  void aPublicationWithoutReportsKeepsTheModel(ModelSpec twins) {
    ModelSpec.Builder anonymous = twins.toBuilder();
    anonymous.getAnonymousBuilder().setPublications(1000);
    anonymous.getAnonymousBuilder().addLevelsBuilder().getPrivUnitBuilder().setEpsilon(1);
    ModelSpec spec = anonymous.build();
    LocalModel model = new LocalModel(spec, 0);
    LocalModel twin = new LocalModel(twins, 0);
    Map<String, byte[]> store = new HashMap<>();
    SplittableRandom random = new SplittableRandom(23);
    ModelUpdateView update = publish(model, 0);
    ModelUpdateView last = publish(twin, 0);
    long empty = 0;
    for (int i = 0; i < 200; i++) {
      assertThat(update.toBuilder().setRound(last.getRound()).build()).isEqualTo(last);
      assertThat(update.getRound()).isEqualTo(last.getRound() + empty);
      if (random.nextInt(3) == 0) {
        assertThat(model.hasNewRound()).isTrue();
        assertThat(model.isFull()).isFalse();
        assertThat(twin.hasNewRound()).isFalse();
        empty++;
      } else {
        add(model, update.getRound(), 1 + random.nextInt(9));
        add(twin, last.getRound(), (int) model.open());
        last = publish(twin, 0);
      }
      update = publish(model, 0);
      if (random.nextInt(4) == 0) {
        save(model, store);
        model = restored(spec, store);
        assertThat(model.round()).isEqualTo(update.getRound());
      }
    }
    assertThat(empty).isPositive();
  }

  @ParameterizedTest
  @MethodSource("io.croupier.operators.model.LocalModels#everyLearner")
  void savingAndRestoringAnywhereEqualsAnUninterruptedRun(ModelSpec spec) {
    LocalModel straight = new LocalModel(spec, 0);
    LocalModel stopped = new LocalModel(spec, 0);
    Map<String, byte[]> store = new HashMap<>();
    SplittableRandom random = new SplittableRandom(17);
    long newest = 0;
    publish(straight, 0);
    publish(stopped, 0);
    for (int i = 0; i < 300; i++) {
      double shift = i % 100 < 75 ? 0 : 2;
      RoundSum sum =
          dense(
              Math.max(0, newest - random.nextInt(4)),
              random.nextGaussian() + shift,
              random.nextGaussian(),
              random.nextGaussian());
      sum.directionalVariance = 0.5;
      assertThat(stopped.add(sum)).isEqualTo(straight.add(sum));
      if (random.nextInt(5) == 0 && i % 100 < 50) {
        boolean mayOpenRound = random.nextInt(3) > 0;
        ModelUpdateView update = straight.publish(mayOpenRound, i).orElseThrow();
        assertThat(stopped.publish(mayOpenRound, i).orElseThrow()).isEqualTo(update);
        straight.confirm();
        stopped.confirm();
        newest = update.getRound();
      }
      if (random.nextInt(10) == 0) {
        save(stopped, store);
        stopped = restored(spec, store);
      }
    }
    assertThat(publish(stopped, 0)).isEqualTo(publish(straight, 0));
    assertThat(straight.round()).isPositive();
  }
}
