package io.croupier.bench.speed;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.commons.io.FileUtils;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.TopicConfig;

/** A broker with its topics, and a directory for checkpoints; closing deletes everything. */
final class BenchmarkEnvironment implements AutoCloseable {
  /** Kafka's default. */
  private static final int MOST_RECORD_BYTES = 1 << 20;

  private final Path directory;
  private final EmbeddedBroker broker;
  private final Admin admin;
  private final Map<String, String> flink;
  private int named;

  private BenchmarkEnvironment(Path directory, EmbeddedBroker broker, Map<String, String> flink) {
    this.directory = directory;
    this.flink = Map.copyOf(flink);
    this.broker = broker;
    admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
  }

  /**
   * Starts the broker.
   *
   * @param flink settings of every job's cluster
   */
  static BenchmarkEnvironment open(Map<String, String> flink) throws IOException {
    Path directory = Files.createTempDirectory("croupier-speed-");
    // A run writes gigabytes, so deleted segments must be removed immediately.
    Map<String, String> settings = Map.of("log.segment.delete.delay.ms", "500");
    return new BenchmarkEnvironment(
        directory, EmbeddedBroker.start(directory.resolve("broker"), settings), flink);
  }

  Map<String, String> flink() {
    return flink;
  }

  Admin admin() {
    return admin;
  }

  String bootstrapServers() {
    return broker.bootstrapServers();
  }

  /** A new, unique name. */
  String name(String kind) {
    return kind + "-" + named++;
  }

  /** A directory for the checkpoints of a job. */
  Path checkpoints(String job) {
    return directory.resolve("checkpoints").resolve(job);
  }

  void create(String topic, int partitions) throws ExecutionException, InterruptedException {
    KafkaTopics.create(admin, List.of(new NewTopic(topic, partitions, (short) 1)));
  }

  /** Creates the missing topics of a job, and publishes the specs. */
  void create(Topics topics, List<ModelSpec> specs, int partitions)
      throws ExecutionException, InterruptedException {
    KafkaTopics.create(admin, topics, partitions, (short) 1);
    try (Sender sender = sender()) {
      for (ModelSpec spec : specs) {
        sender.send(topics.models(), spec.getModelId().getBytes(UTF_8), spec.toByteArray());
      }
    }
  }

  /**
   * Writes reports to a new topic, and waits for their acknowledgements. All name the initial
   * round: the job that reads them lags, so it publishes no other round until it has read them.
   */
  String backlog(Reports reports, long records, int partitions)
      throws ExecutionException, InterruptedException {
    String topic = name("reports");
    NewTopic appendTimes = new NewTopic(topic, partitions, (short) 1);
    appendTimes.configs(Map.of(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime"));
    KafkaTopics.create(admin, List.of(appendTimes));
    try (Sender sender = sender()) {
      for (long i = 0; i < records; i++) {
        sender.send(topic, reports.key(i), reports.value(i, 0));
      }
    }
    return topic;
  }

  /** Size of a topic's records in the broker's log, keys and batch headers included. */
  long bytes(String topic) throws ExecutionException, InterruptedException {
    return admin
        .describeLogDirs(admin.describeCluster().nodes().get().stream().map(Node::id).toList())
        .allDescriptions()
        .get()
        .values()
        .stream()
        .flatMap(directories -> directories.values().stream())
        .flatMap(directory -> directory.replicaInfos().entrySet().stream())
        .filter(replica -> replica.getKey().topic().equals(topic))
        .mapToLong(replica -> replica.getValue().size())
        .sum();
  }

  Sender sender() {
    return sender("none");
  }

  Sender sender(String compression) {
    return new Sender(bootstrapServers(), MOST_RECORD_BYTES, compression);
  }

  void delete(Collection<String> topics) throws ExecutionException, InterruptedException {
    admin.deleteTopics(topics).all().get();
  }

  @Override
  public void close() throws IOException {
    admin.close();
    broker.close();
    FileUtils.deleteDirectory(directory.toFile());
  }
}
