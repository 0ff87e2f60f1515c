package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.view.ModelUpdateView;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LocalModelTest {
  private static final int D = 3;

  /** Plain SGD with step size 1: weights are minus the sum of the rounds' means. */
  private static ModelSpec.Builder sgd() {
    return spec().setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0));
  }

  private static ModelSpec.Builder spec() {
    return ModelSpec.newBuilder().setModelId("m").setDimension(D).setGradientBound(1);
  }

  private static RoundSum dense(long round, double... values) {
    RoundSum sum = new RoundSum();
    sum.modelId = "m";
    sum.namedRound = round;
    sum.count = 1;
    sum.dimension = values.length;
    sum.values = PackedVectors.encode(values);
    return sum;
  }

  private static RoundSum grid(long round, int... steps) {
    RoundSum sum = dense(round, new double[steps.length]);
    sum.form = VectorForm.GRID;
    ByteBuffer bytes = ByteBuffer.allocate(4 * steps.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(steps);
    sum.values = bytes.array();
    return sum;
  }

  private static RoundSum sparse(long round, int[] indices, double... values) {
    RoundSum sum = dense(round, values);
    sum.form = VectorForm.SPARSE;
    sum.dimension = D;
    sum.indices = indices;
    return sum;
  }

  /** Publishes, and confirms the publication immediately. */
  private static ModelUpdateView publish(LocalModel model, long nowMs) {
    ModelUpdateView update = model.publish(true, nowMs).orElseThrow();
    model.confirm();
    return update;
  }

  private static double[] weights(ModelUpdateView update) {
    double[] weights = new double[D];
    ByteBuffer.wrap(update.getWeights(0).toByteArray())
        .order(ByteOrder.LITTLE_ENDIAN)
        .asDoubleBuffer()
        .get(weights);
    return weights;
  }

  @Test
  void aRoundOfOneStepsOnEveryReport() {
    LocalModel model = new LocalModel(sgd().build(), 0);
    publish(model, 0);

    assertThat(model.add(dense(0, 1, 0, 0))).isEqualTo(BundleOutcome.STEPPED);
    assertThat(model.add(grid(0, 0, 1 << 16, 0))).isEqualTo(BundleOutcome.STEPPED);
    ModelUpdateView update = publish(model, 7);

    assertThat(weights(update)).containsExactly(-1, -1, 0);
    assertThat(update.getRound()).isEqualTo(2);
    assertThat(update.getUsed()).isEqualTo(2);
    assertThat(update.getPublishedAtMs()).isEqualTo(7);
  }

  @Test
  void aRoundOfSeveralClosesAtTheMeanOfAllForms() {
    LocalModel model = new LocalModel(sgd().setReportsPerRound(4).build(), 0);
    publish(model, 0);

    assertThat(model.add(dense(0, 1, 0, 0))).isEqualTo(BundleOutcome.OPEN);
    assertThat(model.add(grid(0, 0, 1 << 16, 0))).isEqualTo(BundleOutcome.OPEN);
    assertThat(model.open()).isEqualTo(2);
    RoundSum pair = dense(0, 2, 0, 4);
    pair.count = 2;
    assertThat(model.add(pair)).isEqualTo(BundleOutcome.STEPPED);

    assertThat(weights(publish(model, 0))).containsExactly(-0.75, -0.25, -1);
    assertThat(model.open()).isZero();
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

    assertThat(model.add(dense(0, 1, 0, 0))).isEqualTo(BundleOutcome.DROPPED_STALE);
    assertThat(model.add(dense(3, 1, 0, 0))).isEqualTo(BundleOutcome.DROPPED_UNPUBLISHED);
    assertThat(model.add(dense(2, 1, 0, 0))).isEqualTo(BundleOutcome.OPEN);
    ModelUpdateView update = publish(model, 0);
    assertThat(update.getUsed()).isEqualTo(4);
    assertThat(update.getDroppedStale()).isEqualTo(1);
    assertThat(update.getDroppedUnpublished()).isEqualTo(1);
    assertThat(update.getOpen()).isEqualTo(1);
  }

  /** Rounds of sparse, dense and grid reports, mixed and alone, saved and restored partly full. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void sparseReportsAreDenseOnesWithZeros(int reportsPerRound) {
    ModelSpec spec =
        spec()
            .setReportsPerRound(reportsPerRound)
            .setCoordinateWise(CoordinateWise.newBuilder().setRadius(0.01))
            .build();
    LocalModel model = new LocalModel(spec, 0);
    LocalModel twin = new LocalModel(spec, 0);
    Map<String, byte[]> store = new HashMap<>();
    SplittableRandom random = new SplittableRandom(3);
    publish(model, 0);
    publish(twin, 0);
    for (int i = 0; i < 400; i++) {
      double a = random.nextGaussian() + 0.3;
      double b = random.nextGaussian();
      RoundSum report =
          random.nextInt(i % 40 < 20 ? 1 : 3) == 0
              ? sparse(0, new int[] {2, 0}, a, b)
              : random.nextBoolean() ? dense(0, b, 0, a) : grid(0, 1 << 14, -(1 << 16), 0);
      RoundSum asDense = report.form == VectorForm.SPARSE ? dense(0, b, 0, a) : report;
      report.namedRound = model.round() - model.round() % 8;
      asDense.namedRound = report.namedRound;
      assertThat(model.add(report)).isEqualTo(twin.add(asDense));
      if (model.round() % 8 == 0) {
        assertThat(publish(model, i)).isEqualTo(publish(twin, i));
      }
      if (i % 7 == 0) {
        LocalModel before = model;
        before.save(store::put);
        store.keySet().removeIf(before::isObsolete);
        model = new LocalModel(spec, 0);
        model.restore(store::get);
      }
    }
    assertThat(publish(model, 0)).isEqualTo(publish(twin, 0));
    assertThat(publish(model, 0).getUsed()).isGreaterThan(300);
  }

  @Test
  void aRoundThatIsClosedEarlyTakesTheMeanOfItsReports() {
    LocalModel model = new LocalModel(sgd().setReportsPerRound(100).build(), 0);
    publish(model, 0);
    model.closeRound();
    assertThat(model.round()).isZero();

    model.add(dense(0, 1, 0, 0));
    model.add(dense(0, 0, 1, 0));
    model.closeRound();

    assertThat(weights(publish(model, 0))).containsExactly(-0.5, -0.5, 0);
  }

  @Test
  void updatingTheSameRoundAgainIsNoPublication() {
    LocalModel model = new LocalModel(sgd().setMaxStaleness(0).build(), 0);
    publish(model, 0);
    assertThat(model.hasNews()).isFalse();
    model.add(dense(9, 1, 0, 0));
    assertThat(model.hasNews()).isTrue();
    publish(model, 0);

    assertThat(model.add(dense(0, 1, 0, 0))).isEqualTo(BundleOutcome.STEPPED);
  }

  @Test
  void aStaleReportBetsOnTheDirectionOfTheRoundItNames() {
    ModelSpec blackBox = spec().setBlackBox(BlackBox.getDefaultInstance()).build();
    LocalModel model = new LocalModel(blackBox, 0);
    publish(model, 0);
    model.add(dense(0, 1, 0, 0));
    publish(model, 0);
    model.add(dense(1, 0, 1, 0));
    publish(model, 0);

    // The direction of round 0 is zero, so the coin is zero and the evidence doesn't change.
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
    assertThat(model.add(dense(0, 1, 0, 0))).isEqualTo(BundleOutcome.DROPPED_STALE);
    assertThat(model.add(dense(41, 1, 0, 0))).isEqualTo(BundleOutcome.STEPPED);
  }

  @Test
  void aBundleOfAnotherDimensionIsRefused() {
    LocalModel model = new LocalModel(sgd().build(), 0);
    assertThatThrownBy(() -> model.add(dense(0, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A bundle of dimension 1 for a model of dimension 3");
  }

  /** 30 rounds of one report, then some 30 for each e-fold increase of the number of reports. */
  @ParameterizedTest
  @ValueSource(ints = {1, 100})
  void anyNumberOfReportsToOnePublicationEntersFewRounds(int reportsPerRound) {
    int reports = 100_000;
    ModelSpec spec =
        spec()
            .setBlackBox(BlackBox.getDefaultInstance())
            .setReportsPerRound(reportsPerRound)
            .build();
    LocalModel model = new LocalModel(spec, 0);
    publish(model, 0);
    SplittableRandom random = new SplittableRandom(5);
    long largest = 0;
    long before = 0;
    for (int i = 0; i < reports; i++) {
      RoundSum noise = dense(0, random.nextGaussian(), random.nextGaussian(), 0);
      if (model.add(noise) == BundleOutcome.STEPPED) {
        long used = i + 1L;
        assertThat(used - before)
            .isGreaterThanOrEqualTo(reportsPerRound)
            .isGreaterThanOrEqualTo(before / 30)
            .isLessThanOrEqualTo(Math.max(reportsPerRound, before / 30 + 1));
        largest = used - before;
        before = used;
      }
    }
    double alone = 30.0 * reportsPerRound;
    assertThat((double) model.round()).isBetween(30.0, 60 + 30 * Math.log(reports / alone));
    assertThat(largest).isGreaterThan(3000);
    ModelUpdateView update = publish(model, 0);
    assertThat(update.getUsed() + update.getOpen()).isEqualTo(reports);
  }

  @ParameterizedTest
  @MethodSource("everyLearner")
  void reportsThatAgreeBeyondChanceEnterOneLastRoundBeforeTheNextPublication(ModelSpec spec) {
    LocalModel model = new LocalModel(spec, 0);
    publish(model, 0);
    int r = Math.max(1, spec.getReportsPerRound());
    add(model, 0, r);
    long named = publish(model, 0).getRound();
    assertThat(named).isEqualTo(1);
    add(model, named, 1000 * r);
    long rounds = model.round() - named;
    assertThat(rounds).as("rounds before the reports agree").isBetween(9L, 20L);
    assertThat(model.open()).isEqualTo((int) (1000L * r - rounds * r));
    assertThat(model.filling()).isZero();

    ModelUpdateView update = publish(model, 0);
    assertThat(update.getRound()).isEqualTo(named + rounds + 1);
    assertThat(update.getOpen()).isZero();
    assertThat(update.getUsed()).isEqualTo(1001L * r);
    add(model, update.getRound(), r);
    assertThat(model.round()).as("of the next publication").isEqualTo(update.getRound() + 1);
  }

  private static void add(LocalModel model, long round, int reports) {
    for (int i = 0; i < reports; i++) {
      RoundSum report = dense(round, 0.5, -0.5, 0.1);
      report.directionalVariance = 0.5;
      model.add(report);
    }
  }

  @Test
  void aLastRoundTooSmallForTheSpecIsFilledUp() {
    LocalModel model = new LocalModel(sgd().setReportsPerRound(10).build(), 0);
    publish(model, 0);
    add(model, 0, 139);
    assertThat(model.round()).as("equal rounds agree at the 13th").isEqualTo(13);
    assertThat(model.filling()).as("in the last round").isZero();

    ModelUpdateView update = publish(model, 0);
    assertThat(update.getRound()).isEqualTo(13);
    assertThat(update.getOpen()).isEqualTo(9);
    assertThat(model.filling()).isEqualTo(9);
    add(model, 13, 1);
    assertThat(model.round()).isEqualTo(14);
    assertThat(model.open()).isZero();
  }

  /** Reports of the last round count, too. */
  @Test
  void stragglersOfALargePublicationEnterFewRounds() {
    LocalModel model = new LocalModel(sgd().build(), 0);
    publish(model, 0);
    add(model, 0, 100_000);
    long round = publish(model, 0).getRound();
    assertThat(round).isEqualTo(14);
    add(model, 0, 1000);
    assertThat(model.round()).isEqualTo(round);
    assertThat(model.open()).isEqualTo(1000);
  }

  /**
   * Gradients of alternating sign never agree, so that only the law of late reports bounds rounds.
   */
  @Test
  void lateReportsToTheAdaptiveRadiusEnterFewRoundsAndHoldTheNextOne() {
    LocalModel radius =
        new LocalModel(spec().setAdaptiveRadius(AdaptiveRadius.getDefaultInstance()).build(), 0);
    LocalModel sgd = new LocalModel(sgd().build(), 0);
    for (LocalModel model : List.of(radius, sgd)) {
      publish(model, 0);
      alternate(model, 0, 100);
      publish(model, 1);
    }
    long named = radius.publishedRound();
    long radiusBefore = radius.round();
    long sgdBefore = sgd.round();
    alternate(radius, 0, 1000);
    alternate(sgd, 0, 1000);
    assertThat(radius.round() - radiusBefore).isBetween(15L, 25L);
    assertThat(sgd.round() - sgdBefore).isBetween(60L, 120L);

    alternate(sgd, sgd.publishedRound(), 1);
    assertThat(sgd.isAnswered()).as("one report is enough").isTrue();
    alternate(radius, named, 999);
    assertThat(radius.isAnswered()).as("999 of 1,000").isFalse();
    Map<String, byte[]> chunks = new HashMap<>();
    radius.save(chunks::put);
    LocalModel restored = new LocalModel(radius.spec(), 0);
    restored.restore(chunks::get);
    for (LocalModel model : List.of(radius, restored)) {
      assertThat(model.isAnswered()).isFalse();
      alternate(model, named, 1);
      assertThat(model.isAnswered()).isTrue();
      publish(model, 2);
      assertThat(model.isAnswered()).as("no report has named the newest one").isFalse();
    }
  }

  /** Trimmed reports of strong noise have norms of 2; those without noise at most 1. */
  @Test
  void lateReportsOfStrongNoiseAreLikeOthers() {
    LocalModel model =
        new LocalModel(spec().setAdaptiveRadius(AdaptiveRadius.getDefaultInstance()).build(), 0);
    publish(model, 0);
    for (int i = 0; i < 100; i++) {
      model.add(dense(0, i % 2 == 0 ? 1.4 : -1.4, i % 4 < 2 ? 1.4 : -1.4, 0));
    }
    publish(model, 1);
    long before = model.round();
    for (int i = 0; i < 1000; i++) {
      model.add(dense(0, i % 2 == 0 ? 1.4 : -1.4, i % 4 < 2 ? 1.4 : -1.4, 0));
    }
    assertThat(model.round() - before).isBetween(60L, 120L);
    model.add(dense(model.publishedRound(), 1.4, 1.4, 0));
    assertThat(model.isAnswered()).as("one report is enough").isTrue();

    publish(model, 2);
    LocalModel restored = new LocalModel(model.spec(), 0);
    Map<String, byte[]> chunks = new HashMap<>();
    model.save(chunks::put);
    restored.restore(chunks::get);
    for (LocalModel twoLate : List.of(model, restored)) {
      // The oldest publication has 100 reports already.
      long rounds = twoLate.round();
      long newest = twoLate.publishedRound();
      for (int i = 0; i < 1000; i++) {
        twoLate.add(dense(0, i % 2 == 0 ? 1.4 : -1.4, i % 4 < 2 ? 1.4 : -1.4, 0));
      }
      assertThat(twoLate.round() - rounds).isBetween(5L, 25L);
      twoLate.add(dense(newest, 1.4, 1.4, 0));
      assertThat(twoLate.isAnswered()).as("1 of 1,000").isFalse();
    }
  }

  /** The mean of ten reports has less noise than one, so noise never dominates. */
  @Test
  void lateReportsOfStrongNoiseInLargeRoundsMislead() {
    LocalModel model =
        new LocalModel(
            spec()
                .setReportsPerRound(10)
                .setAdaptiveRadius(AdaptiveRadius.getDefaultInstance())
                .build(),
            0);
    publish(model, 0);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1000; i++) {
      noise(model, 0, random);
    }
    publish(model, 1);
    for (int i = 0; i < 100; i++) {
      noise(model, 0, random);
    }
    noise(model, model.publishedRound(), random);
    assertThat(model.isAnswered()).as("1 of 100").isFalse();
  }

  /** Adds a report of norm 2 in a random direction. */
  private static void noise(LocalModel model, long round, SplittableRandom random) {
    double angle = 2 * Math.PI * random.nextDouble();
    model.add(dense(round, 2 * Math.cos(angle), 2 * Math.sin(angle), 0));
  }

  private static void alternate(LocalModel model, long round, int reports) {
    for (int i = 0; i < reports; i++) {
      model.add(dense(round, i % 2 == 0 ? 0.5 : -0.5, i % 4 < 2 ? 0.5 : -0.5, 0));
    }
  }

  /** Needed to replay journals of that release. */
  @Test
  void asInRelease010EveryReportIsAStep() {
    LocalModel model = new LocalModel(sgd().build(), 0);
    publish(model, 0);
    for (int i = 0; i < 500; i++) {
      assertThat(model.addAsBefore(dense(0, 0.5, -0.5, 0.1))).isEqualTo(BundleOutcome.STEPPED);
    }
    assertThat(model.round()).isEqualTo(500);
    assertThat(model.addAsBefore(dense(7, 1, 0, 0))).isEqualTo(BundleOutcome.DROPPED_UNPUBLISHED);
  }

  @Test
  void aHeldRoundKeepsItsWeightsWhileTheAverageAdvances() {
    for (ModelSpec spec : everyLearner().toList()) {
      int r = Math.max(1, spec.getReportsPerRound());
      LocalModel model = new LocalModel(spec, 0);
      publish(model, 0);
      add(model, 0, 5 * r);
      ModelUpdateView visible = publish(model, 0);
      add(model, visible.getRound(), 5 * r);
      ModelUpdateView held = model.publish(false, 0).orElseThrow();

      assertThat(held.getRound()).isEqualTo(visible.getRound());
      assertThat(weights(held)).isEqualTo(weights(visible));
      assertThat(held.getUsed()).isEqualTo(10L * r);
      assertThat(held.getAverage(0)).isNotEqualTo(visible.getAverage(0));
      assertThat(model.hasNews()).isFalse();
      assertThat(model.hasNewRound()).isTrue();
      assertThat(publish(model, 0).getRound()).isGreaterThan(held.getRound());
    }
  }

  static Stream<ModelSpec> everyLearner() {
    List<ModelSpec.Builder> specs =
        List.of(
            sgd(),
            spec().setAdaptiveRadius(AdaptiveRadius.getDefaultInstance()),
            spec().setBlackBox(BlackBox.getDefaultInstance()),
            spec().setBlackBox(BlackBox.newBuilder().setRadius(1e-3)),
            spec().setCoordinateWise(CoordinateWise.getDefaultInstance()),
            spec().setCoordinateWise(CoordinateWise.newBuilder().setRadius(1e-3)),
            spec()
                .setBanco(
                    Banco.newBuilder()
                        .setStrongestNoise(
                            StrongestNoise.newBuilder()
                                .setL2Laplace(L2Laplace.newBuilder().setEpsilon(1)))));
    return specs.stream().flatMap(s -> Stream.of(s.build(), s.setReportsPerRound(7).build()));
  }

  @ParameterizedTest
  @MethodSource("everyLearner")
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
              newest, random.nextGaussian() + shift, random.nextGaussian(), random.nextGaussian());
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
        LocalModel before = stopped;
        stopped.save(store::put);
        store.keySet().removeIf(before::isObsolete);
        stopped = new LocalModel(spec, 0);
        stopped.restore(store::get);
      }
    }
    assertThat(publish(stopped, 0)).isEqualTo(publish(straight, 0));
    assertThat(straight.round()).isPositive();
  }
}
