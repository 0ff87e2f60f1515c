package io.croupier.gateway.config;

import io.croupier.schemas.NumberText;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Settings by their dotted keys, read as numbers, durations and files.
 *
 * @param base directory of relative file names
 */
record Settings(Map<String, String> values, Path base) {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,15})\\s*(ms|s|min|h|d)");

  /** Passwords may be among the values. */
  @Override
  public String toString() {
    return "Settings";
  }

  String text(GatewayKey key) {
    return values.getOrDefault(key.key(), key.byDefault()).strip();
  }

  /** The names of topics. */
  Topics topics(Set<Topic> used) {
    return Topics.of(text(GatewayKey.TOPICS_PREFIX), used, values);
  }

  /** The elements of a list, which a file may give as a YAML list or separated by commas. */
  List<String> list(GatewayKey key) {
    return list(text(key));
  }

  static List<String> list(String text) {
    return Arrays.stream(text.split(",", -1))
        .map(String::strip)
        .filter(element -> !element.isEmpty())
        .toList();
  }

  Optional<Path> file(GatewayKey key) {
    String text = text(key);
    return text.isEmpty() ? Optional.empty() : Optional.of(base.resolve(text));
  }

  Path resolve(String file) {
    return base.resolve(file);
  }

  boolean truth(GatewayKey key) {
    String text = text(key);
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong(key, text, "true or false");
    };
  }

  int number(GatewayKey key, int least, int most) {
    String text = text(key);
    try {
      int value = NumberText.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The exception below covers this case, too.
    }
    throw wrong(key, text, "a whole number from %d to %d".formatted(least, most));
  }

  /** A duration from 1 ms to 10 days. */
  Duration duration(GatewayKey key) {
    String text = text(key);
    Matcher matcher = DURATION.matcher(text.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long millis =
          switch (matcher.group(2)) {
            case "ms" -> 1;
            case "s" -> 1000;
            case "min" -> 60_000;
            case "h" -> 3_600_000;
            default -> 86_400_000;
          };
      long count = Long.parseLong(matcher.group(1));
      if (count >= 1 && count <= 864_000_000 / millis) {
        return Duration.ofMillis(count * millis);
      }
    }
    throw wrong(key, text, "a duration from 1 ms to 10 d, such as '500 ms' or '2 s'");
  }

  private static IllegalArgumentException wrong(GatewayKey key, String value, String right) {
    return new IllegalArgumentException(
        "%s is '%s'; it must be %s".formatted(key.key(), value, right));
  }
}
