package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.noise.Statistics;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Devices that are asked for one private bit instead of a gradient. */
class AnsweringTest {
  /** At its cost, an answer is inverted with probability 2^-63. */
  private static final Randomiser EXACT = new L2LaplaceRandomiser(1, 2, -16, 100);

  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

  private static ModelSnapshot asking(double answers, double asks, long round) {
    ModelUpdate.Builder update = Updates.update("m", round, 0, 0).setAnswerProbability(answers);
    update.setQuestionProbability(asks);
    update.addEstimatesBuilder().getQuestionBuilder().setName("a").getAccuracyBuilder();
    update.addEstimatesBuilder().getQuestionBuilder().setName("b").getLossAboveBuilder();
    return Updates.parse(update);
  }

  private GradientReporter reporter(LocalLedger ledger) {
    return new GradientReporter(new KafkaReportTransport(producer, "gradients"), ledger);
  }

  private static Optional<String> asked(LocalLedger ledger, ModelSnapshot model) {
    return Decision.of(ledger, model.terms()).map(decision -> decision.inWords(model.terms()));
  }

  private static ModelSnapshot askingRound(LocalLedger ledger) {
    long round = 0;
    while (asked(ledger, asking(1, 0.5, round)).orElseThrow().equals("a gradient")) {
      round++;
    }
    return asking(1, 0.5, round);
  }

  /** Notes the questions that it is asked, and answers yes. */
  private static final class Asked extends GivenData {
    private final List<String> questions = new ArrayList<>();

    @Override
    public boolean answer(Question question) {
      return questions.add(question.getName());
    }
  }

  @Test
  void aDeviceAnswersTheQuestionThatItIsAsked() throws Exception {
    LocalLedger ledger = LocalLedger.inMemory("zoë", Limit.NONE);
    ModelSnapshot model = askingRound(ledger);

    Asked data = new Asked();
    reporter(ledger).respond(model, data, EXACT).get();

    assertThat(data.questions).hasSize(1);
    assertThat(asked(ledger, model)).contains("an answer to question " + data.questions.get(0));
    GradientReport report = GradientReport.parseFrom(producer.history().get(0).value());
    assertThat(GradientReports.violations(report)).isEmpty();
    assertThat(report.getRound()).isEqualTo(model.round());
    assertThat(report.getSequence()).isZero();
    assertThat(report.getAnswer().getQuestion()).isEqualTo(data.questions.get(0));
    assertThat(report.getAnswer().getBit()).isTrue();
    assertThat(report.getRandomisedResponse().getEpsilon()).isEqualTo(100);
    assertThat(ledger.spent().reports()).isOne();
    assertThat(ledger.spent().epsilon()).isEqualByComparingTo("100");
  }

  /** Bit or gradient, decided before either is computed. */
  @Test
  void noDeviceSendsBoth() {
    LocalLedger ledger = LocalLedger.inMemory("u", Limit.NONE);
    GradientReporter reporter = reporter(ledger);
    AtomicInteger gradients = new AtomicInteger();
    for (long round = 0; round < 50; round++) {
      ModelSnapshot model = asking(1, 0.5, round);
      if (asked(ledger, model).orElseThrow().equals("a gradient")) {
        // The data fail if they are asked for an answer.
        Participant data =
            new GivenData() {
              @Override
              public double[] gradient() {
                gradients.incrementAndGet();
                return new double[2];
              }
            };
        assertThat(reporter.respond(model, data, EXACT)).isCompleted();
      } else {
        assertThatThrownBy(() -> reporter.report(model, FrequentData.KEY, new double[2], EXACT))
            .isInstanceOf(NotChosenException.class)
            .hasMessageContaining("asks this device for an answer to question")
            .hasMessageContaining("not for a gradient");
      }
    }
    assertThat(producer.history()).hasSize(gradients.get());
    assertThat(gradients.get()).isBetween(1, 49);
  }

  /**
   * Secrets are random: one of the four frequencies among 40,000 deviates by more than 5.5 standard
   * deviations with probability 2e-7.
   */
  @Test
  void asksWithTheStatedProbabilities() {
    LocalLedger ledger = LocalLedger.inMemory("u", Limit.NONE);
    int rounds = 40_000;
    Map<String, Integer> counts = new HashMap<>();
    for (int round = 0; round < rounds; round++) {
      asked(ledger, asking(0.5, 0.2, round)).ifPresent(what -> counts.merge(what, 1, Integer::sum));
    }
    int a = counts.get("an answer to question a");
    int b = counts.get("an answer to question b");
    Statistics.assertFrequency("gradients", counts.get("a gradient"), 0.4, rounds);
    Statistics.assertFrequency("answers to a", a, 0.05, rounds);
    Statistics.assertFrequency("answers to b", b, 0.05, rounds);
    Statistics.assertFrequency("answers", a + b, 0.1, rounds);
  }

  @Test
  void anAnswerCountsAgainstTheLimit() {
    LocalLedger ledger = LocalLedger.inMemory("u", Limit.ofEpsilon(1));
    ModelSnapshot model = askingRound(ledger);
    Asked data = new Asked();
    assertThatThrownBy(
            () -> reporter(ledger).respond(model, data, new L2LaplaceRandomiser(1, 2, -16, 2)))
        .isInstanceOf(LimitReachedException.class);
    assertThat(producer.history()).isEmpty();
  }

  @Test
  void aModelWithoutQuestionsAsksForGradients() {
    ModelSnapshot model = Updates.snapshot("m", 3, 0, 0);
    assertThat(model.questionProbability()).isZero();
    assertThat(asked(LocalLedger.inMemory("u", Limit.NONE), model)).contains("a gradient");
  }
}
