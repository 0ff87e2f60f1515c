package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.DeadLetters;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Central;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Sparse;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobStatus;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Ten thousand malformed records of every kind among the good ones: each becomes a dead letter with
 * its reason and position, the job never restarts, and every good record is used.
 */
@Tag("thorough")
class MalformedITCase extends JobFixture {
  private static final int GOOD = 1000;
  private static final int MALFORMED = 10_000;

  /** Number of records, of both kinds, between two reads of the newest visible round. */
  private static final int BATCH = 1000;

  /** Largest record that a broker accepts by default, including Kafka's framing. */
  private static final int SIZE_LIMIT = 1_048_588;

  private static final int FRAMING = 100;

  @Test
  void everyMalformedRecordIsADeadLetterAndEveryGoodOneIsUsed() throws Exception {
    Map<String, String> settings = testTopics.settings();
    // The first failure ends the job, so that no restart goes unnoticed.
    settings.put("flink.restart-strategy.type", "none");
    // Eight publications then take longer than the largest lag at which rounds are still published.
    settings.put("checkpoint.interval", "500 ms");
    start(settings);
    ModelSpec spec = OneHotReports.spec("honest", GOOD, 1);
    testTopics.begin(spec);

    SplittableRandom random = new SplittableRandom(11);
    int good = 0;
    long round = 0;
    for (int i = 0; i < MALFORMED; i++) {
      if (i % BATCH == 0) {
        testTopics.flush();
        round = testTopics.newestRound("honest");
      }
      sendMalformed(OneHotReports.report(spec, round, i % GOOD), i, random);
      while (good * MALFORMED < (i + 1) * GOOD) {
        testTopics.send(OneHotReports.report(spec, round, good++));
      }
    }
    String raw = testTopics.topics.gradients();
    byte[] rawGradient = rawReport(spec).toByteArray();
    testTopics.send(raw, "person", rawGradient);
    byte[] largest = largestReport(spec).toByteArray();
    testTopics.send(raw, "somebody", largest);
    byte[] noised = noisedReport(spec).toByteArray();
    testTopics.send(testTopics.topics.rawGradients(), "person", noised);
    testTopics.flush();

    OneHotReports.awaitAll(testTopics, spec, GOOD);
    List<AccountingEvent> events = testTopics.awaitEvents("honest", GOOD);
    assertThat(events).hasSize(GOOD).allMatch(e -> e.getOutcome() == Outcome.ADMITTED);

    List<ConsumerRecord<byte[], byte[]>> letters =
        testTopics.awaitRecords(testTopics.topics.deadLetters(), MALFORMED + 2);
    assertThat(letters).hasSize(MALFORMED + 2);
    Set<String> positions = new HashSet<>();
    for (ConsumerRecord<byte[], byte[]> letter : letters) {
      Map<String, String> headers = headers(letter);
      assertThat(headers.get(DeadLetters.REASON)).isNotBlank();
      assertThat(headers.get(DeadLetters.TOPIC)).isEqualTo(raw);
      positions.add(headers.get(DeadLetters.PARTITION) + "/" + headers.get(DeadLetters.OFFSET));
    }
    assertThat(positions).hasSize(MALFORMED + 2);

    Map<String, String> withheld = onlyLetter(letters, "raw gradient");
    assertThat(withheld)
        .containsOnlyKeys(
            DeadLetters.REASON, DeadLetters.TOPIC, DeadLetters.PARTITION, DeadLetters.OFFSET);
    assertThat(letters.stream().filter(l -> headers(l).equals(withheld)).findFirst().orElseThrow())
        .extracting(ConsumerRecord::key, ConsumerRecord::value)
        .containsExactly(null, null);
    assertThat(letters)
        .filteredOn(l -> ("" + largest.length).equals(headers(l).get(DeadLetters.LENGTH)))
        .singleElement()
        .extracting(ConsumerRecord::value)
        .isNull();
    assertThat(testTopics.awaitRecords(testTopics.topics.rawDeadLetters(), 1))
        .singleElement()
        .extracting(ConsumerRecord::value)
        .isEqualTo(noised);
    assertThat(job.getJobStatus().get(10, TimeUnit.SECONDS)).isEqualTo(JobStatus.RUNNING);
  }

  private void sendMalformed(GradientReport report, int i, SplittableRandom random) {
    byte[] key = report.getUserId().getBytes(UTF_8);
    byte[] bytes = report.toByteArray();
    String topic = testTopics.topics.gradients();
    switch (i % 16) {
      case 0 -> testTopics.send(topic, key, null);
      case 1 -> testTopics.send(topic, (byte[]) null, bytes);
      case 2 -> testTopics.send(topic, "somebody-else", bytes);
      case 3 -> {
        byte[] noise = new byte[random.nextInt(200)];
        random.nextBytes(noise);
        testTopics.send(topic, key, noise);
      }
      case 4 -> testTopics.send(topic, key, Arrays.copyOf(bytes, bytes.length - 1));
      case 5 ->
          testTopics.send(topic, key, report.toBuilder().clearModelId().build().toByteArray());
      case 6 -> testTopics.send(topic, key, report.toBuilder().clearRound().build().toByteArray());
      case 7 ->
          testTopics.send(topic, key, report.toBuilder().clearSequence().build().toByteArray());
      case 8 ->
          testTopics.send(topic, key, report.toBuilder().clearGradient().build().toByteArray());
      case 9 ->
          testTopics.send(topic, key, report.toBuilder().clearDeclaration().build().toByteArray());
      case 10 -> testTopics.send(topic, key, dense(report, Double.NaN));
      case 11 -> testTopics.send(topic, key, dense(report, Double.NEGATIVE_INFINITY));
      case 12 -> testTopics.send(topic, key, sparse(report, 5, 5));
      case 13 -> testTopics.send(topic, key, sparse(report, 0, GOOD));
      case 14 -> testTopics.send(topic, key, epsilon(report, 0));
      case 15 ->
          testTopics.send(
              topic, key, report.toBuilder().setModelId("no name").build().toByteArray());
      default -> throw new AssertionError();
    }
  }

  private static byte[] dense(GradientReport report, double value) {
    return report.toBuilder()
        .setDense(Dense.newBuilder().addValues(1).addValues(value))
        .build()
        .toByteArray();
  }

  private static byte[] sparse(GradientReport report, int first, int second) {
    Sparse.Builder sparse = Sparse.newBuilder().setDimension(GOOD);
    sparse.addIndices(first).addIndices(second).addValues(1).addValues(1);
    return report.toBuilder().setSparse(sparse).build().toByteArray();
  }

  private static byte[] epsilon(GradientReport report, double epsilon) {
    return report.toBuilder()
        .setL2Laplace(L2Laplace.newBuilder().setEpsilon(epsilon))
        .build()
        .toByteArray();
  }

  private static GradientReport rawReport(ModelSpec spec) {
    return noisedReport(spec).toBuilder().setCentral(Central.getDefaultInstance()).build();
  }

  private static GradientReport noisedReport(ModelSpec spec) {
    return OneHotReports.report(spec, 0, 0).toBuilder().setUserId("person").build();
  }

  /** A report of about the largest size that the broker accepts. */
  private static GradientReport largestReport(ModelSpec spec) {
    int dimension = (SIZE_LIMIT - 3 * FRAMING) / Double.BYTES;
    return noisedReport(spec).toBuilder()
        .setDense(Dense.newBuilder().addAllValues(Collections.nCopies(dimension, 0.0)))
        .build();
  }

  private static Map<String, String> onlyLetter(
      List<ConsumerRecord<byte[], byte[]>> letters, String reason) {
    List<Map<String, String>> found =
        letters.stream()
            .map(MalformedITCase::headers)
            .filter(h -> h.get(DeadLetters.REASON).contains(reason))
            .toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private static Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
    Map<String, String> headers = new HashMap<>();
    for (Header header : record.headers()) {
      headers.put(header.key(), new String(header.value(), UTF_8));
    }
    return headers;
  }
}
