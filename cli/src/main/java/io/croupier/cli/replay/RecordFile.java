package io.croupier.cli.replay;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.croupier.cli.InputException;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.apache.commons.io.IOUtils;
import org.apache.commons.io.input.BoundedInputStream;

/**
 * The records of a file, one after the other: objects of JSON, one a line, or Protobuf messages,
 * each behind its length as a varint. The first bytes tell which: after white space, if any, JSON
 * begins with a brace and a quote, a brace or a blank, whereas a message of that length begins with
 * a tag. Keeps one record in memory.
 */
final class RecordFile implements Closeable {
  /** The name that stands for standard input. */
  static final String PIPE = "-";

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
   * @param number its line, or which message it is, from 1
   * @param bytes all of it; of a line, without its end
   * @param isCutShort whether the input ends within it; {@code bytes} is empty then
   */
  record Frame(long number, ByteString bytes, boolean isCutShort) {

    /** Says where it is, not what it holds. */
    @Override
    public String toString() {
      return "record " + number;
    }
  }

  private RecordFile(String name, InputStream source) throws IOException {
    this.name = name;
    counted = BoundedInputStream.builder().setInputStream(source).get();
    in =
        new BufferedInputStream(
            name.endsWith(".gz") ? new GZIPInputStream(counted, BUFFER) : counted, BUFFER);
    boolean json = beginsWithJson(in);
    // One character for each byte, so that the bytes of a line can be had back.
    lines =
        json ? new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1)) : null;
    messages = json ? null : CodedInputStream.newInstance(in, BUFFER);
  }

  /**
   * Opens a file; {@value #PIPE} is standard input. A name that ends in {@code .gz} is unpacked.
   *
   * @throws InputException if it can't be read
   */
  static RecordFile open(String name) {
    try {
      return open(name, name.equals(PIPE) ? System.in : Files.newInputStream(Path.of(name)));
    } catch (NoSuchFileException e) {
      throw new InputException(name + ": no such file", e);
    } catch (IOException e) {
      throw unreadable(name, e);
    }
  }

  /** Reads the file of that name from {@code source}, which is closed with it, or if it fails. */
  static RecordFile open(String name, InputStream source) {
    try {
      return new RecordFile(name, source);
    } catch (IOException e) {
      IOUtils.closeQuietly(source, e::addSuppressed);
      throw unreadable(name, e);
    }
  }

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

  /** The file's name, as errors and positions have it. */
  String name() {
    return name;
  }

  /** Whether the records are lines of JSON. */
  boolean isJson() {
    return lines != null;
  }

  /** Where a record stands, in words: {@code reports.jsonl, line 7}. */
  String place(long record) {
    return "%s, %s %d".formatted(name, isJson() ? "line" : "record", record);
  }

  /** Bytes of the file; negative if nobody knows. */
  long size() {
    return name.equals(PIPE) ? -1 : new File(name).length();
  }

  /** Bytes of the file that were read so far. */
  long bytesRead() {
    return counted.getCount();
  }

  /**
   * The next record; null at the end. Lines of white space are none, but count.
   *
   * @throws InputException if the file can't be read
   */
  Frame next() {
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
    messages.resetSizeCounter(); // the limit is one of messages, not of streams
    if (ended || messages.isAtEnd()) {
      return null;
    }
    number++;
    try {
      byte[] message = messages.readRawBytes(messages.readRawVarint32());
      return new Frame(number, UnsafeByteOperations.unsafeWrap(message), false);
    } catch (InvalidProtocolBufferException e) {
      ended = true; // nobody knows where another message would begin
      return new Frame(number, ByteString.EMPTY, true);
    }
  }

  private static InputException unreadable(String name, IOException e) {
    return new InputException(name + ": can't be read: " + e.getMessage(), e);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
