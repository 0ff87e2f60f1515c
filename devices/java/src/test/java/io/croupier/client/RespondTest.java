package io.croupier.client;

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
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.schemas.AdaptiveClip;
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
  private static final GridRandomiser EPSILON_100 = new L2LaplaceRandomiser(1, 2, -16, 100);

  private final LocalLedger ledger = LocalLedger.inMemory("u", Limit.NONE);
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

  /** A round that asks every device a question with this probability, otherwise for a gradient. */
  private static RoundTerms asking(double probability) {
    ModelUpdate.Builder update =
        Updates.update("m", 1, 0, 0).setQuestionProbability(probability).setAnswerProbability(1);
    update.addEstimatesBuilder().getQuestionBuilder().setName("a").getAccuracyBuilder();
    return ModelSnapshot.parse(update.build().toByteArray()).terms();
  }

  /** A round whose clip of 0.5 bounds the gradient's norm. */
  private static RoundTerms moving(double probability) {
    return ModelSnapshot.parse(
            Updates.update("m", 1, 0, 0)
                .setSize(AdaptiveClip.Size.GRADIENT)
                .setGradientBound(0.5)
                .setGridExponent(-17)
                .setQuestionProbability(probability)
                .setAnswerProbability(1)
                .build()
                .toByteArray())
        .terms();
  }

  /** A round that asks every device for a statistic. */
  private static RoundTerms counting() {
    ModelUpdate.Builder update =
        Updates.update("m", 1, 0, 0).setQuestionProbability(1).setAnswerProbability(1);
    update
        .addStatisticsBuilder()
        .getStatisticBuilder()
        .setName("screen")
        .getChoiceBuilder()
        .addCategories("cart")
        .addCategories("home")
        .addCategories("other");
    return ModelSnapshot.parse(update.build().toByteArray()).terms();
  }

  /** An update of a model of statistics alone. */
  private static ModelUpdate.Builder alone() {
    ModelUpdate.Builder update =
        Updates.update("m", 1).clearGradientBound().clearGridExponent().setQuestionProbability(1);
    update
        .addStatisticsBuilder()
        .setThreshold(30)
        .getStatisticBuilder()
        .setName("minutes")
        .getQuantilesBuilder()
        .addLevels(0.5);
    return update;
  }

  /** There is no gradient that a program without the number could send instead. */
  @Test
  void aModelWithoutALearnerAsksForAStatistic() throws Exception {
    ModelSnapshot snapshot = ModelSnapshot.parse(alone().build().toByteArray());
    assertThat(snapshot.dimension()).isZero();
    assertThat(snapshot.weights()).isEmpty();
    assertThat(maker.decide(snapshot.terms())).contains(new Decision(Sent.About.STATISTIC, 0));
    Data data = new Data();
    data.value = 31;
    var randomiser = snapshot.calibration(1).l2Laplace(1e9);
    GradientReport report = parse(maker.respond(snapshot.terms(), data, randomiser));
    assertThat(report.getAnswer().getQuestion()).isEqualTo("minutes");
    assertThat(report.getAnswer().getBit()).isTrue();
    assertThat(report.getRandomisedResponse().getEpsilon()).isEqualTo(1e9);
    assertThat(data.evaluated).containsExactly("value");
    data.votes = false;
    assertThatThrownBy(() -> maker.respond(snapshot.terms(), data, randomiser))
        .isInstanceOf(NotChosenException.class);
    assertThatThrownBy(
            () -> maker.release(snapshot.terms(), FrequentData.KEY, new double[1], randomiser))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dimension of the randomiser is 1; the model's is 0");
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
      assertThatThrownBy(() -> ModelSnapshot.parse(wrong.build().toByteArray()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static GradientReport parse(StoredReport report) throws Exception {
    return GradientReport.parseFrom(report.bytes());
  }

  @Test
  void aGradientNeedsNoSizeIfTheClipIsFixed() throws Exception {
    Data data = new Data();

    assertThat(parse(maker.respond(asking(0), data, EPSILON_100)).hasGrid()).isTrue();

    assertThat(data.evaluated).containsExactly("gradient");
  }

  @Test
  void aMovingClipNeedsGradientAndSize() throws Exception {
    Data data = new Data();

    assertThat(parse(maker.respond(moving(0), data, EPSILON_100)).getGradientBound())
        .isEqualTo(0.5);

    assertThat(data.evaluated).containsExactly("gradient", "size");
  }

  @Test
  void aQuestionNeedsTheAnswerAlone() throws Exception {
    Data data = new Data();

    GradientReport report = parse(maker.respond(asking(1), data, EPSILON_100));

    assertThat(report.getAnswer().getQuestion()).isEqualTo("a");
    assertThat(report.getRandomisedResponse().getEpsilon()).isEqualTo(100);
    assertThat(data.evaluated).containsExactly("answer");
  }

  @Test
  void theQuestionAboutTheSizeNeedsTheSizeAlone() throws Exception {
    Data data = new Data();

    GradientReport report = parse(maker.respond(moving(1), data, EPSILON_100));

    assertThat(report.getAnswer().getQuestion()).isEqualTo(AdaptiveClips.QUESTION);
    assertThat(report.getAnswer().getBit()).isTrue();
    assertThat(data.evaluated).containsExactly("size");
  }

  @Test
  void aStatisticNeedsTheCategoryAlone() throws Exception {
    Data data = new Data();

    GradientReport report =
        parse(maker.respond(counting(), data, new L2LaplaceRandomiser(1, 2, -16, 16)));

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
    Data data = new Data();
    data.category = value;
    GradientReport report =
        parse(maker.respond(counting(), data, new L2LaplaceRandomiser(1, 2, -16, 16)));
    // Another one is released with probability 2.3e-7.
    assertThat(report.getVote().getIndex()).isEqualTo(2);
    assertThat(ledger.spent().epsilon()).isEqualByComparingTo("16");
  }

  /** A round that asks every device whether its value is above 30. */
  private static RoundTerms measuring() {
    ModelUpdate.Builder update =
        Updates.update("m", 1, 0, 0).setQuestionProbability(1).setAnswerProbability(1);
    update.addStatisticsBuilder().setThreshold(30).getStatisticBuilder().setName("minutes");
    update
        .getStatisticsBuilder(0)
        .getStatisticBuilder()
        .getQuantilesBuilder()
        .addLevels(0.5)
        .setFrom(0)
        .setTo(1440);
    return ModelSnapshot.parse(update.build().toByteArray()).terms();
  }

  @ParameterizedTest
  @CsvSource({"31, true", "30, false", "1e9, true", "-1, false", "NaN, false", "Infinity, true"})
  void aValueIsComparedWithTheThresholdOfTheRound(double value, boolean isAbove) throws Exception {
    Data data = new Data();
    data.value = value;
    GradientReport report =
        parse(maker.respond(measuring(), data, new L2LaplaceRandomiser(1, 2, -16, 16)));
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
    Data data = new Data();
    RoundTerms other = measuring().at(5);
    assertThatThrownBy(() -> maker.respond(other, data, EPSILON_100))
        .isInstanceOf(NotChosenException.class);
    data.votes = false;
    assertThatThrownBy(() -> maker.respond(measuring(), data, EPSILON_100))
        .isInstanceOf(NotChosenException.class);
    assertThat(data.evaluated).isEmpty();
    assertThat(ledger.spent().reports()).isZero();
  }

  @Test
  void devicesThatCannotVoteSpendNothing() {
    Data data = new Data();
    GridRandomiser gaussian = new GaussianRandomiser(1, 2, -16, 1);
    assertThatThrownBy(() -> maker.respond(counting(), data, gaussian))
        .isInstanceOf(NotChosenException.class);
    data.votes = false;
    assertThatThrownBy(() -> maker.respond(counting(), data, EPSILON_100))
        .isInstanceOf(NotChosenException.class);
    assertThat(data.evaluated).isEmpty();
    assertThat(ledger.spent().reports()).isZero();
  }

  @Test
  void dataThatCannotAnswerSpendNothing() {
    Data data = new Data();
    data.answers = false;

    assertThatThrownBy(() -> maker.respond(asking(1), data, EPSILON_100))
        .isInstanceOf(NotChosenException.class);

    assertThat(data.evaluated).isEmpty();
    assertThat(ledger.spent().reports()).isZero();
  }

  @Test
  void theDeviceLearnsWhatItReported() throws Exception {
    ReportTransport acknowledging =
        new ReportTransport() {
          @Override
          public boolean namesUser() {
            return true;
          }

          @Override
          public CompletableFuture<Void> send(String userId, byte[] report) {
            return CompletableFuture.completedFuture(null);
          }
        };
    LocalLedger unlimited = LocalLedger.inMemory("u", Limit.NONE);
    GradientReporter reporter = new GradientReporter(acknowledging, unlimited);
    Data data = new Data();
    Randomiser randomiser = new L2LaplaceRandomiser(1, 2, -16, 16);

    List<Sent> sent = new ArrayList<>();
    for (RoundTerms terms : List.of(asking(0), asking(1), moving(1), counting(), measuring())) {
      sent.add(reporter.respond(terms, data, randomiser).get());
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
    Data data = new Data();
    device.respond(asking(1), data, EPSILON_100);
    device.respond(asking(1), data, EPSILON_100);
    data.evaluated.clear();

    assertThatThrownBy(() -> device.respond(asking(1), data, EPSILON_100))
        .isInstanceOf(NotChosenException.class);
    assertThatThrownBy(() -> device.respond(moving(1), data, EPSILON_100))
        .isInstanceOf(NotChosenException.class);
    assertThat(data.evaluated).isEmpty();
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

  @Test
  void withoutALimitOnlyAShareOfZeroStopsAnswers() {
    LocalLedger half = LocalLedger.inMemory("u", Limit.NONE.withAnswers(0.5));
    new ReportMaker(half, Clock.systemUTC()).respond(asking(1), new Data(), EPSILON_100);
    LocalLedger none = LocalLedger.inMemory("u", Limit.NONE.withAnswers(0));
    ReportMaker silent = new ReportMaker(none, Clock.systemUTC());
    assertThatThrownBy(() -> silent.respond(asking(1), new Data(), EPSILON_100))
        .isInstanceOf(NotChosenException.class);
    silent.respond(asking(0), new Data(), EPSILON_100);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void aShareIsFrom0To1(double share) {
    assertThatThrownBy(() -> Limit.NONE.withAnswers(share))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("answers is " + share + "; it must be from 0 to 1");
  }

  @Test
  void aDeviceThatIsNotChosenEvaluatesNothing() {
    Data data = new Data();
    ModelUpdate.Builder update = Updates.update("m", 1, 0, 0).setAnswerProbability(0);
    RoundTerms unasked = ModelSnapshot.parse(update.build().toByteArray()).terms();

    assertThatThrownBy(() -> maker.respond(unasked, data, EPSILON_100))
        .isInstanceOf(NotChosenException.class);

    assertThat(data.evaluated).isEmpty();
    assertThat(ledger.spent().reports()).isZero();
  }

  @Test
  void undisclosedLevelsAnswerNothing() {
    Data data = new Data();
    UndisclosedRandomiser undisclosed = new UndisclosedRandomiser(EPSILON_100);

    assertThatThrownBy(() -> maker.respond(asking(1), data, undisclosed))
        .isInstanceOf(NotChosenException.class);
    assertThatThrownBy(() -> maker.respond(moving(1), data, undisclosed))
        .isInstanceOf(NotChosenException.class);

    assertThat(data.evaluated).isEmpty();
    assertThat(ledger.spent().reports()).isZero();
  }
}
