package io.croupier.job.config;

import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.api.ConstructNode;
import org.snakeyaml.engine.v2.constructor.ConstructYamlNull;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.Schema;

/**
 * A schema of YAML in which each value is the text as it is written, or null: the field that it is
 * for decides whether {@code 1.10} is a name or a number. By YAML's own schemas it is 1.1.
 */
final class WrittenText implements Schema {
  private static final Set<String> NULL = Set.of("", "~", "null", "Null", "NULL");

  @Override
  public ScalarResolver getScalarResolver() {
    return (text, isPlain) -> isPlain && NULL.contains(text) ? Tag.NULL : Tag.STR;
  }

  @Override
  public Map<Tag, ConstructNode> getSchemaTagConstructors() {
    return Map.of(Tag.NULL, new ConstructYamlNull());
  }
}
