package io.croupier.cli.io;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What no reader sees in the name of a person, so that it names another person, or none. */
public final class InvisibleCharacter {
  /** With the blanks that {@link String#strip} leaves. */
  private static final Pattern INVISIBLE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\x{A0}\\x{2007}\\x{202F}]");

  private InvisibleCharacter() {}

  /** What is wrong with a name, in words that don't quote it; empty if all of it is visible. */
  public static Optional<String> in(String name) {
    Matcher invisible = INVISIBLE.matcher(name);
    return invisible.find()
        ? Optional.of(
            "contains the invisible character U+%04X; remove it"
                .formatted(invisible.group().codePointAt(0)))
        : Optional.empty();
  }
}
