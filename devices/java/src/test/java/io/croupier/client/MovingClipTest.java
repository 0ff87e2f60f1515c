package io.croupier.client;

import static io.croupier.noise.Refusals.assertRefused;
import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.noise.Statistics;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports to models whose clip moves. */
class MovingClipTest {
  /** Negligible noise: the release equals the clipped gradient. */
  private static final GridRandomiser NEXT_TO_NO_NOISE = new L2LaplaceRandomiser(1, 2, -16, 1e12);

  /** Inverts with probability 2^-63. */
  private static final Randomiser EXACT = new L2LaplaceRandomiser(1, 2, -16, 100);

  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

  private final LocalLedger ledger = LocalLedger.inMemory("zoë", Limit.NONE);
  private final GradientReporter reporter =
      new GradientReporter(new KafkaReportTransport(producer, "gradients"), ledger);

  private static ModelUpdate.Builder update(AdaptiveClip.Size size, double clip, long round) {
    ModelUpdate.Builder update =
        Updates.update("m", round, 0, 0)
            .setSize(size)
            .setGradientBound(clip)
            .setGridExponent(Math.getExponent(clip) - 16)
            .setQuestionProbability(1e-9);
    return size == AdaptiveClip.Size.FEATURES ? update.setSlopeBound(0.5) : update;
  }

  private static ModelSnapshot parse(ModelUpdate.Builder update) {
    return Updates.parse(update);
  }

  private static ModelSnapshot features(double clip, long round) {
    return parse(update(AdaptiveClip.Size.FEATURES, clip, round));
  }

  private static ModelSnapshot gradient(double clip, long round) {
    return parse(update(AdaptiveClip.Size.GRADIENT, clip, round));
  }

  /** A model that scouts also has a question of its own, which it doesn't ask meanwhile. */
  private static ModelSnapshot scouting(long round) {
    ModelUpdate.Builder update =
        update(AdaptiveClip.Size.FEATURES, 1, round).setQuestionProbability(1);
    update.addEstimatesBuilder().getQuestionBuilder().setName("a").getAccuracyBuilder();
    return parse(update);
  }

  private GradientReport sent() throws Exception {
    List<ProducerRecord<byte[], byte[]>> history = producer.history();
    return GradientReport.parseFrom(history.get(history.size() - 1).value());
  }

  /** What the job takes a report on the grid for. */
  private static double[] values(GradientReport report) {
    int exponent = Math.getExponent(report.getGradientBound()) - 16;
    return report.getGrid().getValuesList().stream()
        .mapToDouble(steps -> Math.scalb((double) steps, exponent))
        .toArray();
  }

  private double[] reported(ModelSnapshot model, double[] gradient, double size) throws Exception {
    reporter.report(model.terms(), FrequentData.KEY, gradient, size, NEXT_TO_NO_NOISE).get();
    assertThat(GradientReports.violations(sent())).isEmpty();
    assertThat(sent().getGradientBound()).isEqualTo(model.gradientBound());
    return values(sent());
  }

  @Test
  void scalesByTheClipOverTheSize() throws Exception {
    double step = Math.scalb(1.0, -18);
    double[] gradient = {0.1, -0.2};
    assertThat(reported(features(0.3, 0), gradient, 0.29)).containsExactly(gradient, within(step));
    assertThat(reported(features(0.3, 1), gradient, 0.6))
        .containsExactly(new double[] {0.05, -0.1}, within(step));
    // A fifth of the clip, although the gradient is shorter than it.
    assertThat(reported(features(0.3, 2), gradient, 1.5))
        .containsExactly(new double[] {0.02, -0.04}, within(step));
  }

  @Test
  void leavesTheGradientAsItIs() throws Exception {
    double[] gradient = {3, -4};
    reporter.report(features(1, 0).terms(), FrequentData.KEY, gradient, 10, NEXT_TO_NO_NOISE).get();
    assertThat(gradient).containsExactly(3, -4);
  }

  /** Privacy must not depend on the size that a device computes. */
  @ParameterizedTest
  @ValueSource(doubles = {0, -0.0, Double.MIN_VALUE, 1e-9, 0.29, 0.3, 1, 99, 1e300})
  void clipsWhateverTheSizeIs(double size) throws Exception {
    for (double length : new double[] {1e-3, 0.3, 5, 1e12, 1e300}) {
      double[] values = reported(features(0.3, 0), new double[] {0.6 * length, 0.8 * length}, size);
      assertThat(Sizes.norm(values)).isLessThanOrEqualTo(0.3);
    }
  }

  /** An error would reveal that a person's data has such a size. */
  @ParameterizedTest
  @ValueSource(
      doubles = {Double.NaN, -1, Double.NEGATIVE_INFINITY, -1e-300, Double.POSITIVE_INFINITY})
  void aSizeThatIsNoneCountsAsInfinite(double size) throws Exception {
    assertThat(reported(features(0.3, 0), new double[] {0.1, 0.2}, size)).containsExactly(0, 0);
    assertThat(reported(gradient(0.3, 1), new double[] {0.1, 0.2}, size)).containsExactly(0, 0);
    assertThat(ledger.spent().reports()).isEqualTo(2);

    reporter.respond(scouting(2), sized(size), EXACT).get();
    assertThat(sent().getAnswer().getBit()).isTrue();
  }

  @Test
  void aGradientThatIsNotFiniteIsReportedAsZero() throws Exception {
    double[] gradient = {Double.POSITIVE_INFINITY, 1};
    assertThat(reported(features(0.3, 0), gradient, 7)).containsExactly(0, 0);
    assertThat(reported(features(0.3, 1), gradient, Double.NaN)).containsExactly(0, 0);
  }

  @Test
  void theNormOfTheGradientNeedsNoArgument() throws Exception {
    ModelSnapshot model = gradient(0.5, 3);
    reporter.report(model, FrequentData.KEY, new double[] {3, 4}, NEXT_TO_NO_NOISE).get();
    assertThat(values(sent()))
        .containsExactly(new double[] {0.3, 0.4}, within(Math.scalb(1.0, -17)));
    assertThat(sent().getGradientBound()).isEqualTo(0.5);

    assertRefusedWith(
        () -> reporter.report(features(0.5, 3), FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE),
        "the clip of model m bounds the size FEATURES",
        "call 'respond'",
        "no size is given");
    assertThat(ledger.spent().reports()).isEqualTo(1);
  }

  /** Such reports are as long as before: the spec fixes the bound. */
  @Test
  void aFixedClipIgnoresTheSize() throws Exception {
    ModelSnapshot fixed = Updates.snapshot("m", 3, 0, 0);
    reporter
        .report(fixed.terms(), FrequentData.KEY, new double[] {0.5, 0}, 9, NEXT_TO_NO_NOISE)
        .get();
    assertThat(sent().getGrid().getValuesList()).containsExactly(1 << 15, 0);
    assertThat(sent().hasGradientBound()).isFalse();
  }

  /**
   * One randomiser serves all rounds, at the level that it was made with. The noise on the grid is
   * beyond a thousandth of the clip with probability below 1e-20.
   */
  @Test
  void everyMechanismFollowsTheClip() throws Exception {
    List<Randomiser> randomisers =
        List.of(
            new PrivUnitRandomiser(1, 2, 2),
            new GaussianRandomiser(1, 2, -16, 1e5),
            new L2LaplaceRandomiser(1, 2, -16, 1e6),
            new CoordinateLaplaceRandomiser(1, -16, new double[] {1e6, 1e6}),
            new UndisclosedRandomiser(new L2LaplaceRandomiser(1, 2, -16, 1e6)));
    long round = 0;
    for (Randomiser randomiser : randomisers) {
      for (double clip : new double[] {1e-4, 0.3, 1, 7.7, 1e4}) {
        reporter
            .report(gradient(clip, round), FrequentData.KEY, new double[] {1, 2}, randomiser)
            .get();
        assertThat(GradientReports.violations(sent())).isEmpty();
        assertThat(sent().getGradientBound()).isEqualTo(clip);
        assertThat(sent().getRound()).isEqualTo(round);
        if (sent().hasGrid()) {
          double factor = Math.min(1, clip / Math.sqrt(5));
          assertThat(values(sent()))
              .containsExactly(new double[] {factor, 2 * factor}, within(1e-3 * clip));
        }
        round++;
      }
    }
    assertThat(ledger.spent().reports()).isEqualTo(round);
  }

  @Test
  void refusesTheClipOfCoordinates() {
    GridRandomiser laplace =
        new CoordinateLaplaceRandomiser(1, -16, new double[] {1, 1}, ClippingNorm.COORDINATES);
    for (GridRandomiser randomiser : List.of(laplace, new UndisclosedRandomiser(laplace))) {
      assertRefused(
          () -> reporter.report(gradient(1, 0), FrequentData.KEY, new double[2], randomiser),
          "clip of the randomiser is COORDINATES; with a moving clip it must be L2");
    }
    assertThat(ledger.spent().reports()).isZero();
  }

  @Test
  void whileTheModelScoutsOnlySizesAreAskedFor() throws Exception {
    AtomicInteger computed = new AtomicInteger();
    for (long round = 0; round < 20; round++) {
      ModelSnapshot model = scouting(round);
      assertThat(model.isScouting()).isTrue();
      assertThat(asked(ledger, model.terms())).isEqualTo("the size of its gradient");
      assertThatThrownBy(() -> reported(model, new double[2], 1))
          .isInstanceOf(NotChosenException.class)
          .hasMessageContaining(
              "asks this device for the size of its gradient, not for a gradient");
      reporter.respond(model, sized(computed.incrementAndGet()), EXACT).get();
    }
    assertThat(computed).hasValue(20);
    assertThat(ledger.spent().reports()).isEqualTo(20);
    assertThat(ledger.spent().epsilon()).isEqualByComparingTo("2000");
  }

  @Test
  void answersWhetherItsSizeIsAboveTheClip() throws Exception {
    ModelUpdate.Builder update =
        update(AdaptiveClip.Size.GRADIENT, 0.3, 4).setQuestionProbability(1);
    ModelSnapshot model = parse(update);
    for (double size : new double[] {0, 0.29, 0.3, 0.31, 50}) {
      reporter.respond(model, sized(size), EXACT).get();
      assertThat(GradientReports.violations(sent())).isEmpty();
      assertThat(sent().getAnswer().getQuestion()).isEqualTo("clip");
      assertThat(sent().getAnswer().getBit()).as("size %s", size).isEqualTo(size > 0.3);
      assertThat(sent().getRound()).isEqualTo(4);
      assertThat(sent().hasGradientBound()).isFalse();
    }
  }

  /** Data of which only the size may be asked for. */
  private static Participant sized(double size) {
    return new GivenData() {
      @Override
      public double size() {
        return size;
      }
    };
  }

  private static String asked(LocalLedger ledger, RoundTerms terms) {
    return Decision.of(ledger, terms).map(each -> each.inWords(terms)).orElse("nothing");
  }

  private static ModelSnapshot asking(long round) {
    ModelUpdate.Builder update =
        update(AdaptiveClip.Size.GRADIENT, 1, round)
            .setAnswerProbability(0.5)
            .setQuestionProbability(0.3);
    update.addEstimatesBuilder().getQuestionBuilder().setName("a").getAccuracyBuilder();
    update.addEstimatesBuilder().getQuestionBuilder().setName("b").getLossAboveBuilder();
    return parse(update);
  }

  /**
   * Secrets are random: one of the four frequencies among 40,000 deviates by more than 5.5 standard
   * deviations with probability 2e-7.
   */
  @Tag("ci")
  @Test
  void theSizeIsAskedForAsOftenAsAnyQuestion() {
    int rounds = 40_000;
    Map<String, Integer> counts = new HashMap<>();
    for (int round = 0; round < rounds; round++) {
      counts.merge(asked(ledger, asking(round).terms()), 1, Integer::sum);
    }
    Map<String, Double> probabilities =
        Map.of(
            "a gradient", 0.35,
            "an answer to question a", 0.05,
            "an answer to question b", 0.05,
            "the size of its gradient", 0.05);
    probabilities.forEach(
        (what, probability) ->
            Statistics.assertFrequency(what, counts.get(what), probability, rounds));
  }

  /** A toss that could be repeated would make devices that crash often answer more often. */
  @Test
  void aRestartDoesNotTossAgain(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("ledger");
    List<String> before;
    try (LocalLedger kept = LocalLedger.open(file, "u", Limit.NONE)) {
      before = asked(kept);
    }
    assertThat(before)
        .contains("the size of its gradient", "an answer to question a", "a gradient", "nothing");
    try (LocalLedger kept = LocalLedger.open(file, "u", Limit.NONE)) {
      assertThat(asked(kept)).isEqualTo(before);
    }
  }

  private static List<String> asked(LocalLedger kept) {
    return LongStream.range(0, 400).mapToObj(round -> asked(kept, asking(round).terms())).toList();
  }

  /** With the clip of another round, the job would drop the report. */
  @Test
  void anEarlierRoundHasItsOwnTerms() throws Exception {
    Publications publications = new Publications();
    publications.add(scouting(6));
    publications.add(gradient(0.3, 7));
    publications.add(gradient(5, 8));
    ModelSnapshot newest = publications.newest();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> newest.terms().at(7))
        .withMessageStartingWith("round is 7; it must be 8");
    RoundTerms earlier = publications.terms(7).orElseThrow();
    reporter.report(earlier, FrequentData.KEY, new double[] {3, 4}, NEXT_TO_NO_NOISE).get();

    assertThat(sent().getRound()).isEqualTo(7);
    assertThat(sent().getGradientBound()).isEqualTo(0.3);
    assertThat(Sizes.norm(values(sent()))).isCloseTo(0.3, within(1e-5));
    assertThat(asked(ledger, publications.terms(6).orElseThrow()))
        .isEqualTo("the size of its gradient");
    assertThat(publications.terms(5)).isEmpty();
  }

  /** A newer job may bound other sizes; a size of another kind would bias the model. */
  @Test
  void refusesASizeThatItDoesNotKnow() {
    ModelSnapshot model =
        parse(Updates.update("m", 1, 0, 0).setSizeValue(7).setQuestionProbability(1));
    assertRefusedWith(
        () -> reported(model, new double[2], 1), "bounds a size that this version doesn't know");
    assertRefusedWith(
        () -> reporter.respond(model, sized(1), EXACT), "it must be FEATURES or GRADIENT");
    assertThat(ledger.spent().reports()).isZero();
  }

  @Test
  void sizesOfLinearPredictions() {
    double[] x = {3, -4};
    double[] g = {0.6, -0.8};
    assertThat(Sizes.ofLinear(features(1, 0).terms(), x, g)).isEqualTo(2.5);
    assertThat(Sizes.ofLinear(gradient(1, 0).terms(), x, g)).isCloseTo(1, within(1e-15));
    assertThat(Sizes.ofLinear(Updates.snapshot("m", 0, 0, 0).terms(), x, g))
        .isCloseTo(1, within(1e-15));
    assertThat(Sizes.norm(new double[] {3e200, 4e200})).isCloseTo(5e200, within(1e186));
    assertThat(Sizes.norm(new double[] {3e-200, -4e-200})).isCloseTo(5e-200, within(1e-214));
    assertThat(Sizes.norm(new double[3])).isZero();
    assertThat(Sizes.norm(new double[] {1, Double.NaN})).isNaN();
    assertThat(Sizes.norm(new double[] {1, Double.NEGATIVE_INFINITY})).isInfinite();
  }
}
