package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.BitRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices that are asked for one private bit instead of a gradient. */
class AnsweringTest {
  /** Inverts with probability 2^-63. */
  private static final BitRandomiser EXACT = BitRandomiser.ofEpsilon(100);

  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

  private static ModelSnapshot asking(double answers, double asks, long round) {
    ModelUpdate.Builder update = Updates.update("m", round, 0, 0).setAnswerProbability(answers);
    update.setQuestionProbability(asks);
    update.addEstimatesBuilder().getQuestionBuilder().setName("a").getAccuracyBuilder();
    update.addEstimatesBuilder().getQuestionBuilder().setName("b").getLossAboveBuilder();
    return ModelSnapshot.parse(update.build().toByteArray());
  }

  private GradientReporter reporter(LocalLedger ledger) {
    return new GradientReporter(new KafkaReportTransport(producer, "gradients"), ledger);
  }

  private static long askedRound(GradientReporter reporter) {
    long round = 0;
    while (reporter.question(asking(1, 0.5, round)).isEmpty()) {
      round++;
    }
    return round;
  }

  @Test
  void aDeviceAnswersTheQuestionThatItIsAsked() throws Exception {
    LocalLedger ledger = LocalLedger.inMemory("zoë", Limit.NONE);
    GradientReporter reporter = reporter(ledger);
    ModelSnapshot model = asking(1, 0.5, askedRound(reporter));
    Question question = reporter.question(model).orElseThrow();

    List<Question> evaluated = new ArrayList<>();
    reporter.answer(model, FrequentData.KEY, asked -> evaluated.add(asked), EXACT).get();

    assertThat(evaluated).containsExactly(question);
    GradientReport report = GradientReport.parseFrom(producer.history().get(0).value());
    assertThat(GradientReports.violations(report)).isEmpty();
    assertThat(report.getRound()).isEqualTo(model.round());
    assertThat(report.getSequence()).isZero();
    assertThat(report.getAnswer().getQuestion()).isEqualTo(question.getName());
    assertThat(report.getAnswer().getBit()).isTrue();
    assertThat(report.getRandomisedResponse().getEpsilon()).isEqualTo(100);
    assertThat(ledger.spent().reports()).isOne();
    assertThat(ledger.spent().epsilon()).isEqualByComparingTo("100");
  }

  /** Bit or gradient, decided before either is computed. */
  @Test
  void noDeviceSendsBoth() {
    GradientReporter reporter = reporter(LocalLedger.inMemory("u", Limit.NONE));
    AtomicInteger evaluated = new AtomicInteger();
    for (long round = 0; round < 50; round++) {
      ModelSnapshot model = asking(1, 0.5, round);
      boolean asked = reporter.question(model).isPresent();
      assertThat(reporter.answers(model)).isEqualTo(!asked);
      if (asked) {
        assertThatThrownBy(
                () ->
                    reporter.report(
                        model,
                        FrequentData.KEY,
                        new double[2],
                        new L2LaplaceRandomiser(1, 2, -16, 1)))
            .isInstanceOf(NotChosenException.class)
            .hasMessageContaining("not for a gradient");
      } else {
        assertThatThrownBy(
                () ->
                    reporter.answer(
                        model, FrequentData.KEY, q -> evaluated.incrementAndGet() > 0, EXACT))
            .isInstanceOf(NotChosenException.class)
            .hasMessageContaining(
                "asks this device for a gradient, not for the answer to a question");
      }
    }
    assertThat(evaluated).hasValue(0);
    assertThat(producer.history()).isEmpty();
  }

  /**
   * Secrets are random: one of the four frequencies among 40,000 deviates by more than 5.5 standard
   * deviations with probability 2e-7.
   */
  @Test
  void asksWithTheStatedProbabilities() {
    LocalLedger ledger = LocalLedger.inMemory("u", Limit.NONE);
    GradientReporter reporter = reporter(ledger);
    int rounds = 40_000;
    int gradients = 0;
    Map<String, Integer> asked = new HashMap<>();
    for (int round = 0; round < rounds; round++) {
      ModelSnapshot model = asking(0.5, 0.2, round);
      gradients += reporter.answers(model) ? 1 : 0;
      Optional<Question> question = reporter.question(model);
      question.ifPresent(q -> asked.merge(q.getName(), 1, Integer::sum));
    }
    assertFrequency(gradients, 0.4, rounds);
    assertFrequency(asked.get("a"), 0.05, rounds);
    assertFrequency(asked.get("b"), 0.05, rounds);
    assertFrequency(asked.get("a") + asked.get("b"), 0.1, rounds);
  }

  private static void assertFrequency(int count, double probability, int rounds) {
    double deviation = Math.sqrt(probability * (1 - probability) * rounds);
    assertThat(Math.abs(count - probability * rounds)).isLessThan(5.5 * deviation);
  }

  /** A toss that could be repeated would make devices that crash often answer more often. */
  @Test
  void aRestartDoesNotTossAgain(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("ledger");
    List<Optional<Question>> before;
    try (LocalLedger ledger = LocalLedger.open(file, "u", Limit.NONE)) {
      before = questions(ledger);
    }
    assertThat(before).contains(Optional.empty());
    try (LocalLedger ledger = LocalLedger.open(file, "u", Limit.NONE)) {
      assertThat(questions(ledger)).isEqualTo(before);
    }
  }

  private List<Optional<Question>> questions(LocalLedger ledger) {
    GradientReporter reporter = reporter(ledger);
    List<Optional<Question>> questions = new ArrayList<>();
    for (long round = 0; round < 100; round++) {
      questions.add(reporter.question(asking(1, 0.5, round)));
    }
    return questions;
  }

  @Test
  void anAnswerCountsAgainstTheLimit() {
    LocalLedger ledger = LocalLedger.inMemory("u", Limit.ofEpsilon(1));
    GradientReporter reporter = reporter(ledger);
    ModelSnapshot model = asking(1, 0.5, askedRound(reporter));
    assertThatThrownBy(
            () -> reporter.answer(model, FrequentData.KEY, q -> true, BitRandomiser.ofEpsilon(2)))
        .isInstanceOf(LimitReachedException.class);
    assertThat(producer.history()).isEmpty();
  }

  @Test
  void aModelWithoutQuestionsAsksNoDevice() {
    GradientReporter reporter = reporter(LocalLedger.inMemory("u", Limit.NONE));
    ModelSnapshot model = Updates.snapshot("m", 3, 0, 0);
    assertThat(model.questionProbability()).isZero();
    assertThat(reporter.question(model)).isEmpty();
    assertThat(reporter.answers(model)).isTrue();
  }
}
