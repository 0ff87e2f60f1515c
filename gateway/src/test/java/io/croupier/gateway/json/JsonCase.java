package io.croupier.gateway.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;

/**
 * A change of a valid JSON text, and whether the text is still valid. Every command and endpoint
 * that reads JSON must agree.
 *
 * @param name of the change
 * @param isValid whether the changed text may be read
 * @param change of the text; a character stands for a byte
 */
public record JsonCase(String name, boolean isValid, UnaryOperator<String> change) {
  private static final int DEEP = 50_000;

  /**
   * All cases.
   *
   * @param name of the first field of the texts, whose value is a text, or a number of at least 0
   */
  public static List<JsonCase> of(String name) {
    String quoted = '"' + name + '"';
    String escaped = "\"\\u%04x%s\"".formatted((int) name.charAt(0), name.substring(1));
    List<JsonCase> cases = new ArrayList<>();
    cases.add(new JsonCase("unchanged", true, t -> t));
    cases.add(new JsonCase("an escaped name", true, t -> t.replaceFirst(quoted, literal(escaped))));
    cases.add(new JsonCase("blanks", true, t -> " \t" + t.replace(":", " : ") + " "));
    // RFC 8259, section 8.1, lets readers ignore it.
    cases.add(new JsonCase("a byte order mark", true, t -> "\u00ef\u00bb\u00bf" + t));
    for (String first : List.of(quoted, escaped)) {
      for (String value : List.of("1", "null", "{}")) {
        cases.add(refused("a name twice: " + first + value, begin(first + ":" + value + ",")));
      }
    }
    cases.add(refused("an unknown field", begin("\"unknown\":1,")));
    cases.add(refused("an unknown object", begin("\"unknown\":{\"a\":1,\"a\":2},")));
    cases.add(refused("a name that is no text", begin("\"\\ud800\":1,")));
    for (String value :
        List.of(
            "NaN",
            "-Infinity",
            "01",
            "+1",
            ".5",
            "1.",
            "0x1",
            "1e",
            "'m'",
            "\"\\ud800\"",
            "{}",
            "[]")) {
      cases.add(
          refused(
              "the value " + value,
              t -> t.replaceFirst(quoted + ":(\"[^\"]*\"|\\d+)", literal(quoted + ":" + value))));
    }
    cases.add(refused("a name without quotes", t -> t.replaceFirst(quoted, name)));
    cases.add(refused("single quotes", t -> t.replaceFirst(quoted, "'" + name + "'")));
    cases.add(refused("a comment", begin("/* */")));
    cases.add(refused("a comment after it", t -> t + "// end"));
    cases.add(refused("a comma before the end", t -> t.substring(0, t.length() - 1) + ",}"));
    cases.add(refused("an equals sign", t -> t.replaceFirst(":", "=")));
    cases.add(refused("the same again", t -> t + t));
    cases.add(refused("a bracket after it", t -> t + "}"));
    cases.add(refused("a word after it", t -> t + " end"));
    cases.add(refused("cut off", t -> t.substring(0, t.length() - 1)));
    cases.add(refused("bytes that are no text", begin("\"\u00e4\":1,")));
    cases.add(refused("depth", t -> "{\"a\":".repeat(DEEP)));
    cases.add(refused("depth of lists", begin(quoted + ":" + "[".repeat(DEEP))));
    for (String other : List.of("null", "7", "\"text\"", "[7]", "[[]]", "true", "{", "<a/>")) {
      cases.add(refused("not an object: " + other, t -> other));
    }
    return cases;
  }

  /** Cases of texts in Protobuf's JSON mapping, beside those of {@link #of}. */
  public static List<JsonCase> ofMapping() {
    return List.of(
        refused("a name in both spellings", begin("\"model_id\":\"other\",")),
        refused("a list for a value", t -> t.replaceFirst(":(\"m\"|\\d+)", ":[$1]")),
        new JsonCase("the other spelling", true, t -> t.replaceFirst("modelId", "model_id")),
        new JsonCase("null", true, begin("\"privUnit\":null,")));
  }

  /** The bytes of the changed text. */
  public byte[] bytes(String text) {
    return change.apply(text).getBytes(ISO_8859_1);
  }

  /** The bytes with blanks after them. */
  public byte[] bytes(String text, int length) {
    byte[] changed = bytes(text);
    byte[] padded = Arrays.copyOf(changed, Math.max(length, changed.length));
    Arrays.fill(padded, changed.length, padded.length, (byte) ' ');
    return padded;
  }

  private static JsonCase refused(String name, UnaryOperator<String> change) {
    return new JsonCase(name, false, change);
  }

  private static UnaryOperator<String> begin(String inserted) {
    return text -> text.replaceFirst("\\{", literal("{" + inserted));
  }

  private static String literal(String replacement) {
    return Matcher.quoteReplacement(replacement);
  }

  @Override
  public String toString() {
    return name;
  }
}
