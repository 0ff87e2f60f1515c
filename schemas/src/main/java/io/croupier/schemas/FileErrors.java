package io.croupier.schemas;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/**
 * Why a file can't be read or written, in words that follow its name. The message of Java's
 * exception is often the name alone.
 */
public final class FileErrors {
  private FileErrors() {}

  /** Why a file can't be read, and, if it isn't UTF-8, what would be right. */
  public static String unreadable(IOException e) {
    if (e instanceof CharacterCodingException) {
      return "the text is not UTF-8; save the file as UTF-8";
    }
    return e instanceof NoSuchFileException ? "no such file" : "can't be read: " + cause(e);
  }

  /** Why a file or a directory can't be written or created. */
  public static String unwritable(IOException e) {
    return "can't be written: "
        + (e instanceof NoSuchFileException ? "no such directory" : cause(e));
  }

  private static String cause(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "a file has this name";
    }
    if (e instanceof EOFException) {
      return "the file is cut short";
    }
    String text = e instanceof FileSystemException of ? of.getReason() : e.getMessage();
    return text == null ? e.getClass().getSimpleName() : text;
  }
}
