package io.croupier.cli.demo;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.cli.InputException;
import io.croupier.cli.ScratchDirectory;
import io.croupier.job.CroupierJob;
import io.croupier.job.JobConfig;
import io.croupier.job.KafkaTopics;
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
 * Where a demonstration takes place: a broker (or somebody's own), topics for this run alone, and
 * the job in a local Flink. Closing it, from any thread and at any time, leaves nothing running and
 * nothing behind.
 */
final class DemoEnvironment implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DemoEnvironment.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int PARTITIONS = 2;

  private final String foreignKafka;
  private final boolean keep;
  private final String runId;
  private final boolean journal;
  private ScratchDirectory directory;
  private EmbeddedBroker broker;
  private boolean topicsCreated;
  private JobClient job;
  private boolean closed;

  /**
   * Sets nothing up yet.
   *
   * @param foreignKafka address of an existing broker; empty: start one
   * @param keep whether the topics on an existing broker stay
   * @param runId part of the topics' names
   * @param journal whether the job keeps a journal
   */
  DemoEnvironment(String foreignKafka, boolean keep, String runId, boolean journal) {
    this.foreignKafka = foreignKafka;
    this.keep = keep;
    this.runId = runId;
    this.journal = journal;
  }

  /** Sets everything up, and waits until the job is submitted. */
  void open() throws Exception {
    openBroker();
    createTopics();
    submitJob();
  }

  /** Properties for this run's Kafka clients. */
  Map<String, Object> kafka() {
    return new HashMap<>(Map.of("bootstrap.servers", bootstrapServers()));
  }

  /** This run's topics. */
  Topics topics() {
    return Topics.withPrefix(prefix());
  }

  /** First part of their names. */
  String prefix() {
    return "croupier-demo-" + runId;
  }

  /** Fails if the job has ended, which it never does by itself. */
  void checkJob() {
    if (job.getJobExecutionResult().isDone()) {
      throw new IllegalStateException("The job has ended before its time", cause());
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
   * Ends the job; Kafka stays, and what the job wrote on its topics changes no more, but that the
   * brokers may take a moment to show what was committed last.
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
   * @throws IllegalStateException if it doesn't come within {@code patience}
   */
  static void end(JobClient job, Duration patience) throws InterruptedException {
    // It is a failure, a CancellationException inside; all that counts is that it has come.
    CompletableFuture<String> end = job.getJobExecutionResult().handle((result, failure) -> "");
    if (end.isDone()) {
      return;
    }
    // A job that is about to end by itself may refuse.
    CompletableFuture<Throwable> refusal = job.cancel().handle((done, failure) -> failure);
    try {
      refusal.thenCompose(any -> end).get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "The job didn't end within %s s of being cancelled".formatted(patience.toMillis() / 1e3),
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
      KafkaTopics.create(admin, topics(), PARTITIONS, (short) -1);
    } catch (ExecutionException e) {
      throw new InputException(
          "%s: the topics %s.* can't be created: %s"
              .formatted(bootstrapServers(), prefix(), e.getCause().getMessage()),
          e);
    }
  }

  private synchronized void submitJob() throws Exception {
    checkOpen();
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", bootstrapServers());
    settings.put("topics.prefix", prefix());
    settings.put("parallelism", "1");
    settings.put("checkpoint.interval", "250 ms");
    settings.put("journal.enabled", Boolean.toString(journal));
    settings.put(
        "checkpoint.directory", directory.path().resolve("checkpoints").toUri().toString());
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(1, cluster()),
            JobConfig.of(settings));
  }

  /** A small Flink, all of whose files are in the run's directory. */
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
      throw new CancellationException("closed while it was being set up");
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
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
      LOG.warn("The job goes on while all else is taken down", e);
    }
  }

  private void deleteTopics() {
    try (Admin admin = Admin.create(kafka())) {
      KafkaTopics.delete(admin, topics());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      LOG.error("The topics {}.* can't be deleted", prefix(), e);
    }
  }
}
