package io.croupier.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;

class RunCommandTest {
  /** The exception of a future has no message. */
  @Test
  void namesTheTimeAfterWhichAJobWasNotCancelled() {
    CompletableFuture<Void> late =
        new CompletableFuture<>() {
          @Override
          public Void get(long timeout, TimeUnit unit) throws TimeoutException {
            throw new TimeoutException();
          }
        };
    assertThat(RunCommand.cancel(job(late))).hasValue("The job was not cancelled within 10 s");
  }

  @Test
  void namesWhyAJobWasNotCancelled() {
    CompletableFuture<Void> failed =
        CompletableFuture.failedFuture(new IllegalStateException("no such job"));
    assertThat(RunCommand.cancel(job(failed)).orElseThrow())
        .startsWith("The job was not cancelled: ")
        .endsWith("no such job");
  }

  private static JobClient job(CompletableFuture<Void> cancelled) {
    return (JobClient)
        Proxy.newProxyInstance(
            JobClient.class.getClassLoader(),
            new Class<?>[] {JobClient.class},
            (client, method, arguments) -> cancelled);
  }
}
