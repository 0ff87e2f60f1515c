package io.croupier.cli.replay;

import io.croupier.cli.InputException;
import java.io.Closeable;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The files that a replay writes: those that were asked for, and nothing for the others. */
final class Outputs implements Closeable {
  private final Writer standardOut;
  private final List<String> names = new ArrayList<>();
  private final List<JsonLines> files = new ArrayList<>();

  /** No files yet; {@code standardOut} is what {@value RecordFile#PIPE} stands for. */
  Outputs(Writer standardOut) {
    this.standardOut = standardOut;
  }

  /**
   * Creates a file.
   *
   * @param name null if it was not asked for
   * @param write writes one thing into it
   */
  <T> Consumer<T> create(String name, BiConsumer<JsonLines, T> write) {
    if (name == null) {
      return thing -> {};
    }
    JsonLines file = JsonLines.create(name, standardOut);
    names.add(name);
    files.add(file);
    return thing -> write.accept(file, thing);
  }

  /** The failure that ends the replay, with the files that look whole and are not. */
  InputException incomplete(InputException failure) {
    return names.isEmpty()
        ? failure
        : new InputException(
            "%s; what is written so far is incomplete: %s"
                .formatted(failure.getMessage(), String.join(", ", names)),
            failure);
  }

  /**
   * Closes all files, whatever becomes of one.
   *
   * @throws InputException if one can't be written to its end
   */
  @Override
  public void close() {
    InputException failure = null;
    for (JsonLines file : files) {
      try {
        file.close();
      } catch (InputException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
