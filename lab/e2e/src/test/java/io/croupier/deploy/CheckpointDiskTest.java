package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full disk accepts no writes, and has all its content afterwards. */
class CheckpointDiskTest {
  @TempDir private Path cluster;

  @Test
  void takeNothingWhileItIsFull() throws IOException {
    Path checkpoints = cluster.resolve("checkpoints");
    try (CheckpointDisk disk = new CheckpointDisk(cluster, null)) {
      Path old = Files.writeString(checkpoints.resolve("chk-1"), "state");
      disk.fill();
      assertThatThrownBy(() -> Files.createDirectories(checkpoints.resolve("chk-2")))
          .isInstanceOf(IOException.class);
      assertThat(Files.exists(old)).isFalse();

      disk.free();
      assertThat(old).hasContent("state");
      Files.createDirectories(checkpoints.resolve("chk-2"));
    }
    assertThat(Files.exists(checkpoints)).isFalse();
  }

  @Test
  void refuseADiskThatIsLarge() throws IOException {
    assumeTrue(Files.getFileStore(cluster).getTotalSpace() >= 1L << 30, "Skipped: no large disk");
    assertThatThrownBy(() -> new CheckpointDisk(cluster.resolve("cluster"), cluster))
        .hasMessageContaining("give a file system of less than");
  }
}
