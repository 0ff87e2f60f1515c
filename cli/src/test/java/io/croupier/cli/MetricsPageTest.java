package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/run/metrics.md names the metrics that the operators register, and no others. */
class MetricsPageTest {
  private static final Pattern REGISTERED =
      Pattern.compile("\\b(?:gauge|counter|histogram)\\(\\s*\"([a-z-]+[a-z])\"");

  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`.*?) \\|");
  private static final Pattern CODE = Pattern.compile("`([^`]*)`");

  /** Names that the operators put together, and abbreviations of the page. */
  private static final Pattern OTHERS =
      Pattern.compile(
          "(?:reports-(?:admitted|granted|duplicate|refused)|anonymous-|-).*|recent-|half-life|drifting");

  private static Set<String> registered() throws IOException {
    Set<String> names = new TreeSet<>();
    for (Path file : ProjectFiles.matching(name -> name.matches("operators/flink/src/main/.*"))) {
      REGISTERED.matcher(Files.readString(file)).results().forEach(m -> names.add(m.group(1)));
    }
    names.removeIf(name -> name.startsWith("recent-"));
    return names;
  }

  @Test
  void namesAllMetricsAndNoOthers() throws IOException {
    Set<String> named = new TreeSet<>();
    for (MatchResult row :
        ROW.matcher(Files.readString(ProjectFiles.ROOT.resolve("docs/run/metrics.md")))
            .results()
            .toList()) {
      CODE.matcher(row.group(1))
          .results()
          .map(code -> code.group(1).replaceFirst(".*\\.", ""))
          .forEach(named::add);
    }
    Set<String> registered = registered();
    assertThat(registered).hasSizeGreaterThan(30);
    assertThat(named).containsAll(registered);
    named.removeIf(name -> OTHERS.matcher(name).matches());
    assertThat(registered).containsAll(named);
  }

  @Test
  void theDashboardShowsEveryReasonOfARefusal() throws IOException {
    String dashboard =
        Files.readString(ProjectFiles.ROOT.resolve("deploy/docker/grafana/croupier.json"));
    List<String> refusals =
        Stream.of(Outcome.values())
            .map(outcome -> outcome.name().toLowerCase(Locale.ROOT))
            .filter(name -> name.startsWith("refused_"))
            .toList();
    assertThat(refusals)
        .hasSizeGreaterThan(5)
        .allSatisfy(reason -> assertThat(dashboard).contains("reports_" + reason + "["));
  }
}
