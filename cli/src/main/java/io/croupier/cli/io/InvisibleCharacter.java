package io.croupier.cli.io;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What no reader of a file sees in a user id, so that it names another person, or none. */
public final class InvisibleCharacter {
  private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cc}\\p{Cf}]");

  private InvisibleCharacter() {}

  /** What is wrong with a user id, in words that don't quote it; empty if all of it is visible. */
  public static Optional<String> in(String userId) {
    Matcher invisible = INVISIBLE.matcher(userId);
    return invisible.find()
        ? Optional.of(
            "a user id contains the invisible character U+%04X; remove it"
                .formatted(invisible.group().codePointAt(0)))
        : Optional.empty();
  }
}
