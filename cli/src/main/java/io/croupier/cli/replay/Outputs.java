package io.croupier.cli.replay;

import io.croupier.cli.InputException;
import io.croupier.cli.io.JsonLines;
import io.croupier.cli.io.RecordFile;
import java.io.Closeable;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The output files of a replay; outputs that were not requested are discarded. */
final class Outputs implements Closeable {
  private final Writer standardOut;
  private final List<String> names = new ArrayList<>();
  private final List<JsonLines> files = new ArrayList<>();

  /** Starts without files; {@code standardOut} is written for the name {@value RecordFile#PIPE}. */
  Outputs(Writer standardOut) {
    this.standardOut = standardOut;
  }

  /**
   * Creates a file.
   *
   * @param name null if the file was not requested
   * @param write writes one item
   * @return receives the items
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

  /** The failure that ended the replay, with the names of the files that are incomplete. */
  InputException incomplete(InputException failure) {
    return names.isEmpty()
        ? failure
        : new InputException(
            "%s; these files are incomplete: %s"
                .formatted(failure.getMessage(), String.join(", ", names)),
            failure);
  }

  /**
   * Closes all files, even if one of them fails.
   *
   * @throws InputException if a file can't be written to its end
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
