package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;

class DemoEnvironmentTest {

  private final CompletableFuture<JobExecutionResult> result = new CompletableFuture<>();

  @Test
  void aJobThatDoesNotEndWhenCancelledIsAnError() {
    JobClient goesOn = job(() -> CompletableFuture.completedFuture(null));
    Exception no = new Exception("no");

    assertThatIllegalStateException()
        .isThrownBy(() -> DemoEnvironment.end(goesOn, Duration.ofMillis(5)))
        .withMessage("The job didn't end within 0.005 s after it was cancelled");
    assertThatIllegalStateException()
        .isThrownBy(() -> DemoEnvironment.end(job(CompletableFuture::new), Duration.ofMillis(5)));
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                DemoEnvironment.end(
                    job(() -> CompletableFuture.failedFuture(no)), Duration.ofMillis(5)))
        .withCause(no);
  }

  @Test
  void aJobHasEndedHoweverItEnded() throws Exception {
    JobClient refuses =
        job(
            () -> {
              result.completeExceptionally(new CancellationException());
              return CompletableFuture.failedFuture(new Exception("it ends by itself"));
            });

    DemoEnvironment.end(refuses, Duration.ofSeconds(10));

    assertThat(result).isDone();
  }

  @Test
  void aJobThatHasEndedIsNotCancelled() throws Exception {
    result.complete(null);
    AtomicBoolean cancelled = new AtomicBoolean();

    DemoEnvironment.end(
        job(
            () -> {
              cancelled.set(true);
              return CompletableFuture.completedFuture(null);
            }),
        Duration.ofSeconds(10));

    assertThat(cancelled).isFalse();
  }

  /** A job that ends when {@link #result} completes, regardless of its cancellation. */
  private JobClient job(Supplier<CompletableFuture<Void>> cancellation) {
    return (JobClient)
        Proxy.newProxyInstance(
            JobClient.class.getClassLoader(),
            new Class<?>[] {JobClient.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "cancel" -> cancellation.get();
                  case "getJobExecutionResult" -> result;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
