package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Names of Flink's metrics: those that a file refers to, and those that a cluster exposes. */
final class ExposedMetrics {
  private static final Pattern METRIC = Pattern.compile("\\bflink_\\w+");

  private ExposedMetrics() {}

  /** The metrics of a file of the project. */
  static Set<String> in(String file) throws Exception {
    return names(Files.readString(Cluster.ROOT.resolve(file), UTF_8));
  }

  /** The metrics in a text. */
  static Set<String> names(String text) {
    return new TreeSet<>(METRIC.matcher(text).results().map(MatchResult::group).toList());
  }

  /** What the JobManager and the first TaskManagers serve to Prometheus now. */
  static Set<String> of(Cluster cluster, int taskManagers) throws Exception {
    Set<String> exposed = new TreeSet<>();
    for (int server = 0; server <= taskManagers; server++) {
      exposed.addAll(names(scrape(cluster, server)));
    }
    return exposed;
  }

  /** What a server of the cluster serves to Prometheus now. */
  static String scrape(Cluster cluster, int server) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(cluster.metrics(server) + "/metrics")).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
  }
}
