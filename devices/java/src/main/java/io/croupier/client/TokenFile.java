package io.croupier.client;

import io.croupier.schemas.Utf8Text;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A bearer token in a file, which another program renews. Each call reads the file, and ignores
 * white space around the token.
 */
public final class TokenFile implements Supplier<String> {
  /** More than any gateway accepts. */
  private static final int LONGEST = 1 << 16;

  /** The form of a bearer token (RFC 6750, section 2.1). */
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

  private final Path file;

  /** Names the file; reads nothing yet. */
  public TokenFile(Path file) {
    this.file = file;
  }

  /**
   * The token.
   *
   * @throws UncheckedIOException if the file can't be read
   * @throws IllegalStateException if it contains no bearer token
   */
  @Override
  public String get() {
    if (Files.isDirectory(file)) {
      throw new IllegalStateException(
          file + " is a directory; it must be a file that contains one token");
    }
    try {
      if (Files.size(file) > LONGEST) {
        throw new IllegalStateException(file + " is too long; it must contain one token");
      }
      return requireForm(Utf8Text.read(file).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the token's file can't be read: " + file + " (" + e.getClass().getSimpleName() + ")", e);
    }
  }

  /** Returns a token in the right form: the message of HttpRequest would contain another one. */
  static String requireForm(String token) {
    if (!FORM.matcher(token).matches()) {
      throw new IllegalStateException(
          "the token has a wrong form; it must be a bearer token, without 'Bearer'");
    }
    return token;
  }

  @Override
  public String toString() {
    return "TokenFile[" + file + "]";
  }
}
