package io.croupier.job;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.KeptRecords.RecordLocation;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of state and records that earlier releases wrote, each on a broker of its own. */
abstract class KeptStateFixture {
  static final String BEFORE = "before.gz";
  static final String AFTER = "after.gz";

  @TempDir Path directory;
  TestTopics testTopics;
  JobClient job;
  private EmbeddedBroker broker;

  /** The prefix of the topics that the records were on. */
  abstract String prefix();

  @BeforeEach
  void openTopics() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("broker"), KeptRecords.BROKER_SETTINGS);
    testTopics = new TestTopics(broker, prefix());
  }

  @AfterEach
  void closeTopics() throws Exception {
    if (job != null) {
      TestJobs.cancel(job);
    }
    testTopics.close();
    broker.close();
  }

  /** The names of the releases that have a directory in {@code kept}. */
  static Stream<Path> releases(Path kept) throws IOException {
    try (Stream<Path> releases = Files.list(kept)) {
      return releases.map(Path::getFileName).sorted().toList().stream();
    }
  }

  /** Starts a job with more settings than the usual ones. */
  void start(LedgerStart ledger, Map<String, String> more) throws Exception {
    Map<String, String> settings = testTopics.settings();
    settings.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    settings.putAll(more);
    job = TestJobs.submit(settings, ledger);
  }

  /** Takes a savepoint while the job runs, and returns its path. */
  String savepoint() throws Exception {
    String savepoints = directory.resolve("savepoints").toUri().toString();
    return job.triggerSavepoint(savepoints, SavepointFormatType.CANONICAL).get(5, TimeUnit.MINUTES);
  }

  /** All committed records on the topics that a job with a journal reads or writes, and on more. */
  Map<RecordLocation, ConsumerRecord<byte[], byte[]>> committed(String... more) throws Exception {
    Topics topics = testTopics.topics;
    List<String> all = new ArrayList<>(List.of(more));
    all.addAll(List.of(topics.models(), topics.gradients(), topics.rawGradients()));
    all.addAll(List.of(topics.updates(), topics.accounting(), topics.guarantees()));
    all.add(topics.journal());
    return KeptRecords.committed(testTopics, all);
  }
}
