package io.croupier.schemas;

import java.io.Serializable;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The names of a deployment's topics.
 *
 * @param names those that the owner of this record uses
 */
public record Topics(Map<Topic, String> names) implements Serializable {
  private static final long serialVersionUID = 1;

  /**
   * Checks and copies the names.
   *
   * @throws IllegalArgumentException if Kafka doesn't accept one, or two are the same
   */
  public Topics {
    names = Collections.unmodifiableMap(new EnumMap<>(names));
    names.values().forEach(Topics::requireName);
    if (new HashSet<>(names.values()).size() < names.size()) {
      throw new IllegalArgumentException(
          "topics: two topics have the same name in %s; all names must differ"
              .formatted(names.values()));
    }
  }

  /** The default names with a prefix: {@code croupier} gives {@code croupier.models}, .... */
  public static Topics withPrefix(String prefix) {
    return of(prefix, EnumSet.allOf(Topic.class), Map.of());
  }

  /**
   * Returns names of which some are configured.
   *
   * @param prefix of the others; {@code <prefix>} stands for it in a configured one
   * @param used which topics
   * @param settings names by {@code topics.} and the suffix
   * @throws IllegalArgumentException if the prefix is blank, as an unset variable is, or a name is
   *     not accepted
   */
  public static Topics of(String prefix, Set<Topic> used, Map<String, String> settings) {
    if (prefix.isBlank()) {
      throw new IllegalArgumentException(
          "topics.prefix is '%s'; it must have letters or digits, such as croupier"
              .formatted(prefix));
    }
    Map<Topic, String> names = new EnumMap<>(Topic.class);
    used.forEach(
        topic -> {
          String name =
              settings.getOrDefault("topics." + topic.suffix(), "<prefix>." + topic.suffix());
          names.put(topic, name.strip().replace("<prefix>", prefix));
        });
    return new Topics(names);
  }

  /**
   * Requires a name that Kafka accepts for a topic.
   *
   * @throws IllegalArgumentException if it isn't one
   */
  public static String requireName(String name) {
    if (!name.matches("(?!\\.{1,2}$)[A-Za-z0-9._-]{1,249}")) {
      throw new IllegalArgumentException(
          ("topics: '%s' is not a valid topic name; use 1 to 249 letters, digits, '.', '_' and '-',"
                  + " other than '.' and '..'")
              .formatted(name));
    }
    return name;
  }

  /**
   * Returns the name of a topic.
   *
   * @throws IllegalArgumentException if the owner of this record doesn't use it
   */
  public String name(Topic topic) {
    String name = names.get(topic);
    if (name == null) {
      throw new IllegalArgumentException("The topic %s is not used here".formatted(topic));
    }
    return name;
  }

  /** Returns the names of some topics, in their order. */
  public List<String> names(Collection<Topic> topics) {
    return topics.stream().map(this::name).toList();
  }

  /** Returns the names of the topics of a job without anonymous reports. */
  public List<String> all() {
    return names(Topic.ofJob(false));
  }

  /** Returns the name of {@link Topic#MODELS}. */
  public String models() {
    return name(Topic.MODELS);
  }

  /** Returns the name of {@link Topic#GRADIENTS}. */
  public String gradients() {
    return name(Topic.GRADIENTS);
  }

  /** Returns the name of {@link Topic#RAW_GRADIENTS}. */
  public String rawGradients() {
    return name(Topic.RAW_GRADIENTS);
  }

  /** Returns the name of {@link Topic#ERASURES}. */
  public String erasures() {
    return name(Topic.ERASURES);
  }

  /** Returns the name of {@link Topic#STOPS}. */
  public String stops() {
    return name(Topic.STOPS);
  }

  /** Returns the name of {@link Topic#ACCOUNT_REQUESTS}. */
  public String accountRequests() {
    return name(Topic.ACCOUNT_REQUESTS);
  }

  /** Returns the name of {@link Topic#ACCOUNT_ANSWERS}. */
  public String accountAnswers() {
    return name(Topic.ACCOUNT_ANSWERS);
  }

  /** Returns the name of {@link Topic#UPDATES}. */
  public String updates() {
    return name(Topic.UPDATES);
  }

  /** Returns the name of {@link Topic#ACCOUNTING}. */
  public String accounting() {
    return name(Topic.ACCOUNTING);
  }

  /** Returns the name of {@link Topic#GUARANTEES}. */
  public String guarantees() {
    return name(Topic.GUARANTEES);
  }

  /** Returns the name of {@link Topic#JOURNAL}. */
  public String journal() {
    return name(Topic.JOURNAL);
  }

  /** Returns the name of {@link Topic#DEAD_LETTERS}. */
  public String deadLetters() {
    return name(Topic.DEAD_LETTERS);
  }

  /** Returns the name of {@link Topic#RAW_DEAD_LETTERS}. */
  public String rawDeadLetters() {
    return name(Topic.RAW_DEAD_LETTERS);
  }

  /** Returns the name of {@link Topic#PROGRESS}. */
  public String progress() {
    return name(Topic.PROGRESS);
  }

  /** Returns the name of {@link Topic#ANONYMOUS}. */
  public String anonymous() {
    return name(Topic.ANONYMOUS);
  }

  /** Returns the name of {@link Topic#GRANTS}. */
  public String grants() {
    return name(Topic.GRANTS);
  }

  /** Returns the name of {@link Topic#TOKEN_KEYS}. */
  public String tokenKeys() {
    return name(Topic.TOKEN_KEYS);
  }

  /** Returns the name of {@link Topic#GATEWAY}. */
  public String gateway() {
    return name(Topic.GATEWAY);
  }
}
