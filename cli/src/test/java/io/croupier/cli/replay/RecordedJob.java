package io.croupier.cli.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.ModelUpdate.Wait;
import io.croupier.schemas.RecordedReport;
import io.croupier.schemas.Topics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A job with a journal, its input, and all its output so far. */
final class RecordedJob implements AutoCloseable {
  private static final int PARTITIONS = 3;
  private static final long CANCEL_SECONDS = 60;

  private final Map<String, String> kafka;
  private final String prefix;
  private final KafkaProducer<byte[], byte[]> producer;
  private final List<Future<RecordMetadata>> sends = new ArrayList<>();
  private final Topics topics;
  private final TopicFollower<ModelUpdate> updates;
  private final TopicFollower<AccountingEvent> accounting;
  private final TopicFollower<JournalEntry> journal;
  private final TopicFollower<RecordedReport> gradients;
  private int gradientsSent;
  private int reportsSent;
  private JobClient job;

  /** Creates topics; the job is not started yet. */
  RecordedJob(EmbeddedBroker broker, String prefix) throws Exception {
    this.prefix = prefix;
    kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    topics = Topics.withPrefix(prefix);
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka))) {
      KafkaTopics.create(admin, topics, PARTITIONS, (short) 1);
    }
    ByteArraySerializer bytes = new ByteArraySerializer();
    producer = new KafkaProducer<>(Map.<String, Object>copyOf(kafka), bytes, bytes);
    updates = new TopicFollower<>(kafka, topics.updates(), r -> ModelUpdate.parseFrom(r.value()));
    accounting = TopicFollower.events(kafka, topics.accounting());
    journal = new TopicFollower<>(kafka, topics.journal(), r -> JournalEntry.parseFrom(r.value()));
    gradients = new TopicFollower<>(kafka, topics.gradients(), RecordedJob::recorded);
  }

  /** A record with its position, even if it is not a report. */
  private static RecordedReport recorded(ConsumerRecord<byte[], byte[]> record) {
    Field report =
        Field.newBuilder().addLengthDelimited(ByteString.copyFrom(record.value())).build();
    return RecordedReport.newBuilder()
        .setTopic(record.topic())
        .setPartition(record.partition())
        .setOffset(record.offset())
        .setUnknownFields(
            UnknownFieldSet.newBuilder()
                .addField(RecordedReport.REPORT_FIELD_NUMBER, report)
                .build())
        .build();
  }

  /** Starts the job, with a checkpoint every 250 ms. */
  void start(StreamExecutionEnvironment environment, int parallelism, String checkpoints)
      throws Exception {
    Map<String, String> settings = new HashMap<>();
    kafka.forEach((key, value) -> settings.put("kafka." + key, value));
    settings.put("topics.prefix", prefix);
    settings.put("parallelism", String.valueOf(parallelism));
    settings.put("checkpoint.interval", "250 ms");
    settings.put("checkpoint.directory", checkpoints);
    settings.put("journal.enabled", "true");
    // At the end of a test, no report names the last round.
    settings.put("publication.hold", "250 ms");
    settings.put("flink.restart-strategy.type", "fixed-delay");
    settings.put("flink.restart-strategy.fixed-delay.attempts", "100");
    settings.put("flink.restart-strategy.fixed-delay.delay", "100 ms");
    job = CroupierJob.submit(environment, JobConfig.of(settings));
  }

  JobID jobId() {
    return job.getJobID();
  }

  void publish(ModelSpec spec) {
    send(topics.models(), spec.getModelId(), spec.toByteArray());
  }

  void send(GradientReport report) {
    sendGradient(report.getUserId(), report.toByteArray());
    reportsSent++;
  }

  /** Sends a record that is not a report. */
  void sendMalformed(String user, byte[] bytes) {
    sendGradient(user, bytes);
  }

  private void sendGradient(String user, byte[] bytes) {
    send(topics.gradients(), user, bytes);
    gradientsSent++;
  }

  private void send(String topic, String key, byte[] value) {
    sends.add(producer.send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value)));
  }

  /** Waits until the broker has acknowledged all records. */
  void flush() throws Exception {
    producer.flush();
    for (Future<RecordMetadata> send : sends) {
      send.get();
    }
    sends.clear();
  }

  /** Waits until every report is judged and the models have nothing left to publish. */
  void awaitPublished(List<ModelSpec> specs) throws Exception {
    for (ModelSpec spec : specs) {
      awaitPublished(spec);
    }
  }

  private void awaitPublished(ModelSpec spec) throws Exception {
    String id = spec.getModelId();
    accounting.await("event for each report", () -> accounting.read().size() == reportsSent);
    long admitted = admitted(id);
    updates.await(
        "update of " + id + " that counts " + admitted,
        () -> {
          List<ModelUpdate> published = updates(id);
          return !published.isEmpty()
              && isSettled(spec, published.get(published.size() - 1), admitted);
        });
  }

  private static boolean isSettled(ModelSpec spec, ModelUpdate update, long admitted) {
    long dropped =
        update.getDroppedStale() + update.getDroppedUnpublished() + update.getDroppedBound();
    return update.getUsed() + update.getAnswers() + update.getOpen() + dropped == admitted
        && (update.getOpen() == 0
            || (update.getWaitsFor() == Wait.REPORTS && !spec.hasRoundTimeoutMs()));
  }

  private long admitted(String modelId) {
    return accounting.read().stream()
        .filter(event -> event.getModelId().equals(modelId))
        .filter(event -> event.getOutcome() == AccountingEvent.Outcome.ADMITTED)
        .count();
  }

  /** Every published update of a model so far. */
  List<ModelUpdate> updates(String modelId) {
    return updates.read().stream().filter(u -> u.getModelId().equals(modelId)).toList();
  }

  /** Every accounting event so far. */
  List<AccountingEvent> events() {
    return accounting.read();
  }

  /** All records of the gradients topic, one partition after the other. */
  List<RecordedReport> recording() throws Exception {
    gradients.await("record for each sent", () -> gradients.read().size() == gradientsSent);
    List<RecordedReport> recording = new ArrayList<>(gradients.read());
    recording.sort((a, b) -> Integer.compare(a.getPartition(), b.getPartition()));
    return recording;
  }

  /**
   * Waits until the journal has every admitted report and every update of the models, and no update
   * that is not read yet; returns it. A job whose input has ended may still publish: a round's
   * weights become visible after {@code publication.hold}.
   */
  List<JournalEntry> awaitJournal(List<ModelSpec> specs) throws Exception {
    journal.await(
        "entry for each report and update",
        () -> {
          updates.look();
          return specs.stream().map(ModelSpec::getModelId).allMatch(this::isJournaled);
        });
    return journal.read();
  }

  private boolean isJournaled(String modelId) {
    List<JournalEntry.Bundle> bundles = bundles(modelId);
    return bundles.stream().mapToInt(JournalEntry.Bundle::getPositionsCount).sum()
            == admitted(modelId)
        && bundles.stream().filter(JournalEntry.Bundle::getPublished).count()
            == updates(modelId).size() - (omitsFirstUpdate(bundles) ? 1 : 0);
  }

  /** Whether the journal omits the first update, since it precedes all reports. */
  private static boolean omitsFirstUpdate(List<JournalEntry.Bundle> bundles) {
    return bundles.isEmpty()
        || bundles.get(0).getPositionsCount() > 0
        || !bundles.get(0).hasNamedRound();
  }

  /** The bundles of a model in the journal so far. */
  List<JournalEntry.Bundle> bundles(String modelId) {
    return journal.read().stream()
        .filter(entry -> entry.getModelId().equals(modelId))
        .flatMap(entry -> entry.getBundlesList().stream())
        .toList();
  }

  @Override
  public void close() {
    if (job != null) {
      job.cancel().orTimeout(CANCEL_SECONDS, TimeUnit.SECONDS).join();
      job.getJobExecutionResult()
          .handle((result, end) -> "")
          .orTimeout(CANCEL_SECONDS, TimeUnit.SECONDS)
          .join();
    }
    producer.close();
    updates.close();
    accounting.close();
    journal.close();
    gradients.close();
  }
}
