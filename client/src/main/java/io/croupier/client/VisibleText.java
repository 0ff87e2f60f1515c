package io.croupier.client;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Text of another machine, such as part of a server's answer, in a form for terminals and logs. */
public final class VisibleText {
  /** Breaks of lines, among others. */
  private static final Pattern BLANKS = Pattern.compile("[\\s\\x{85}\\p{Z}]+");

  /**
   * Unicode's category of characters without a form of their own: those that a terminal obeys, that
   * change the direction of text, private and unassigned ones, and halves of surrogate pairs.
   */
  private static final Pattern INVISIBLE = Pattern.compile("\\p{C}");

  private VisibleText() {}

  /**
   * The text in one line. Characters of Unicode's category C are written as in the source of a Java
   * string.
   */
  public static String line(String text) {
    return INVISIBLE
        .matcher(BLANKS.matcher(text).replaceAll(" "))
        .replaceAll(VisibleText::escape)
        .strip();
  }

  /** The escape, with a second backslash for the matcher. */
  private static String escape(MatchResult invisible) {
    StringBuilder escape = new StringBuilder();
    for (char unit : invisible.group().toCharArray()) {
      escape.append("\\\\u%04x".formatted((int) unit));
    }
    return escape.toString();
  }
}
