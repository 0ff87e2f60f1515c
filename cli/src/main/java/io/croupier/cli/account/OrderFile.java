package io.croupier.cli.account;

import io.croupier.accounting.tree.GivenOrder;
import io.croupier.cli.InputException;
import io.croupier.cli.io.InvisibleCharacter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A file that lists the participants of each step, one step per line. Keeps the names of users in
 * memory, but not the steps.
 */
final class OrderFile {
  /** Blanks of any script, and commas. */
  private static final Pattern SEPARATORS =
      Pattern.compile("[,\\s\\p{Z}]+", Pattern.UNICODE_CHARACTER_CLASS);

  private final String name;
  private final Map<String, Long> numbers = new HashMap<>();
  private final List<String> users = new ArrayList<>();

  /** Sets the file's name, which {@link LineReader#open} will open. */
  OrderFile(String name) {
    this.name = name;
  }

  /**
   * Adds all steps of the file to {@code order}.
   *
   * @throws InputException if the file can't be read, or {@code order} refuses a line, which the
   *     message names
   */
  void read(GivenOrder order) {
    try (LineReader reader = LineReader.open(name)) {
      for (String line = reader.next(); line != null; line = reader.next()) {
        try {
          order.step(numbers(line));
        } catch (IllegalArgumentException e) {
          throw new InputException(reader.place() + ": " + e.getMessage(), e);
        }
      }
    }
  }

  private long[] numbers(String line) {
    return SEPARATORS
        .splitAsStream(line)
        .filter(user -> !user.isEmpty())
        .mapToLong(this::number)
        .toArray();
  }

  private long number(String user) {
    Long known = numbers.get(user);
    if (known != null) {
      return known;
    }
    InvisibleCharacter.in(user)
        .ifPresent(
            fault -> {
              throw new IllegalArgumentException("a user id " + fault);
            });
    long number = users.size();
    numbers.put(user, number);
    users.add(user);
    return number;
  }

  /** All users in order of first appearance; a user's number is the index in this list. */
  List<String> users() {
    return users;
  }
}
