package io.croupier.cli.io;

import io.croupier.cli.InputException;
import io.croupier.schemas.FileErrors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Checks that standard input and output are used only once, and that no file is overwritten. */
public final class FileConflicts {
  private final Map<String, String> inputs = new LinkedHashMap<>();
  private final Map<String, String> outputs = new LinkedHashMap<>();

  /** Knows no file yet. */
  public FileConflicts() {}

  /** Adds an input file; {@code name} is null if the option is absent. */
  public FileConflicts reads(String option, String name) {
    if (name != null) {
      if (name.equals(RecordFile.PIPE)) {
        requireNoPipe(option, inputs, "input");
      }
      inputs.put(option, name);
    }
    return this;
  }

  /**
   * Adds an output file, after all inputs; {@code name} is null if the option is absent.
   *
   * @throws InputException if it is one of the other files
   */
  public FileConflicts writes(String option, String name) {
    if (name != null) {
      if (name.equals(RecordFile.PIPE)) {
        requireNoPipe(option, outputs, "output");
      } else {
        requireOther(option, name, inputs);
        requireOther(option, name, outputs);
      }
      outputs.put(option, name);
    }
    return this;
  }

  /** Whether standard output is one of the output files. */
  public boolean takesStandardOut() {
    return outputs.containsValue(RecordFile.PIPE);
  }

  private static void requireNoPipe(String option, Map<String, String> others, String which) {
    others.forEach(
        (otherOption, other) -> {
          if (other.equals(RecordFile.PIPE)) {
            throw new InputException(
                "%s and %s are both '-'; only one of them can be standard %s"
                    .formatted(otherOption, option, which));
          }
        });
  }

  private static void requireOther(String option, String name, Map<String, String> others) {
    others.forEach(
        (otherOption, other) -> {
          if (!other.equals(RecordFile.PIPE) && areSame(Path.of(name), Path.of(other))) {
            throw new InputException(
                "%s and %s are the same file, %s, which would be overwritten"
                    .formatted(otherOption, option, name));
          }
        });
  }

  private static boolean areSame(Path one, Path other) {
    try {
      if (Files.exists(one) && Files.exists(other)) {
        return Files.isSameFile(one, other);
      }
      return real(one.toAbsolutePath()).equals(real(other.toAbsolutePath()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where writing to a path creates a file: links to what doesn't exist yet are followed, too. */
  private static Path real(Path path) throws IOException {
    try {
      return path.toRealPath();
    } catch (NoSuchFileException e) {
      return Files.isSymbolicLink(path)
          ? real(path.resolveSibling(Files.readSymbolicLink(path)))
          : real(path.getParent()).resolve(path.getFileName());
    } catch (IOException e) {
      throw new InputException(path + ": " + FileErrors.unreadable(e), e);
    }
  }
}
