package io.croupier.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkdownPageTest {
  @TempDir private Path out;

  @Test
  void proseIsWrappedButNeverIntoMarkup() throws Exception {
    String words = "word ".repeat(26) + "and - + |x| 1. # > end";
    MarkdownPage page = new MarkdownPage(out, "page");
    page.paragraph(words);
    page.list(words, "short");
    page.save();

    String text = Files.readString(out.resolve("page.md"));
    assertThat(text.lines()).hasSizeGreaterThan(5).noneMatch(line -> line.startsWith("#"));
    assertThat(text.lines().filter(line -> line.startsWith("- "))).hasSize(2);
    assertThat(text.lines().filter(line -> line.startsWith("  "))).containsExactly("  end");
    assertThat(text.lines().limit(2)).containsExactly(words.replace(" end", ""), "end");
  }
}
