package io.croupier.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class FileErrorsTest {
  @Test
  void theCauseIsNamedWithoutThePath() {
    assertThat(FileErrors.unreadable(new MalformedInputException(1)))
        .isEqualTo("the text is not UTF-8; save the file as UTF-8");
    assertThat(FileErrors.unreadable(new NoSuchFileException("/x"))).isEqualTo("no such file");
    assertThat(FileErrors.unwritable(new NoSuchFileException("/x")))
        .isEqualTo("can't be written: no such directory");
    assertThat(FileErrors.unreadable(new AccessDeniedException("/x")))
        .isEqualTo("can't be read: permission denied");
    assertThat(FileErrors.unreadable(new EOFException()))
        .isEqualTo("can't be read: the file is cut short");
    assertThat(FileErrors.unwritable(new FileSystemException("/x", null, "Not a directory")))
        .isEqualTo("can't be written: Not a directory");
    assertThat(FileErrors.unwritable(new IOException("No space left on device")))
        .isEqualTo("can't be written: No space left on device");
    assertThat(FileErrors.unwritable(new IOException())).isEqualTo("can't be written: IOException");
  }
}
