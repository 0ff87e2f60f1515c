package io.croupier.cli.run;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.ScratchDirectory;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.ConfigKey;
import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.RefusedStartException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.client.JobInitializationException;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.FlinkException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the job in this process. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    description = {
      "Runs the job in this process until it is interrupted.",
      "",
      "The job uses your Kafka brokers. The topics must exist (see 'croupier topics create'). If"
          + " the accounting topic has records, one of --from, --rebuild-ledger and --new-ledger"
          + " is required."
    },
    footer = {
      "",
      "A minimal configuration:",
      "  kafka:",
      "    bootstrap.servers: broker-1:9092",
      "  checkpoint:",
      "    interval: 1 s",
      "    directory: file:///var/lib/croupier/checkpoints"
    })
public final class RunCommand implements Callable<Integer> {

  private static final long CANCEL_SECONDS = 10;

  @Mixin private ConnectionOptions connection;

  @ArgGroup(exclusive = true)
  private StartOptions start = new StartOptions();

  private volatile JobClient job;
  private volatile boolean interrupted;

  /** The accounts with which the job starts. */
  private static final class StartOptions {
    @Option(
        names = "--from",
        paramLabel = "PATH",
        description = "Restores the job from this savepoint or checkpoint (a directory chk-N).")
    private String path;

    @Option(
        names = "--rebuild-ledger",
        description =
            "If the state is lost: first adds up all accounts again from the accounting topic, then"
                + " continues behind the last report on it. Models continue from the average of"
                + " their last update. If it was interrupted, run it again: it begins anew.")
    private boolean rebuild;

    @Option(
        names = "--new-ledger",
        description =
            "If the state is lost: starts with empty accounts, and so forgets what all users have"
                + " spent. Models begin anew.")
    private boolean forget;

    private Map<String, String> settings() {
      return path == null
          ? Map.of()
          : Map.of(ConfigKey.FLINK + StateRecoveryOptions.SAVEPOINT_PATH.key(), path);
    }

    private LedgerStart ledger() {
      if (rebuild) {
        return LedgerStart.REBUILD;
      }
      return forget ? LedgerStart.NEW : LedgerStart.REQUIRE_STATE;
    }
  }

  @Override
  public Integer call() throws Exception {
    Log.toConsole();
    Log.leaveOut(RefusedStartException.class);
    Log.leaveOut(JobInitializationException.class);
    // Flink logs it, too, when it cancels what it can't start.
    Log.leaveOut(CancellationException.class);
    JobConfig config = connection.connected(start.settings());
    ScratchDirectory directory = ScratchDirectory.create("croupier-run-");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(directory), "end"));
    return run(config, directory);
  }

  /** Runs the job until it ends. */
  private int run(JobConfig config, ScratchDirectory directory) throws Exception {
    Configuration cluster = Configuration.fromMap(config.flink().options());
    directory.configure(cluster);
    if (!cluster.contains(RestOptions.BIND_ADDRESS)) {
      cluster.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
    }
    StreamExecutionEnvironment environment =
        // Without the first argument, a local Flink runs one subtask per core.
        StreamExecutionEnvironment.createLocalEnvironment(
            cluster.get(CoreOptions.DEFAULT_PARALLELISM), cluster);
    try {
      job = CroupierJob.submit(environment, config, start.ledger());
    } catch (IllegalStateException | IllegalArgumentException | RefusedStartException e) {
      throw new InputException(e.getMessage(), e);
    } catch (FlinkException e) {
      throw new InputException(
          "Flink can't start the job with %s and flink.* as they are: %s"
              .formatted(ConfigKey.CHECKPOINT_DIRECTORY.key(), causes(e)),
          e);
    }
    System.err.println("The job is running. Press Ctrl-C to stop it.");
    if (environment
        .getConfiguration()
        .getOptional(CheckpointingOptions.CHECKPOINTS_DIRECTORY)
        .isEmpty()) {
      System.err.printf(
          "%s isn't set, so the state ends with this process: a later one needs --rebuild-ledger.%n",
          ConfigKey.CHECKPOINT_DIRECTORY.key());
    }
    try {
      job.getJobExecutionResult().get();
      return 0;
    } catch (ExecutionException e) {
      job = null; // It has ended, so nothing is left to cancel.
      if (interrupted) {
        return 0;
      }
      RefusedStartException refusal =
          ExceptionUtils.throwableOfType(e, RefusedStartException.class);
      if (refusal != null) {
        throw new InputException(refusal.getMessage(), e);
      }
      throw new IllegalStateException("The job failed", e.getCause());
    }
  }

  /** What is behind Flink's own exceptions, from which each wrapper is left out. */
  private static String causes(FlinkException failed) {
    return ExceptionUtils.getThrowableList(failed).stream()
        .dropWhile(each -> !(each instanceof JobInitializationException))
        .skip(1)
        .filter(
            each ->
                each.getCause() == null
                    || !Objects.equals(each.getMessage(), each.getCause().toString()))
        .map(each -> Objects.requireNonNullElse(each.getMessage(), each.toString()))
        .collect(Collectors.joining(": "));
  }

  private void end(ScratchDirectory directory) {
    interrupted = true;
    JobClient running = job;
    if (running != null) {
      cancel(running).ifPresent(System.err::println);
    }
    directory.close();
  }

  /** Cancels a job; returns why that failed, if it did. */
  static Optional<String> cancel(JobClient running) {
    try {
      running.cancel().get(CANCEL_SECONDS, TimeUnit.SECONDS);
      running
          .getJobExecutionResult()
          .handle((result, end) -> "")
          .get(CANCEL_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      return Optional.of("The job was not cancelled within %d s".formatted(CANCEL_SECONDS));
    } catch (ExecutionException | IllegalStateException e) {
      return Optional.of("The job was not cancelled: " + e.getMessage());
    }
    return Optional.empty();
  }
}
