package io.croupier.cli;

import io.croupier.job.CroupierJob;
import io.croupier.job.JobConfig;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the job in this process. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    abbreviateSynopsis = true,
    description = {
      "Runs the job in this process, against your Kafka.",
      "It runs until it is interrupted. The topics must exist (see 'croupier topics create')."
    },
    footer = {
      "",
      "A configuration that will do:",
      "  kafka:",
      "    bootstrap.servers: broker-1:9092",
      "  checkpoint:",
      "    interval: 1 s",
      "    directory: file:///var/lib/croupier/checkpoints"
    })
final class RunCommand implements Callable<Integer> {

  private static final long CANCEL_SECONDS = 10;

  @Mixin private Connection connection;

  private volatile boolean interrupted;

  @Override
  public Integer call() throws Exception {
    Log.toConsole();
    JobConfig config = connection.config();
    Configuration cluster = Configuration.fromMap(config.flink());
    if (!cluster.contains(RestOptions.BIND_ADDRESS)) {
      cluster.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
    }
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(config.parallelism(), cluster);
    JobClient job;
    try {
      job = CroupierJob.submit(environment, config);
    } catch (IllegalStateException e) {
      throw new InputException(e.getMessage(), e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> cancel(job), "cancel"));
    System.err.println("Running. Ctrl-C ends it.");
    try {
      job.getJobExecutionResult().get();
      return 0;
    } catch (ExecutionException e) {
      if (interrupted) {
        return 0;
      }
      throw new IllegalStateException("The job has failed", e.getCause());
    }
  }

  private void cancel(JobClient job) {
    interrupted = true;
    try {
      job.cancel().get(CANCEL_SECONDS, TimeUnit.SECONDS);
      job.getJobExecutionResult().handle((result, end) -> "").get(CANCEL_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | IllegalStateException e) {
      System.err.println("The job was not cancelled in time: " + e.getMessage());
    }
  }
}
