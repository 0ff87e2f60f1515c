package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Comments, Javadoc, messages and docs are in plain words: machines print, emit, publish, report or
 * return, and sentences name who acts. CONTRIBUTING.md lists what to write instead.
 */
class WordsTest {
  private static final Pattern BANNED =
      Pattern.compile(
          "\\b(tells?|told|telling|whoever|whomever|nobody)\\b|\\b(of )?which there\\b|\\bin vain\\b",
          Pattern.CASE_INSENSITIVE);

  /** Comments, text blocks and string literals; what else may hold a quote is matched first. */
  private static final Pattern JAVA =
      Pattern.compile(
          "'(?:\\\\.|[^'\\\\])+'"
              + "|(?<text>//[^\n]*|/\\*.*?\\*/|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\")",
          Pattern.DOTALL);

  /** Of names of states, chunks and the like, which persist and have no spaces. */
  private static final Pattern NAME = Pattern.compile("\"[^\\s\"]*\"");

  /** Comments and strings of all three kinds. */
  private static final Pattern JAVASCRIPT =
      Pattern.compile(
          "(?<text>//[^\n]*|/\\*.*?\\*/|`(?:\\\\.|[^`\\\\])*`|'(?:\\\\.|[^'\\\\\n])*'"
              + "|\"(?:\\\\.|[^\"\\\\\n])*\")",
          Pattern.DOTALL);

  private static final Pattern PROTO = Pattern.compile("(?<text>//[^\n]*)");
  private static final Pattern YAML = Pattern.compile("(?<text>#[^\n]*)");

  /** A page but for its code, which may quote what not to write. */
  private static final Pattern MARKDOWN = Pattern.compile("`[^`\n]*`|(?<text>[^`\n]+)");

  private static final Pattern HTML = Pattern.compile("(?<text>[^<>]+)");
  private static final Pattern JSON = Pattern.compile("(?<text>\"(?:\\\\.|[^\"\\\\])*\")");

  /** What is text, by a file's extension. */
  private static final Map<String, Pattern> KINDS =
      Map.ofEntries(
          Map.entry("java", JAVA),
          Map.entry("js", JAVASCRIPT),
          Map.entry("ts", JAVASCRIPT),
          Map.entry("proto", PROTO),
          Map.entry("yaml", YAML),
          Map.entry("yml", YAML),
          Map.entry("py", YAML),
          Map.entry("md", MARKDOWN),
          Map.entry("html", HTML),
          Map.entry("json", JSON));

  private static List<String> found(Path file) throws IOException {
    String name = file.getFileName().toString();
    Pattern kind = KINDS.get(name.substring(name.lastIndexOf('.') + 1));
    return found(Files.readString(file), kind).stream()
        .map(words -> ROOT.relativize(file) + ": " + words)
        .toList();
  }

  private static List<String> found(String content, Pattern kind) {
    List<String> found = new ArrayList<>();
    for (MatchResult match : kind.matcher(content).results().toList()) {
      String text = match.group(1);
      if (text != null && !NAME.matcher(text).matches()) {
        BANNED.matcher(text).results().forEach(word -> found.add(around(text, word)));
      }
    }
    return found;
  }

  private static String around(String text, MatchResult word) {
    return text.substring(Math.max(0, word.start() - 30), Math.min(text.length(), word.end() + 30))
        .replaceAll("\\s+", " ");
  }

  private static List<Path> texts() throws IOException {
    return ProjectFiles.matching(
        path ->
            KINDS.containsKey(path.substring(path.lastIndexOf('.') + 1))
                && !path.endsWith("/WordsTest.java")
                // the AsyncAPI project's own words
                && !path.endsWith("/asyncapi-3.0.0.json"));
  }

  @Test
  void allTextsAreInPlainWords() throws IOException {
    List<String> found = new ArrayList<>();
    List<Path> texts = texts();
    for (Path text : texts) {
      found.addAll(found(text));
    }
    assertThat(texts).hasSizeGreaterThan(400);
    assertThat(found).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/** Tells of it. */ | 1",
        "// Whoever asks, nobody is told | 3",
        "String s = \"the job tells of it\"; | 1",
        "String s = \"told-used\"; told(1); | 0",
        "char c = '\"'; tells(); // fine | 0",
        "a checkpoint, of which there is none | 0",
        "/* a checkpoint, of which there is none */ | 1"
      })
  void findsWordsInTextsAlone(String java, int times) {
    assertThat(found(java, JAVA)).hasSize(times);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "/** Tells of it. */ const told = tells(); | 1",
        "// Whoever isn't asked, nobody is told | 3",
        "throw new Error('the job tells of it'); told(`as ${it} was told`); | 2",
        "const url = 'https://example.org/'; tells(); | 0"
      })
  void findsWordsInJavaScript(String javaScript, int times) {
    assertThat(found(javaScript, JAVASCRIPT)).hasSize(times);
  }
}
