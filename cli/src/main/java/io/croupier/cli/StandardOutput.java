package io.croupier.cli;

import io.croupier.schemas.VisibleText;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The standard output of a command. A write that fails ends the command, wherever it prints, since
 * print streams and writers swallow only {@link IOException}s. What is printed is UTF-8 in every
 * locale: the encoding of another one replaces the characters that it lacks.
 */
final class StandardOutput extends OutputStream {
  /** What shells report for a program that SIGPIPE has ended; the JVM ignores this signal. */
  static final int CLOSED_PIPE = 128 + 13;

  private final OutputStream out;
  private IOException failure;

  /** Signals that the output can't be written, which its finish reports. */
  static final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FailedException(IOException cause) {
      super("Standard output can't be written: " + cause.getMessage(), cause);
    }
  }

  StandardOutput(OutputStream out) {
    this.out = out;
  }

  /** The output of this process, which {@link System#out} uses from now on, too. */
  static StandardOutput ofProcess() {
    StandardOutput output = new StandardOutput(new FileOutputStream(FileDescriptor.out));
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    System.setErr(
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
    return output;
  }

  /** Prints text to {@code stream} in UTF-8, and without what a terminal would obey. */
  static PrintWriter text(OutputStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8) {
      @Override
      public void write(String text, int offset, int length) {
        String visible = VisibleText.lines(text.substring(offset, offset + length));
        super.write(visible, 0, visible.length());
      }

      @Override
      public void write(char[] text, int offset, int length) {
        write(new String(text, offset, length), 0, length);
      }

      @Override
      public void write(int unit) {
        write(String.valueOf((char) unit), 0, 1);
      }
    };
  }

  /**
   * The exit code of a command that has returned {@code code}: another one if not all of its output
   * was written, which {@code err} explains. The reader of a pipe may close it when it has read
   * enough, which needs no explanation.
   */
  int finish(int code, PrintWriter err) {
    if (failure == null) {
      return code;
    }
    if (String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT).contains("broken pipe")) {
      return CLOSED_PIPE;
    }
    err.println(new FailedException(failure).getMessage());
    return ExitCode.FAILURE.code();
  }

  @Override
  public void write(int octet) {
    write(new byte[] {(byte) octet}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    try {
      if (failure == null) {
        out.write(bytes, offset, length);
        return;
      }
    } catch (IOException e) {
      failure = e;
    }
    throw new FailedException(failure);
  }
}
