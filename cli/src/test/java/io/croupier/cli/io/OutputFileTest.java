package io.croupier.cli.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {
  @TempDir private Path directory;

  @Test
  void noPartOfAFileIsLeft() {
    Path page = directory.resolve("page.html");
    assertThatThrownBy(
            () ->
                OutputFile.write(
                    "--page",
                    page,
                    file -> {
                      Files.writeString(file, "a part");
                      throw new IOException("No space left on device");
                    }))
        .isInstanceOf(InputException.class)
        .hasMessage("--page " + page + ": can't be written: No space left on device");
    assertThat(page).doesNotExist();
  }

  /** As one that may not be written. */
  @Test
  void aFileThatExistsIsNotDeleted() throws IOException {
    Path page = Files.writeString(directory.resolve("page.html"), "an earlier page");
    assertThatThrownBy(
            () ->
                OutputFile.write(
                    "--page",
                    page,
                    file -> {
                      throw new AccessDeniedException(file.toString());
                    }))
        .hasMessage("--page " + page + ": can't be written: permission denied");
    assertThat(page).hasContent("an earlier page");
  }
}
