package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredReport;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GradientReporterTest {
  private static final ModelSnapshot MODEL = Updates.snapshot("m", 3, 0, 0);

  /** Negligible noise: the release equals the clipped gradient. */
  private static final GridRandomiser NEXT_TO_NO_NOISE = new L2LaplaceRandomiser(1, 2, -16, 1e12);

  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

  private final LocalLedger ledger = LocalLedger.inMemory("zoë", Limit.NONE);

  private GradientReporter reporter() {
    Clock clock = Clock.fixed(Instant.parse("2026-11-22T10:59:59.999Z"), ZoneOffset.UTC);
    return new GradientReporter(
        new KafkaReportTransport(producer, "gradients"),
        ledger,
        clock,
        ReleaseTimes.after(Duration.ZERO));
  }

  private List<GradientReport> sent() throws Exception {
    List<GradientReport> reports = new ArrayList<>();
    for (ProducerRecord<byte[], byte[]> sent : producer.history()) {
      reports.add(GradientReport.parseFrom(sent.value()));
    }
    return reports;
  }

  @Test
  void aGradientMayBelongToAnEarlierRound() throws Exception {
    reporter()
        .report(MODEL.terms().at(2), FrequentData.KEY, new double[] {0.5, 0}, NEXT_TO_NO_NOISE)
        .get();

    assertThat(sent()).extracting(GradientReport::getRound).containsExactly(2L);
  }

  @Test
  void sendsAWellFormedReportUnderTheUsersKey() throws Exception {
    reporter().report(MODEL, FrequentData.KEY, new double[] {30, -40}, NEXT_TO_NO_NOISE).get();

    ProducerRecord<byte[], byte[]> record = producer.history().get(0);
    assertThat(record.topic()).isEqualTo("gradients");
    assertThat(record.partition()).isNull();
    assertThat(record.key()).isEqualTo("zoë".getBytes(StandardCharsets.UTF_8));

    GradientReport report = sent().get(0);
    assertThat(GradientReports.violations(report)).isEmpty();
    assertThat(report.getModelId()).isEqualTo("m");
    assertThat(report.getRound()).isEqualTo(3);
    assertThat(report.getUserId()).isEqualTo("zoë");
    assertThat(report.getDeviceId()).isEqualTo(ledger.deviceId());
    assertThat(report.getSequence()).isZero();
    assertThat(Instant.ofEpochMilli(report.getCreatedAtMs()))
        .as("only the hour: more would reveal the device's computing time")
        .isEqualTo("2026-11-22T10:00:00Z");
    assertThat(report.getL2Laplace().getEpsilon()).isEqualTo(1e12);
    // 0.6 and -0.8 in steps of 2^-16, rounded towards zero.
    assertThat(report.getGrid().getValuesList()).containsExactly(39321, -52428);
  }

  @Test
  void declaresItsNoise() throws Exception {
    reporter()
        .report(MODEL, FrequentData.KEY, new double[2], new GaussianRandomiser(1, 2, -16, 0.5))
        .get();
    assertThat(sent().get(0).getGaussian().getMu()).isEqualTo(0.5);
  }

  @Test
  void undisclosedNoiseIsAddedAllTheSame() throws Exception {
    GridRandomiser unsaid = new UndisclosedRandomiser(NEXT_TO_NO_NOISE);

    reporter().report(MODEL, FrequentData.KEY, new double[] {30, -40}, unsaid).get();

    GradientReport report = sent().get(0);
    assertThat(GradientReports.violations(report)).isEmpty();
    assertThat(report.hasUndisclosed()).isTrue();
    assertThat(report.getGrid().getValuesList()).containsExactly(39321, -52428);
    assertThat(unsaid.directionalVariance()).isEqualTo(NEXT_TO_NO_NOISE.directionalVariance());
  }

  @Test
  void everyReportHasItsOwnNumber() throws Exception {
    GradientReporter reporter = reporter();
    for (int i = 0; i < 3; i++) {
      reporter.report(MODEL, FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE).get();
    }
    assertThat(sent()).extracting(GradientReport::getSequence).containsExactly(0L, 1L, 2L);
  }

  @Test
  void failedReportIsSentBeforeTheNext() throws Exception {
    GradientReporter reporter = reporter();
    producer.sendException = new KafkaException("out of memory");
    Future<Void> first = reporter.report(MODEL, FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE);
    assertThatThrownBy(first::get).hasCause(producer.sendException);
    producer.sendException = null;

    reporter.report(MODEL, FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE).get();

    assertThat(sent()).extracting(GradientReport::getSequence).containsExactly(0L, 1L);
    assertThat(ledger.pending()).isEmpty();
  }

  @Test
  void failedReportIsSentAgainByteForByte() {
    MockProducer<byte[], byte[]> manual = manual();
    GradientReporter reporter =
        new GradientReporter(new KafkaReportTransport(manual, "gradients"), ledger);
    GridRandomiser noisy = new L2LaplaceRandomiser(1, 2, -16, 1);
    Future<Void> future = reporter.report(MODEL, FrequentData.KEY, new double[2], noisy);
    manual.errorNext(new TimeoutException("gone"));
    assertThatThrownBy(future::get)
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("gone");

    assertThat(reporter.report(MODEL, FrequentData.KEY, new double[2], noisy)).isNotDone();
    manual.completeNext();
    manual.completeNext();

    assertThat(manual.history()).hasSize(3);
    assertThat(manual.history().get(1).value()).isEqualTo(manual.history().get(0).value());
    assertThat(manual.history().get(2).value()).isNotEqualTo(manual.history().get(0).value());
    assertThat(ledger.pending()).isEmpty();
    assertThat(ledger.spent().reports()).isEqualTo(2);
  }

  @Test
  void aRefusalIsFinal() {
    MockProducer<byte[], byte[]> manual = manual();
    GradientReporter reporter =
        new GradientReporter(new KafkaReportTransport(manual, "gradients"), ledger);
    assertThat(reporter.report(MODEL, FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE))
        .isNotDone();
    manual.errorNext(new RecordTooLargeException("1 MB at most"));

    assertThat(reporter.report(MODEL, FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE))
        .isNotDone();

    assertThat(manual.history()).hasSize(2);
    assertThat(ledger.spent().reports()).isEqualTo(2);
    assertThat(ledger.pending()).extracting(StoredReport::sequence).containsExactly(1L);
  }

  @Test
  void pendingReportsAreSentFirstInOrder() throws Exception {
    MockProducer<byte[], byte[]> silent = manual();
    GradientReporter before =
        new GradientReporter(new KafkaReportTransport(silent, "gradients"), ledger);
    GridRandomiser noisy = new L2LaplaceRandomiser(1, 2, -16, 1);
    assertThat(before.report(MODEL, FrequentData.KEY, new double[2], noisy)).isNotDone();
    assertThat(before.report(MODEL, FrequentData.KEY, new double[2], noisy)).isNotDone();

    reporter().report(MODEL, FrequentData.KEY, new double[2], noisy).get();

    assertThat(sent()).extracting(GradientReport::getSequence).containsExactly(0L, 1L, 2L);
    for (int i = 0; i < 2; i++) {
      assertThat(producer.history().get(i).value()).isEqualTo(silent.history().get(i).value());
    }
    assertThat(ledger.pending()).isEmpty();
  }

  @Test
  void thePersonsLimitHoldsBeforeAnythingIsSent() throws Exception {
    LocalLedger limited = LocalLedger.inMemory("u", Limit.ofEpsilon(1));
    GradientReporter reporter =
        new GradientReporter(new KafkaReportTransport(producer, "gradients"), limited);
    GridRandomiser half = new UndisclosedRandomiser(new L2LaplaceRandomiser(1, 2, -16, 0.5));
    reporter.report(MODEL, FrequentData.KEY, new double[2], half).get();
    reporter.report(MODEL, FrequentData.KEY, new double[2], half).get();

    assertThatThrownBy(() -> reporter.report(MODEL, FrequentData.KEY, new double[2], half))
        .isInstanceOf(LimitReachedException.class)
        .hasMessage("epsilon would add up to 1.5; the limit is 1");
    assertThat(producer.history()).hasSize(2);
    assertThat(limited.spent().undisclosed()).isEqualTo(2);
  }

  private static MockProducer<byte[], byte[]> manual() {
    return new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  @Test
  void refusesARandomiserOfAnotherModelAndSpendsNothing() throws Exception {
    GradientReporter reporter = reporter();
    assertRefused(reporter, new L2LaplaceRandomiser(1, 3, -16, 1), "dimension", "3", "2");
    assertRefused(reporter, new L2LaplaceRandomiser(1, 2, -15, 1), "gridExponent", "-15", "-16");
    assertRefused(reporter, new L2LaplaceRandomiser(2, 2, -16, 1), "gradientBound", "2.0", "1.0");
    assertThat(producer.history()).isEmpty();
    reporter.report(MODEL, FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE).get();
    assertThat(sent().get(0).getSequence()).isZero();
  }

  private static void assertRefused(
      GradientReporter reporter, GridRandomiser randomiser, String name, String has, String needs) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reporter.report(MODEL, FrequentData.KEY, new double[2], randomiser))
        .withMessage(name + " of the randomiser is " + has + "; the model's is " + needs);
  }

  @Test
  void refusesInvalidGradientsAndKeepsTheNumber() throws Exception {
    GradientReporter reporter = reporter();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> reporter.report(MODEL, FrequentData.KEY, new double[3], NEXT_TO_NO_NOISE));
    reporter.report(MODEL, FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE).get();
    assertThat(sent()).extracting(GradientReport::getSequence).containsExactly(0L);
  }

  /** A failure or a missing report would reveal it. */
  @Test
  void reportsAndChargesNonFiniteGradientsAsZero() throws Exception {
    reporter()
        .report(MODEL, FrequentData.KEY, new double[] {1, Double.NaN}, NEXT_TO_NO_NOISE)
        .get();
    assertThat(sent().get(0).getGrid().getValuesList()).containsExactly(0, 0);
    assertThat(ledger.spent().reports()).isEqualTo(1);
  }

  @Test
  void roundThatIsNotAnsweredCostsNothing() throws Exception {
    GradientReporter reporter = reporter();
    int answered = 0;
    for (int round = 0; round < 40; round++) {
      ModelSnapshot model = answeredByHalf(round);
      if (Decision.of(ledger, model.terms()).isPresent()) {
        reporter.report(model, FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE).get();
        answered++;
      } else {
        assertThatThrownBy(
                () -> reporter.report(model, FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE))
            .isInstanceOf(NotChosenException.class)
            .hasMessage(
                "round %s of model m asks nothing of this device: a device answers a round with"
                    + " probability 0.5; wait for a later round",
                round);
        long earlier = round;
        assertThatThrownBy(
                () ->
                    reporter.report(
                        answeredByHalf(99).terms().at(earlier),
                        FrequentData.KEY,
                        new double[2],
                        NEXT_TO_NO_NOISE))
            .isInstanceOf(NotChosenException.class);
      }
    }
    // Both answers occur: all 40 would be equal with probability 2e-12.
    assertThat(answered).isBetween(1, 39);
    assertThat(ledger.spent().reports()).isEqualTo(answered);
    assertThat(producer.history()).hasSize(answered);
  }

  private static ModelSnapshot answeredByHalf(long round) {
    return Updates.parse(Updates.update("m", round, 0, 0).setAnswerProbability(0.5));
  }

  @Test
  void producerPropertiesSatisfyKafka() {
    Map<String, Object> own = Map.of("bootstrap.servers", "127.0.0.1:1", "acks", "-1");
    ProducerConfig config = new ProducerConfig(KafkaReportTransport.producerProperties(own));
    assertThat(config.getString("acks")).isEqualTo("-1");
    assertThat(config.getBoolean("enable.idempotence")).isTrue();
    assertThat(config.getClass("partitioner.class")).isNull();
    assertThat(config.getBoolean("partitioner.ignore.keys")).isFalse();
    assertThat(config.getClass("value.serializer")).isEqualTo(ByteArraySerializer.class);
    assertThat(own).hasSize(2);
  }

  @Test
  void producerPropertiesKeepTheCallersOwn() {
    assertThat(KafkaReportTransport.producerProperties(Map.of("linger.ms", 7, "acks", "all")))
        .containsEntry("linger.ms", 7)
        .containsEntry("acks", "all");
  }

  @Test
  void producerPropertiesRefuseWhatWouldLoseOrReorderReports() {
    assertRefused("partitioner.class", RoundRobinPartitioner.class);
    assertRefused("partitioner.ignore.keys", true);
    assertRefused("acks", "1");
    assertRefused("enable.idempotence", false);
    assertRefused("key.serializer", StringSerializer.class);
  }

  private static void assertRefused(String name, Object value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KafkaReportTransport.producerProperties(Map.of(name, value)))
        .withMessageStartingWith(name + " is ")
        .withMessageContaining("; it must be ");
  }

  /** The clock shows how long each draw took; sleeping moves it. */
  @ParameterizedTest
  @CsvSource({"0, 100", "1, 100", "99, 100", "100, 100", "101, 200", "350, 400"})
  void aReportIsSentAtAWholeMultipleOfTheDelay(long draw, long due) throws Exception {
    long[] now = {7_000};
    long[] slept = {0};
    ReleaseTimes times =
        new ReleaseTimes(
            Duration.ofNanos(100),
            () -> now[0],
            nanos -> {
              assertThat(producer.history()).isEmpty();
              slept[0]++;
              // A thread may wake up too early.
              now[0] += Math.max(1, nanos / 2);
            });
    GradientReporter reporter =
        new GradientReporter(
            new KafkaReportTransport(producer, "gradients"), ledger, Clock.systemUTC(), times);
    ModelUpdate.Builder asking =
        Updates.update("m", 3, 0, 0).setAnswerProbability(1).setQuestionProbability(1);
    asking.addEstimatesBuilder().getQuestionBuilder().setName("a").getAccuracyBuilder();
    reporter
        .respond(
            Updates.parse(asking),
            new GivenData() {
              @Override
              public boolean answer(Question question) {
                now[0] += draw;
                return true;
              }
            },
            NEXT_TO_NO_NOISE)
        .get();
    assertThat(now[0]).isEqualTo(7_000 + due);
    assertThat(slept[0] > 0).isEqualTo(draw != due);
    assertThat(sent()).hasSize(1);
  }

  @Test
  void anInterruptedThreadSendsNoEarlier() throws Exception {
    long begin = System.nanoTime();
    Thread.currentThread().interrupt();
    Future<Void> report =
        new GradientReporter(
                new KafkaReportTransport(producer, "gradients"), ledger, Duration.ofMillis(20))
            .report(MODEL, FrequentData.KEY, new double[2], NEXT_TO_NO_NOISE);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(report).isDone();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
    assertThat(sent()).hasSize(1);
  }

  @Test
  void aNegativeDelayIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ReleaseTimes.after(Duration.ofMillis(-1)))
        .withMessage("releaseDelay is PT-0.001S; it must be at least 0");
  }
}
