package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.BrokerLimits;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.PrivUnit;
import java.io.File;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.FileRecords;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * How much of a broker's disk accounting events take: events of priv_unit reports, whose users have
 * ids of 43 characters (256 bits in Base64) and devices named as our client names them.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("thorough")
class AccountingBytesITCase extends BrokerFixture {
  /** Of an event among a thousand of different users, none of whom has another one. */
  private static final int MOST_BYTES = 90;

  /** Of an event of the job, at a second between checkpoints; users report four times. */
  private static final int MOST_BYTES_OF_JOB = 75;

  /** Of the value of a record, not compressed. */
  private static final int MOST_PLAIN_BYTES = 100;

  private static final int BATCH = 1000;
  private static final ModelSpec SPEC =
      ModelSpec.newBuilder()
          .setModelId("next-word")
          .setDimension(100)
          .setGradientBound(1)
          .setBlackBox(BlackBox.getDefaultInstance())
          .build();

  private TestTopics testTopics;
  private final Random random = new Random(43);
  private final Map<Integer, Long> sequences = new HashMap<>();

  @BeforeEach
  void openTopics() throws Exception {
    testTopics = newTopics("bytes");
  }

  @AfterEach
  void closeTopics() {
    testTopics.close();
  }

  /** Each user has sent another number of reports before, so that no two totals are alike. */
  @Test
  void aThousandEventsTakeNinetyBytesEach() throws Exception {
    List<AccountingEvent> events = new ArrayList<>();
    for (int user = 0; user < BATCH; user++) {
      events.add(lastEvent(user, 1 + random.nextInt(400)));
    }
    assertThat(events)
        .allMatch(event -> new AccountingEventWriter().write(event).length <= MOST_PLAIN_BYTES);
    Map<Integer, Long> bytes = new HashMap<>();
    for (int inOne : List.of(1, 10, 100, BATCH)) {
      long before = logBytes();
      write(events, inOne);
      bytes.put(inOne, (logBytes() - before) / BATCH);
    }
    assertThat(bytes.get(BATCH)).as("%s", bytes).isLessThanOrEqualTo(MOST_BYTES);
    assertThat(bytes.get(1)).isGreaterThan(bytes.get(10));
  }

  @Test
  void theJobWritesTheseBatches() throws Exception {
    int reports = 20_000;
    testTopics.publish(SPEC);
    for (int i = 0; i < reports; i++) {
      testTopics.send(report(random.nextInt(reports / 4)));
    }
    testTopics.flush();
    Map<String, String> settings = testTopics.defaults();
    settings.put("checkpoint.interval", "1 s");
    JobClient job = TestJobs.submit(settings);
    try {
      assertThat(testTopics.awaitRecords(testTopics.topics.accounting(), reports)).hasSize(reports);
    } finally {
      TestJobs.cancel(job);
    }
    List<CompressionType> compressions = new ArrayList<>();
    int batches = 0;
    for (Path segment : segments()) {
      try (FileRecords records = FileRecords.open(segment.toFile(), false)) {
        for (FileChannelRecordBatch batch : records.batches()) {
          if (!batch.isControlBatch()) {
            compressions.add(batch.compressionType());
            batches++;
          }
        }
      }
    }
    assertThat(compressions).containsOnly(CompressionType.ZSTD);
    assertThat((double) logBytes() / reports)
        .as("bytes an event, in %d batches, with the transactions' markers", batches)
        .isLessThanOrEqualTo(MOST_BYTES_OF_JOB);
  }

  /** Writes events as the job's sink does, a transaction after every {@code inOne} of them. */
  private void write(List<AccountingEvent> events, int inOne) throws Exception {
    JobConfig config = JobConfig.of(testTopics.defaults());
    Properties properties = new KafkaIo(config, BrokerLimits.DEFAULTS).producerProperties();
    properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "bytes-" + inOne);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.initTransactions();
      for (int from = 0; from < events.size(); from += inOne) {
        producer.beginTransaction();
        List<Future<RecordMetadata>> sends = new ArrayList<>();
        for (AccountingEvent event : events.subList(from, from + inOne)) {
          sends.add(
              producer.send(
                  new ProducerRecord<>(
                      testTopics.topics.accounting(),
                      0,
                      AccountingKey.of(event),
                      new AccountingEventWriter().write(event))));
        }
        producer.commitTransaction();
        for (Future<RecordMetadata> send : sends) {
          send.get();
        }
      }
    }
  }

  private AccountingEvent lastEvent(int user, int reports) throws Exception {
    Ledger ledger = new Ledger();
    HeapAccount account = new HeapAccount();
    ReportIntake intake = new ReportIntake(SPEC, 0);
    ReportDecoder decoder = new ReportDecoder();
    AccountingEvent last = null;
    for (int i = 0; i < reports; i++) {
      GradientReport report = report(user);
      Received decoded =
          decoder.decode(
              report.getUserId().getBytes(UTF_8),
              report.toByteArray(),
              false,
              new Source("croupier.gradients", user % 16, 5_000_000_000L + user, 0));
      last = ledger.judge((Report) decoded, intake.terms(), account);
    }
    assertThat(last.getOutcome()).isEqualTo(AccountingEvent.Outcome.ADMITTED);
    return last;
  }

  private GradientReport report(int user) throws Exception {
    return GradientReport.newBuilder()
        .setModelId(SPEC.getModelId())
        .setRound(0)
        .setUserId(userId(user))
        .setDeviceId(UUID.nameUUIDFromBytes(("device " + user).getBytes(UTF_8)).toString())
        .setSequence(sequences.merge(user, 1L, Long::sum))
        .setCandidate(
            Candidate.newBuilder()
                .setDimension(SPEC.getDimension())
                .setSeed(random.nextLong())
                .setIndex(random.nextInt(256)))
        .setPrivUnit(PrivUnit.newBuilder().setEpsilon(1).setCandidates(256).setTop(90))
        .build();
  }

  private static String userId(int user) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(("user " + user).getBytes(UTF_8));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
  }

  private long logBytes() throws Exception {
    return segments().stream().map(Path::toFile).mapToLong(File::length).sum();
  }

  /** The segments of the accounting topic alone: brokers replace files beside them meanwhile. */
  private List<Path> segments() throws Exception {
    List<Path> segments = new ArrayList<>();
    try (DirectoryStream<Path> partitions =
        Files.newDirectoryStream(partitions(), testTopics.topics.accounting() + "-*")) {
      for (Path partition : partitions) {
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(partition, "*.log")) {
          logs.forEach(segments::add);
        }
      }
    }
    return segments;
  }
}
