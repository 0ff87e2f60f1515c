package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The documentation is consistent: link targets and the classes that it names exist. */
class DocsTest {
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Pattern CLASS = Pattern.compile("\\b(?:[A-Z][a-z]+){2,}\\b");
  private static final int README_LINES = 100;
  private static final int SCREEN_LINES = 60;

  /** Without these conditions, a promise of the page is false. */
  private static final Map<String, List<String>> CONDITIONS =
      Map.of(
          "theory/rounds",
          List.of(
              "pathwise, where |C| <= kappa lambda G in every round",
              "so theorem 1 where |C| <= kappa lambda G",
              "(theorem 1 where |C| <= kappa lambda G)",
              "of all its parts together",
              "drawn from one population whose mean loss is R",
              "the loop ends immediately"),
          "plan/learners",
          List.of("drawn from one population", "not for the noise of a single report"),
          "reference/accounts",
          List.of("counts on the day on which it is granted"),
          "reference/noise",
          List.of("continuous noise that dominates"),
          "theory/anonymity",
          List.of("(../../lab/proofs/anonymity.md)"),
          "build/evaluation",
          List.of("at any one publication, and not at all of them"),
          "build/statistics",
          List.of("for [one look](evaluation.md#reading-the-answers)", "Of few votes it is less"));

  private static List<Path> pages() throws IOException {
    return ProjectFiles.matching(name -> name.endsWith(".md"));
  }

  /** The anchors that a renderer generates from the headings of a page. */
  private static Set<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(Files.readString(page))
        .results()
        .map(
            heading ->
                heading
                    .group(1)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\w\\- ]", "")
                    .replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  @Test
  void everyLinkHasATarget() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : pages()) {
      for (MatchResult link : LINK.matcher(Files.readString(page)).results().toList()) {
        String[] target = link.group(1).split("#", 2);
        if (target[0].contains("://") || target[0].startsWith("mailto:")) {
          continue;
        }
        links++;
        Path file = target[0].isEmpty() ? page : page.resolveSibling(target[0]).normalize();
        boolean leads = Files.exists(file);
        if (leads && target.length == 2 && file.toString().endsWith(".md")) {
          leads = anchors(file).contains(target[1]);
        }
        if (!leads) {
          broken.add(ROOT.relativize(page) + ": " + link.group(1));
        }
      }
    }
    assertThat(links).isGreaterThan(100);
    assertThat(broken).isEmpty();
  }

  @Test
  void promisesHaveTheirConditions() throws IOException {
    for (Map.Entry<String, List<String>> page : CONDITIONS.entrySet()) {
      Path file = ROOT.resolve("docs").resolve(page.getKey() + ".md");
      assertThat(Files.readString(file).replaceAll("\\s+", " ")).contains(page.getValue());
    }
  }

  @Test
  void everyPageIsInTheIndex() throws IOException {
    String index = Files.readString(ROOT.resolve("docs/README.md"));
    List<Path> pages =
        ProjectFiles.matching(name -> name.matches("docs/\\w+/[^/]+\\.md|docs/.*/README\\.md"));
    assertThat(pages).hasSizeGreaterThan(30);
    assertThat(pages)
        .extracting(page -> ROOT.resolve("docs").relativize(page).toString().replace('\\', '/'))
        .allSatisfy(page -> assertThat(index).contains("(" + page));
  }

  @Test
  void theReadmeIsShort() throws IOException {
    assertThat(Files.readAllLines(ROOT.resolve("README.md")))
        .hasSizeLessThanOrEqualTo(README_LINES);
  }

  @Test
  void everyModulesReadmeFitsOnAScreen() throws IOException {
    List<Path> readmes =
        pages().stream()
            .filter(page -> page.getFileName().toString().equals("README.md"))
            .filter(page -> Files.exists(page.resolveSibling("pom.xml")))
            .filter(page -> !page.getParent().equals(ROOT))
            .toList();
    assertThat(readmes).hasSizeGreaterThan(10);
    for (Path readme : readmes) {
      assertThat(Files.readAllLines(readme))
          .as("%s", ROOT.relativize(readme))
          .hasSizeLessThanOrEqualTo(SCREEN_LINES);
    }
  }

  @Test
  void everyModulesReadmeListsItsPackages() throws IOException {
    Set<String> missing = new TreeSet<>();
    int packages = 0;
    for (Path file :
        ProjectFiles.matching(name -> name.matches("(?!lab/).*/src/main/java/io/.*\\.java"))) {
      String path = ROOT.relativize(file.getParent()).toString().replace('\\', '/');
      String[] parts = path.split("/src/main/java/", 2);
      Path readme = ROOT.resolve(parts[0]).resolve("README.md");
      if (!Files.exists(readme)) {
        readme = readme.getParent().resolveSibling("README.md"); // of operators
      }
      packages++;
      String name = "`" + parts[1].replace('/', '.') + "`";
      if (!Files.readString(readme).contains(name)) {
        missing.add(ROOT.relativize(readme) + ": " + name);
      }
    }
    assertThat(packages).isGreaterThan(500);
    assertThat(missing).isEmpty();
  }

  @Test
  void theContributorsGuideLeadsToTheCode() throws IOException {
    assertThat(Files.readString(ROOT.resolve("CONTRIBUTING.md")))
        .contains("(docs/theory/architecture.md)", "(lab/walks.md)");
  }

  @Test
  void classesThatTheArchitectureNamesExist() throws IOException {
    Set<String> classes = new TreeSet<>();
    ProjectFiles.matching(name -> name.endsWith(".java")).stream()
        .map(file -> file.getFileName().toString().replace(".java", ""))
        .forEach(classes::add);
    String records =
        Files.readString(ROOT.resolve("schemas/src/main/protobuf/croupier/v1/croupier.proto"));
    Pattern.compile("(?m)^message (\\w+)")
        .matcher(records)
        .results()
        .forEach(m -> classes.add(m.group(1)));

    List<String> named = new ArrayList<>();
    Pattern.compile("`([^`]+)`|<br/>([^\"]+)\"")
        .matcher(Files.readString(ROOT.resolve("docs/theory/architecture.md")))
        .results()
        .forEach(code -> named.add(code.group(1) != null ? code.group(1) : code.group(2)));
    List<String> unknown =
        named.stream()
            .flatMap(code -> CLASS.matcher(code).results().map(MatchResult::group))
            .filter(name -> !classes.contains(name))
            .toList();
    assertThat(named).hasSizeGreaterThan(30);
    assertThat(unknown).isEmpty();
  }
}
