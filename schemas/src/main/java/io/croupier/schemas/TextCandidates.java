package io.croupier.schemas;

import java.util.List;

/**
 * What the devices of one round vote for in a statistic of {@link Prefixes}: the texts of the list,
 * and each of its prefixes followed by each letter, or by none. These candidates have numbers from
 * 0: first the places of the texts, then for each place of a prefix the letters in the order of the
 * alphabet, and the end. Every text is exactly one of them, whatever the list is.
 *
 * @param kind a valid one
 * @param prefixes by their places, the first of which has the empty prefix; the others are free if
 *     empty
 * @param texts by their places; free if empty
 */
public record TextCandidates(Prefixes kind, List<String> prefixes, List<String> texts) {
  /** The most candidates of a statistic. */
  public static final int MOST = 4096;

  /** The most letters of an alphabet. */
  static final int MOST_LETTERS = 128;

  /**
   * The letters of the alphabet, in its order: {@code abc} of {@code a-c}. None if the end of a
   * range is below its beginning; one beyond the limit at most.
   */
  public static String letters(String alphabet) {
    StringBuilder letters = new StringBuilder();
    for (int i = 0; i < alphabet.length(); i++) {
      boolean isRange = i + 2 < alphabet.length() && alphabet.charAt(i + 1) == '-';
      char last = alphabet.charAt(isRange ? i + 2 : i);
      if (last < alphabet.charAt(i)) {
        return "";
      }
      for (int c = alphabet.charAt(i); c <= last && letters.length() <= MOST_LETTERS; c++) {
        letters.append((char) c);
      }
      i += isRange ? 2 : 0;
    }
    return letters.toString();
  }

  /** The places for prefixes, for an alphabet of so many letters: all that the candidates allow. */
  public static int places(int letters, int top) {
    return (MOST - top) / (letters + 1);
  }

  /** The number of candidates k, which depends on the spec alone. */
  public static int count(Prefixes kind) {
    int letters = letters(kind.getAlphabet()).length();
    return kind.getTop() + places(letters, kind.getTop()) * (letters + 1);
  }

  /** Whether a value, which may be null, is short enough and has letters of the alphabet alone. */
  public static boolean isText(Prefixes kind, String value) {
    String letters = letters(kind.getAlphabet());
    return value != null
        && value.length() <= kind.getLength()
        && value.chars().allMatch(c -> letters.indexOf(c) >= 0);
  }

  /**
   * The number of a person's candidate, from 0. A text that is too long or has a letter beyond the
   * alphabet, and null, count as the empty text: the fixed public fallback.
   */
  public int of(String value) {
    String letters = letters(kind.getAlphabet());
    String text = isText(kind, value) ? value : "";
    int place = text.isEmpty() ? -1 : texts.indexOf(text);
    if (place >= 0) {
      return place;
    }
    int longest = 0;
    for (int i = 1; i < prefixes.size(); i++) {
      String prefix = prefixes.get(i);
      if (prefix.length() > prefixes.get(longest).length() && text.startsWith(prefix)) {
        longest = i;
      }
    }
    int next = prefixes.get(longest).length();
    int letter = next == text.length() ? letters.length() : letters.indexOf(text.charAt(next));
    return kind.getTop() + longest * (letters.length() + 1) + letter;
  }
}
