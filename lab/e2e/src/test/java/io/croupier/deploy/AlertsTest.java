package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The alert rules and their runbook. {@link FaultsE2ECase} compares their metrics with those of a
 * running job.
 */
class AlertsTest {
  private static final String RULES = "deploy/alerts.yaml";
  private static final String RUNBOOK = "docs/run/runbook.md";

  @TempDir private Path directory;

  @Test
  void eachAlertHasASectionOfTheRunbookThatNamesItsMetrics() throws Exception {
    Map<String, String> sections = sections();
    List<String> alerts = new ArrayList<>();
    for (Map<String, Object> rule : rules()) {
      String alert = (String) rule.get("alert");
      alerts.add(alert);
      assertThat(Yaml.map(rule, "annotations"))
          .as(alert)
          .containsKeys("summary", "description")
          .containsEntry("runbook", RUNBOOK + "#" + alert.toLowerCase(Locale.ROOT));
      assertThat(Yaml.map(rule, "labels").get("severity")).isIn("warning", "critical");
      assertThat(sections).as("sections of the runbook").containsKey(alert);
      assertThat(sections.get(alert))
          .as(alert)
          .contains("**Symptom.**", "**Metric.**", "**Action.**")
          .contains(ExposedMetrics.names((String) rule.get("expr")));
    }
    assertThat(alerts).hasSizeGreaterThanOrEqualTo(8).doesNotHaveDuplicates();
    assertThat(sections.keySet()).containsExactlyElementsOf(alerts);
  }

  /** Syntax, and which series fire which alerts. */
  @Test
  void promtoolAcceptsTheRulesAndTheirTests() throws Exception {
    Path promtool = promtool();
    Files.copy(Cluster.ROOT.resolve(RULES), directory.resolve("alerts.yaml"));
    Files.copy(
        Cluster.ROOT.resolve("lab/e2e/src/test/resources/alerts-test.yaml"),
        directory.resolve("alerts-test.yaml"));
    Files.copy(
        Cluster.ROOT.resolve("deploy/docker/prometheus.yaml"),
        directory.resolve("prometheus.yaml"));

    succeed(promtool, "check", "config", "prometheus.yaml");
    succeed(promtool, "test", "rules", "alerts-test.yaml");
    String tested = Files.readString(directory.resolve("alerts-test.yaml"), UTF_8);
    for (Map<String, Object> rule : rules()) {
      assertThat(tested)
          .as("a test in which %s fires", rule.get("alert"))
          .contains("runbook: %s".formatted(Yaml.map(rule, "annotations").get("runbook")));
    }
  }

  private static List<Map<String, Object>> rules() throws IOException {
    return Yaml.list(Yaml.documents(RULES).get(0).get("groups")).stream()
        .flatMap(group -> Yaml.list(group.get("rules")).stream())
        .toList();
  }

  /** The text below each heading of an alert. */
  private static Map<String, String> sections() throws IOException {
    Map<String, String> sections = new LinkedHashMap<>();
    String text = Files.readString(Cluster.ROOT.resolve(RUNBOOK), UTF_8);
    for (String section : text.split("(?m)^## ", -1)) {
      String heading = section.lines().findFirst().orElse("");
      if (heading.matches("Croupier\\w+")) {
        sections.put(heading, section);
      }
    }
    return sections;
  }

  private void succeed(Path promtool, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(promtool.toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.onExit().join().exitValue()).as(output).isZero();
  }

  /** Without promtool the test is skipped. */
  private static Path promtool() {
    String path = System.getenv("PATH");
    Optional<Path> found =
        Stream.of((path == null ? "" : path).split(File.pathSeparator, -1))
            .map(directory -> Path.of(directory, "promtool"))
            .filter(Files::isExecutable)
            .findFirst();
    if (found.isEmpty()) {
      String missing =
          "The alert rules are not evaluated: there is no promtool on the PATH (Debian: apt-get"
              + " install prometheus).";
      System.err.println(missing);
      assumeTrue(false, missing);
    }
    return found.orElseThrow();
  }
}
