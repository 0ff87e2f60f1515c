package io.croupier.operators.model;

import static io.croupier.operators.model.LocalModels.add;
import static io.croupier.operators.model.LocalModels.dense;
import static io.croupier.operators.model.LocalModels.publish;
import static io.croupier.operators.model.LocalModels.sgd;
import static io.croupier.operators.model.LocalModels.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.BlackBox;
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

/** How many rounds the reports to one publication make: few, however many reports there are. */
class LocalRoundsTest {
  /** 90 rounds of one report, then some 30 for each e-fold increase of the number of reports. */
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
            .isGreaterThanOrEqualTo(before / 30 - 1)
            .isLessThanOrEqualTo(Math.max(reportsPerRound, before / 30));
        assertThat(used - before == reportsPerRound).isEqualTo(before < 30L * reportsPerRound + 60);
        largest = used - before;
        before = used;
      }
    }
    double alone = 30.0 * (reportsPerRound + 1);
    assertThat((double) model.round()).isBetween(30.0, 105 + 30 * Math.log(reports / alone));
    assertThat(largest).isGreaterThan(3000);
    ModelUpdateView update = publish(model, 0);
    assertThat(update.getUsed() + update.getOpen()).isEqualTo(reports);
  }

  @ParameterizedTest
  @MethodSource("io.croupier.operators.model.LocalModels#everyLearner")
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

  /** Learners whose steps grow take a number of rounds that grows like log2 of such reports. */
  @ParameterizedTest
  @MethodSource("io.croupier.operators.model.LocalModels#everyLearner")
  void reportsThatAreTwoPublicationsLateEnterFewRoundsAndHoldTheNextOne(ModelSpec spec) {
    LocalModel model = new LocalModel(spec, 0);
    int r = Math.max(1, spec.getReportsPerRound());
    publish(model, 0);
    for (int i = 0; i < 2; i++) {
      alternate(model, model.publishedRound(), r);
      publish(model, 0);
    }
    long before = model.round();
    alternate(model, 0, 8);
    assertThat(model.round() - before).as("the first eight").isEqualTo(8 / r);
    alternate(model, 0, 1000 * r - 8);
    if (spec.hasLdpSgd()) {
      assertThat(model.round() - before).isBetween(60L, 250L);
    } else {
      assertThat(model.round() - before).isBetween(8L, 19L);
      alternate(model, model.publishedRound(), 1000 * r - 1);
      assertThat(model.isAnswered()).as("one less than late ones").isFalse();
    }
    alternate(model, model.publishedRound(), 1);
    assertThat(model.isAnswered()).isTrue();
  }

  /** Its steps are taken, although no report can name it yet. */
  @Test
  void aPublicationThatIsNotYetVisibleMakesReportsLate() {
    LocalModel model = new LocalModel(spec().setBlackBox(BlackBox.getDefaultInstance()).build(), 0);
    publish(model, 0);
    alternate(model, 0, 1);
    long visible = publish(model, 0).getRound();
    alternate(model, visible, 1);
    LocalModel restored = new LocalModel(model.spec(), 0);
    Map<String, byte[]> chunks = new HashMap<>();
    model.save(chunks::put);
    restored.restore(chunks::get);
    alternate(model, 0, 1000);
    assertThat(model.round()).as("one publication is newer").isGreaterThan(visible + 60);

    assertThat(restored.publish(true, 0)).isPresent();
    assertThat(restored.isConfirmed()).isFalse();
    alternate(restored, 0, 1000);
    assertThat(restored.round()).isBetween(visible + 9, visible + 19);
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
      // The oldest publication has 1,100 reports already.
      long rounds = twoLate.round();
      long newest = twoLate.publishedRound();
      for (int i = 0; i < 2000; i++) {
        twoLate.add(dense(0, i % 2 == 0 ? 1.4 : -1.4, i % 4 < 2 ? 1.4 : -1.4, 0));
      }
      assertThat(twoLate.round() - rounds).isEqualTo(1);
      twoLate.add(dense(newest, 1.4, 1.4, 0));
      assertThat(twoLate.isAnswered()).as("1 of 2,000").isFalse();
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
}
