package io.croupier.cli.io;

import com.google.gson.JsonElement;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.InputException;
import io.croupier.schemas.FileErrors;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.view.ModelUpdateView;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.apache.commons.io.output.CloseShieldWriter;

/** Writes a file of JSON lines; doubles have all their digits. */
public final class JsonLines implements Closeable {
  private static final JsonFormat.Printer JSON =
      JsonFormat.printer().omittingInsignificantWhitespace().sortingMapKeys();

  private static final Set<OpenOption> OPTIONS =
      Set.of(
          StandardOpenOption.CREATE,
          StandardOpenOption.WRITE,
          StandardOpenOption.TRUNCATE_EXISTING);

  private static final FileAttribute<?>[] OWNERS_ALONE = {
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
  };

  private final String name;
  private final Writer out;

  private JsonLines(String name, Writer out) {
    this.name = name;
    this.out = out;
  }

  /**
   * Creates the file, or truncates an existing one. Since recordings contain personal data, only
   * the owner can read or write a new file, if the file system supports POSIX permissions. An
   * existing file keeps its permissions.
   *
   * @throws InputException if the file can't be written
   */
  public static JsonLines create(Path file) {
    boolean hasOwners = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] attributes = hasOwners ? OWNERS_ALONE : new FileAttribute<?>[0];
    try {
      return new JsonLines(
          file.toString(),
          new BufferedWriter(
              Channels.newWriter(
                  Files.newByteChannel(file, OPTIONS, attributes), StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw unwritable(file.toString(), e);
    }
  }

  /**
   * Creates the file, or truncates an existing one.
   *
   * @param standardOut written for the name {@value RecordFile#PIPE}; flushed at the end, not
   *     closed
   * @throws InputException if the file can't be written
   */
  public static JsonLines create(String name, Writer standardOut) {
    return name.equals(RecordFile.PIPE)
        ? new JsonLines(name, new BufferedWriter(CloseShieldWriter.wrap(standardOut)))
        : create(Path.of(name));
  }

  /** Writes a line. */
  public void write(MessageOrBuilder message) {
    try {
      JSON.appendTo(message, out);
      out.write('\n');
    } catch (IOException e) {
      throw unwritable(name, e);
    }
  }

  /** Writes an update. */
  public void write(ModelUpdateView update) {
    try {
      write(ModelUpdate.parseFrom(update.toByteString()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a view has the bytes of its message", e);
    }
  }

  /** Writes a line. */
  public void write(JsonElement json) {
    try {
      out.write(json.toString());
      out.write('\n');
    } catch (IOException e) {
      throw unwritable(name, e);
    }
  }

  private static InputException unwritable(String name, IOException e) {
    return new InputException(name + ": " + FileErrors.unwritable(e), e);
  }

  /**
   * Writes all buffered lines and closes the file.
   *
   * @throws InputException if the file can't be written
   */
  @Override
  public void close() {
    try (out) {
      out.flush(); // closing doesn't flush standard output
    } catch (IOException e) {
      throw unwritable(name, e);
    }
  }
}
