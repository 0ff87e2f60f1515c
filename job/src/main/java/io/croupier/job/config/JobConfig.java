package io.croupier.job.config;

import static java.util.Map.Entry.comparingByKey;

import io.croupier.operators.flink.learner.PublicationSettings;
import io.croupier.schemas.Limits;
import io.croupier.schemas.NumberText;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.util.TimeUtils;

/**
 * The job's settings, validated before the graph is built. They come from one YAML file, whose
 * nested keys are joined by dots, and from overrides on the command line; {@link ConfigKey} lists
 * the keys. Keys after {@code kafka.} are passed to every Kafka client unchanged, those after
 * {@code flink.} to Flink.
 *
 * @param topics names of the topics, also of those that exist only with anonymous reports
 * @param kafka properties of the Kafka clients, including {@code bootstrap.servers}
 * @param preAggregationInterval longest time that a partial sum waits, positive
 * @param publications when models may publish new rounds
 * @param keepReports how long topics of reports are to keep records
 * @param journal whether to keep a journal of the reports that enter local models
 * @param anonymous whether models may take anonymous reports
 * @param perUser limits on what one user may spend on all models together
 */
public record JobConfig(
    Topics topics,
    Map<String, String> kafka,
    FlinkSettings flink,
    Duration preAggregationInterval,
    PublicationSettings publications,
    Duration keepReports,
    boolean journal,
    boolean anonymous,
    Limits perUser)
    implements Serializable {

  /** Number of key groups of a new job whose settings name none. */
  public static final int NEW_MAX_PARALLELISM =
      Integer.parseInt(ConfigKey.MAX_PARALLELISM.byDefault());

  /** Flink's limit on the number of key groups, 2^15. */
  private static final int MOST_KEY_GROUPS = 1 << 15;

  private static final Duration LONGEST = Duration.ofDays(3650);

  /** Reports that the job hasn't read are kept at least so long. */
  private static final Duration LEAST_KEPT = Duration.ofHours(1);

  /**
   * Keys masked in addition to those that Flink masks; JVM options and environments may contain any
   * secret.
   */
  private static final Pattern SECRET_KEY =
      Pattern.compile(
          "password|passwd|passphrase|pwd|secret|token|credential|jaas|key\\b|\\bsas\\b|\\bauth|java\\.opts|\\benv\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern SECRET_IN_VALUE =
      Pattern.compile(
          "(password|passwd|secret|token|credential|key|sig)[\"']?\\s*[=:]|://[^/@\\s]*:[^/@\\s]*@",
          Pattern.CASE_INSENSITIVE);

  /**
   * Reads a YAML file; {@code overrides} replace its settings.
   *
   * @throws IllegalArgumentException if the file or a setting is invalid; the message describes
   *     valid values
   */
  public static JobConfig load(Path file, Map<String, String> overrides) {
    Map<String, String> settings = SettingsFile.read(file);
    settings.putAll(overrides);
    return of(settings);
  }

  /**
   * Reads settings by their dotted keys.
   *
   * @throws IllegalArgumentException if a key is unknown or a value is invalid
   */
  public static JobConfig of(Map<String, String> settings) {
    for (String key : settings.keySet()) {
      String name = ConfigKey.withoutValue(key);
      if (!name.equals(key)) {
        throw new IllegalArgumentException(
            ("The key of a setting begins with '%s', followed by '=', ':' or a blank; give"
                    + " key and value separately")
                .formatted(name));
      }
    }
    List<String> unknown =
        settings.keySet().stream()
            .filter(key -> !ConfigKey.isKnown(key))
            .map(ConfigKey::violation)
            .toList();
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(String.join(System.lineSeparator(), unknown));
    }
    Map<String, String> kafka = behind(ConfigKey.KAFKA, settings);
    if (kafka.getOrDefault("bootstrap.servers", "").isBlank()) {
      throw new IllegalArgumentException(
          "kafka.bootstrap.servers is missing; set it to the brokers' addresses, such as"
              + " 'broker-1:9092,broker-2:9092'");
    }
    return new JobConfig(
        topics(settings),
        kafka,
        flink(settings),
        duration(ConfigKey.PRE_AGGREGATION_INTERVAL, settings),
        publications(settings),
        keepReports(settings),
        truth(ConfigKey.JOURNAL_ENABLED, settings),
        anonymous(settings),
        UserLimits.of(settings));
  }

  /** Whether the settings limit what users may spend; a delta alone does not. */
  public boolean limitsUsers() {
    return UserLimits.limit(perUser);
  }

  /** Every effective setting, one per line, with secrets masked. */
  public String describe() {
    Map<String, String> lines = new TreeMap<>();
    topics.names().forEach((topic, name) -> lines.put("topics." + topic.suffix(), name));
    lines.put(
        ConfigKey.PARALLELISM.key(),
        flink.parallelism() == 0 ? "(Flink's own setting)" : Integer.toString(flink.parallelism()));
    lines.put(
        ConfigKey.MAX_PARALLELISM.key(),
        flink.maxParallelism() == 0
            ? "(that of the state, or %d)".formatted(NEW_MAX_PARALLELISM)
            : Integer.toString(flink.maxParallelism()));
    lines.put(ConfigKey.CHECKPOINT_INTERVAL.key(), flink.checkpointInterval().toMillis() + " ms");
    lines.put(
        ConfigKey.CHECKPOINT_DIRECTORY.key(),
        flink.checkpointDirectory().isEmpty()
            ? "(the cluster's setting)"
            : masked(ConfigKey.CHECKPOINT_DIRECTORY.key(), flink.checkpointDirectory()));
    lines.put(ConfigKey.PRE_AGGREGATION_INTERVAL.key(), preAggregationInterval.toMillis() + " ms");
    lines.put(ConfigKey.PUBLICATION_HOLD.key(), publications.longestHold().toMillis() + " ms");
    lines.put(ConfigKey.KEEP_REPORTS.key(), keepReports.toMillis() + " ms");
    lines.put(ConfigKey.JOURNAL_ENABLED.key(), Boolean.toString(journal));
    lines.put(ConfigKey.ANONYMOUS_ENABLED.key(), Boolean.toString(anonymous));
    lines.putAll(UserLimits.describe(perUser));
    kafka.forEach((k, v) -> lines.put(ConfigKey.KAFKA + k, masked(k, v)));
    flink.options().forEach((k, v) -> lines.put(ConfigKey.FLINK + k, masked(k, v)));
    StringBuilder text = new StringBuilder();
    lines.entrySet().stream()
        .sorted(comparingByKey())
        .forEach(e -> text.append("%-28s %s%n".formatted(e.getKey(), e.getValue())));
    return text.toString();
  }

  private static String masked(String key, String value) {
    boolean secret =
        GlobalConfiguration.isSensitive(key)
            || SECRET_KEY.matcher(key).find()
            || SECRET_IN_VALUE.matcher(value).find();
    return secret ? GlobalConfiguration.HIDDEN_CONTENT : value;
  }

  /** The same as {@link #describe()}, which masks passwords. */
  @Override
  public String toString() {
    return describe();
  }

  private static FlinkSettings flink(Map<String, String> settings) {
    int parallelism = keyGroups(ConfigKey.PARALLELISM, settings, 1);
    return new FlinkSettings(
        behind(ConfigKey.FLINK, settings),
        parallelism,
        keyGroups(ConfigKey.MAX_PARALLELISM, settings, Math.max(1, parallelism)),
        duration(ConfigKey.CHECKPOINT_INTERVAL, settings),
        text(ConfigKey.CHECKPOINT_DIRECTORY, settings));
  }

  private static PublicationSettings publications(Map<String, String> settings) {
    return new PublicationSettings(duration(ConfigKey.PUBLICATION_HOLD, settings));
  }

  private static Topics topics(Map<String, String> settings) {
    return Topics.of(text(ConfigKey.TOPICS_PREFIX, settings), Topic.ofJob(true), settings);
  }

  private static boolean anonymous(Map<String, String> settings) {
    boolean anonymous = truth(ConfigKey.ANONYMOUS_ENABLED, settings);
    if (anonymous && truth(ConfigKey.JOURNAL_ENABLED, settings)) {
      throw new IllegalArgumentException(
          "anonymous.enabled and journal.enabled are true; one of them must be false, since a"
              + " journal lists positions of the gradients topic only");
    }
    return anonymous;
  }

  private static Map<String, String> behind(String prefix, Map<String, String> settings) {
    Map<String, String> found = new TreeMap<>();
    settings.forEach(
        (key, value) -> {
          if (key.startsWith(prefix)) {
            found.put(key.substring(prefix.length()), value);
          }
        });
    return Map.copyOf(found);
  }

  private static String text(ConfigKey key, Map<String, String> settings) {
    return settings.getOrDefault(key.key(), key.byDefault());
  }

  /** A number up to that of key groups; 0 if it isn't set. */
  private static int keyGroups(ConfigKey key, Map<String, String> settings, int least) {
    String text = settings.get(key.key());
    if (text == null) {
      return 0;
    }
    try {
      int value = NumberText.parseInt(text.strip());
      if (value >= least && value <= MOST_KEY_GROUPS) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The exception below covers this case, too.
    }
    throw new IllegalArgumentException(
        "%s is '%s'; it must be a whole number from %d to %d"
            .formatted(key.key(), text, least, MOST_KEY_GROUPS));
  }

  private static boolean truth(ConfigKey key, Map<String, String> settings) {
    String text = text(key, settings);
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              "%s is '%s'; it must be true or false".formatted(key.key(), text));
    };
  }

  /**
   * A number without a unit is one of milliseconds, after which no report would be left to judge.
   */
  private static Duration keepReports(Map<String, String> settings) {
    Duration time = duration(ConfigKey.KEEP_REPORTS, settings);
    if (time.compareTo(LEAST_KEPT) < 0) {
      throw new IllegalArgumentException(
          "%s is '%s'; it must be at least 1 h, such as '7 d'"
              .formatted(ConfigKey.KEEP_REPORTS.key(), text(ConfigKey.KEEP_REPORTS, settings)));
    }
    return time;
  }

  private static Duration duration(ConfigKey key, Map<String, String> settings) {
    String text = text(key, settings);
    try {
      Duration value = TimeUtils.parseDuration(text.strip().toLowerCase(Locale.ROOT));
      if (value.compareTo(Duration.ofMillis(1)) >= 0 && value.compareTo(LONGEST) <= 0) {
        return value;
      }
    } catch (IllegalArgumentException e) {
      // The exception below covers this case, too.
    }
    throw new IllegalArgumentException(
        "%s is '%s'; it must be a duration from 1 ms to 3650 d, such as '500 ms' or '2 s'"
            .formatted(key.key(), text));
  }
}
