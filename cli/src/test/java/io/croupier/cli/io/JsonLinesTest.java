package io.croupier.cli.io;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonLinesTest {

  @TempDir private Path directory;

  private static void write(Path file) throws Exception {
    try (JsonLines lines = JsonLines.create(file)) {
      JsonObject json = new JsonObject();
      json.addProperty("é", 1);
      lines.write(json);
    }
  }

  private static String permissions(Path file) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void onlyTheOwnerMayReadANewFile() throws Exception {
    Path file = directory.resolve("lines.jsonl");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));

    write(file);

    assertThat(permissions(file)).isEqualTo("rw-------");
    assertThat(file).hasContent("{\"é\":1}");
  }

  @Test
  void anExistingFileIsTruncatedAndKeepsItsPermissions() throws Exception {
    Path file = Files.writeString(directory.resolve("lines.jsonl"), "something longer than that");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));

    write(file);

    assertThat(permissions(file)).isEqualTo("rw-r-----");
    assertThat(file).hasContent("{\"é\":1}");
  }
}
