package io.croupier.gateway.identity;

import io.croupier.schemas.FileErrors;
import io.croupier.schemas.Utf8Text;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Files with a secret, which only their owner can read. */
final class SecretFile {
  private static final Set<PosixFilePermission> OWNER =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private static final int MOST_BYTES = 1 << 16;

  private SecretFile() {}

  /**
   * Creates a file with mode 600; an existing file stays as it is.
   *
   * @return whether the file was created
   * @throws IOException if it can't be created; then there is no file
   */
  static boolean create(Path file, String secret) throws IOException {
    try {
      FileChannel channel = open(file);
      try (channel) {
        ByteBuffer bytes = StandardCharsets.US_ASCII.encode(secret + "\n");
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
        return true;
      } catch (IOException e) {
        Files.deleteIfExists(file);
        throw e;
      }
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (IOException e) {
      throw new IOException(file + ": " + FileErrors.unwritable(e), e);
    }
  }

  private static FileChannel open(Path file) throws IOException {
    FileAttribute<?>[] mode =
        isPosix(file)
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER)}
            : new FileAttribute<?>[0];
    return FileChannel.open(
        file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode);
  }

  /**
   * Reads a secret.
   *
   * @param kind what the file contains, for messages
   * @throws IllegalArgumentException if there is no such file, or other users may read or write it;
   *     the message never contains the secret
   */
  static String read(Path file, String kind) {
    try {
      if (isPosix(file)) {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (!OWNER.containsAll(permissions)) {
          throw new IllegalArgumentException(
              "%s, the file with %s, has the permissions %s; only its owner may have any: chmod 600 %s"
                  .formatted(file, kind, PosixFilePermissions.toString(permissions), file));
        }
      }
      if (Files.size(file) > MOST_BYTES) {
        throw new IllegalArgumentException(
            "%s is larger than a file with %s".formatted(file, kind));
      }
      return Utf8Text.read(file).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          ("%s, the file with %s: %s; 'croupier gateway init' creates one for a new deployment, for"
                  + " a running one copy it from another gateway or a backup")
              .formatted(file, kind, FileErrors.unreadable(e)),
          e);
    }
  }

  private static boolean isPosix(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    return Files.getFileStore(folder).supportsFileAttributeView("posix");
  }
}
