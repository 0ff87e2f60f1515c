package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A recipe of lab/recipes.md, and the files of main code that really name a thing. */
final class Recipe {

  /** Studies and benchmarks measure some learners and mechanisms only. */
  private static final Pattern MAIN =
      Pattern.compile("(?!lab/)[\\w/-]+/src/main/.*\\.(java|proto)");

  private static final Pattern COMMENT = Pattern.compile("//[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);
  private static final Pattern ROW = Pattern.compile("\\n\\|[^|]*\\| `(\\w+\\.\\w+)` \\|");

  private Recipe() {}

  /**
   * The files that a recipe lists in its table.
   *
   * @param title the words that the recipe begins with
   */
  static Set<String> files(String title) throws IOException {
    String page = Files.readString(ROOT.resolve("lab/recipes.md"));
    int begin = page.indexOf("**" + title + ".**");
    if (begin < 0) {
      throw new IllegalArgumentException("lab/recipes.md has no recipe: " + title);
    }
    int end = page.indexOf("\n**Add ", begin);
    return ROW.matcher(page.substring(begin, end < 0 ? page.length() : end))
        .results()
        .map(row -> row.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The names of the main files of folders. */
  static Set<String> filesOf(String... folders) throws IOException {
    Pattern inside = Pattern.compile("(" + String.join("|", folders) + ")/.*");
    return ProjectFiles.matching(MAIN.asMatchPredicate().and(inside.asMatchPredicate())).stream()
        .map(file -> file.getFileName().toString())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The names of the main files that contain the pattern, comments left out. */
  static Set<String> filesNaming(Pattern name) throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path file : ProjectFiles.matching(MAIN.asMatchPredicate())) {
      if (name.matcher(COMMENT.matcher(Files.readString(file)).replaceAll("")).find()) {
        found.add(file.getFileName().toString());
      }
    }
    return found;
  }
}
