package io.croupier.schemas;

import java.util.regex.Pattern;

/**
 * Text of another person or machine, such as a user id or part of a server's answer, in a form for
 * terminals and logs: each character without a form of its own is written as in the source of a
 * Java string. These are the characters that a terminal obeys, that change the direction of text,
 * private and unassigned ones, halves of surrogate pairs, and all blanks but the space.
 */
public final class VisibleText {
  /** Breaks of lines, among others. */
  private static final Pattern BLANKS = Pattern.compile("[\\s\\x{85}\\p{Z}]+");

  private VisibleText() {}

  /**
   * A name in one line, or a message that contains such names: blanks are kept. A backslash is not
   * escaped, so a name that itself contains {@code \\u000a} looks like one with a line break.
   */
  public static String name(String name) {
    return escaped(name, false);
  }

  /** Sentences in one line, in which each series of blanks is a space. */
  public static String line(String text) {
    return escaped(BLANKS.matcher(text).replaceAll(" "), false).strip();
  }

  /** Several lines, whose breaks and indents are meant. */
  public static String lines(String text) {
    return escaped(text, true);
  }

  private static String escaped(String text, boolean keepsLines) {
    StringBuilder visible = null;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      int next = i + Character.charCount(c);
      boolean isVisible =
          (c >= ' ' && c <= '~') || isVisible(c) || (keepsLines && isOfLines(text, i));
      if (!isVisible && visible == null) {
        visible = new StringBuilder(text.length() + 16).append(text, 0, i);
      }
      if (visible != null) {
        for (; i < next; i++) {
          char unit = text.charAt(i);
          visible.append(isVisible ? String.valueOf(unit) : String.format("\\u%04x", (int) unit));
        }
      }
      i = next;
    }
    return visible == null ? text : visible.toString();
  }

  /** A carriage return alone would write over its line. */
  private static boolean isOfLines(String text, int i) {
    return text.charAt(i) == '\n' || text.charAt(i) == '\t' || text.startsWith("\r\n", i);
  }

  /** Whether Unicode has a form for it: not its categories C and Z. */
  private static boolean isVisible(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.SPACE_SEPARATOR,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
