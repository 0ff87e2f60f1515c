package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What a user may have to read stays short, in short sentences. Pages of {@code lab} aren't
 * counted: no user needs them. Words are those of prose, headings and tables; code that is set
 * apart has none, and code within a line is one. Sentences are those of paragraphs and list items.
 */
class DocsLengthTest {
  private static final int ALL_WORDS = 60_000;
  private static final int PAGE_WORDS = 2_500;
  private static final int CONTRIBUTING_WORDS = 1_500;
  private static final int LINE = 100;

  private static final double MEAN = 16;
  private static final int NINETIETH = 28;
  private static final int LONG = 30;
  private static final double LONG_SHARE = 0.06;

  /** Fewer sentences have no percentiles. */
  private static final int FEW = 20;

  /** Its length is that of the spec's fields. */
  private static final Set<String> GENERATED = Set.of("docs/reference/model-spec.md");

  private static final Pattern FENCE =
      Pattern.compile("^ *```.*?^ *```[^\n]*$", Pattern.MULTILINE | Pattern.DOTALL);

  private static final Pattern WORD = Pattern.compile("\\S*[A-Za-z0-9]\\S*");
  private static final Pattern IMAGE = Pattern.compile("!\\[[^]]*]\\([^)]*\\)");
  private static final Pattern TARGET = Pattern.compile("]\\([^)\\s]*\\)");
  private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
  private static final Pattern ITEM = Pattern.compile("(?:[-*]|\\d+\\.) +(.*)");

  /** No row of a table, heading or element, and not a single word in its item. */
  private static final Pattern BREAKABLE =
      Pattern.compile(" *(?![|#<>])(?:[-*] |\\d+\\. )? *\\S+ .*");

  private static final Pattern END = Pattern.compile("(?<=[.!?])[)\"*_\\]]*\\s+(?=[^a-z\\s])");

  /** A page, what it has of words, and how many each of its sentences has. */
  private record Length(String page, int words, List<Integer> sentences, int longLines) {
    double mean() {
      return sentences.stream().mapToInt(n -> n).average().orElse(0);
    }

    int ninetieth() {
      return sentences.isEmpty() ? 0 : sentences.get((int) (0.9 * sentences.size()));
    }

    double longShare() {
      return (double) sentences.stream().filter(n -> n > LONG).count()
          / Math.max(1, sentences.size());
    }

    boolean isPlain() {
      return longLines == 0
          && (sentences.size() < FEW
              || (mean() <= MEAN && ninetieth() <= NINETIETH && longShare() <= LONG_SHARE));
    }

    @Override
    public String toString() {
      return "%s: %d words; a sentence has %.1f in the mean, nine in ten have at most %d, %.1f %% more than %d; lines above %d: %d"
          .formatted(page, words, mean(), ninetieth(), 100 * longShare(), LONG, LINE, longLines);
    }
  }

  private static List<Length> lengths() throws IOException {
    List<Length> lengths = new ArrayList<>();
    for (Path file :
        ProjectFiles.matching(
            name ->
                name.endsWith(".md")
                    && !name.startsWith("lab/")
                    && !name.matches(".*/src/(test|main/resources)/.*"))) {
      lengths.add(length(ROOT.relativize(file).toString(), Files.readString(file)));
    }
    return lengths;
  }

  private static Length length(String page, String content) {
    String text = FENCE.matcher(content).replaceAll("\n");
    int longLines = 0;
    for (String line : text.split("\n", -1)) {
      if (line.length() > LINE && BREAKABLE.matcher(line).matches()) {
        longLines++;
      }
    }
    String plain = IMAGE.matcher(text).replaceAll("");
    plain = CODE.matcher(TARGET.matcher(plain).replaceAll("]")).replaceAll("Code");
    List<Integer> sentences = new ArrayList<>();
    StringBuilder paragraph = new StringBuilder();
    for (String line : (plain + "\n").split("\n", -1)) {
      String words = line.strip();
      Matcher item = ITEM.matcher(words);
      if (words.isEmpty() || words.matches("[#|<].*") || item.matches()) {
        for (String sentence : END.splitAsStream(paragraph).toList()) {
          int count = words(sentence);
          if (count > 0) {
            sentences.add(count);
          }
        }
        paragraph.setLength(0);
        words = words.isEmpty() || !item.matches() ? "" : item.group(1);
      }
      paragraph.append(words).append(' ');
    }
    sentences.sort(null);
    return new Length(page, words(plain.replace('|', ' ')), sentences, longLines);
  }

  private static int words(String text) {
    return (int) WORD.matcher(text).results().count();
  }

  @Test
  void allPagesTogetherAreShort() throws IOException {
    assertThat(lengths().stream().mapToInt(Length::words).sum()).isLessThanOrEqualTo(ALL_WORDS);
  }

  @Test
  void noPageIsLong() throws IOException {
    List<String> tooLong =
        lengths().stream()
            .filter(page -> !GENERATED.contains(page.page))
            .filter(page -> page.words > mostWords(page.page))
            .map(Length::toString)
            .toList();
    assertThat(tooLong).isEmpty();
  }

  private static int mostWords(String page) {
    return page.equals("CONTRIBUTING.md") ? CONTRIBUTING_WORDS : PAGE_WORDS;
  }

  @Test
  void sentencesAndLinesAreShort() throws IOException {
    List<String> tooLong =
        lengths().stream()
            .filter(page -> !GENERATED.contains(page.page))
            .filter(page -> !page.isPlain())
            .map(Length::toString)
            .toList();
    assertThat(tooLong).isEmpty();
  }

  @Test
  void countsWordsAndSentences() {
    Length length =
        length(
            "page",
            """
            # A title

            A sentence of `code and more` with [a link](docs/a.md). Another one!
            It ends here, at 2.5 of them

            - An item (e.g. this). 7 words are in these two sentences.

            ```
            not a word
            ```

            | a | table |
            |---|---|
            """);
    assertThat(length.sentences).containsExactly(2, 4, 7, 7, 7);
    assertThat(length.words).isEqualTo(2 + 7 + 2 + 7 + 4 + 7 + 2);
    assertThat(length.longLines).isZero();
    assertThat(length("page", "word ".repeat(21)).longLines).isOne();
  }
}
