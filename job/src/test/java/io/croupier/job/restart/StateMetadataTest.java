package io.croupier.job.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateMetadataTest {
  private static final Path SAVEPOINT = Path.of("src", "test", "resources", "savepoints", "0.2.0");

  @TempDir private Path directory;

  @Test
  void returnsTheWholePathOfAState() throws IOException {
    String whole = SAVEPOINT.toUri().toString().replaceAll("/+$", "").replaceAll("^file:/+", "/");

    for (String state :
        new String[] {SAVEPOINT.toString(), whole, "file:" + whole, "file://" + whole + "/"}) {
      assertThat(StateMetadata.requireAny(state)).as(state).isEqualTo("file:" + whole);
    }
    assertThat(StateMetadata.requireAny(SAVEPOINT + "/_metadata"))
        .isEqualTo("file:" + whole + "/_metadata");
  }

  /** With such a path, Flink would fail to initialise the job. */
  @Test
  void refusesWhatIsNoState() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("chk-8"));
    Path other = Files.writeString(directory.resolve("notes.txt"), "no state");
    byte[] metadata = Files.readAllBytes(SAVEPOINT.resolve("_metadata"));
    Path torn =
        Files.write(directory.resolve("torn"), Arrays.copyOf(metadata, metadata.length / 2));

    for (String state :
        new String[] {SAVEPOINT + "x", "" + empty, "" + other, "" + torn, "file:" + torn + "x"}) {
      assertThatIllegalStateException()
          .as(state)
          .isThrownBy(() -> StateMetadata.requireAny(state))
          .withMessageStartingWith("There is no savepoint or checkpoint at '%s': ".formatted(state))
          .withMessageContaining("a directory chk-N");
    }
    assertThatIllegalStateException()
        .isThrownBy(() -> StateMetadata.requireAny(""))
        .withMessageContaining("at ''");
  }

  @Test
  void aReasonNeedsNoMessage() {
    assertThat(StateMetadata.reason(new FileNotFoundException()))
        .isEqualTo("the file system doesn't have it");
    assertThat(StateMetadata.reason(new FileNotFoundException("It is away.")))
        .isEqualTo("It is away");
  }

  /** The cluster may have the file system that this process lacks. */
  @Test
  void leavesOtherFileSystemsToTheCluster() {
    assertThatIOException().isThrownBy(() -> StateMetadata.requireAny("s3://bucket/chk-7"));
  }
}
