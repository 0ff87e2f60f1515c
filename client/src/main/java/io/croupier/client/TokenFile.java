package io.croupier.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * A bearer token in a file, which another program renews. Each call reads the file, and ignores
 * white space around the token.
 */
public final class TokenFile implements Supplier<String> {
  /** More than any gateway accepts. */
  private static final int LONGEST = 1 << 16;

  private final Path file;

  /** Names the file; reads nothing yet. */
  public TokenFile(Path file) {
    this.file = file;
  }

  /**
   * The token.
   *
   * @throws UncheckedIOException if the file can't be read
   * @throws IllegalStateException if it is too long for a token
   */
  @Override
  public String get() {
    try {
      if (Files.size(file) > LONGEST) {
        throw new IllegalStateException(file + " is too long; it must contain one token");
      }
      return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the token's file can't be read: " + file + " (" + e.getClass().getSimpleName() + ")", e);
    }
  }

  @Override
  public String toString() {
    return "TokenFile[" + file + "]";
  }
}
