package io.croupier.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** A Markdown page with pictures beside it. */
public final class MarkdownPage {
  /** Longest line of prose. */
  private static final int WIDTH = 135;

  /** A word that would begin a list, a table, a quote or a heading at the start of a line. */
  private static final Pattern MARKUP = Pattern.compile("[-+=*>]|#+|\\d+[.)]|\\|.*");

  private final Path directory;
  private final String name;
  private final StringBuilder text = new StringBuilder();

  /** An empty page, to be saved as {@code name.md}. */
  public MarkdownPage(Path directory, String name) {
    this.directory = directory;
    this.name = name;
  }

  /** Adds the title. */
  public void title(String title) {
    text.append("# ").append(title).append("\n\n");
  }

  /** Begins a section. */
  public void heading(String heading) {
    text.append("## ").append(heading).append("\n\n");
  }

  /** Adds text, in lines of at most 135 characters where its words allow it. */
  public void paragraph(String paragraph) {
    wrap(paragraph, "", "");
    text.append('\n');
  }

  /** Adds a list, an item for each text. */
  public void list(String... items) {
    for (String item : items) {
      wrap(item, "- ", "  ");
    }
    text.append('\n');
  }

  private void wrap(String words, String first, String next) {
    StringBuilder line = new StringBuilder(first);
    boolean empty = true;
    for (String word : words.split(" ", -1)) {
      if (!empty && line.length() + 1 + word.length() > WIDTH && !MARKUP.matcher(word).matches()) {
        text.append(line).append('\n');
        line = new StringBuilder(next);
        empty = true;
      }
      line.append(empty ? "" : " ").append(word);
      empty = false;
    }
    text.append(line).append('\n');
  }

  /** Adds a table of text. */
  public void table(List<String> columns, List<List<String>> rows) {
    row(columns);
    text.append("|---".repeat(columns.size())).append("|\n");
    rows.forEach(this::row);
    text.append('\n');
  }

  private void row(List<String> cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  /** Saves a table as {@code name.csv} and links to it. No cell may hold a comma or a quote. */
  public void csv(String link, List<String> columns, List<List<String>> rows) throws IOException {
    StringBuilder lines = new StringBuilder(String.join(",", columns)).append('\n');
    rows.forEach(row -> lines.append(String.join(",", row)).append('\n'));
    String file = name + ".csv";
    Files.writeString(directory.resolve(file), lines, StandardCharsets.UTF_8);
    paragraph("[" + link + "](" + file + ")");
  }

  /** Saves a picture beside the page and shows it. */
  public void picture(String suffix, Figure figure) throws IOException {
    String file = name + "-" + suffix + ".png";
    figure.save(directory.resolve(file));
    text.append("![").append(figure.title()).append("](").append(file).append(")\n\n");
  }

  /** Writes the page as it is. */
  public void save() throws IOException {
    Files.writeString(
        directory.resolve(name + ".md"),
        text.toString().stripTrailing() + "\n",
        StandardCharsets.UTF_8);
  }
}
