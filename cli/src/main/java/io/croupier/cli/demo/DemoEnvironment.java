package io.croupier.cli.demo;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.cli.InputException;
import io.croupier.cli.ScratchDirectory;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The environment of a demonstration: an embedded broker or existing brokers, topics of this run,
 * and the job in a local Flink cluster. {@link #close} may be called from any thread at any time,
 * and stops and deletes everything.
 */
final class DemoEnvironment implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DemoEnvironment.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** On brokers that outlive the demonstration. */
  private static final Duration KEEP = Duration.ofDays(1);

  private static final int PARTITIONS = 2;

  private final String foreignKafka;
  private final boolean keep;
  private final String runId;
  private final boolean journal;
  private final boolean anonymous;
  private ScratchDirectory directory;
  private EmbeddedBroker broker;
  private boolean topicsCreated;
  private JobClient job;
  private DemoGateway gateway;
  private boolean closed;

  /**
   * Prepares an environment.
   *
   * @param foreignKafka address of existing brokers; if empty, {@link #open} starts one
   * @param keep whether topics on existing brokers are kept
   * @param runId part of the topics' names
   * @param journal whether the job writes a journal
   * @param anonymous whether there is a gateway for anonymous reports
   */
  DemoEnvironment(
      String foreignKafka, boolean keep, String runId, boolean journal, boolean anonymous) {
    this.foreignKafka = foreignKafka;
    this.keep = keep;
    this.runId = runId;
    this.journal = journal;
    this.anonymous = anonymous;
  }

  /**
   * Starts the broker, creates the topics, submits the job and starts the gateway.
   *
   * @param started receives the name of each part that runs
   */
  void open(Consumer<String> started) throws Exception {
    openBroker();
    createTopics();
    started.accept("Kafka");
    submitJob();
    started.accept("Flink");
    if (anonymous) {
      openGateway();
    }
  }

  /** Properties for this run's Kafka clients. */
  Map<String, Object> kafka() {
    return new HashMap<>(Map.of("bootstrap.servers", bootstrapServers()));
  }

  /** This run's topics. */
  Topics topics() {
    return Topics.withPrefix(prefix());
  }

  /** The gateway for anonymous reports. */
  synchronized DemoGateway gateway() {
    checkOpen();
    return gateway;
  }

  /** First part of the topics' names. */
  String prefix() {
    return "croupier-demo-" + runId;
  }

  /** Throws if the job has ended, which it never does without a failure. */
  void checkJob() {
    if (job.getJobExecutionResult().isDone()) {
      throw new IllegalStateException("The job ended unexpectedly", cause());
    }
  }

  private Throwable cause() {
    try {
      job.getJobExecutionResult().getNow(null);
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  /**
   * Cancels the job; the brokers keep running. The job writes no more records, but the last
   * committed transaction may become visible with a short delay.
   *
   * @throws IllegalStateException if the job doesn't end within 10 s
   */
  synchronized void endJob() throws InterruptedException {
    checkOpen();
    end(job, PATIENCE);
    job = null;
  }

  /**
   * Cancels a job and waits for its end.
   *
   * @throws IllegalStateException if the job doesn't end within {@code patience}
   */
  static void end(JobClient job, Duration patience) throws InterruptedException {
    // A cancelled job completes with a CancellationException; only its completion matters.
    CompletableFuture<String> end = job.getJobExecutionResult().handle((result, failure) -> "");
    if (end.isDone()) {
      return;
    }
    // Cancelling may fail if the job is already ending.
    CompletableFuture<Throwable> refusal = job.cancel().handle((done, failure) -> failure);
    try {
      refusal.thenCompose(any -> end).get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "The job didn't end within %s s after it was cancelled"
              .formatted(patience.toMillis() / 1e3),
          refusal.getNow(null));
    }
  }

  private String bootstrapServers() {
    return foreignKafka.isEmpty() ? broker.bootstrapServers() : foreignKafka;
  }

  private synchronized void openBroker() throws IOException {
    checkOpen();
    directory = ScratchDirectory.create("croupier-demo-");
    if (foreignKafka.isEmpty()) {
      broker = EmbeddedBroker.start(directory.path().resolve("kafka"));
    }
  }

  private synchronized void createTopics() throws InterruptedException {
    checkOpen();
    try (Admin admin = Admin.create(kafka())) {
      topicsCreated = true;
      KafkaTopics.create(admin, topics(), Topic.ofJob(anonymous), KEEP, PARTITIONS, (short) -1);
    } catch (ExecutionException e) {
      throw new InputException(
          "%s: the topics %s.* can't be created: %s"
              .formatted(bootstrapServers(), prefix(), e.getCause().getMessage()),
          e);
    }
  }

  private synchronized void openGateway() throws IOException {
    checkOpen();
    gateway = new DemoGateway(directory.path(), kafka(), prefix());
  }

  private synchronized void submitJob() throws Exception {
    checkOpen();
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", bootstrapServers());
    settings.put("topics.prefix", prefix());
    settings.put("parallelism", "1");
    settings.put("checkpoint.interval", "250 ms");
    settings.put("journal.enabled", Boolean.toString(journal));
    settings.put("anonymous.enabled", Boolean.toString(anonymous));
    if (anonymous) {
      // On a slow machine, people may need that long for their tokens, before the first report.
      settings.put("publication.hold", "1 d");
    }
    settings.put(
        "checkpoint.directory", directory.path().resolve("checkpoints").toUri().toString());
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(1, cluster()),
            JobConfig.of(settings));
  }

  /** Configuration of a small Flink cluster that keeps all its files in the run's directory. */
  private Configuration cluster() {
    Configuration flink =
        new Configuration()
            .set(RestOptions.BIND_ADDRESS, "127.0.0.1")
            .set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(64))
            .set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(32))
            .set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(32));
    directory.configure(flink);
    return flink;
  }

  private void checkOpen() {
    if (closed) {
      throw new CancellationException("closed while starting");
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (gateway != null) {
      gateway.close();
    }
    if (job != null) {
      cancelJob();
    }
    if (topicsCreated && !foreignKafka.isEmpty() && !keep) {
      deleteTopics();
    }
    if (broker != null) {
      broker.close();
    }
    if (directory != null) {
      directory.close();
    }
  }

  private void cancelJob() {
    try {
      end(job, PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) {
      LOG.warn("The job is still running while the environment is closed", e);
    }
  }

  private void deleteTopics() {
    try (Admin admin = Admin.create(kafka())) {
      KafkaTopics.delete(admin, topics().names().values());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      LOG.error("The topics {}.* can't be deleted", prefix(), e);
    }
  }
}
