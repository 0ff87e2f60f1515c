package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.client.JobExecutionException;
import org.junit.jupiter.api.Test;

class LedgerRebuildTest {
  private static final JobID ID = new JobID();

  private final List<String> requests = new ArrayList<>();

  /** A client whose first request for the job's result has an answer, and all later ones end. */
  private JobClient client(CompletableFuture<JobExecutionResult> first) {
    return (JobClient)
        Proxy.newProxyInstance(
            JobClient.class.getClassLoader(),
            new Class<?>[] {JobClient.class},
            (proxy, method, arguments) -> {
              boolean isFirst = requests.isEmpty();
              requests.add(method.getName());
              return switch (method.getName()) {
                case "getJobExecutionResult" ->
                    isFirst ? first : CompletableFuture.completedFuture(success());
                case "cancel" -> CompletableFuture.completedFuture(null);
                case "getJobID" -> ID;
                default -> throw new UnsupportedOperationException(method.getName());
              };
            });
  }

  private static JobExecutionResult success() {
    return new JobExecutionResult(ID, 1, Map.of());
  }

  @Test
  void aRunningRebuildIsCancelledAndItsEndAwaited() throws Exception {
    LedgerRebuild.end(client(new CompletableFuture<>()));

    assertThat(requests)
        .containsExactly("getJobExecutionResult", "cancel", "getJobExecutionResult");
  }

  @Test
  void aRebuildThatHasEndedIsNotCancelled() throws Exception {
    LedgerRebuild.end(client(CompletableFuture.completedFuture(success())));
    assertThat(requests).containsExactly("getJobExecutionResult");
    requests.clear();

    LedgerRebuild.end(
        client(
            CompletableFuture.failedFuture(
                new IOException("job failed", new JobExecutionException(ID, "failed")))));
    assertThat(requests).containsExactly("getJobExecutionResult");
  }

  @Test
  void aRebuildWhoseResultIsUnknownIsCancelled() throws Exception {
    LedgerRebuild.end(
        client(CompletableFuture.failedFuture(new IOException("the cluster doesn't answer"))));

    assertThat(requests)
        .containsExactly("getJobExecutionResult", "cancel", "getJobExecutionResult");
  }
}
