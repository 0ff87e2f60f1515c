package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
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
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class GradientReporterTest {
  private static final ModelSnapshot MODEL = Updates.snapshot("m", 3, 0, 0);

  /** So little noise that the release is the clipped gradient. */
  private static final Randomiser NEXT_TO_NO_NOISE = new L2LaplaceRandomiser(1, 2, -16, 1e12);

  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

  private GradientReporter reporter(long firstSequence) {
    Clock clock = Clock.fixed(Instant.ofEpochMilli(1234), ZoneOffset.UTC);
    return new GradientReporter(producer, "gradients", "zoë", "phone", firstSequence, clock);
  }

  private List<GradientReport> sent() throws Exception {
    List<GradientReport> reports = new ArrayList<>();
    for (ProducerRecord<byte[], byte[]> sent : producer.history()) {
      reports.add(GradientReport.parseFrom(sent.value()));
    }
    return reports;
  }

  @Test
  void sendsAWellFormedReportUnderTheUsersKey() throws Exception {
    Future<RecordMetadata> acknowledged =
        reporter(5).report(MODEL, new double[] {30, -40}, NEXT_TO_NO_NOISE);

    assertThat(acknowledged.get().topic()).isEqualTo("gradients");
    ProducerRecord<byte[], byte[]> record = producer.history().get(0);
    assertThat(record.topic()).isEqualTo("gradients");
    assertThat(record.partition()).isNull();
    assertThat(record.key()).isEqualTo("zoë".getBytes(StandardCharsets.UTF_8));

    GradientReport report = sent().get(0);
    assertThat(GradientReports.violations(report)).isEmpty();
    assertThat(report.getModelId()).isEqualTo("m");
    assertThat(report.getRound()).isEqualTo(3);
    assertThat(report.getUserId()).isEqualTo("zoë");
    assertThat(report.getDeviceId()).isEqualTo("phone");
    assertThat(report.getSequence()).isEqualTo(5);
    assertThat(report.getCreatedAtMs()).isEqualTo(1234);
    assertThat(report.getL2Laplace().getEpsilon()).isEqualTo(1e12);
    // 0.6 and -0.8 in steps of 2^-16, rounded towards zero.
    assertThat(report.getGrid().getValuesList()).containsExactly(39321, -52428);
  }

  @Test
  void saysWhichNoiseItIs() throws Exception {
    reporter(0).report(MODEL, new double[2], new GaussianRandomiser(1, 2, -16, 0.5)).get();
    assertThat(sent().get(0).getGaussian().getMu()).isEqualTo(0.5);
  }

  @Test
  void noiseMayStayUnsaidAndIsThereAllTheSame() throws Exception {
    Randomiser unsaid = new UndisclosedRandomiser(NEXT_TO_NO_NOISE);

    reporter(0).report(MODEL, new double[] {30, -40}, unsaid).get();

    GradientReport report = sent().get(0);
    assertThat(GradientReports.violations(report)).isEmpty();
    assertThat(report.hasUndisclosed()).isTrue();
    assertThat(report.getGrid().getValuesList()).containsExactly(39321, -52428);
    assertThat(unsaid.directionalVariance()).isEqualTo(NEXT_TO_NO_NOISE.directionalVariance());
  }

  @Test
  void everyReportHasANumberOfItsOwn() throws Exception {
    GradientReporter reporter = reporter(41);
    for (int i = 0; i < 3; i++) {
      reporter.report(MODEL, new double[2], NEXT_TO_NO_NOISE).get();
    }
    assertThat(sent()).extracting(GradientReport::getSequence).containsExactly(41L, 42L, 43L);
  }

  @Test
  void aNumberIsNotUsedAgainAfterAFailure() throws Exception {
    GradientReporter reporter = reporter(0);
    producer.sendException = new KafkaException("out of memory");
    assertThatThrownBy(() -> reporter.report(MODEL, new double[2], NEXT_TO_NO_NOISE))
        .isSameAs(producer.sendException);
    producer.sendException = null;
    reporter.report(MODEL, new double[2], NEXT_TO_NO_NOISE).get();
    assertThat(sent()).extracting(GradientReport::getSequence).containsExactly(1L);
  }

  @Test
  void aFailedAcknowledgementIsTheCallersToSee() {
    MockProducer<byte[], byte[]> manual =
        new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    GradientReporter reporter = new GradientReporter(manual, "gradients", "u", "", 0);
    Future<RecordMetadata> future = reporter.report(MODEL, new double[2], NEXT_TO_NO_NOISE);
    manual.errorNext(new KafkaException("gone"));
    assertThatThrownBy(future::get)
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("gone");
    assertThat(manual.history()).hasSize(1);
  }

  @Test
  void refusesARandomiserOfAnotherModelAndSpendsNothing() throws Exception {
    GradientReporter reporter = reporter(0);
    assertRefused(reporter, new L2LaplaceRandomiser(1, 3, -16, 1), "dimension", "3", "2");
    assertRefused(reporter, new L2LaplaceRandomiser(1, 2, -15, 1), "gridExponent", "-15", "-16");
    assertRefused(reporter, new L2LaplaceRandomiser(2, 2, -16, 1), "gradientBound", "2.0", "1.0");
    assertThat(producer.history()).isEmpty();
    reporter.report(MODEL, new double[2], NEXT_TO_NO_NOISE).get();
    assertThat(sent().get(0).getSequence()).isZero();
  }

  private static void assertRefused(
      GradientReporter reporter, Randomiser randomiser, String name, String has, String needs) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reporter.report(MODEL, new double[2], randomiser))
        .withMessage(name + " of the randomiser is " + has + "; the model's is " + needs);
  }

  @Test
  void refusesWhatIsNoGradientAndKeepsTheNumber() throws Exception {
    GradientReporter reporter = reporter(0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reporter.report(MODEL, new double[3], NEXT_TO_NO_NOISE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reporter.report(MODEL, new double[] {1, Double.NaN}, NEXT_TO_NO_NOISE));
    reporter.report(MODEL, new double[2], NEXT_TO_NO_NOISE).get();
    assertThat(sent()).extracting(GradientReport::getSequence).containsExactly(0L);
  }

  @Test
  void neverCountsPastTheLastNumber() {
    GradientReporter reporter = reporter(Long.MAX_VALUE);
    assertThatThrownBy(() -> reporter.report(MODEL, new double[2], NEXT_TO_NO_NOISE))
        .isInstanceOf(ArithmeticException.class);
    assertThat(producer.history()).isEmpty();
  }

  @Test
  void refusesIdsThatTheJobWouldNotRead() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new GradientReporter(producer, "gradients", "", "", 0))
        .withMessageStartingWith("userId");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new GradientReporter(producer, "gradients", "u", "d".repeat(257), 0))
        .withMessageStartingWith("deviceId");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new GradientReporter(producer, "gradients", "u", "", -1))
        .withMessage("firstSequence is -1; it must be at least 0");
  }

  @Test
  void producerPropertiesSatisfyKafka() {
    Map<String, Object> own = Map.of("bootstrap.servers", "127.0.0.1:1", "acks", "-1");
    ProducerConfig config = new ProducerConfig(GradientReporter.producerProperties(own));
    assertThat(config.getString("acks")).isEqualTo("-1");
    assertThat(config.getBoolean("enable.idempotence")).isTrue();
    assertThat(config.getClass("partitioner.class")).isNull();
    assertThat(config.getBoolean("partitioner.ignore.keys")).isFalse();
    assertThat(config.getClass("value.serializer")).isEqualTo(ByteArraySerializer.class);
    assertThat(own).hasSize(2);
  }

  @Test
  void producerPropertiesKeepTheCallersOwn() {
    assertThat(GradientReporter.producerProperties(Map.of("linger.ms", 7, "acks", "all")))
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
        .isThrownBy(() -> GradientReporter.producerProperties(Map.of(name, value)))
        .withMessageStartingWith(name + " is ")
        .withMessageContaining("; it must be ");
  }
}
