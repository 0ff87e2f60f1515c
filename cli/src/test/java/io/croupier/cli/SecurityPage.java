package io.croupier.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * The rights and the configuration in docs/run/security.md, or the rights of another page, parsed.
 */
final class SecurityPage {
  private static final Pattern ROW =
      Pattern.compile(
          "^\\| `(User:\\w+)` \\|[^|]*\\| (topic|topics|group|transactional ids|cluster)"
              + "( that begin with)?(?: `([^|]+)`)? \\| ([A-Za-z, ]+) \\|$",
          Pattern.MULTILINE);
  private static final Pattern COMMAND =
      Pattern.compile("^kafka-acls\\.sh (.+)$", Pattern.MULTILINE);
  private static final Pattern COMMA = Pattern.compile(", ");
  private static final Pattern NEXT_NAME = Pattern.compile("`, `");
  private static final Pattern BLANKS = Pattern.compile(" +");
  private static final Pattern YAML =
      Pattern.compile("^```yaml\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  private final String text;

  SecurityPage() throws IOException {
    this("run/security.md");
  }

  /** Reads a page of docs. */
  SecurityPage(String name) throws IOException {
    text = Files.readString(Path.of("..", "docs", name));
  }

  /** Every right of the table, one per resource and operation. */
  List<AclBinding> rights() {
    List<AclBinding> rights = new ArrayList<>();
    Matcher row = ROW.matcher(text);
    while (row.find()) {
      for (ResourcePattern resource : resources(row.toMatchResult())) {
        for (String operation : COMMA.splitAsStream(row.group(5)).toList()) {
          rights.add(
              new AclBinding(
                  resource,
                  new AccessControlEntry(
                      row.group(1), "*", operation(operation), AclPermissionType.ALLOW)));
        }
      }
    }
    return rights;
  }

  private static AclOperation operation(String name) {
    return AclOperation.fromString(
        name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT));
  }

  private static List<ResourcePattern> resources(MatchResult row) {
    ResourceType type =
        switch (row.group(2)) {
          case "topic", "topics" -> ResourceType.TOPIC;
          case "group" -> ResourceType.GROUP;
          case "cluster" -> ResourceType.CLUSTER;
          default -> ResourceType.TRANSACTIONAL_ID;
        };
    String names = type == ResourceType.CLUSTER ? "kafka-cluster" : row.group(4);
    PatternType pattern = row.group(3) == null ? PatternType.LITERAL : PatternType.PREFIXED;
    return NEXT_NAME
        .splitAsStream(names)
        .map(name -> new ResourcePattern(type, name, pattern))
        .toList();
  }

  /** The users of the table, without {@code User:}. */
  Set<String> users() {
    return rights().stream()
        .map(right -> right.entry().principal().replaceFirst("^User:", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The arguments of every kafka-acls.sh command, with the brokers' address replaced. */
  List<String[]> commands(String bootstrapServers, Path admin) {
    return COMMAND
        .matcher(text)
        .results()
        .map(
            command ->
                BLANKS
                    .splitAsStream(command.group(1))
                    .map(word -> word.equals("broker-1:9093") ? bootstrapServers : word)
                    .map(word -> word.equals("admin.properties") ? admin.toString() : word)
                    .toArray(String[]::new))
        .toList();
  }

  /** The YAML of the configuration, for a broker, a trust store and a file of secrets. */
  String configuration(String bootstrapServers, Path truststore, Path secrets) {
    Matcher yaml = YAML.matcher(text);
    if (!yaml.find()) {
      throw new AssertionError("docs/run/security.md shows no YAML");
    }
    return yaml.group(1)
        .replace("broker-1:9093", bootstrapServers)
        .replace("/etc/croupier/trusted.p12", truststore.toString())
        .replace("/etc/croupier/secrets.properties", secrets.toString());
  }
}
