package io.croupier.client;

import static io.croupier.noise.Refusals.assertRefused;
import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredReport;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.ReleaseCost;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A round asks a device for a gradient, an answer or a size, and for nothing else. */
class RespondTest {
  private static final GridRandomiser EPSILON_16 = new L2LaplaceRandomiser(1, 2, -16, 16);
  private static final GridRandomiser EPSILON_100 = new L2LaplaceRandomiser(1, 2, -16, 100);

  private final LocalLedger ledger = LocalLedger.inMemory("u", Limit.NONE);
  private final Data data = new Data();
  private final ReportMaker maker = new ReportMaker(ledger, Clock.systemUTC());

  /** Counts what is evaluated. */
  private static final class Data extends GivenData {
    private final List<String> evaluated = new ArrayList<>();
    private boolean answers = true;
    private boolean votes = true;
    private double value;
    private String category = "home";

    @Override
    public double[] gradient() {
      evaluated.add("gradient");
      return new double[] {0.5, 0.25};
    }

    @Override
    public double size() {
      evaluated.add("size");
      return 0.9;
    }

    @Override
    public boolean canAnswer(Question question) {
      return answers;
    }

    @Override
    public boolean answer(Question question) {
      evaluated.add("answer");
      return true;
    }

    @Override
    public boolean canVote(Statistic statistic) {
      return votes;
    }

    @Override
    public String category(Statistic statistic) {
      evaluated.add("category");
      return category;
    }

    @Override
    public double value(Statistic statistic) {
      evaluated.add("value");
      return value;
    }
  }

  private static RoundTerms terms(String fields) {
    return Updates.parse(Updates.update("m", 1, 0, 0), fields).terms();
  }

  /** A round that asks every device a question with this probability, otherwise for a gradient. */
  private static RoundTerms asking(double probability) {
    return terms(
        "estimates { question { name: 'a' accuracy {} } } question_probability: " + probability);
  }

  /** A round whose clip of 0.5 bounds the gradient's norm. */
  private static RoundTerms moving(double probability) {
    return terms(
        "size: GRADIENT gradient_bound: 0.5 grid_exponent: -17 question_probability: "
            + probability);
  }

  /** A round that asks every device for a statistic. */
  private static RoundTerms counting() {
    return terms(
        "question_probability: 1 statistics { statistic { name: 'screen' choice {"
            + " categories: ['cart', 'home', 'other'] } } }");
  }

  /** An update of a model of statistics alone. */
  private static ModelUpdate.Builder alone() {
    ModelUpdate.Builder update =
        Updates.update("m", 1).clearGradientBound().clearGridExponent().setQuestionProbability(1);
    update.addStatisticsBuilder().setThreshold(30).getStatisticBuilder().setName("minutes");
    update.getStatisticsBuilder(0).getStatisticBuilder().getQuantilesBuilder().addLevels(0.5);
    return update;
  }

  /** Nothing is evaluated or reported. */
  private void assertSilent(ReportMaker device, RoundTerms terms, Randomiser randomiser) {
    List<String> before = List.copyOf(data.evaluated);
    assertThatThrownBy(() -> device.respond(terms, data, randomiser))
        .isInstanceOf(NotChosenException.class);
    assertThat(data.evaluated).isEqualTo(before);
  }

  /** There is no gradient that a program without the number could send instead. */
  @Test
  void aModelWithoutALearnerAsksForAStatistic() throws Exception {
    ModelSnapshot snapshot = Updates.parse(alone());
    assertThat(snapshot.dimension()).isZero();
    assertThat(snapshot.weights()).isEmpty();
    assertThat(maker.decide(snapshot.terms())).contains(new Decision(Sent.About.STATISTIC, 0));
    data.value = 31;
    var randomiser = snapshot.calibration(1).l2Laplace(1e9);
    GradientReport report = parse(maker.respond(snapshot.terms(), data, randomiser));
    assertThat(report.getAnswer().getQuestion()).isEqualTo("minutes");
    assertThat(report.getAnswer().getBit()).isTrue();
    assertThat(report.getRandomisedResponse().getEpsilon()).isEqualTo(1e9);
    assertThat(data.evaluated).containsExactly("value");
    data.votes = false;
    assertSilent(maker, snapshot.terms(), randomiser);
    assertRefusedWith(
        () -> maker.release(snapshot.terms(), FrequentData.KEY, new double[1], randomiser),
        "dimension of the randomiser is 1; the model's is 0");
    assertThat(data.evaluated).containsExactly("value");
    assertThat(ledger.spent().reports()).isOne();
  }

  @Test
  void anUpdateWithoutWeightsIsOneOfStatisticsAlone() {
    for (ModelUpdate.Builder wrong :
        List.of(
            alone().clearStatistics(),
            alone().setGradientBound(1),
            alone().addWeights(1),
            alone().addAverage(1),
            alone().setQuestionProbability(0.5),
            alone().clearQuestionProbability())) {
      assertThatThrownBy(() -> Updates.parse(wrong)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static GradientReport parse(StoredReport report) throws Exception {
    return GradientReport.parseFrom(report.bytes());
  }

  @Test
  void aGradientNeedsNoSizeIfTheClipIsFixed() throws Exception {
    assertThat(parse(maker.respond(asking(0), data, EPSILON_100)).hasGrid()).isTrue();

    assertThat(data.evaluated).containsExactly("gradient");
  }

  @Test
  void aMovingClipNeedsGradientAndSize() throws Exception {
    assertThat(parse(maker.respond(moving(0), data, EPSILON_100)).getGradientBound())
        .isEqualTo(0.5);

    assertThat(data.evaluated).containsExactly("gradient", "size");
  }

  /** The job would refuse every such report, and charge it, on a topic that shows no account. */
  @ParameterizedTest
  @CsvSource({
    "epsilon: 99.9, epsilon on model m would be 100; the model's limit for a person is 99.9",
    "epsilon: 16 per_days: 7, epsilon on model m would be 100; the model's limit for a person is 16",
    "epsilon: 100 mu: 1 reports: 1,",
    "epsilon: 2 delta: 1e-6,",
    "epsilon: inf,",
  })
  void aReportAboveTheModelsLimitIsNotDrawn(String limits, String refusal) {
    for (double asks : new double[] {0, 1}) {
      RoundTerms terms =
          terms(
              "estimates { question { name: 'a' accuracy {} } } limits { %s } question_probability: %s"
                  .formatted(limits, asks));
      if (refusal == null) {
        maker.respond(terms, data, EPSILON_100);
      } else {
        assertThatThrownBy(() -> maker.respond(terms, data, EPSILON_100))
            .isInstanceOf(LimitReachedException.class)
            .hasMessage(refusal);
      }
    }
    assertThat(ledger.spent().reports()).isEqualTo(refusal == null ? 2 : 0);
  }

  @Test
  void ofGaussianNoiseTheModelsLimitOnMuCounts() {
    GridRandomiser half = new GaussianRandomiser(1, 2, -16, 0.5);
    maker.respond(terms("limits { mu: 0.5 }"), data, half);
    assertThatThrownBy(() -> maker.respond(terms("limits { mu: 0.4999 }"), data, half))
        .hasMessage("mu on model m would be 0.5; the model's limit for a person is 0.4999");
  }

  @Test
  void aQuestionNeedsTheAnswerAlone() throws Exception {
    GradientReport report = parse(maker.respond(asking(1), data, EPSILON_100));

    assertThat(report.getAnswer().getQuestion()).isEqualTo("a");
    assertThat(report.getRandomisedResponse().getEpsilon()).isEqualTo(100);
    assertThat(data.evaluated).containsExactly("answer");
  }

  @Test
  void theQuestionAboutTheSizeNeedsTheSizeAlone() throws Exception {
    GradientReport report = parse(maker.respond(moving(1), data, EPSILON_100));

    assertThat(report.getAnswer().getQuestion()).isEqualTo(AdaptiveClips.QUESTION);
    assertThat(report.getAnswer().getBit()).isTrue();
    assertThat(data.evaluated).containsExactly("size");
  }

  @Test
  void aStatisticNeedsTheCategoryAlone() throws Exception {
    GradientReport report = parse(maker.respond(counting(), data, EPSILON_16));

    assertThat(report.getVote().getStatistic()).isEqualTo("screen");
    // Another one is released with probability 2.3e-7.
    assertThat(report.getVote().getIndex()).isEqualTo(1);
    assertThat(report.getHashedResponse().getEpsilon()).isEqualTo(16);
    assertThat(report.getHashedResponse().getGroups()).isEqualTo(3);
    assertThat(data.evaluated).containsExactly("category");
    assertThat(ledger.spent().epsilon()).isEqualByComparingTo("16");
    assertThatThrownBy(
            () -> maker.release(counting(), FrequentData.KEY, new double[2], EPSILON_100))
        .isInstanceOf(NotChosenException.class);
  }

  /** A value that is no category, or none at all: the report is made and charged as any other. */
  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"elsewhere", ""})
  void anUnknownCategoryCountsAsTheLastOne(String value) throws Exception {
    data.category = value;
    GradientReport report = parse(maker.respond(counting(), data, EPSILON_16));
    // Another one is released with probability 2.3e-7.
    assertThat(report.getVote().getIndex()).isEqualTo(2);
    assertThat(ledger.spent().epsilon()).isEqualByComparingTo("16");
  }

  /** A round that asks every device whether its value is above 30. */
  private static RoundTerms measuring() {
    return terms(
        "question_probability: 1 statistics { threshold: 30 statistic { name: 'minutes' quantiles {"
            + " levels: 0.5 from: 0 to: 1440 } } }");
  }

  @ParameterizedTest
  @CsvSource({"31, true", "30, false", "1e9, true", "-1, false", "NaN, false", "Infinity, true"})
  void aValueIsComparedWithTheThresholdOfTheRound(double value, boolean isAbove) throws Exception {
    data.value = value;
    GradientReport report = parse(maker.respond(measuring(), data, EPSILON_16));
    assertThat(report.getAnswer().getQuestion()).isEqualTo("minutes");
    // The other bit is released with probability 1.1e-7.
    assertThat(report.getAnswer().getBit()).isEqualTo(isAbove);
    assertThat(report.getRandomisedResponse().getEpsilon()).isEqualTo(16);
    assertThat(data.evaluated).containsExactly("value");
    assertThat(ledger.spent().epsilon()).isEqualByComparingTo("16");
  }

  /** The threshold of another round is unknown, so nothing is reported about it. */
  @Test
  void aValueNeedsTheThresholdOfItsOwnRound() {
    assertSilent(maker, measuring().at(5), EPSILON_100);
    data.votes = false;
    assertSilent(maker, measuring(), EPSILON_100);
    assertThat(ledger.spent().reports()).isZero();
  }

  @Test
  void devicesThatCannotVoteSpendNothing() {
    GridRandomiser gaussian = new GaussianRandomiser(1, 2, -16, 1);
    assertSilent(maker, counting(), gaussian);
    data.votes = false;
    assertSilent(maker, counting(), EPSILON_100);
    assertThat(ledger.spent().reports()).isZero();
  }

  @Test
  void dataThatCannotAnswerSpendNothing() {
    data.answers = false;

    assertSilent(maker, asking(1), EPSILON_100);
    assertThat(ledger.spent().reports()).isZero();
  }

  @Test
  void theDeviceLearnsWhatItReported() throws Exception {
    ReportTransport acknowledging = GatewayReports.ending(CompletableFuture.completedFuture(null));
    GradientReporter reporter = new GradientReporter(acknowledging, ledger);
    List<Sent> sent = new ArrayList<>();
    for (RoundTerms terms : List.of(asking(0), asking(1), moving(1), counting(), measuring())) {
      sent.add(reporter.respond(terms, data, EPSILON_16).get());
    }

    assertThat(sent)
        .containsExactly(
            new Sent(Sent.About.GRADIENT, 0),
            new Sent(Sent.About.QUESTION, 1),
            new Sent(Sent.About.SIZE, 2),
            new Sent(Sent.About.STATISTIC, 3),
            new Sent(Sent.About.STATISTIC, 4));
  }

  @Test
  void answersTakeNoMoreThanTheirShareOfTheLimit() {
    LocalLedger limited = LocalLedger.inMemory("u", Limit.ofEpsilon(500).withAnswers(0.5));
    ReportMaker device = new ReportMaker(limited, Clock.systemUTC());
    device.respond(asking(1), data, EPSILON_100);
    device.respond(asking(1), data, EPSILON_100);
    data.evaluated.clear();

    assertSilent(device, asking(1), EPSILON_100);
    assertSilent(device, moving(1), EPSILON_100);
    assertThatThrownBy(
            () -> limited.answer("m", FrequentData.KEY, EPSILON_100.cost(), draw -> null))
        .isInstanceOf(LimitReachedException.class)
        .hasMessage(
            "epsilon would add up to 300; the limit is 250, which is the share 0.5 that answers"
                + " may take");

    for (int gradient = 0; gradient < 3; gradient++) {
      device.respond(asking(0), data, EPSILON_100);
    }
    assertThat(limited.spent().reports()).isEqualTo(5);
    assertThatThrownBy(() -> device.respond(asking(0), data, EPSILON_100))
        .isInstanceOf(LimitReachedException.class)
        .hasMessage("epsilon would add up to 600; the limit is 500");
  }

  /** In doubles, 0.7 times 3 is below 2.1, and 0.57 times 100 below 57. */
  @Test
  void aShareOfALimitIsOneOfItsDecimals() {
    assertThat(answers(Limit.ofEpsilon(3).withAnswers(0.7), 0.3)).isEqualTo(7);
    assertThat(answers(new Limit(100, 0, 100, 0.57), 1)).isEqualTo(57);
  }

  /** How many answers a limit admits. */
  private static long answers(Limit limit, double epsilon) {
    LocalLedger limited = LocalLedger.inMemory("u", limit);
    ReleaseCost cost = ReleaseCost.ofEpsilon(epsilon);
    while (limited.admitsAnswer(cost)) {
      StoredReport answer = limited.answer("m", FrequentData.KEY, cost, sequence -> new byte[] {1});
      limited.acknowledge(answer.sequence());
    }
    return limited.spent().reports();
  }

  @Test
  void withoutALimitOnlyAShareOfZeroStopsAnswers() {
    LocalLedger half = LocalLedger.inMemory("u", Limit.NONE.withAnswers(0.5));
    new ReportMaker(half, Clock.systemUTC()).respond(asking(1), data, EPSILON_100);
    LocalLedger none = LocalLedger.inMemory("u", Limit.NONE.withAnswers(0));
    ReportMaker silent = new ReportMaker(none, Clock.systemUTC());
    assertSilent(silent, asking(1), EPSILON_100);
    silent.respond(asking(0), data, EPSILON_100);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void aShareIsFrom0To1(double share) {
    assertRefused(
        () -> Limit.NONE.withAnswers(share), "answers is " + share + "; it must be from 0 to 1");
  }

  @Test
  void aDeviceThatIsNotChosenEvaluatesNothing() {
    assertSilent(maker, terms("answer_probability: 0"), EPSILON_100);
    assertThat(ledger.spent().reports()).isZero();
  }

  @Test
  void undisclosedLevelsAnswerNothing() {
    UndisclosedRandomiser undisclosed = new UndisclosedRandomiser(EPSILON_100);

    assertSilent(maker, asking(1), undisclosed);
    assertSilent(maker, moving(1), undisclosed);
    assertThat(ledger.spent().reports()).isZero();
  }
}
