package io.croupier.job;

import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.job.kafka.OutputSink;
import io.croupier.job.restart.CompactedAccounts;
import io.croupier.job.restart.EventsToRebuild;
import io.croupier.job.restart.OutputEnds;
import io.croupier.job.restart.RebuiltOffsets;
import io.croupier.operators.flink.ledger.RebuildOperator;
import io.croupier.operators.flink.ledger.RebuildResult;
import io.croupier.operators.flink.ledger.RebuildResult.AccountedPosition;
import io.croupier.operators.flink.ledger.UserOfEvent;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.TopicEnd;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.client.JobExecutionException;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds a lost ledger from the accounting topic, in a Flink job of its own: all its subtasks
 * read the topic up to its end at the start. It takes no checkpoint: after a failure it begins anew
 * if it has a restart strategy. Its savepoint contains the accounts in the state of the ledger's
 * operator.
 */
final class LedgerRebuild {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerRebuild.class);
  private static final String NAME = "croupier-ledger-rebuild";
  private static final Duration LOG_EVERY = Duration.ofSeconds(5);
  private static final Duration HEARTBEAT = Duration.ofSeconds(1);
  private static final long POLL_MS = 200;
  private static final int SAVEPOINT_ATTEMPTS = 20;
  private static final long SAVEPOINT_RETRY_MS = 500;
  private static final long END_S = 60;

  private final StreamExecutionEnvironment env;
  private final JobConfig config;
  private final KafkaIo io;

  /** Whether earlier events may be missing, since the newest of each key suffice. */
  private boolean isCompacted;

  LedgerRebuild(StreamExecutionEnvironment env, JobConfig config, KafkaIo io) {
    this.env = env;
    this.config = config;
    this.io = io;
  }

  /**
   * Runs the rebuild to its end.
   *
   * @return the savepoint from which the job starts
   * @throws RefusedStartException if the accounts can't be rebuilt from the topic
   * @throws IllegalStateException if there is no directory for the savepoint
   */
  String run() throws Exception {
    JobEnvironment.configure(env, config);
    Configuration original = new Configuration((Configuration) env.getConfiguration());
    String directory =
        original
            .getOptional(CheckpointingOptions.CHECKPOINTS_DIRECTORY)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "A rebuild of the ledger needs a directory for its savepoint; set"
                            + " checkpoint.directory"));
    EventsToRebuild events =
        new EventsToRebuild(
            config.kafka(),
            config.topics().accounting(),
            OutputSink.allTransactions(config.topics().updates()));
    isCompacted =
        new CompactedAccounts(config.kafka(), config.topics().accounting()).requireVersion2();
    TopicEnd end = events.end();
    configure();
    build(end);
    // Jobs with other topics may have the same directory.
    Path savepoints = new Path(new Path(directory, "ledger-rebuild"), config.topics().accounting());
    String savepoint = execute(savepoints.toString(), events, end);
    env.configure(whole(original));
    LOG.info("The rebuilt ledger is in the savepoint {}", savepoint);
    return savepoint;
  }

  /** Names what was a default or another option's value, so that it replaces the rebuild's. */
  private static Configuration whole(Configuration original) {
    original.set(
        HeartbeatManagerOptions.HEARTBEAT_INTERVAL,
        original.get(HeartbeatManagerOptions.HEARTBEAT_INTERVAL));
    if (original.contains(RestOptions.BIND_PORT)) {
      original.set(RestOptions.BIND_PORT, original.get(RestOptions.BIND_PORT));
    }
    return original;
  }

  private void configure() {
    Configuration rebuild = new Configuration();
    // These two only concern a cluster inside this process. The job's own cluster follows at once,
    // and the end of the rebuild is known at the next heartbeat.
    rebuild.set(RestOptions.BIND_PORT, "0");
    rebuild.set(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, HEARTBEAT);
    env.configure(rebuild);
    env.getCheckpointConfig().disableCheckpointing();
  }

  private void build(TopicEnd end) {
    env.fromSource(io.accounting(end), WatermarkStrategy.noWatermarks(), "accounting")
        .uid(Uids.ACCOUNTING_SOURCE)
        .keyBy(new UserOfEvent(), Types.STRING)
        .connect(
            env.fromSource(
                    io.laterAccounting(end), WatermarkStrategy.noWatermarks(), "later-accounting")
                .setParallelism(1)
                .uid(Uids.LATER_ACCOUNTING_SOURCE)
                .broadcast())
        .transform("ledger-rebuild", Types.INT, new RebuildOperator(end))
        .uid(Uids.LEDGER);
  }

  private String execute(String savepoints, EventsToRebuild events, TopicEnd end) throws Exception {
    JobClient job = env.executeAsync(NAME);
    try {
      for (int attempt = 1; ; attempt++) {
        RebuildResult result = await(job, events, end);
        Optional<String> savepoint = stop(job, savepoints, attempt);
        if (savepoint.isPresent()) {
          warn(result);
          RebuiltOffsets.write(savepoint.get(), judged(result));
          job.getJobExecutionResult().get(END_S, TimeUnit.SECONDS);
          return savepoint.get();
        }
        Thread.sleep(SAVEPOINT_RETRY_MS);
      }
    } catch (Exception e) {
      end(job);
      throw e;
    }
  }

  /**
   * Stops the job with a savepoint: after a job that was cancelled, an application cluster ends.
   *
   * @return empty if no savepoint can be taken now
   */
  private static Optional<String> stop(JobClient job, String savepoints, int attempt)
      throws IOException, InterruptedException {
    try {
      return Optional.of(
          job.stopWithSavepoint(false, savepoints, SavepointFormatType.NATIVE).get());
    } catch (ExecutionException | IllegalStateException e) {
      // Tasks that end decline a savepoint, and those of the first source have just read all.
      if (attempt == SAVEPOINT_ATTEMPTS) {
        throw new IOException("No savepoint of the rebuilt ledger could be taken", e);
      }
      LOG.info("The savepoint of the rebuilt ledger failed, and is taken again", e);
      return Optional.empty();
    }
  }

  /**
   * Cancels the job, unless it has ended, and waits for its end, since the next job needs its
   * slots.
   */
  static void end(JobClient job) throws InterruptedException {
    if (hasEnded(job.getJobExecutionResult())) {
      return;
    }
    try {
      job.cancel().get(END_S, TimeUnit.SECONDS);
      // The result is requested once more, since the first request may have failed.
      job.getJobExecutionResult().handle((result, failure) -> "").get(END_S, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException | IllegalStateException e) {
      LOG.warn("The rebuild's job {} may not be cancelled", job.getJobID(), e);
    }
  }

  /** The request also fails if the cluster doesn't answer, and then the job may still run. */
  private static boolean hasEnded(CompletableFuture<JobExecutionResult> result) {
    return result.isDone()
        && result
            .handle(
                (success, failure) ->
                    failure == null
                        || ExceptionUtils.findThrowable(failure, JobExecutionException.class)
                            .isPresent())
            .join();
  }

  /**
   * Waits until all subtasks have added the events of their users. Fails as soon as events are
   * missing or new.
   */
  private RebuildResult await(JobClient job, EventsToRebuild events, TopicEnd end)
      throws IOException, InterruptedException {
    CompletableFuture<JobExecutionResult> failure = job.getJobExecutionResult();
    long total = end.offsets().stream().mapToLong(Long::longValue).sum();
    long nextLog = System.nanoTime();
    while (true) {
      boolean hasFailed = failure.isDone();
      RebuildResult result = RebuildResult.of(accumulators(job));
      if (hasFailed || result.complete() || System.nanoTime() - nextLog >= 0) {
        nextLog = System.nanoTime() + LOG_EVERY.toNanos();
        LOG.info(
            "The ledger is {} from {}: {} events added, of {} offsets",
            result.complete() ? "rebuilt" : "being rebuilt",
            config.topics().accounting(),
            result.added(),
            total);
        // A source whose events were deleted fails, and Flink may restart it for ever.
        try {
          events.requireLast(end);
        } catch (IOException e) {
          if (result.complete()) {
            throw e;
          }
          LOG.warn("The end of {} can't be read now", config.topics().accounting(), e);
        }
      }
      if (hasFailed) {
        throw failed(failure);
      }
      if (result.complete()) {
        return result;
      }
      Thread.sleep(POLL_MS);
    }
  }

  /**
   * Returns the highest judged reports. Of a user whose reports have moved to another partition, a
   * compacted topic has no event of the earlier one; the progress of the earlier runs has.
   */
  private List<AccountedPosition> judged(RebuildResult result) throws IOException {
    List<AccountedPosition> judged = new ArrayList<>(result.highest());
    if (!isCompacted) {
      return judged;
    }
    io.visible(OutputEnds.NONE)
        .progress(record -> false)
        .forEachJudged(
            (topic, partition, offset) ->
                judged.add(new AccountedPosition(topic, partition, offset)));
    return judged;
  }

  private void warn(RebuildResult result) {
    if (result.differing() > 0 && !isCompacted) {
      LOG.warn(
          "{} events of the accounting topic {} contain other totals than the earlier events add up"
              + " to: some are missing, or a new ledger was begun. The larger totals are used",
          result.differing(),
          config.topics().accounting());
    }
  }

  /** Returns what the job last reported; nothing while it can't be asked. */
  private static Map<String, Object> accumulators(JobClient job) throws InterruptedException {
    try {
      return job.getAccumulators().get();
    } catch (ExecutionException | IllegalStateException e) {
      // A cluster inside this process ends with the job, before the job's end is known.
      LOG.debug("The rebuild's progress is not known", e);
      return Map.of();
    }
  }

  private static IOException failed(CompletableFuture<JobExecutionResult> failure)
      throws InterruptedException {
    try {
      failure.get();
      return new IOException("The rebuild of the ledger was stopped before its end");
    } catch (ExecutionException e) {
      ExceptionUtils.findThrowable(e, RefusedStartException.class)
          .ifPresent(
              refusal -> {
                throw refusal;
              });
      return new IOException("The rebuild of the ledger failed", e.getCause());
    }
  }
}
