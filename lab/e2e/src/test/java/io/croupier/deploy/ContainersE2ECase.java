package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.gateway.TestCertificates;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Builds both images, starts the containers of the compose file and a gateway with a certificate,
 * by the commands of docs/run/deploy.md, restarts each of them, the job also from a savepoint and
 * with a rebuilt ledger.
 */
@Tag("thorough")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class ContainersE2ECase {
  private static final String COMPOSE = "docker compose -f deploy/docker/compose.yaml ";

  /** A short path, since sockets are below it; the Debian in it outlives the test. */
  private static final Path DIRECTORY = Path.of("target/containers").toAbsolutePath();

  @Test
  void reportsOverHttpsBecomeModelsAndNoRestartLosesThem() throws Exception {
    List<String> page = commands("deploy", "\n## Docker\n", "\n## Kubernetes");
    assertThat(page).hasSize(10);
    List<String> upgrade = commands("upgrade", "[In Docker]", "\n## ");
    assertThat(upgrade).hasSize(3);
    try (Containers containers = Containers.in(DIRECTORY)) {
      String bootstrapServers = "localhost:" + containers.port(9092);
      containers.shell(page.get(1));
      containers.shell("until %s; do sleep 1; done".formatted(page.get(2)));
      containers.shell(page.get(3));
      containers.shell(
          "./croupier models apply --kafka localhost:9092"
              + " \"$ROOT/lab/e2e/src/test/resources/labels.yaml\"");
      containers.shell(page.get(6));
      containers.shell(page.get(7));
      containers.shell(page.get(8) + " > ada.token");
      containers.shell(page.get(9));
      startWithCertificate(containers);

      try (UpdateMonitor monitor = new UpdateMonitor(bootstrapServers)) {
        report(containers, "http://127.0.0.1:8080", "demo");
        for (String model : List.of("a.x", "a-x", "a_x")) {
          report(containers, secure(containers), model);
        }
        monitor.when("demo", 1).get(5, TimeUnit.MINUTES);
        checkRights(containers);
        checkSeries(containers);

        containers.shell(COMPOSE + "restart kafka taskmanager gateway");
        containers.shell("podman restart secure");
        report(containers, secure(containers), "demo");
        monitor.when("demo", 2).get(5, TimeUnit.MINUTES);

        containers.shell(COMPOSE + "restart jobmanager");
        containers.shell(
            "until podman logs $(%sps -q jobmanager) 2>&1 | grep \"without the ledger's state\"; do sleep 1; done"
                .formatted(COMPOSE));
        String newest = containers.shell(page.get(4)).strip();
        assertThat(newest).matches("/state/checkpoints/[0-9a-f]{32}/chk-[0-9]+/_metadata");
        containers.shell(
            page.get(5).replace("/state/checkpoints/JOB/chk-N", newest.replace("/_metadata", "")));
        report(containers, secure(containers), "demo");
        monitor.when("demo", 3).get(5, TimeUnit.MINUTES);

        String job = found("[0-9a-f]{32}", containers.shell(upgrade.get(0)));
        String savepoint =
            found(
                "/state/savepoints/savepoint-\\S+",
                containers.shell(upgrade.get(1).replace("JOB", job)));
        containers.shell(upgrade.get(2).replace("PATH", savepoint));
        report(containers, secure(containers), "demo");
        monitor.when("demo", 4).get(5, TimeUnit.MINUTES);

        containers.shell(
            upgrade
                .get(2)
                .replace(
                    "CROUPIER_RESTORE='--fromSavepoint PATH'",
                    "CROUPIER_RESTART=no CROUPIER_RESTORE=--rebuild-ledger"));
        report(containers, secure(containers), "demo");
        monitor.when("demo", 5).get(5, TimeUnit.MINUTES);
      }
      assertThat(containers.shell("./croupier ledger --kafka localhost:9092 --top 10"))
          .as("one account of eight reports, four of them before the restarts")
          .containsPattern("\\b8\\b");
      checkLogs(containers);
      containers.shell(COMPOSE + "stop gateway");
      containers.shell("podman stop secure");
      assertThat(
              containers.shell(
                  "podman inspect --format '{{.State.ExitCode}}' secure $(%sps -q gateway)"
                      .formatted(COMPOSE)))
          .as("a gateway that has answered what it received")
          .isEqualTo("0\n0\n");
    }
  }

  /** The commands of a page of docs/run, between two of its texts. */
  private static List<String> commands(String name, String from, String to) throws Exception {
    String page = Files.readString(Cluster.ROOT.resolve("docs/run/" + name + ".md"));
    int start = page.indexOf(from);
    String section = page.substring(start, page.indexOf(to, start + from.length()));
    return Pattern.compile("(?ms)^```sh\n(.*?)^```$")
        .matcher(section)
        .results()
        .flatMap((MatchResult block) -> block.group(1).lines())
        .toList();
  }

  private static String found(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group();
  }

  /** A second gateway, of the same secrets, for more than trials. */
  private static void startWithCertificate(Containers containers) throws Exception {
    Path directory = Files.createDirectories(containers.project().resolve("secure"));
    TestCertificates.create(directory, "server", "RSA", "-ext", "san=dns:localhost");
    Files.writeString(
        directory.resolve("gateway.yaml"),
        Files.readString(containers.project().resolve("deploy/docker/gateway/gateway.yaml"))
            .replace("port: " + containers.port(8080), "port: " + containers.port(8443))
            .replace(
                "listen:\n",
                """
                listen:
                  certificate: /etc/croupier/server.pem
                  key: /etc/croupier/server.key
                """));
    containers.shell(
        """
        chown -R 9998:9998 secure
        keytool -importcert -noprompt -file secure/server.pem -keystore trusted.p12 -storepass password
        podman run -d --restart unless-stopped --name secure --network=host -v croupier_secrets:/secrets \
          -v "$PWD/secure:/etc/croupier:ro" "$(sed -n 's/^ *image: \\(croupier-gateway:.*\\)/\\1/p' deploy/docker/compose.yaml)"
        """);
  }

  private static String secure(Containers containers) {
    return "https://localhost:" + containers.port(8443);
  }

  /** Reports new data as the person of the token; repeats what wasn't acknowledged in time. */
  private static void report(Containers containers, String gateway, String model) throws Exception {
    containers.shell(
        """
        export CROUPIER_OPTS="-Djavax.net.ssl.trustStore=trusted.p12 -Djavax.net.ssl.trustStorePassword=password"
        until curl -s -f --cacert secure/server.pem %1$s/readyz; do sleep 1; done
        key="$(date +%%s%%N)"
        until echo '[0.3, -0.2, 0.1]' | ./croupier report --gateway %1$s --token ada.token --model %2$s --user ada \
          --ledger ada.ledger --epsilon 1 --key "$key"; do sleep 1; done
        """
            .formatted(gateway, model));
  }

  private static void checkRights(Containers containers) throws Exception {
    assertThat(containers.shell(COMPOSE + "exec taskmanager id -u")).isEqualTo("9999\n");
    assertThat(containers.shell(COMPOSE + "exec jobmanager stat -c %U /state/checkpoints"))
        .isEqualTo("flink\n");
    assertThat(containers.shell(COMPOSE + "exec taskmanager sh -c 'touch /mine || echo denied'"))
        .isEqualTo("denied\n");
    assertThat(containers.shell("podman exec secure sh -c 'id -u && stat -c %a /secrets/*'"))
        .isEqualTo("9998\n600\n600\n");
    containers.shell(
        COMPOSE
            + "exec grafana sh -c 'cat /etc/grafana/provisioning/*/*.yaml"
            + " /var/lib/grafana/dashboards/croupier.json'");
  }

  /** Prometheus reads both Flink's processes, and knows each model and category by its name. */
  private static void checkSeries(Containers containers) throws Exception {
    String job = "flink_taskmanager_job_task_operator_model_";
    until(containers, job + "reports_admitted{model=\"a.x\"} > 0", "\"model\":\"a.x\"");
    assertThat(query(containers, job + "reports_admitted > 0"))
        .contains("\"model\":\"a.x\"", "\"model\":\"a-x\"", "\"model\":\"a_x\"");
    assertThat(query(containers, job + "statistic_category_votes"))
        .contains("\"category\":\"日本\"", "\"category\":\"中国\"");
    until(containers, "up == 1", "jobmanager:9249");
    assertThat(get(containers, 9090, "/api/v1/rules")).contains("CroupierNotStarted");
  }

  private static void until(Containers containers, String query, String found) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!query(containers, query).contains(found)) {
      assertThat(System.nanoTime()).as(query).isLessThan(deadline);
      Thread.sleep(500);
    }
  }

  private static String query(Containers containers, String query) throws Exception {
    return get(
        containers,
        9090,
        "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
  }

  private static String get(Containers containers, int port, String path) throws Exception {
    URI address = URI.create("http://127.0.0.1:" + containers.port(port) + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
        .body();
  }

  private static void checkLogs(Containers containers) throws Exception {
    assertThat(get(containers, 8081, "/jobmanager/log"))
        .as("the log on Flink's pages")
        .contains("Completed checkpoint")
        .doesNotContain("as completed for source");
    assertThat(containers.shell("podman logs $(%sps -q taskmanager) 2>&1".formatted(COMPOSE)))
        .contains(" WARN ")
        .doesNotContain("pendingCommittables", "Flushing new partitions");
  }
}
