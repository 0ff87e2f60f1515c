package io.croupier.bench.speed;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job in its own cluster inside this process; closing cancels it. */
final class RunningJob implements AutoCloseable {
  private static final long PATIENCE_S = 60;
  private static final Duration FETCH = Duration.ofMillis(100);

  /** Number of equal consecutive fetches after which a count is final. */
  private static final int SAME = 5;

  private final JobClient client;
  private final int restPort;

  private RunningJob(JobClient client, int restPort) {
    this.client = client;
    this.restPort = restPort;
  }

  /** Starts a job. */
  @FunctionalInterface
  interface Submission {
    JobClient in(StreamExecutionEnvironment env) throws Exception;
  }

  /** Medians of the latest checkpoints; NaN if none is complete. */
  record Checkpoints(double ms, double megabytes) {}

  /**
   * Starts a job.
   *
   * @param flink settings of the cluster
   */
  static RunningJob start(Map<String, String> flink, Submission submission) throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Configuration configuration = Configuration.fromMap(flink);
    configuration.set(RestOptions.ADDRESS, "127.0.0.1");
    configuration.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
    configuration.set(RestOptions.BIND_PORT, Integer.toString(port));
    configuration.set(RestOptions.PORT, port);
    configuration.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, FETCH);
    return new RunningJob(
        submission.in(StreamExecutionEnvironment.createLocalEnvironment(1, configuration)), port);
  }

  boolean isAlive() {
    return !client.getJobExecutionResult().isDone();
  }

  /** Duration from trigger to completion, and written bytes. */
  Checkpoints checkpoints() throws IOException, InterruptedException {
    List<JsonObject> complete =
        get("/checkpoints").getAsJsonArray("history").asList().stream()
            .map(JsonElement::getAsJsonObject)
            .filter(checkpoint -> checkpoint.get("status").getAsString().equals("COMPLETED"))
            .toList();
    return new Checkpoints(
        median(complete, "end_to_end_duration"), median(complete, "checkpointed_size") / 1e6);
  }

  /**
   * Number of records that an operator, the first of its chain, has read from all its inputs. Call
   * it only after the operator has read everything: Flink counts with a delay, so this method waits
   * until the count is stable.
   */
  long recordsRead(String operator) throws IOException, InterruptedException {
    long count = -1;
    for (int same = 0; same < SAME; same++) {
      Thread.sleep(FETCH.toMillis());
      long now = recordsReadSoFar(operator);
      if (now != count) {
        count = now;
        same = 0;
      }
    }
    return count;
  }

  /** The same number as Flink knows it now. */
  long recordsReadSoFar(String operator) throws IOException, InterruptedException {
    return get("").getAsJsonArray("vertices").asList().stream()
        .map(JsonElement::getAsJsonObject)
        .filter(vertex -> vertex.get("name").getAsString().startsWith(operator))
        .mapToLong(vertex -> vertex.getAsJsonObject("metrics").get("read-records").getAsLong())
        .sum();
  }

  private JsonObject get(String path) throws IOException, InterruptedException {
    URI uri =
        URI.create("http://127.0.0.1:%d/jobs/%s%s".formatted(restPort, client.getJobID(), path));
    return JsonParser.parseString(
            HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body())
        .getAsJsonObject();
  }

  private static double median(List<JsonObject> checkpoints, String field) {
    double[] values =
        checkpoints.stream()
            .mapToDouble(checkpoint -> checkpoint.get(field).getAsDouble())
            .sorted()
            .toArray();
    return values.length == 0 ? Double.NaN : values[values.length / 2];
  }

  @Override
  public void close() {
    client.cancel().orTimeout(PATIENCE_S, TimeUnit.SECONDS).join();
    // A cancelled job ends with a CancellationException; only its end matters here.
    client
        .getJobExecutionResult()
        .handle((result, failure) -> "")
        .orTimeout(PATIENCE_S, TimeUnit.SECONDS)
        .join();
  }
}
