package io.croupier.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("ci")
class EmbeddedBrokerITCase {
  @TempDir Path directory;

  @Test
  void onlyTheOwnerCanReadItsSettings() throws Exception {
    Path settings = directory.resolve("server.properties");
    // A settings file with the permissions that an earlier broker may have left.
    Files.createFile(
        settings,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr--r--")));

    EmbeddedBroker.start(directory).close();

    assertThat(settings).content().contains("log.dirs");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(settings)))
        .isEqualTo("rw-------");
  }
}
