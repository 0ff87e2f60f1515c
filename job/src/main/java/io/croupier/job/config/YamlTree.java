package io.croupier.job.config;

import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.DuplicateKeyException;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.exceptions.ScannerException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * YAML as maps, lists, texts and nulls that are safe to traverse: aliases may repeat values, but
 * may neither form cycles nor expand to more than a bounded number of nodes. Errors name the place
 * in the text and never quote it, since configurations contain passwords.
 */
public final class YamlTree {
  private static final int MOST_LEVELS = 100;
  private static final int FREE_NODES = 100_000;

  private YamlTree() {}

  /**
   * Reads the one document of {@code text}; null if there is none.
   *
   * @param name name of the text in error messages
   * @throws IllegalArgumentException if it is not YAML, or too large after its aliases are expanded
   */
  public static Object load(String name, String text) {
    LoadSettings settings =
        LoadSettings.builder().setSchema(new WrittenText()).setLabel(name).build();
    Object root;
    try {
      root = new Load(settings).loadFromString(text);
    } catch (ScannerException | ParserException | DuplicateKeyException e) {
      String problem = e.getProblem();
      throw notYaml(
          name,
          e.getProblemMark(),
          problem.startsWith("expected <block end>")
              ? "the line does not continue what is above it; check its indentation"
              : problem);
    } catch (MarkedYamlEngineException e) {
      // The parser's message may quote an alias, and a password that begins with '*' parses as one.
      throw notYaml(name, e.getProblemMark(), "the text is invalid there");
    } catch (YamlEngineException e) {
      // A message with a cause quotes the offending value.
      String problem = e.getCause() == null ? e.getMessage() : "a value does not match its type";
      throw notYaml(name, Optional.empty(), problem);
    } catch (StackOverflowError e) {
      // The parser recurses as deeply as the text nests.
      throw tooDeep(name);
    }
    // Upper bound on the nodes of a text without aliases, plus a fixed allowance.
    new Walk(name, FREE_NODES + text.length()).visit(root, 0);
    return root;
  }

  private static IllegalArgumentException notYaml(String name, Optional<Mark> at, String problem) {
    return new IllegalArgumentException(
        "%s: not YAML: %s%s"
            .formatted(
                name,
                at.map(m -> "line %d, column %d: ".formatted(m.getLine() + 1, m.getColumn() + 1))
                    .orElse(""),
                problem));
  }

  private static IllegalArgumentException tooDeep(String name) {
    return new IllegalArgumentException(
        "%s: lists and maps are nested too deeply, or contain themselves; at most %d levels"
            .formatted(name, MOST_LEVELS));
  }

  /** Counts nodes. */
  private static final class Walk {
    private final String name;
    private final int most;
    private int nodes;

    Walk(String name, int most) {
      this.name = name;
      this.most = most;
    }

    void visit(Object value, int level) {
      if (level > MOST_LEVELS) {
        throw tooDeep(name);
      }
      if (++nodes > most) {
        throw new IllegalArgumentException(
            "%s: its aliases expand to more than %d values".formatted(name, most));
      }
      if (value instanceof Map<?, ?> map) {
        map.forEach(
            (key, member) -> {
              visit(key, level + 1);
              visit(member, level + 1);
            });
      } else if (value instanceof Iterable<?> list) {
        list.forEach(element -> visit(element, level + 1));
      }
    }
  }
}
