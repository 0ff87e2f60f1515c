package io.croupier.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.croupier.cli.InputException;
import io.croupier.cli.io.CountBar;
import io.croupier.client.Rows;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.loss.SquaredLoss;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.schemas.Account;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Question;
import java.io.BufferedReader;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SentReportSinkTest {
  private static final int ROUNDS = 40;
  private static final GridRandomiser NOISE = new L2LaplaceRandomiser(1, 1, -16, 1);

  private final List<String> warnings = new ArrayList<>();
  private final LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

  private String report(Gradients gradients) {
    return report(gradients, NOISE);
  }

  private String report(Gradients gradients, Randomiser noise) {
    try (ReportSink sink = SentReportSink.overKafka(producer, "gradients", ledger, warnings::add);
        CountBar bar = new CountBar("reports", -1, false)) {
      return new ReportRunner(gradients, sink, ledger, Limit.NONE, Map.of(), 0).run(noise, bar);
    }
  }

  private List<GradientReport> sent() throws Exception {
    List<GradientReport> reports = new ArrayList<>();
    for (ProducerRecord<byte[], byte[]> sent : producer.history()) {
      reports.add(GradientReport.parseFrom(sent.value()));
    }
    return reports;
  }

  private List<Long> sentRounds() throws Exception {
    return sent().stream().map(GradientReport::getRound).toList();
  }

  /** Of rounds 0, 10, ... those that the ledger decides for; all are with probability 2e-12. */
  private static List<Long> rounds(LongPredicate decision) {
    List<Long> rounds =
        LongStream.range(0, ROUNDS).map(i -> 10 * i).filter(decision).boxed().toList();
    assertThat(rounds).hasSizeBetween(1, ROUNDS - 1);
    return rounds;
  }

  private List<Long> chosen() {
    return rounds(round -> ledger.answers("m", round, 0.5));
  }

  private String summary(int sent) {
    return "%d sent, %d not chosen. In the ledger: %d reports, epsilon %d."
        .formatted(sent, ROUNDS - sent, sent, sent);
  }

  private static KeyOptions keys(int times) {
    return CommandLine.populateCommand(new KeyOptions(), "--times", Integer.toString(times));
  }

  private static LineGradients lines(String lines, RoundPublisher model) {
    return new LineGradients(new BufferedReader(new StringReader(lines)), model, keys(1));
  }

  private RowGradients rows(RoundPublisher model, int times) {
    return new RowGradients(
        Rows.of(new double[] {1}, 2, new SquaredLoss()),
        false,
        model,
        ROUNDS,
        keys(times),
        key -> ledger.reported("m", key) >= key.times());
  }

  /** The first round that is chosen has the only report; no round after it is waited for. */
  @Test
  void theSameRowsAreReportedOnceByManyRoundsAndRuns() throws Exception {
    String first = report(rows(new RoundPublisher(10 * ROUNDS, 0.5), 1));
    assertThat(sentRounds()).isEqualTo(chosen().subList(0, 1));
    assertThat(first).startsWith("1 sent").doesNotContain("already reported");

    String second = report(rows(new RoundPublisher(10 * ROUNDS, 0.5), 1));
    assertThat(sentRounds()).hasSize(1);
    assertThat(second)
        .isEqualTo(
            "0 sent, 1 already reported. In the ledger: 1 report, epsilon 1. The same data are"
                + " reported once; --times N allows more, and --key names other data.");
  }

  @Test
  void equalLinesOfOneRunAreDifferentDataAndThoseOfTheNextAreTheSame() throws Exception {
    for (int run = 0; run < 2; run++) {
      String lines =
          "[0.5]\n[0.5]\n{\"gradient\": [0.5], \"key\": \"day\"}\n"
              + "{\"gradient\": [0.25], \"key\": \"day\"}";
      assertThat(report(lines(lines, new RoundPublisher(10, 1))))
          .startsWith(run == 0 ? "3 sent, 1 already reported." : "0 sent, 4 already reported.");
    }
  }

  @Test
  void linesOfRoundsThatAreNotChosenAreCountedAndNotSent() throws Exception {
    RoundPublisher model = new RoundPublisher(10 * ROUNDS, 0.5);
    LongStream.range(0, ROUNDS).forEach(i -> model.publish());
    String lines =
        LongStream.range(0, ROUNDS)
            .mapToObj(i -> "{\"gradient\": [0.5], \"round\": %d}".formatted(10 * i))
            .collect(Collectors.joining("\n"));

    String summary = report(lines(lines, model));

    assertThat(sentRounds()).isEqualTo(chosen());
    assertThat(summary).isEqualTo(summary(chosen().size()));
  }

  @Test
  void rowsOfRoundsThatAreNotChosenAreCountedAndNotSent() throws Exception {
    RoundPublisher model = new RoundPublisher(10 * ROUNDS, 0.5);

    String summary = report(rows(model, ROUNDS));

    assertThat(sentRounds()).isEqualTo(chosen());
    assertThat(summary).isEqualTo(summary(chosen().size()));
  }

  /** Half of the rounds ask; all or none do with probability 2e-12. */
  @Test
  void undisclosedRowsAnswerNoQuestion() throws Exception {
    Question.Builder question = Question.newBuilder().setName("far");
    question.getLossAboveBuilder().setThreshold(0.5);
    RoundPublisher model = new RoundPublisher(10 * ROUNDS, question.build());

    String summary = report(rows(model, ROUNDS), new UndisclosedRandomiser(NOISE));

    List<Long> gradients = rounds(round -> !ledger.isAsked("m", round, 0.5));
    assertThat(sentRounds()).isEqualTo(gradients);
    assertThat(summary)
        .startsWith(
            "%d sent, %d not chosen. ".formatted(gradients.size(), ROUNDS - gradients.size()));
    assertThat(sent()).allMatch(GradientReport::hasUndisclosed);
  }

  private static byte[] stored(long sequence) {
    return GradientReport.newBuilder().setUserId("ada").setSequence(sequence).build().toByteArray();
  }

  /** It is settled, so it must not keep the person from reporting. */
  @Test
  void aRefusedReportOfAnEarlierRunIsAWarning() {
    ledger.release("m", DataKey.of("day").times(9), NOISE.cost(), SentReportSinkTest::stored);
    MockProducer<byte[], byte[]> refusing =
        new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
          @Override
          public synchronized Future<RecordMetadata> send(
              ProducerRecord<byte[], byte[]> record, Callback callback) {
            Future<RecordMetadata> sent = super.send(record, callback);
            errorNext(new RecordTooLargeException("1 MB at most"));
            return sent;
          }
        };
    SentReportSink.overKafka(refusing, "gradients", ledger, warnings::add).close();

    assertThat(ledger.pending()).isEmpty();
    assertThat(warnings)
        .containsExactly(
            "A report from an earlier run was charged, but refused: Kafka refuses the report"
                + " permanently: 1 MB at most");
  }

  @Test
  void noNoiseIsDrawnWhilePendingReportsCannotBeSent() {
    for (int i = 0; i < LocalLedger.WINDOW; i++) {
      ledger.release(
          "m",
          DataKey.of("day").times(LocalLedger.WINDOW),
          NOISE.cost(),
          SentReportSinkTest::stored);
    }
    producer.sendException = new KafkaException("no broker");

    assertThatThrownBy(() -> SentReportSink.overKafka(producer, "gradients", ledger, warnings::add))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(
            "Charged in an earlier run, and not acknowledged by topic gradients: 64;",
            "The last failure: no broker");
    assertThat(producer.closed()).isTrue();
    assertThat(ledger.spent().reports()).isEqualTo(LocalLedger.WINDOW);
  }

  private static HttpHandler answering(int status, byte[] body) {
    return exchange -> {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      if (body.length > 0) {
        exchange.getResponseBody().write(body);
      }
      exchange.close();
    };
  }

  /** An operator stops the person after the first report. */
  @Test
  void aReportThatTheJobWouldRefuseEndsTheRunInWords(@TempDir Path directory) throws Exception {
    HttpServer gateway =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    gateway.createContext("/v1/reports", answering(202, new byte[0]));
    gateway.createContext(
        "/v1/account", answering(200, Account.newBuilder().setStopped(true).build().toByteArray()));
    gateway.start();
    Path token = Files.writeString(directory.resolve("token"), "token");
    URI url = URI.create("http://127.0.0.1:" + gateway.getAddress().getPort());
    try (ReportSink sink = SentReportSink.overGateway(url, token, ledger, warnings::add);
        CountBar bar = new CountBar("reports", -1, false)) {
      LineGradients lines = lines("[0.5]\n[0.25]", new RoundPublisher(10, 1));
      ReportRunner runner = new ReportRunner(lines, sink, ledger, Limit.NONE, Map.of(), 0);
      assertThatThrownBy(() -> runner.run(NOISE, bar))
          .isInstanceOf(InputException.class)
          .hasMessageContainingAll(
              "The job would refuse the report: the person is stopped",
              "Not reported: line 2",
              "1 sent. In the ledger: 1 report, epsilon 1.");
    } finally {
      gateway.stop(0);
    }
  }

  @Test
  void settingsThatCouldLoseReportsAreRefused() {
    assertThatThrownBy(
            () ->
                SentReportSink.overKafka(
                    Map.of("bootstrap.servers", "localhost:1", "acks", "1"),
                    "gradients",
                    ledger,
                    warnings::add))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("acks is 1; it must be all");
  }
}
