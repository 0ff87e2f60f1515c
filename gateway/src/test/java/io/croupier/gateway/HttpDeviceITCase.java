package io.croupier.gateway;

import static io.croupier.gateway.Condition.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.stream.JsonReader;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.GatewayException;
import io.croupier.client.GradientReporter;
import io.croupier.client.HttpModelSubscriber;
import io.croupier.client.HttpReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ReportRefusedException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.noise.SecureBits;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import java.io.BufferedReader;
import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

/** The Java client over HTTP alone: from a gateway with a broker behind it, and back to them. */
@Tag("ci")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HttpDeviceITCase extends GatewayFixture {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int DIMENSION = 2;
  private static final DataKey DAY = DataKey.of("day").times(2);

  /** What a device carries that reports over HTTP; nothing of Kafka. */
  private static final List<Class<?>> PARTS =
      List.of(
          HttpReportTransport.class,
          GradientReport.class,
          Mechanism.class,
          SecureBits.class,
          Message.class,
          JsonReader.class,
          Logger.class,
          DeviceProcess.class);

  private static final AtomicInteger SUBJECTS = new AtomicInteger();

  /** Each test has a person of its own. */
  private final String subject = "ada" + SUBJECTS.incrementAndGet();

  @TempDir private Path directory;
  private Path token;

  @BeforeAll
  static void start() throws Exception {
    broker.publish(TestBroker.spec("m", DIMENSION));
    broker.update("m", DIMENSION, 4);
    startGateway(Map.of());
  }

  @BeforeEach
  void writeToken() throws Exception {
    token = Files.writeString(directory.resolve("token"), gateway.issuer.token(subject) + "\n");
  }

  /** What this test's person has on the topic. */
  private List<GradientReport> stored() throws Exception {
    return broker.reports().stream()
        .filter(report -> report.getUserId().equals(gateway.userId(subject)))
        .toList();
  }

  private Process device(URI address, int reports) throws Exception {
    List<String> classPath = new ArrayList<>();
    for (Class<?> part : PARTS) {
      classPath.add(
          Path.of(part.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    assertThat(classPath).noneMatch(entry -> entry.contains("kafka"));
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classPath.stream().collect(Collectors.joining(File.pathSeparator)),
            DeviceProcess.class.getName(),
            address.toString(),
            token.toString(),
            directory.resolve("ledger").toString(),
            String.valueOf(reports))
        .redirectErrorStream(true)
        .start();
  }

  private static List<String> output(Process device) throws Exception {
    List<String> lines;
    try (BufferedReader reader = device.inputReader(UTF_8)) {
      lines = reader.lines().filter(line -> !line.startsWith("SLF4J")).collect(Collectors.toList());
    }
    assertThat(device.waitFor()).as(String.join("\n", lines)).isZero();
    return lines;
  }

  @Test
  void aDeviceWithoutKafkaFollowsAModelAndReports() throws Exception {
    List<String> printed = output(device(gateway.uri("/"), 2));

    assertThat(printed)
        .containsExactly(
            "reported at round 4", "reported at round 4", "pending: 0", "without Kafka");
    assertThat(stored()).extracting(GradientReport::getSequence).containsExactly(0L, 1L);
    assertThat(stored())
        .allSatisfy(
            report -> {
              assertThat(report.getModelId()).isEqualTo("m");
              assertThat(report.getRound()).isEqualTo(4);
              assertThat(report.getL2Laplace().getEpsilon()).isEqualTo(1);
            });
  }

  /** The kill happens before the report reaches the gateway, or before its answer the device. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDeviceThatIsKilledSendsTheSameBytesAgain(boolean arrivesBefore) throws Exception {
    try (HoldingProxy proxy = new HoldingProxy(gateway.uri("/"), arrivesBefore)) {
      Process killed = device(proxy.uri(), 1);
      try {
        assertThat(proxy.awaitHold(PATIENCE.toSeconds())).isTrue();
      } finally {
        killed.destroyForcibly().waitFor();
      }
      assertThat(output(device(proxy.uri(), 0)))
          .containsExactly("resent", "pending: 0", "without Kafka");
      try (LocalLedger ledger = LocalLedger.open(directory.resolve("ledger"), "ada", Limit.NONE)) {
        assertThat(ledger.pending()).isEmpty();
      }

      List<ByteString> sent = proxy.reports();
      assertThat(sent).hasSize(2);
      assertThat(sent.get(1)).isEqualTo(sent.get(0));
    }
    List<Outcome> outcomes = outcomes();
    assertThat(outcomes)
        .isEqualTo(
            arrivesBefore
                ? List.of(Outcome.ADMITTED, Outcome.DUPLICATE)
                : List.of(Outcome.ADMITTED));
  }

  /** The verdicts of the job's ledger on the reports of this test's person. */
  private List<Outcome> outcomes() {
    ReportDecoder decoder = new ReportDecoder();
    ReportIntake intake = new ReportIntake(TestBroker.spec("m", DIMENSION), 0);
    HeapAccount account = new HeapAccount();
    List<Outcome> outcomes = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.read(broker.topics().gradients())) {
      if (!new String(record.key(), UTF_8).equals(gateway.userId(subject))) {
        continue;
      }
      Received decoded = decoder.decode(record.key(), record.value(), false, Source.unknown(0));
      outcomes.add(new Ledger().judge((Report) decoded, intake.terms(), account).getOutcome());
    }
    return outcomes;
  }

  private static L2LaplaceRandomiser noise(ModelSnapshot model) {
    return new L2LaplaceRandomiser(
        model.gradientBound(), model.dimension(), model.gridExponent(), 1);
  }

  private static Throwable failure(CompletableFuture<Void> report) throws Exception {
    try {
      report.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return e.getCause();
    }
    throw new AssertionError("the report was acknowledged");
  }

  @Test
  void whatTheGatewayRefusesIsRefusedForTheDevice() throws Exception {
    ModelSpec strict =
        TestBroker.spec("strict", DIMENSION).toBuilder()
            .setLimits(Limits.newBuilder().setEpsilon(0.5))
            .build();
    broker.publish(strict);
    broker.update("strict", DIMENSION, 0);
    broker.publish(TestBroker.spec("advancing", DIMENSION));
    for (int round = 4; round < 9; round++) {
      broker.update("advancing", DIMENSION, round);
    }
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    try (HttpModelSubscriber limited = new HttpModelSubscriber(gateway.uri("/"), "strict");
        HttpModelSubscriber models = new HttpModelSubscriber(gateway.uri("/"), "advancing");
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri("/"), () -> gateway.issuer.token(subject))) {
      GradientReporter reporter = new GradientReporter(transport, ledger);
      ModelSnapshot model = limited.await(PATIENCE);
      assertThat(failure(reporter.report(model, DAY, new double[DIMENSION], noise(model))))
          .isInstanceOf(ReportRefusedException.class)
          .hasMessageContainingAll("answered 422: ", "epsilon");

      await(() -> models.newest().filter(advanced -> advanced.round() == 8).isPresent());
      ModelSnapshot newest = models.newest().orElseThrow();
      assertThat(
              failure(
                  reporter.report(newest.terms().at(4), DAY, new double[DIMENSION], noise(newest))))
          .isInstanceOf(ReportRefusedException.class)
          .hasMessageContaining("answered 409: round is 4: it must be one of the newest 3");

      assertThat(ledger.pending()).isEmpty();
      assertThat(ledger.spent().reports()).isEqualTo(2);
      assertThat(stored()).isEmpty();
      reporter.report(newest, DAY, new double[DIMENSION], noise(newest)).get();
      assertThat(stored())
          .singleElement()
          .satisfies(report -> assertThat(report.getSequence()).isEqualTo(2));
    }
  }

  /** They stay pending, since another token may be right. */
  @Test
  void forbiddenAndUnauthenticatedReportsFail() throws Exception {
    byte[] foreign =
        Reports.grid("m", DIMENSION, 4, 1).setUserId(gateway.userId("grace")).build().toByteArray();
    try (HttpReportTransport transport =
        new HttpReportTransport(gateway.uri("/"), () -> gateway.issuer.token(subject))) {
      assertThat(failure(transport.send("ada", foreign)))
          .isInstanceOf(GatewayException.class)
          .hasMessageContaining("answered 403: user_id must be absent")
          .hasMessageNotContaining(gateway.userId("grace"));
    }
    String expired =
        gateway.issuer.sign(
            gateway.issuer.claims(subject).expirationTime(Date.from(Instant.EPOCH)));
    for (String refused : List.of(expired, "no.jwt.atall")) {
      byte[] own = Reports.grid("m", DIMENSION, 4, 1).build().toByteArray();
      try (HttpReportTransport transport =
          new HttpReportTransport(gateway.uri("/"), () -> refused)) {
        assertThat(failure(transport.send("ada", own)))
            .isInstanceOf(GatewayException.class)
            .hasMessageContaining("answered 401: ")
            .hasMessageNotContaining(refused);
      }
    }
    assertThat(stored()).isEmpty();
  }

  /** Tokens of short life are renewed in the file by another program. */
  @Test
  void anExpiredTokenIsReplacedByThatInTheFile() throws Exception {
    String expired =
        gateway.issuer.sign(
            gateway.issuer.claims(subject).expirationTime(Date.from(Instant.EPOCH)));
    List<String> tokens =
        Stream.of(expired, gateway.issuer.token(subject)).collect(Collectors.toList());
    try (HttpReportTransport transport =
        new HttpReportTransport(gateway.uri("/"), () -> tokens.remove(0))) {
      transport
          .send("ada", Reports.grid("m", DIMENSION, 4, 1).build().toByteArray())
          .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    assertThat(stored()).hasSize(1);
  }
}
