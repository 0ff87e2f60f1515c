package io.croupier.cli.io;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.croupier.cli.InputException;
import io.croupier.schemas.FileErrors;
import io.croupier.schemas.Utf8Text;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.apache.commons.io.IOUtils;
import org.apache.commons.io.input.BoundedInputStream;

/**
 * Reads the records of a file: JSON objects, one per line, or Protobuf messages, each preceded by
 * its length as a varint. Keeps one record in memory.
 */
public final class RecordFile implements Closeable {
  /** The name that stands for standard input. */
  public static final String PIPE = "-";

  private static final int BUFFER = 1 << 16;

  private final String name;
  private final BoundedInputStream counted;
  private final BufferedInputStream in;
  private final BufferedReader lines;
  private final CodedInputStream messages;
  private long number;
  private boolean ended;

  /**
   * One record.
   *
   * @param number of its line or message, from 1
   * @param bytes of the record; for a line, without the line separator
   * @param isCutShort whether the input ends within the record; {@code bytes} is empty then
   */
  public record Frame(long number, ByteString bytes, boolean isCutShort) {

    /** Contains the number, but no contents. */
    @Override
    public String toString() {
      return "record " + number;
    }
  }

  private RecordFile(String name, FileFormat format, InputStream source) throws IOException {
    this.name = name;
    counted = BoundedInputStream.builder().setInputStream(source).get();
    InputStream unpacked = name.endsWith(".gz") ? new GZIPInputStream(counted, BUFFER) : counted;
    in =
        new BufferedInputStream(
            format == FileFormat.JSON ? Utf8Text.withoutMark(unpacked) : unpacked, BUFFER);
    boolean json = format == FileFormat.JSON;
    if (json && !beginsWithJson(in)) {
      throw new InputException(
          name
              + ": doesn't begin with a JSON object; for records in Protobuf, use --format protobuf");
    }
    // One character per byte, so that the bytes of a line can be recovered.
    lines =
        json ? new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1)) : null;
    messages = json ? null : CodedInputStream.newInstance(in, BUFFER);
  }

  /**
   * Opens a file; {@value #PIPE} is standard input. A file that ends in {@code .gz} is
   * decompressed.
   *
   * @param format {@link FileFormat#JSON} or {@link FileFormat#PROTOBUF}
   * @throws InputException if the file can't be read, or if it is to be JSON and isn't
   */
  public static RecordFile open(String name, FileFormat format) {
    try {
      return open(
          name, format, name.equals(PIPE) ? System.in : Files.newInputStream(Path.of(name)));
    } catch (IOException e) {
      throw unreadable(name, e);
    }
  }

  /** Reads the file called {@code name} from {@code source}; closes it at the end or on failure. */
  public static RecordFile open(String name, FileFormat format, InputStream source) {
    try {
      return new RecordFile(name, format, source);
    } catch (IOException e) {
      IOUtils.closeQuietly(source, e::addSuppressed);
      throw unreadable(name, e);
    } catch (InputException e) {
      IOUtils.closeQuietly(source, e::addSuppressed);
      throw e;
    }
  }

  /**
   * Returns whether a file may be JSON lines: after optional white space, JSON begins with a brace
   * followed by a quote, a brace or a blank. A message whose length is that of a brace begins with
   * a tag instead. So Protobuf is not read as lines, all of which would be dead letters.
   */
  private static boolean beginsWithJson(BufferedInputStream in) throws IOException {
    in.mark(BUFFER);
    int first = in.read();
    for (int i = 1; i < BUFFER - 1 && isWhiteSpace(first); i++) {
      first = in.read();
    }
    int second = first == '{' ? in.read() : -1;
    in.reset();
    return first == -1
        || isWhiteSpace(first)
        || (first == '{' && (second == -1 || " \t\"}".indexOf(second) >= 0));
  }

  private static boolean isWhiteSpace(int c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }

  /** The file's name, as in messages and positions. */
  public String name() {
    return name;
  }

  /** Whether the records are JSON lines. */
  public boolean isJson() {
    return lines != null;
  }

  /** The place of a record, for messages: {@code reports.jsonl, line 7}. */
  public String place(long record) {
    return "%s, %s %d".formatted(name, isJson() ? "line" : "record", record);
  }

  /** The size of the file in bytes; negative if unknown. */
  public long size() {
    return name.equals(PIPE) ? -1 : new File(name).length();
  }

  /** The number of bytes of the file that have been read. */
  public long bytesRead() {
    return counted.getCount();
  }

  /**
   * Returns the next record; null at the end. Blank lines are skipped, but counted in line numbers.
   *
   * @throws InputException if the file can't be read
   */
  public Frame next() {
    try {
      return isJson() ? nextLine() : nextMessage();
    } catch (IOException e) {
      throw unreadable(name, e);
    }
  }

  private Frame nextLine() throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      if (!line.isBlank()) {
        return new Frame(
            number,
            UnsafeByteOperations.unsafeWrap(line.getBytes(StandardCharsets.ISO_8859_1)),
            false);
      }
    }
    return null;
  }

  private Frame nextMessage() throws IOException {
    messages.resetSizeCounter(); // the size limit applies to messages, not to the stream
    if (ended || messages.isAtEnd()) {
      return null;
    }
    number++;
    try {
      byte[] message = messages.readRawBytes(messages.readRawVarint32());
      return new Frame(number, UnsafeByteOperations.unsafeWrap(message), false);
    } catch (InvalidProtocolBufferException e) {
      ended = true; // the start of the next message is unknown
      return new Frame(number, ByteString.EMPTY, true);
    }
  }

  private static InputException unreadable(String name, IOException e) {
    return new InputException(name + ": " + FileErrors.unreadable(e), e);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
